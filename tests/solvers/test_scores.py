"""Scores of single columns against exact arithmetic, and against scikit-learn's."""

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn import feature_selection

from handful.columns import Columns, Dense, Sparse
from handful.solvers import scores
from handful.target import Target, encode


def table_of(X: np.ndarray, kind: str) -> Columns:
    return Sparse(sparse.csr_array(X)) if kind == "sparse" else Dense(X)


def target_of(y, weight=None) -> Target:
    return encode(y, tasks=("classification", "regression"), weight=weight)


def draw(seed, n_rows, n_columns, n_classes, dtype):
    """A table with few distinct values, so that classes without spread come up, and its classes."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, rng.integers(2, 6), (n_rows, n_columns))
    X = X / 7 if np.dtype(dtype).kind == "f" else X
    y = rng.permutation(np.arange(n_rows) % n_classes)
    return X.astype(dtype), y, rng


problems = st.builds(
    draw,
    st.integers(0, 2**32),
    st.integers(4, 14),
    st.integers(1, 6),
    st.integers(2, 4),
    st.sampled_from(["float64", "float32", "int8", "bool"]),
)


def agree(found, expected):
    """Equal to rounding, with NaN (constant columns, which nobody may choose) left out."""
    known = ~np.isnan(expected)
    np.testing.assert_allclose(found[known], expected[known], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", ["fisher", "golub"])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@settings(deadline=None, max_examples=60)
@given(problem=problems, weighted=st.booleans())
def test_scores_of_classes_in_exact_arithmetic(name, kind, problem, weighted):
    X, y, rng = problem
    weight = rng.integers(1, 9, len(y)) / 4 + 0.75 if weighted else None
    found = getattr(scores, name)(table_of(X, kind), target_of(y, weight))
    agree(found, getattr(oracles, name)(X, y, weight))


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@settings(deadline=None, max_examples=60)
@given(problem=problems, weighted=st.booleans())
def test_correlation_in_exact_arithmetic(kind, problem, weighted):
    X, _, rng = problem
    y = rng.standard_normal(len(X))
    weight = rng.integers(1, 9, len(y)) / 4 if weighted else None
    agree(scores.pearson(table_of(X, kind), target_of(y, weight)), oracles.pearson(X, y, weight))


def test_fisher_by_hand():
    # class means 1 and 4 about 2.5; unbiased variances 1 and 4
    X = np.array([[0.0], [1.0], [2.0], [2.0], [4.0], [6.0]])
    target = target_of(np.array(["a", "a", "a", "b", "b", "b"]))
    assert scores.fisher(Dense(X), target).tolist() == [(1.5**2 + 1.5**2) / (1 + 4)]
    assert scores.golub(Dense(X), target).tolist() == [3 / (1 + 2)]


def test_classes_without_spread_are_perfect():
    X = np.array([[0.1, 0.1], [0.1, 0.1], [0.3, 0.1], [0.3, 0.3]])
    target = target_of(np.array([0, 0, 1, 1]))
    for score in (scores.fisher, scores.golub, lambda *of: scores.f_statistic(*of)[0]):
        found = score(Dense(X), target)
        assert found[0] == np.inf
        assert np.isfinite(found[1])


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool"])
def test_f_is_scikit_learns(kind, dtype):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (60, 30)).astype(dtype)
    y = rng.integers(0, 3, 60)
    for target, reference in (
        (y, feature_selection.f_classif),
        (y + rng.random(60), feature_selection.f_regression),
    ):
        found, chance = scores.f_statistic(table_of(X, kind), target_of(target))
        expected = reference(X.astype(np.float64), target)
        np.testing.assert_allclose(found, expected[0], rtol=1e-10)
        np.testing.assert_allclose(chance, expected[1], rtol=1e-10)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool"])
def test_chi2_is_scikit_learns(kind, dtype):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (60, 30)).astype(dtype)
    y = rng.integers(0, 3, 60)
    found = scores.chi2(table_of(X, kind), target_of(y))
    np.testing.assert_allclose(found, feature_selection.chi2(X, y)[0], rtol=1e-12)


@pytest.mark.parametrize("continuous", [False, True])
def test_the_chance_of_f_is_uniform_for_a_random_column(continuous):
    rng = np.random.default_rng(1)
    y = rng.standard_normal(30) if continuous else np.arange(30) % 3
    _, chance = scores.f_statistic(Dense(rng.standard_normal((30, 4000))), target_of(y))
    assert stats.kstest(chance, "uniform").pvalue > 0.01


@settings(deadline=None, max_examples=40)
@given(problem=problems)
def test_integer_weights_are_repeated_rows(problem):
    X, y, rng = problem
    times = rng.integers(1, 4, len(y))
    for score in (scores.fisher, scores.golub, scores.chi2):
        weighted = score(Dense(X), target_of(y, times.astype(float)))
        agree(weighted, score(Dense(X.repeat(times, axis=0)), target_of(y.repeat(times))))
    for of in (y, y + 0.5 * rng.random(len(y))):
        weighted = scores.f_statistic(Dense(X), target_of(of, times.astype(float)))
        repeated = scores.f_statistic(Dense(X.repeat(times, axis=0)), target_of(of.repeat(times)))
        usable = repeated[0] < 1e12  # a perfect line leaves nothing but rounding to divide by
        agree(weighted[0][usable], repeated[0][usable])
        agree(weighted[1][usable], repeated[1][usable])


def test_chi2_names_a_column_with_negative_values():
    X = np.array([[1.0, 0.0], [2.0, -1.0], [0.0, 1.0], [1.0, 3.0]])
    with pytest.raises(ValueError, match=r"column 1 has some.*use score='f' or 'fisher'"):
        scores.chi2(Dense(X), target_of(np.array([0, 1, 0, 1])))


def test_f_needs_more_rows_than_groups():
    with pytest.raises(ValueError, match="needs more rows than 3"):
        scores.f_statistic(Dense(np.eye(3)), target_of(np.array([0, 1, 2])))


def test_a_class_lighter_than_a_row_is_refused():
    target = target_of(np.array(["a", "a", "b", "b"]), np.array([1.0, 1.0, 0.3, 0.3]))
    with pytest.raises(ValueError, match=r"'b' weigh 0\.6 together.*multiply"):
        scores.fisher(Dense(np.eye(4)), target)
