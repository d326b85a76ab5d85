"""BoostedStumps: boosting's stumps, taken as a selection; the stumps have tests of their own."""

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array

from handful import BoostedStumps
from handful.datasets import make_latent_signals


def fitted(X, y, n=None, **parameters):
    return BoostedStumps(n_features_to_select=n, **parameters).fit(X, y)


def order(*arguments, **parameters):
    return fitted(*arguments, **parameters).path_.features.tolist()


@given(st.integers(0, 2**32), st.integers(2, 3), st.sampled_from([0.0, 3.0]))
@settings(max_examples=60, deadline=None)
def test_columns_stand_in_the_order_of_their_first_round(seed, n_classes, softness):
    rng = np.random.default_rng(seed)
    # an odd number of rows of uneven weight: few ties
    y = rng.permutation(np.arange(41) % n_classes)
    X = (rng.random((41, 9)) < 0.5) ^ ((y == 0)[:, None] & (rng.random((41, 9)) < 0.4))
    rounds = oracles.boosted(X.T.tolist(), y.tolist(), n_classes, 4, softness)
    first = list(dict.fromkeys(question for question, *_ in rounds))
    for table in (X, X.astype(np.int8), csc_array(X)):
        selector = fitted(table, y, max_rounds=4, softness=softness)
        path = selector.path_
        assert sorted(path.features.tolist()) == list(range(9))
        if path.features[: len(first)].tolist() == first:
            edges = [next(r[4] for r in rounds if r[0] == question) for question in first]
            assert path.scores[: len(first)] == pytest.approx(edges)
            assert f"ended with {len(first)} columns" in selector.stopping_.warning
        else:
            # only where two stumps were equally good but for rounding
            edges = sorted(r[4] for r in rounds)
            assert len(edges) > 1
            assert np.isin(first[0], path.features[:1])


def test_the_same_path_however_much_is_asked_for():
    X, y, _ = make_latent_signals(200, 300, random_state=0)
    whole = fitted(X, y, max_rounds=30).path_
    for n in (1, 5, 28, 60):
        part = fitted(X, y, n, max_rounds=30).path_
        assert part.features.tolist() == whole.features[:n].tolist()
        assert part.scores.tolist() == whole.scores[:n].tolist()
        assert (part.warning is None) == (n < 29)
    assert len(whole) == 300


def test_what_must_not_matter_does_not():
    X, y, _ = make_latent_signals(201, 400, random_state=2)
    levels = X[:, ::2] + 2.0 * X[:, 1::2]
    rng = np.random.default_rng(0)
    expected = order(levels, y, n=12)
    shuffled, columns = rng.permutation(201), rng.permutation(200)
    assert order(levels[shuffled], y[shuffled], n=12) == expected
    assert order(levels, np.array(["sick", "healthy"])[y], n=12) == expected
    assert order(3.5 * levels - 7, y, n=12) == expected
    assert order(np.max(levels) - levels, y, n=12) == expected
    assert order(levels.astype(np.float32), y, n=12) == expected
    assert columns[order(levels[:, columns], y, n=12)].tolist() == expected
    assert order(np.hstack([levels, levels]), y, n=12) == expected


def test_boosting_serves_the_smaller_of_two_groups():
    """Section 7 of the paper: errors concentrate on the small group, which drives the choice."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    large = (y == 1) & (rng.random(400) < 0.8)
    small = (y == 1) & ~large
    X = rng.random((400, 40)) < 0.1
    X[:, :20] |= large[:, None] & (rng.random((400, 20)) < 0.8)
    X[:, 20:25] |= small[:, None] & (rng.random((400, 5)) < 0.8)
    kept = fitted(X, y, 8).selection_order_
    assert np.isin(kept, range(20, 25)).sum() >= 2


def test_where_one_column_makes_no_error_boosting_ends_and_says_so():
    X, y, _ = make_latent_signals(100, 20, random_state=0)
    X[:, 11] = y == 0
    selector = fitted(X, y, 5)
    assert selector.selection_order_[0] == 11
    assert selector.path_.scores[0] == pytest.approx(1)
    assert "Boosting ended with 1 columns" in selector.stopping_.warning
    alone = [abs(np.mean((2 * column - 1) * (2 * y - 1))) for column in np.delete(X, 11, 1).T]
    assert selector.path_.scores[1:] == pytest.approx(sorted(alone, reverse=True)[:4])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"softness": -1.0}, r"softness=-1.0 is out of range; it must lie in \[0"),
        ({"max_rounds": 0}, "max_rounds=0 must be at least 1"),
        ({"n_bins": 1}, "n_bins=1 must be at least 2"),
    ],
)
def test_parameters_out_of_range(parameters, message):
    with pytest.raises(ValueError, match=message):
        fitted(np.eye(4), [0, 1, 0, 1], **parameters)
