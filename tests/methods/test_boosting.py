"""BoostedStumps: boosting's stumps, taken as a selection; the stumps have tests of their own."""

from itertools import islice

import numpy as np
import pytest
from scipy.sparse import csc_array, issparse

from handful import BoostedStumps
from handful.columns import Dense
from handful.datasets import make_latent_signals
from handful.solvers.boosting import Boosting
from handful.solvers.questions import ask


def fitted(X, y, n=None, **parameters):
    return BoostedStumps(n_features_to_select=n, **parameters).fit(X, y)


def order(*arguments, **parameters):
    return fitted(*arguments, **parameters).path_.features.tolist()


@pytest.mark.parametrize("softness", [0.0, 3.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_columns_stand_in_the_order_of_their_first_round(n_classes, softness):
    rng = np.random.default_rng(n_classes)
    y = rng.permutation(np.arange(60) % n_classes)
    X = rng.standard_normal((60, 20)) + 0.5 * (y[:, None] == np.arange(20) % 4)
    for table in (X, X > 0.3, csc_array((X > 1).astype(np.int8))):
        selector = fitted(table, y, max_rounds=12, softness=softness)
        questions = ask(Dense(table.toarray() if issparse(table) else table), selector.n_bins)
        stumps = list(islice(Boosting(questions, y, n_classes, softness), 12))
        asked = [int(questions.feature[stump.question]) for stump in stumps]
        first = list(dict.fromkeys(asked))
        path = selector.path_
        assert path.features[: len(first)].tolist() == first
        edges = [stumps[asked.index(feature)].edge for feature in first]
        np.testing.assert_allclose(path.scores[: len(first)], edges, rtol=1e-9)
        assert sorted(path.features.tolist()) == list(range(20))
        assert (np.diff(path.scores[len(first) :]) <= 1e-12).all()
        assert f"ended with {len(first)} columns" in selector.stopping_.warning
        assert 1 < len(first) < 12


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
    assert "Boosting ended with 1 column;" in selector.stopping_.warning
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
