"""Every question to every kind of table, against plain NumPy on the same numbers.

The numbers are small multiples of 1/8, so sums are exact and answers must be equal to the bit,
also in float32.
"""

from typing import NamedTuple

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from handful.columns import Columns, Dense, GaussianProbes, Permuted, Probed, Sparse, base


class Case(NamedTuple):
    """A table, and what it must look like."""

    table: Columns
    plain: np.ndarray
    rng: np.random.Generator


def _numbers(rng, n_rows, n_columns, dtype):
    X = rng.integers(-8, 9, (n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < 0.6)
    if np.dtype(dtype).kind == "f":
        return (X / 8).astype(dtype)
    return X.astype(dtype)


def _sparse(make, X, rng):
    """A sparse matrix as it may come: stored zeros, entries out of order, a cell in two parts."""
    rows, cols = np.indices(X.shape)
    keep = (X != 0).ravel() | (rng.random(X.size) < 0.2)
    rows, cols, data = rows.ravel()[keep], cols.ravel()[keep], X.ravel()[keep]
    mixed = rng.permutation(len(data))
    matrix = make(sparse.coo_array((data[mixed], (rows[mixed], cols[mixed])), shape=X.shape))
    if X.dtype != bool and matrix.nnz:
        indptr, indices = matrix.indptr.copy(), matrix.indices
        line = int(np.searchsorted(indptr, 0, side="right") - 1)
        indptr[line + 1 :] += 1
        at = int(matrix.indptr[line])
        data = np.insert(matrix.data, at, 3)
        data[at + 1] -= 3  # the first stored cell now comes in two parts
        matrix = make((data, np.insert(indices, at, indices[at]), indptr), shape=X.shape)
        assert not matrix.has_canonical_format
    return Sparse(matrix)


def _dense(rng, X):
    return Dense(np.asfortranarray(X) if rng.random() < 0.5 else X)


def _permuted(table, X, rng):
    order = rng.permutation(len(X))
    return Permuted(table, order), X[order]


def _gaussian(n_rows, n_columns, rng):
    """Gaussian probes, rounded to multiples of 1/8 to keep the sums exact."""

    class Rounded(GaussianProbes):
        def _draw(self, number):
            return np.round(8 * super()._draw(number)) / 8

        def varying(self):
            return Columns.varying(self)  # rounded, some do not

    probes = Rounded(n_rows, n_columns, int(rng.integers(2**63)))
    return probes, probes.gather()


def build(kind, dtype, n_rows, n_columns, seed) -> Case:
    rng = np.random.default_rng(seed)
    X = _numbers(rng, n_rows, n_columns, dtype)
    if kind == "dense":
        return Case(_dense(rng, X), X, rng)
    if kind in ("csr", "csc"):
        make = sparse.csr_array if kind == "csr" else sparse.csc_array
        return Case(_sparse(make, X, rng), X, rng)
    if kind == "permuted dense":
        return Case(*_permuted(Dense(X), X, rng), rng)
    if kind == "permuted sparse":
        return Case(*_permuted(_sparse(sparse.csr_array, X, rng), X, rng), rng)
    if kind == "gaussian":
        return Case(*_gaussian(n_rows, n_columns, rng), rng)
    table = _sparse(sparse.csc_array, X, rng) if "sparse" in kind else _dense(rng, X)
    if "gaussian" in kind:
        probes, P = _gaussian(n_rows, int(rng.integers(1, 90)), rng)
    else:
        probes, P = _permuted(table, X, rng)
    return Case(Probed(probes, table), np.hstack([P, X]), rng)


KINDS = [
    "dense",
    "csr",
    "csc",
    "permuted dense",
    "permuted sparse",
    "gaussian",
    "permuted beside dense",
    "permuted beside sparse",
    "gaussian beside dense",
    "gaussian beside sparse",
]
cases = st.builds(
    build,
    st.sampled_from(KINDS),
    st.sampled_from(["float64", "float32", "int64", "int8", "bool"]),
    st.integers(2, 12),
    st.integers(1, 40),
    st.integers(0, 2**32),
)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(base, "BLOCK", 16)  # sixteen columns to a block: most tables have several


def check(wanted, found):
    np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted), strict=False)


def plain(native):
    return native.toarray() if sparse.issparse(native) else native


