"""TreeFrequency against trees grown one node at a time."""

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array

from handful import TreeFrequency
from handful.columns import Dense
from handful.datasets import make_latent_signals
from handful.solvers.questions import ask


def fitted(X, y, **parameters):
    parameters = {"n_features_to_select": None, "random_state": 0, **parameters}
    return TreeFrequency(**parameters).fit(X, y)


@given(st.integers(0, 2**32), st.integers(2, 4), st.integers(1, 5), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_one_tree_on_all_columns_is_that_of_the_slow_twin(seed, n_classes, n_layers, min_rows):
    rng = np.random.default_rng(seed)
    n_rows, n_columns = rng.integers(6, 60), rng.integers(1, 9)
    y = rng.permutation(np.arange(n_rows) % n_classes)
    X = rng.random((n_rows, n_columns)) < 0.5
    X = np.where(rng.random(X.shape) < rng.choice([0, 0.5]), (y > 0)[:, None], X)
    X[:2, 0] = [False, True]
    times, rows = oracles.tree_questions(X.T.tolist(), y.tolist(), n_layers, min_rows)
    asked = sorted(np.flatnonzero(times), key=lambda j: (-times[j], -rows[j] / times[j], j))
    parameters = {"n_trees": 2, "fraction": 1.0, "n_layers": n_layers, "min_rows": min_rows}
    if not asked:
        with pytest.warns(UserWarning, match="not asked about in the first"):
            assert fitted(X, y, **parameters).n_features_ == 0
        return
    for table in (X, X.astype(float), csc_array(X)):
        path = fitted(table, y, **parameters).path_
        assert path.features.tolist() == asked
        assert path.scores.tolist() == [2 * times[j] for j in asked]


def test_numbers_are_asked_at_their_cuts():
    rng = np.random.default_rng(4)
    y = np.arange(80) % 3
    X = rng.standard_normal((80, 5)) + y[:, None] * (np.arange(5) == 3)
    questions = ask(Dense(X), 6)
    answers = [questions.answer(q).tolist() for q in range(len(questions))]
    times, _ = oracles.tree_questions(answers, y.tolist(), 5, 2)
    expected = np.bincount(questions.feature, times, minlength=5)
    found = fitted(X, y, n_trees=1, fraction=1.0, n_bins=6).scores_
    assert np.nan_to_num(found).tolist() == expected.tolist()


def test_half_of_the_columns_for_each_tree():
    """The best column tops the trees that may ask about it: half; the next one half of the rest."""
    X, y, _ = make_latent_signals(200, 40, random_state=0)
    best = fitted(X, y, n_trees=1, fraction=1.0, n_layers=1).selection_order_[0]
    found = fitted(X, y, n_trees=400, n_layers=1)
    assert found.path_.scores.sum() == 400
    assert found.selection_order_[0] == best
    # five standard deviations of a draw without replacement of 20 from 40
    assert abs(found.scores_[best] - 200) < 50
    assert abs(found.path_.scores[1] - 100 * 40 / 39) < 45


def test_a_random_half_sees_what_one_tree_does_not():
    """A copy of the best column tells nothing more, so one tree never asks it; half of many do."""
    X, y, _ = make_latent_signals(300, 30, random_state=1)
    doubled = np.hstack([X, X])
    one = fitted(doubled, y, n_trees=1, fraction=1.0)
    assert (one.selection_order_ < 30).all()
    best = int(one.selection_order_[0])
    assert fitted(doubled, y).scores_[[best, best + 30]].min() >= 10


def test_trees_find_the_smaller_of_two_groups():
    """One column tells most rows of a class, with near copies; a tree then asks for the rest."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    X = rng.random((400, 50)) < 0.5
    large = (y == 1) & (rng.random(400) < 0.8)
    X[:, :15] = large[:, None] ^ (rng.random((400, 15)) < 0.05)
    X[:, 7] = large
    X[:, 19] = np.where(large, X[:, 19], (y == 1) ^ (rng.random(400) < 0.05))
    found = fitted(X, y, n_trees=1, fraction=1.0, n_layers=2)
    assert found.selection_order_.tolist() == [7, 19]


def test_what_must_not_matter_does_not():
    X, y, _ = make_latent_signals(120, 60, random_state=2)
    levels = X[:, ::2] + 2.0 * X[:, 1::2]
    expected = fitted(levels, y, n_trees=10).path_
    shuffled = np.random.default_rng(0).permutation(120)
    for table, target in (
        (levels[shuffled], y[shuffled]),
        (levels, np.array(["sick", "healthy"])[y]),
        (3.5 * levels - 7, y),
        (levels.astype(np.float32), y),
    ):
        found = fitted(table, target, n_trees=10).path_
        assert found.features.tolist() == expected.features.tolist()
        assert found.scores.tolist() == expected.scores.tolist()


def test_same_bits_for_the_same_seed_and_any_number_of_jobs():
    X, y, _ = make_latent_signals(150, 300, random_state=3)
    one, two = fitted(X, y), fitted(X, y, n_jobs=2)
    assert one.path_.features.tolist() == two.path_.features.tolist()
    other = fitted(X, y, random_state=1)
    assert one.path_.features.tolist() != other.path_.features.tolist()
    short = fitted(X, y, n_features_to_select=5)
    assert short.path_.features.tolist() == one.path_.features[:5].tolist()


def test_nodes_are_asked_in_portions(monkeypatch):
    """Many trees on a wide table never hold all their counts at once."""
    X, y, _ = make_latent_signals(100, 50, random_state=0)
    expected = fitted(X, y).path_
    monkeypatch.setattr("handful.methods.trees._CELLS", 300)
    found = fitted(X, y).path_
    assert found.features.tolist() == expected.features.tolist()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_trees": 0}, "n_trees=0 must be at least 1"),
        ({"fraction": 1.5}, r"fraction=1.5 is out of range; it must lie in \(0.0, 1.0\]"),
        ({"n_layers": 0}, "n_layers=0 must be at least 1"),
        ({"min_rows": 0}, "min_rows=0 must be at least 1"),
        ({"n_bins": 1}, "n_bins=1 must be at least 2"),
    ],
)
def test_parameters_out_of_range(parameters, message):
    with pytest.raises(ValueError, match=message):
        fitted(np.eye(4), [0, 1, 0, 1], **parameters)
