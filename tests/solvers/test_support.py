"""Support vector machines: the conditions of optimality, and libsvm's answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from handful.solvers import support
from handful.target import encode


def problem(seed, *, n_rows=14, n_columns=12):
    """A Gram matrix that float32, which libsvm computes in, holds exactly; signs and bounds."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, n_rows)), int(rng.integers(1, n_columns))
    X = np.round(8 * np.clip(rng.standard_normal((n, d)) * 10 ** rng.uniform(-1, 1), -16, 16)) / 8
    if seed % 3 == 1:  # duplicated rows
        X = X[rng.integers(0, max(1, n // 2), n)]
    gram = X @ X.T
    if seed % 5 == 1:  # a polynomial
        X = np.round(np.clip(X, -4, 4))
        gram = (1 + X @ X.T) ** 2
    signs = np.where(rng.random(n) < rng.uniform(0.1, 0.9), 1.0, -1.0)
    signs[:2] = 1, -1
    bounds = np.full(n, 10 ** rng.uniform(-4, 4))
    if seed % 2:
        bounds *= rng.choice([0.5, 1, 2, 0], n)
    return gram, signs, bounds


def require_optimal(gram, signs, bounds, beta):
    """No coefficient that may grow has a larger gradient than one that may shrink."""
    low, high = np.minimum(0, signs * bounds), np.maximum(0, signs * bounds)
    assert ((low <= beta) & (beta <= high)).all()
    size = np.abs(beta).sum()
    assert abs(beta.sum()) <= 1e-13 * max(1, size)
    gradient = signs - gram @ beta
    up, down = gradient[beta < high], gradient[beta > low]
    if up.size and down.size:
        assert up.max() - down.min() <= max(1e-9, 1e-13 * np.abs(gram).max() * size)


@pytest.mark.parametrize("part", range(4))
def test_every_answer_is_optimal_and_that_of_libsvm(part):
    """2,000 problems: duplicated rows, unequal classes, absent rows, C from 1e-4 to 1e4."""
    for seed in range(500 * part, 500 * (part + 1)):
        gram, signs, bounds = problem(seed)
        beta = support.solve(gram, signs, bounds)[0]
        require_optimal(gram, signs, bounds, beta)
        rows = np.flatnonzero(bounds)
        if len(set(signs[rows])) == 2:
            model = SVC(kernel="precomputed", C=1, tol=1e-10)
            model.fit(gram[np.ix_(rows, rows)], signs[rows], sample_weight=bounds[rows])
            theirs = np.zeros(len(signs))
            theirs[rows[model.support_]] = model.dual_coef_[0]
            size = max(1, np.abs(gram @ theirs).max())
            # the coefficients of duplicated rows are not unique, what they add up to is
            np.testing.assert_allclose(gram @ beta, gram @ theirs, rtol=0, atol=2e-7 * size)
        else:
            assert not beta.any()


@pytest.mark.parametrize("n_columns", [2, 30, 150, 500])
def test_many_rows_most_of_them_between_their_bounds_or_few(n_columns):
    """The fewer the columns, the fewer are the rows between their bounds: from 3 to most."""
    rng = np.random.default_rng(n_columns)
    X = np.round(8 * np.clip(rng.standard_normal((301, n_columns)), -4, 4)) / 8  # see `problem`
    signs, bounds = np.where(X[:, 0] + rng.standard_normal(301) > 0, 1.0, -1.0), np.ones(301)
    gram = X @ X.T
    beta = support.solve(gram, signs, bounds)[0]
    require_optimal(gram, signs, bounds, beta)
    theirs = SVC(kernel="linear", tol=1e-10).fit(X, signs).coef_[0]
    np.testing.assert_allclose(beta @ X, theirs, rtol=0, atol=1e-8)


def test_intercepts_of_libsvm():
    for seed in range(0, 400, 2):
        gram, signs, bounds = problem(seed)
        beta = support.solve(gram, signs, bounds)
        between = (np.abs(beta) > 1e-6 * bounds) & (np.abs(beta) < (1 - 1e-6) * bounds)
        found = support.intercepts(gram, signs, bounds, beta)[0]
        model = SVC(kernel="precomputed", C=bounds[0], tol=1e-10).fit(gram, signs)
        if between.any():  # else a whole interval is as good
            assert found == pytest.approx(model.intercept_[0], rel=1e-6, abs=1e-6)
        margin = signs * (gram @ beta[0] + found)
        size = 1e-8 * max(1, np.abs(gram @ beta[0]).max())
        assert (margin[np.abs(beta[0]) <= 0] >= 1 - size).all()
        assert (margin[np.abs(beta[0]) >= bounds] <= 1 + size).all()


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**6), share=st.floats(0, 1))
def test_from_any_start_to_the_same_answer(seed, share):
    gram, signs, bounds = problem(seed)
    cold = support.solve(gram, signs, bounds)
    rng = np.random.default_rng(seed)
    other = gram + np.outer(*[rng.standard_normal(len(signs))] * 2)
    start = share * support.solve(other, signs, bounds)
    warm = support.solve(gram, signs, bounds, start)
    require_optimal(gram, signs, bounds, warm[0])
    size = max(1, np.abs(gram @ cold[0]).max())
    np.testing.assert_allclose(gram @ warm[0], gram @ cold[0], rtol=0, atol=1e-8 * size)


def test_many_machines_share_the_matrix_and_the_threads():
    rng = np.random.default_rng(0)
    X, signs = rng.standard_normal((40, 10)), np.where(np.arange(40) % 3, 1.0, -1.0)
    gram = X @ X.T
    counts = rng.multinomial(40, np.full(40, 1 / 40), 30).astype(float)  # resamples
    one, two = (support.solve(gram, signs, counts, n_jobs=n) for n in (1, 2))
    assert one.tobytes() == two.tobytes()
    for beta, count in zip(one, counts, strict=True):
        rows = np.repeat(np.arange(40), count.astype(int))
        model = SVC(kernel="linear", C=1, tol=1e-10).fit(X[rows], signs[rows])
        # libsvm rounds the Gram matrix to float32
        np.testing.assert_allclose(beta @ X, model.coef_[0], rtol=0, atol=2e-6)


def test_copies_of_one_row_are_one_row():
    gram, signs = np.ones((5, 5)), np.array([1.0, -1, 1, -1, 1])
    beta = support.solve(gram, signs, np.ones((1, 5)))
    require_optimal(gram, signs, np.ones(5), beta[0])
    assert signs @ beta[0] == 4


def test_signs_of_several_classes_and_labels():
    y = np.array([2, 0, 1, 1])
    target = encode(y, tasks=("classification",), weight=np.array([1.0, 2.0, 3.0, 4.0]))
    signs = support.one_versus_rest(target)
    assert signs.tolist() == [[-1, 1, -1, -1], [-1, -1, 1, 1], [1, -1, -1, -1]]
    assert support.bounds_of(target, signs, 0.5).tolist() == [[0.5, 1, 1.5, 2]] * 3
    pairs = support.pairwise(target)
    assert pairs.tolist() == [[0, -1, 1, 1], [1, -1, 0, 0], [1, 0, -1, -1]]
    assert support.bounds_of(target, pairs, 1.0)[1].tolist() == [1, 2, 0, 0]
    two = encode(np.array(["b", "a"]), tasks=("classification",))
    assert support.one_versus_rest(two).tolist() == [[1, -1]]