@settings(deadline=None)
@given(cases)
def test_cells(case):
    table, X, rng = case
    n_rows, n_columns = X.shape
    assert table.shape == X.shape
    check(X, plain(table.native))
    check(X, table.gather())
    rows, cols = rng.integers(n_rows, size=5), rng.integers(n_columns, size=6)
    check(X[rows], table.gather(rows))
    check(X[:, cols], table.gather(None, cols))
    check(X[np.ix_(rows, cols)], table.gather(rows, cols))
    check(X[1:, : n_columns // 2 + 1], table.gather(slice(1, None), slice(n_columns // 2 + 1)))
    check(X[rows][:, 1:], table.gather(rows, slice(1, None)))
    for j in {0, n_columns - 1, int(cols[0])}:
        column = table.column(j)
        assert column.dtype == np.float64
        check(X[:, j], column)


@settings(deadline=None)
@given(cases)
def test_parts_of_the_table(case):
    table, X, rng = case
    rows, cols = rng.integers(X.shape[0], size=5), rng.integers(X.shape[1], size=6)
    check(X[:, cols], table.take(cols).gather())
    check(X[rows], table.rows(rows).gather())
    check(X[np.ix_(rows, cols)], table.rows(rows).take(cols).gather())
    check(X[np.ix_(rows, cols)], table.take(cols).rows(rows).gather())
    check(np.empty((X.shape[0], 0)), table.take(np.array([], dtype=int)).gather())


@settings(deadline=None)
@given(cases, st.none() | st.integers(1, 50))
def test_blocks_cover_the_table_from_left_to_right(case, width):
    table, X, _ = case
    stop = 0
    for cols, block in table.blocks(width):
        assert cols.start == stop
        assert cols.stop - cols.start <= (width or table.block_width)
        check(X[:, cols], block)
        stop = cols.stop
    assert stop == X.shape[1]


@settings(deadline=None)
@given(cases, st.sampled_from([(), (1,), (3,)]))
def test_products(case, width):
    table, X, rng = case
    X = X.astype(np.float64)
    right = rng.integers(-4, 5, (X.shape[1], *width)) / 4
    left = rng.integers(-4, 5, (X.shape[0], *width)) / 4
    check(X @ right, table.dot(right))
    check(X.T @ left, table.tdot(left))
    assert table.dot(right).dtype == table.tdot(left).dtype == table.work_dtype
    check(X @ X.T, table.row_gram())
    centre = rng.integers(-8, 9, X.shape[1]) / 8
    check(left.T @ X, table.weighted_sums(left.T))
    check(left.T @ (X - centre), table.weighted_sums(left.T, centre))
    weight = rng.integers(1, 9, len(X)) / 4
    check((X**2).sum(axis=0), table.squared_lengths())
    check(weight @ X**2, table.squared_lengths(weight))


@settings(deadline=None)
@given(cases)
def test_extremes(case):
    table, X, _ = case
    lowest, highest = table.extremes()
    check(X.min(axis=0), lowest)
    check(X.max(axis=0), highest)
    check(X.min(axis=0) != X.max(axis=0), table.varying())


@settings(deadline=None, max_examples=60)
@given(cases, st.integers(1, 3), st.booleans())
def test_moments_of_groups(case, n_groups, weighted):
    table, X, rng = case
    n_groups = min(n_groups, len(X))
    codes = rng.permutation(np.arange(len(X)) % n_groups).astype(np.int32)
    weight = rng.integers(1, 9, len(X)) / 4 if weighted else None
    total, means, squares = table.group_moments(codes, n_groups, weight)
    for group in range(n_groups):
        rows = codes == group
        for j in range(X.shape[1]):
            exact = oracles.moments(X[rows, j], None if weight is None else weight[rows])
            assert total[group] == float(exact[0])
            assert means[group, j] == pytest.approx(float(exact[1]), rel=1e-14, abs=1e-15)
            assert squares[group, j] == pytest.approx(float(exact[2]), rel=1e-13, abs=1e-15)
            assert (squares[group, j] == 0) == (exact[2] == 0)


@pytest.mark.parametrize("make", [Dense, lambda X: Sparse(sparse.csc_array(X))])
@pytest.mark.parametrize("offset", [1e8, -1e15])
def test_large_means_cost_no_digits(make, offset):
    X = np.random.default_rng(0).standard_normal((50, 5)) + offset
    _, means, squares = make(X).group_moments(np.zeros(50, dtype=np.int32), 1)
    for j in range(5):
        _, mean, exact = oracles.moments(X[:, j])
        assert means[0, j] == pytest.approx(float(mean), rel=1e-16)
        assert squares[0, j] == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("make", [Dense, lambda X: Sparse(sparse.csc_array(X))])
@pytest.mark.parametrize("weighted", [False, True])
def test_equal_values_have_no_spread_though_their_mean_is_rounded(make, weighted):
    weight = np.random.default_rng(0).random(100_003) if weighted else None
    X = np.full((100_003, 2), [0.1, 1e9 / 3])
    _, _, squares = make(X).group_moments(np.zeros(len(X), dtype=np.int32), 1, weight)
    assert squares.tolist() == [[0.0, 0.0]]


def test_the_users_sparse_matrix_is_left_as_it_was():
    matrix = sparse.csc_array(([3.0, 0.0, 1.0], [2, 1, 0], [0, 2, 3]), shape=(3, 2))
    for part in (matrix.data, matrix.indices, matrix.indptr):
        part.flags.writeable = False
    table = Sparse(matrix)
    assert table.varying().tolist() == [True, True]
    assert table.by_column.nnz == 2
    assert (matrix.data.tolist(), matrix.indices.tolist()) == ([3.0, 0.0, 1.0], [2, 1, 0])


def test_names_follow_their_columns():
    names = np.array(["a", "b", "c"], dtype=object)
    for table in (Dense(np.eye(3), names), Sparse(sparse.csr_array(np.eye(3)), names)):
        assert table.take(np.array([2, 0])).label(1) == "'a'"
        assert table.rows(np.array([1])).label(2) == "'c'"
    assert Dense(np.eye(3)).label(2) == "2"
    probed = Probed(GaussianProbes(3, 2, 0), Dense(np.eye(3), names))
    assert [probed.label(j) for j in (1, 2)] == ["of probe 1", "'a'"]


def test_gaussian_probes_are_normal_independent_and_the_same_again():
    probes = GaussianProbes(2000, 130, seed=5)
    X = probes.gather()
    assert (GaussianProbes(2000, 130, seed=5).gather() == X).all()
    assert not np.isin(X, GaussianProbes(2000, 130, seed=6).gather()).any()
    # no two columns are alike, across the blocks they are drawn in too
    correlation = np.corrcoef(X.T) - np.eye(130)
    assert np.abs(correlation).max() < 5 / np.sqrt(2000)
    assert np.abs(X.mean(axis=0)).max() < 4.5 / np.sqrt(2000)
    assert np.abs(X.var(axis=0) - 1).max() < 4.5 * np.sqrt(2 / 2000)
