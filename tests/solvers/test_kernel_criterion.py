"""Kernel criteria: a kernel computed anew without each column, and slopes by small steps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful.solvers import kernel_criterion, support
from handful.solvers.backward import eliminate, plan_of
from handful.solvers.kernel_criterion import GaussianKernel, KernelMachines


def gaussian(X, gamma):
    return np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))


def naive_margins(X, gamma, beta):
    """``|w|^2`` with all columns less that without one, for every machine and column."""
    whole = gaussian(X, gamma)
    others = [gaussian(np.delete(X, k, axis=1), gamma) for k in range(X.shape[1])]
    return np.array([[b @ (whole - other) @ b for other in others] for b in beta])


def problem(seed, n_machines=1):
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.integers(3, 25)), int(rng.integers(1, 12))
    X = rng.standard_normal((n_rows, n_columns))
    signs = np.where(rng.random((n_machines, n_rows)) < 0.5, 1.0, -1.0)
    signs[:, 0], signs[:, 1] = 1, -1
    return X, signs, np.full(signs.shape, 10 ** rng.uniform(-1, 2)), 10 ** rng.uniform(-2, 1)


def close(found, expected, size):
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12 * size)


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**6), n_machines=st.integers(1, 3), few=st.booleans())
def test_margins_are_those_of_kernels_computed_anew(seed, n_machines, few):
    """All along an elimination, with room for all brackets and with room for few."""
    X, signs, bounds, gamma = problem(seed, n_machines)
    room = kernel_criterion._KEPT
    kernel_criterion._KEPT = 8 * X.shape[1] * 5 if few else room
    try:
        kernel = GaussianKernel(X, gamma)
    finally:
        kernel_criterion._KEPT = room
    left, rng = np.arange(X.shape[1]), np.random.default_rng(seed)
    while True:
        np.testing.assert_allclose(
            kernel.gram, gaussian(X[:, left], gamma), rtol=1e-11, atol=1e-300
        )
        beta = support.solve(kernel.gram, signs, bounds)
        expected = naive_margins(X[:, left], gamma, beta)
        close(kernel.margins(beta), expected, np.abs(beta).sum() ** 2)
        if len(left) == 1:
            break
        places = np.sort(rng.permutation(len(left))[: -int(rng.integers(1, len(left)))])
        kernel.keep(places)
        left = left[places]


def test_columns_that_alone_keep_rows_apart():
    """The kernel is 0 to the last digit, and 1 without the column: no bracket can hold that."""
    X = np.array([[0.0, 0.1], [100.0, 0.2], [0.2, 0.0], [101.0, 0.3]])
    beta = np.array([[1.0, -1.0, 0.5, -0.5]])
    found = GaussianKernel(X, 1.0).margins(beta)
    assert np.isfinite(found).all()
    close(found, naive_margins(X, 1.0, beta), 1.0)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6))
def test_derivatives_are_slopes_by_small_steps(seed):
    X, signs, bounds, gamma = problem(seed, 2)
    kernel = GaussianKernel(X, gamma)
    beta = support.solve(kernel.gram, signs, bounds)
    expected = np.zeros((2, X.shape[1]))
    for i, k in np.ndindex(*X.shape):
        step = np.zeros(X.shape)
        step[i, k] = 1e-5
        apart = gaussian(X + step, gamma) - gaussian(X - step, gamma)
        expected[:, k] += np.abs(np.einsum("mi,ij,mj->m", beta, apart, beta)) / 2e-5
    size = np.abs(beta).sum() ** 2 * gamma
    np.testing.assert_allclose(kernel.derivatives(beta), expected, rtol=1e-4, atol=1e-8 * size)


@pytest.mark.parametrize("step", [1, 0.4])
@pytest.mark.parametrize("criterion", ["margin", "derivative"])
def test_elimination_is_that_of_machines_and_kernels_from_scratch(criterion, step):
    for seed in range(6):
        X, signs, bounds, gamma = problem(seed)
        plan = plan_of(X.shape[1], step)
        model = KernelMachines(GaussianKernel(X, gamma), signs, bounds, criterion)
        found, scores = eliminate(model, plan)
        left = np.arange(X.shape[1])
        while len(left):
            beta = support.solve(gaussian(X[:, left], gamma), signs, bounds)
            fresh = GaussianKernel(X[:, left], gamma)
            judged = np.abs(
                naive_margins(X[:, left], gamma, beta)
                if criterion == "margin"
                else fresh.derivatives(beta)
            )[0]
            n = plan.number(len(left))
            weakest = left[np.argsort(judged)[:n]]
            assert found[len(left) - n : len(left)][::-1].tolist() == weakest.tolist()
            close(
                scores[len(left) - n : len(left)][::-1],
                np.sort(judged)[:n],
                np.abs(beta).sum() ** 2,
            )
            left = np.setdiff1d(left, weakest)


def test_many_columns_at_once_and_one_by_one_lead_to_the_same_kernel():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 60)) * np.geomspace(1, 1e-3, 60)
    one, many = GaussianKernel(X, 0.3), GaussianKernel(X, 0.3)
    for n in range(59, 9, -1):  # the heaviest first
        one.keep(np.arange(1, n + 1))
    many.keep(np.arange(50, 60))
    exact = gaussian(X[:, 50:], 0.3)
    np.testing.assert_allclose(1 - one.gram, 1 - exact, rtol=1e-7, atol=1e-15)
    np.testing.assert_allclose(1 - many.gram, 1 - exact, rtol=1e-7, atol=1e-15)
