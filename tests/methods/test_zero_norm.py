"""ZeroNorm against machines trained on columns that were rescaled."""

import numpy as np
import oracles_ensemble
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from handful import ZeroNorm
from handful.datasets import load_leukaemia, make_linear_separator


def problem(seed, n_classes=2):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(8, 25)), int(rng.integers(2, 30))
    y = rng.permutation(np.arange(n) % n_classes)
    X = rng.standard_normal((n, d)) + np.outer(y, rng.random(d) < 0.3)
    X[:, 0] += y  # some machine uses some column
    return X, y


def fit(X, y, **parameters):
    return ZeroNorm(**{"n_features_to_select": None, **parameters}).fit(X, y)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    n_classes=st.integers(2, 3),
    n_rounds=st.integers(1, 6),
    power=st.floats(-2, 3),
)
def test_weights_are_those_of_the_slow_twin(seed, n_classes, n_rounds, power):
    X, y = problem(seed, n_classes)
    found = fit(X, y, C=10**power, max_iter=n_rounds, tol=0.0)
    rounds = oracles_ensemble.zero_norm(X, y, 10**power, n_rounds)
    stays, weights = rounds[-1]
    expected = np.where(stays, weights, 0)
    np.testing.assert_allclose(found.scores_, expected, rtol=1e-5, atol=1e-6 * expected.max())
    assert found.n_iter_ == n_rounds
    assert found.path_.features.tolist() == oracles_ensemble.zero_norm_order(rounds)


def test_few_columns_separate_all_rows():
    """As the paper promises: the columns that stay tell the training rows apart."""
    data = load_leukaemia()
    X = (data.data - data.data.mean(axis=0)) / (data.data.std(axis=0) + 1)
    found = fit(X, data.target, C=1e6)
    kept = np.flatnonzero(found.scores_)
    assert len(kept) <= 6
    machine = SVC(kernel="linear", C=1e6).fit(X[:, kept], data.target)
    assert machine.score(X[:, kept], data.target) == 1


def test_without_errors_the_scale_of_the_table_does_not_matter():
    X, y = problem(3)
    X[:, 0] += 20 * y  # separable
    expected = fit(X, y, C=1e9).path_.features.tolist()
    for factor in (1e-2, 1e2):
        assert fit(factor * X, y, C=1e9).path_.features.tolist() == expected


def test_columns_that_vanished_are_ranked_by_how_long_they_lasted():
    X, y, relevant = make_linear_separator(200, 40, repeated=0.0, random_state=0)
    found = fit(X, y, C=0.01, max_iter=25, tol=0.0)
    order = oracles_ensemble.zero_norm_order(oracles_ensemble.zero_norm(X, y, 0.01, 25))
    assert sorted(order[:2]) == relevant.tolist()
    assert found.path_.features.tolist() == order
    assert np.sum(found.scores_ == 0) > 20


def test_rows_that_are_alike_leave_nothing_to_chance():
    """One column of zeros and ones does all; what rounding leaves of the others is no ranking."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % 2
    X = rng.random((90, 14)) < 0.5
    X[:, 3] = np.where(rng.random(90) < 0.95, y, X[:, 3])
    rows = rng.permutation(90)
    for table, classes in ((X, y), (X.astype(float), y), (X[rows], y[rows])):
        order = fit(table, classes).path_.features.tolist()
        assert order == [3, *range(3), *range(4, 14)]


@pytest.mark.parametrize("shift", [0.0, 5.0])
def test_classes_that_no_machine_tells_apart(shift):
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    X = np.random.default_rng(0).standard_normal((20, 12))
    y = np.arange(20) % 2
    for table, classes in (
        (corners, np.array([0, 1, 1, 0])),
        (np.vstack([X, X]), np.append(y, 1 - y)),
    ):
        with pytest.warns(UserWarning, match="No linear machine tells the classes apart"):
            found = fit(table + shift, classes)
        assert found.stopping_.warning == found.path_.warning
        assert found.path_.features.tolist() == list(range(table.shape[1]))
        assert (found.scores_ == 0).all()
        assert (found.n_iter_, found.path_.n_decided) == (1, 0)
    assert fit(X, y).path_.warning is None


def test_columns_far_from_zero():
    X, y = problem(5, n_classes=3)
    X = np.round(64 * X) / 64
    near, far = fit(X, y), fit(X + 1e9, y)
    np.testing.assert_allclose(far.scores_, near.scores_, rtol=1e-9, atol=0)


def test_copies_share_their_fate():
    X, y = problem(11)
    found = fit(np.hstack([X, X]), y)
    first, second = found.scores_[: X.shape[1]], found.scores_[X.shape[1] :]
    np.testing.assert_allclose(first, second, rtol=1e-9)


def test_what_leaves_the_answer_alone():
    X, y = problem(5, n_classes=3)
    X = np.round(64 * X) / 64
    expected = fit(X, y).path_.features
    assert fit(X.astype(np.float32), y).path_.features.tolist() == expected.tolist()
    assert fit(X + 64, y).path_.features.tolist() == expected.tolist()
    assert fit(X, np.array(["b", "c", "a"])[y]).path_.features.tolist() == expected.tolist()
    rng = np.random.default_rng(0)
    order, rows = rng.permutation(X.shape[1]), rng.permutation(len(X))
    assert order[fit(X[:, order], y).path_.features].tolist() == expected.tolist()
    assert fit(X[rows], y[rows]).path_.features.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0.0}, "C=0.0 is out of range"),
        ({"max_iter": 0}, "max_iter=0 must be at least 1"),
        ({"tol": -1.0}, "tol=-1.0 is out of range"),
    ],
)
def test_parameters_out_of_range(parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(*problem(0), **parameters)
