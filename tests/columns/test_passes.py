"""What the core reads in one pass over a dense table, against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful import _core
from handful.columns import Dense, dense

LAYOUTS = {
    "C": lambda X: X,
    "F": np.asfortranarray,
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "every third column": lambda X: np.asfortranarray(np.repeat(X, 3, axis=1))[:, ::3],
    "rows upside down": lambda X: X[::-1].copy()[::-1],
    "columns backwards": lambda X: np.asfortranarray(X[:, ::-1])[:, ::-1],
}
SIZES = st.one_of(st.integers(2, 40), st.integers(500, 1_100))


@settings(deadline=None, max_examples=150)
@given(
    n_rows=SIZES,
    n_columns=SIZES,
    kind=st.sampled_from([np.float32, np.float64]),
    layout=st.sampled_from(sorted(LAYOUTS)),
    seed=st.integers(0, 10**6),
)
def test_sums_are_those_of_numpy_for_any_number_of_threads(n_rows, n_columns, kind, layout, seed):
    """In eighths every sum is exact; and other numbers give the same bits in two threads."""
    rng = np.random.default_rng(seed)
    X = LAYOUTS[layout]((rng.integers(-8, 9, (n_rows, n_columns)) / 8).astype(kind))
    vectors = (rng.integers(-8, 9, (_core.n_vectors, n_rows)) / 8).astype(kind)
    weight = rng.integers(0, 4, n_rows) / 4
    products = _core.products(X, vectors, 1).reshape(_core.n_vectors, -1)
    assert (products == vectors.astype(np.float64) @ X).all()
    assert (_core.squared_lengths(X, weight, 1) == weight @ X.astype(np.float64) ** 2).all()
    X, vectors = LAYOUTS[layout](X * kind(0.3)), vectors * kind(0.7)
    assert (_core.products(X, vectors, 1) == _core.products(X, vectors, 2)).all()
    lengths = [_core.squared_lengths(X, weight + 0.1, n) for n in (1, 2)]
    assert (lengths[0] == lengths[1]).all()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_float32_loses_no_more_than_its_own_rounding(kind):
    """Thirty thousand terms of one sign: sums in the table's own type would lose three digits."""
    rng = np.random.default_rng(0)
    for order in "CF":
        X = np.asarray(rng.random((30_000, 3)), dtype=kind, order=order)
        vectors = rng.random((_core.n_vectors, 30_000)).astype(kind)
        expected = vectors.astype(np.float64) @ X.astype(np.float64)
        found = _core.products(X, vectors, 1).reshape(expected.shape)
        np.testing.assert_allclose(found, expected, rtol=16 * np.finfo(kind).eps)
        squares = (X.astype(np.float64) ** 2).sum(axis=0)
        np.testing.assert_allclose(Dense(X).squared_lengths(), squares, rtol=1e-12)


@pytest.mark.parametrize("n_vectors", [2, 7, 8, 9, 20])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_large_tables_serve_any_number_of_vectors(n_vectors, kind, monkeypatch):
    rng = np.random.default_rng(1)
    X = (rng.integers(-8, 9, (50, 300)) / 8).astype(kind)
    values = rng.integers(-8, 9, (50, n_vectors)) / 8
    monkeypatch.setattr(dense, "LARGE", X.nbytes)
    found = Dense(X).tdot(values)
    assert found.dtype == kind
    assert (found == X.T @ values).all()
    assert Dense(X).pass_width == _core.n_vectors
    assert Dense(X[:, ::2][:, :100]).pass_width == 1


def test_what_the_core_refuses():
    X = np.ones((6, 8))
    vectors = np.ones((_core.n_vectors, 6))
    with pytest.raises(ValueError, match="rows or columns must be contiguous"):
        _core.products(X[:, ::2], vectors, 1)
    with pytest.raises(TypeError, match="vectors of the table's own type"):
        _core.products(X, vectors.astype(np.float32), 1)
    with pytest.raises(ValueError, match="as many vectors as a pass takes"):
        _core.products(X, vectors[:3], 1)
    with pytest.raises(ValueError, match="one weight per row"):
        _core.squared_lengths(X, np.ones(5), 1)
    with pytest.raises(TypeError, match="float32 or float64"):
        _core.squared_lengths(X.astype(int), np.ones(6), 1)
