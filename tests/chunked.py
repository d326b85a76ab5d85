"""Tables of every type cut into chunks of any size, and what must come out the same."""

import numpy as np
import pytest
from sklearn import clone

KINDS = ["float64", "float32", "rounded", "int64", "int8", "bool"]


def table(rng, kind, n_rows, n_columns):
    """Numbers with ties, few and many distinct values, constant columns and copies."""
    if kind == "bool":
        X = rng.random((n_rows, n_columns)) < rng.choice([0.05, 0.5], n_columns)
    elif kind.startswith("int"):
        X = rng.integers(0, rng.integers(1, 120, n_columns), (n_rows, n_columns)).astype(kind)
    elif kind == "rounded":
        X = np.round(rng.standard_normal((n_rows, n_columns)) * rng.choice([0.2, 1, 9], n_columns))
    else:
        X = rng.standard_normal((n_rows, n_columns)).astype(kind)
    X[:, rng.random(n_columns) < 0.1] = 1
    copies = rng.random(n_columns) < 0.2
    X[:, copies] = X[:, rng.integers(n_columns, size=copies.sum())]
    return X


def classes(rng, X, n_classes):
    """Classes, each there, that some columns tell something about."""
    score = X[:, : rng.integers(1, 4)].astype(float).sum(axis=1) + rng.standard_normal(len(X))
    y = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    y[:n_classes] = np.arange(n_classes)
    return y


def sizes(rng, n, most=5):
    """How `n` is cut into up to `most` chunks, some of which may be empty."""
    cuts = np.sort(rng.integers(0, n + 1, rng.integers(most)))
    return tuple(np.diff(np.r_[0, cuts, n]).tolist())


def dask_array(rng, X):
    """X in chunks of any size."""
    da = pytest.importorskip("dask.array")
    return da.from_array(X, chunks=(sizes(rng, X.shape[0]), sizes(rng, X.shape[1], 3)))


def require_same(selector, X, collection, y, weight=None):
    """A fit on the collection is a fit on the array: chosen columns, scores and what is said."""
    given = {} if weight is None else {"sample_weight": weight}
    expected = clone(selector).fit(X, y, **given)
    found = clone(selector).fit(collection, y, **given)
    assert found.path_.features.tolist() == expected.path_.features.tolist()
    np.testing.assert_allclose(found.path_.scores, expected.path_.scores, rtol=1e-9, atol=1e-12)
    assert found.path_.complete == expected.path_.complete
    assert found.path_.note == expected.path_.note
    assert found.stopping_.warning == expected.stopping_.warning
    return found
