"""Resamples, the machines on them, and running sums."""

import numpy as np
import oracles_ensemble
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handful.columns import Dense
from handful.solvers.resamples import Moments, Resamples, draw, linear_stability, solve_ridge


@given(st.integers(0, 2**32), st.floats(0.01, 1))
def test_draws_are_of_one_size_and_of_both_classes(seed, fraction):
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 0.0, 1.0], rng.integers(4, 30))
    signs[:2] = -1, 1
    counts = draw(signs, 20, fraction, rng).counts
    size = max(2, round(fraction * np.count_nonzero(signs)))
    assert (counts.sum(axis=1) == size).all()
    assert not counts[:, signs == 0].any()
    for sign in (-1, 1):
        assert (counts[:, signs == sign].sum(axis=1) > 0).all()


def test_every_row_is_as_likely():
    signs = np.where(np.arange(20) < 10, -1.0, 1.0)
    counts = draw(signs, 20_000, 0.8, np.random.default_rng(0)).counts
    # 16 draws of 20 rows; the spread of a mean of 20,000 is 0.0062
    np.testing.assert_allclose(counts.mean(axis=0), 0.8, atol=0.03)
    np.testing.assert_allclose((counts == 0).mean(), (19 / 20) ** 16, atol=0.005)


@given(st.integers(0, 2**32), st.floats(-6, 6))
def test_ridge_machines_solve_the_normal_equations(seed, power):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(3, 12), rng.integers(1, 8)
    X, signs = rng.standard_normal((n, d)), rng.choice([-1.0, 1.0], n)
    weights = rng.integers(0, 3, (4, n)).astype(float)
    weights[:, 0] = 1
    alpha = 10**power
    beta, intercept = solve_ridge(X @ X.T, signs, weights, alpha)
    assert (beta[weights == 0] == 0).all()
    for number, weight in enumerate(weights):
        expected, decisions = oracles_ensemble.ridge_machine(X, signs, weight, alpha)
        found = X @ (X.T @ beta[number]) + intercept[number]
        np.testing.assert_allclose(beta[number] @ X, expected, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(found, decisions, rtol=1e-6, atol=1e-7)


@given(st.integers(0, 2**32), st.floats(-3, 8))
def test_running_sums_are_moments(seed, offset):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((rng.integers(2, 30), 4)) + 10**offset
    moments = Moments(4)
    for part in np.array_split(values, rng.integers(1, 6)):
        if len(part):
            moments.add(part)
    # a mean near 0 is known to rounding of the values, not of itself
    rounding = 1e-15 * np.abs(values).max() * len(values)
    np.testing.assert_allclose(moments.mean, values.mean(axis=0), rtol=1e-13, atol=rounding)
    np.testing.assert_allclose(moments.deviation, values.std(axis=0), rtol=1e-6)


@pytest.mark.parametrize("n_machines", [2, 7, 40])
@pytest.mark.parametrize("some", [1, 3, 100])
def test_stability_without_the_weights(n_machines, some):
    rng = np.random.default_rng(n_machines)
    X, beta = rng.standard_normal((9, 20)), rng.standard_normal((n_machines, 9)) + 1
    beta -= beta.mean(axis=1, keepdims=True)
    weights = beta @ X
    expected = np.abs(weights.mean(axis=0)) / weights.std(axis=0)
    np.testing.assert_allclose(
        linear_stability(Dense(X), beta, X.mean(axis=0), some), expected, rtol=1e-12
    )


def test_rates_count_rows_that_were_not_seen():
    signs, counts = (
        np.array([1.0, -1, 1, 0]),
        np.array([[0.0, 1, 0, 0], [1, 1, 1, 0], [2, 0, 1, 0]]),
    )
    resamples = Resamples(signs, counts)
    decisions = np.array([[2.0, 9, -1, -1], [-1, 9, -1, -1], [-1, -3, -1, -1]])
    assert resamples.recognised(decisions) == pytest.approx((1 / 2 + 1) / 2)
    weight = np.array([3.0, 1, 1, 1])
    assert resamples.recognised(decisions, weight) == pytest.approx((3 / 4 + 1) / 2)
    assert np.isnan(Resamples(signs, counts[1:2]).recognised(decisions[1:2]))
