"""FastCorrelationFilter against comparing every pair of columns."""

import numpy as np
import oracles
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array

from handful import FastCorrelationFilter
from handful.datasets import make_latent_signals


def fitted(X, y, measure="symmetrical_uncertainty", n=None, **parameters):
    return FastCorrelationFilter(measure, n_features_to_select=n, **parameters).fit(X, y)


def order(*arguments, **parameters):
    return fitted(*arguments, **parameters).path_.features.tolist()


@st.composite
def problems(draw):
    """Levels and classes, with copies, near copies and constants."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows, n_columns, n_classes = (draw(st.integers(*s)) for s in ((4, 50), (2, 14), (2, 4)))
    y = rng.permutation(np.arange(n_rows) % n_classes)
    X = rng.integers(0, rng.integers(1, 5, n_columns), (n_rows, n_columns))
    X = np.where(rng.random(X.shape) < rng.choice([0, 0.3, 0.8], n_columns), y[:, None], X)
    near = X[:, rng.integers(n_columns, size=n_columns)]
    X = np.where(rng.random(X.shape) < rng.choice([0, 0.9, 1], n_columns), near, X)
    X[0, 0] = X[1, 0] + 1
    return X, y


@given(problems(), st.booleans(), st.sampled_from([0.0, 0.05]))
@settings(max_examples=150, deadline=None)
def test_what_stays_is_what_comparing_all_pairs_says(problem, symmetrical, delta):
    X, y = problem
    measure = "symmetrical_uncertainty" if symmetrical else "mutual_info"
    staying, others, relevance = oracles.fcbf(
        X.T.tolist(), y.tolist(), delta, symmetrical=symmetrical
    )
    assume(staying)
    selector = fitted(X, y, measure, delta=delta, n_bins=8, redundant="last")
    assert selector.path_.features.tolist() == [*staying, *others]
    assert selector.path_.scores == pytest.approx([relevance[j] for j in [*staying, *others]])
    assert (selector.stopping_.warning is None) == (not others)
    strict = fitted(csc_array(X), y, measure, delta=delta, n_bins=8, redundant="never")
    assert strict.path_.features.tolist() == staying


def test_boolean_columns_on_a_larger_table():
    X, y, _ = make_latent_signals(120, 150, random_state=0)
    staying, others, _ = oracles.fcbf(X.T.tolist(), y.tolist(), 0.0, symmetrical=True)
    assert order(X, y) == [*staying, *others]
    assert order(X, y, n=7) == [*staying, *others][:7]
    assert 7 < len(staying) < 100


def test_a_copy_never_stays():
    X, y, _ = make_latent_signals(200, 60, random_state=1)
    doubled = np.hstack([X, X])
    assert order(doubled, y, redundant="never") == order(X, y, redundant="never")


def test_what_must_not_matter_does_not():
    X, y, _ = make_latent_signals(200, 400, random_state=2)
    levels = X[:, ::2].astype(np.int16) + 2 * X[:, 1::2]
    rng = np.random.default_rng(0)
    expected, shuffled, columns = order(levels, y), rng.permutation(200), rng.permutation(200)
    assert order(levels[shuffled], y[shuffled]) == expected
    assert order(levels, np.array(["sick", "healthy"])[y]) == expected
    assert order(3.5 * levels - 7, y) == expected
    first = order(levels, y, n=20)
    assert columns[order(levels[:, columns], y, n=20)].tolist() == first
    cut = rng.integers(-500, 500, (150, 30)) / 8
    y = (cut[:, 3] + cut[:, 5] > 0).astype(int)
    assert order(cut.astype(np.float32), y) == order(cut, y)


def test_delta_and_redundance_leave_columns_out_and_say_so():
    X, y, _ = make_latent_signals(200, 60, random_state=0)
    relevant = int((fitted(X, y).scores_ >= 0.05).sum())
    with pytest.warns(UserWarning, match="constant or less relevant than delta"):
        assert fitted(X, y, n=60, delta=0.05).n_features_ == relevant
    with pytest.warns(UserWarning, match=r"or redundant beside a better one \(redundant='last'"):
        fitted(X, y, n=60, redundant="never")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"measure": "su"}, "measure='su' is not known; use 'symmetrical_uncertainty'"),
        ({"delta": -0.1}, r"delta=-0.1 is out of range; it must lie in \[0"),
        ({"redundant": "first"}, "redundant='first' is not known"),
        ({"n_bins": 1}, "n_bins=1 must be at least 2"),
    ],
)
def test_parameters_out_of_range(parameters, message):
    with pytest.raises(ValueError, match=message):
        fitted(np.eye(4), [0, 1, 0, 1], **parameters)
