"""Ridge on sparse tables: the answers of exact fits, whatever targets share."""

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge

from handful import _core
from handful.columns import Sparse
from handful.solvers.backward import plan_of
from handful.solvers.sparse_ridge import JointRidge, TargetRidges, each_target
from handful.target import encode


def problem(seed, n_rows=8, n_columns=9, n_targets=11, *, weighted=False):
    rng = np.random.default_rng(seed)
    shape = n_rows, n_columns
    X = np.round(4 * rng.standard_normal(shape)) * (rng.random(shape) < 0.4)
    Y = rng.standard_normal((n_rows, n_targets))
    weight = rng.integers(1, 4, n_rows).astype(float) if weighted else None
    return X, Y, weight, encode(Y, tasks=("regression",), several=True, weight=weight)


@settings(deadline=None, max_examples=100)
@given(
    seed=st.integers(0, 10**6),
    n_left=st.integers(1, 9),
    same=st.booleans(),
    weighted=st.booleans(),
    power=st.floats(-1, 3),
)
def test_every_target_has_the_exact_fit_on_its_columns(seed, n_left, same, weighted, power):
    X, Y, weight, target = problem(seed, weighted=weighted)
    rng = np.random.default_rng(seed)
    left = [np.sort(rng.choice(9, n_left, replace=False)) for _ in range(11)]
    columns = np.array([left[0]] * 11 if same else left)
    models = TargetRidges(Sparse(sparse.csr_array(X)), target, 10**power)
    fits = models.fit(columns, rng.standard_normal(columns.shape))
    share = np.ones(8) / 8 if weight is None else weight / weight.sum()
    for t, own in enumerate(columns):
        exact = np.array(oracles.ridge(X[:, own], Y[:, [t]], 10**power, weight), float)[:, 0]
        size = max(1, np.abs(exact).max())
        np.testing.assert_allclose(fits.weights[t], exact, rtol=0, atol=1e-6 * size)
        mean = share @ Y[:, t] - share @ X[:, own] @ exact
        assert fits.intercepts[t] == pytest.approx(mean, abs=1e-5 * size * np.abs(X).max())


def test_threads_and_formats_do_not_matter():
    X, _, _, target = problem(0, 40, 60, 20)
    columns = np.tile(np.arange(60), (20, 1))
    one, two, other = (
        TargetRidges(Sparse(kind(X)), target, 0.5, n_jobs).fit(columns).weights
        for kind, n_jobs in ((sparse.csr_array, 1), (sparse.csr_array, 2), (sparse.csc_array, 1))
    )
    assert (one == two).all()
    assert (one == other).all()


def test_each_target_goes_its_own_way_down_to_nothing():
    X, Y, _, target = problem(1, 30, 40, 10)
    models = TargetRidges(Sparse(sparse.csr_array(X)), target, 1.0)
    left, sizes = [np.arange(40)] * 10, []
    for fits, going in each_target(models, plan_of(40, 0.5)):
        sizes.append(fits.n_left)
        for t in range(10):
            assert (fits.columns[t] == left[t]).all()
            weights = Ridge(alpha=1.0).fit(X[:, left[t]], Y[:, t]).coef_
            np.testing.assert_allclose(fits.weights[t], weights, atol=1e-6)
            assert (going[t] == np.argsort(np.abs(weights))[: going.shape[1]]).all()
            left[t] = np.delete(left[t], going[t])
    assert sizes == [40, 20, 10, 5, 3, 2, 1]
    assert not any(len(own) for own in left)


def test_joint_scores_are_norms_over_targets():
    X, Y, _, target = problem(2, 30, 12, 9)
    model = JointRidge(TargetRidges(Sparse(sparse.csr_array(X)), target, 0.3))
    for left in (np.arange(12), np.array([1, 4, 5, 9])):
        if len(left) < 12:
            model.keep(left)
        weights = Ridge(alpha=0.3).fit(X[:, left], Y).coef_
        np.testing.assert_allclose(model.scores(), np.linalg.norm(weights, axis=0), rtol=1e-6)
    assert model.alphas == [(12, 0.3), (4, 0.3)]


def test_equations_that_are_too_hard_are_told():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((300, 250)) * 10.0 ** rng.uniform(-5, 5, 250)
    target = encode(rng.standard_normal(300), tasks=("regression",))
    models = TargetRidges(Sparse(sparse.csr_array(X)), target, 1e-12)
    with pytest.warns(ConvergenceWarning, match="for 1 of 1 targets; scale the columns alike"):
        models.fit(np.arange(250)[None])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"starts": np.array([0, 3, 2])}, "do not fit"),
        ({"starts": np.array([0, 1])}, "do not fit"),
        ({"rows": np.array([0, 5], np.int32)}, "out of range"),
        ({"rows": np.array([-1, 0], np.int32)}, "out of range"),
    ],
)
def test_the_core_checks_a_table(change, message):
    given = {
        "starts": np.array([0, 1, 2]),
        "rows": np.array([0, 1], np.int32),
        "values": np.ones(2),
        "means": np.zeros(2),
        "root": np.ones(2),
    }
    assert _core.SparseColumns(**given) is not None
    with pytest.raises(ValueError, match=message):
        _core.SparseColumns(**{**given, **change})


@pytest.mark.parametrize("columns", [[[1, 0]], [[0, 2]], [[-1, 0]], [[0, 0]]])
def test_the_core_checks_columns(columns):
    table = _core.SparseColumns(
        np.array([0, 1, 2]), np.array([0, 1], np.int32), np.ones(2), np.zeros(2), np.ones(2)
    )
    with pytest.raises(ValueError, match="rise and be in range"):
        _core.conjugate_ridge(
            table, 1.0, np.ones((2, 1)), np.array(columns), np.zeros((1, 2)), 1e-8, 10, 1
        )
