"""The one entry for tables: checked once, here, and trusted below."""

from collections.abc import Iterator
from numbers import Real
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import get_config
from sklearn.utils import get_tags
from sklearn.utils.validation import check_array, validate_data

from handful.columns.base import Columns
from handful.columns.dense import Dense
from handful.columns.sparse import Sparse

# Sums of weights times their logarithms must be numbers.
MOST_WEIGHT = 1e300


def open(estimator: Any, X: Any, *, reset: bool = True) -> Columns:
    """Check a table and say how to ask it.

    Arrays, data frames and sparse matrices go through scikit-learn's own validation, which also
    notes (``reset=True``) or compares the number and names of the columns on the estimator. Tables
    of handful's own kinds are taken as they are, and so are Dask arrays and data frames, whose
    cells are checked as they are first read.

    NaN is let through where the estimator's tags allow it.

    Raises
    ------
    ValueError
        Naming the column: text, NaN or infinity, duplicated names; a wrong number of columns.
    """
    if isinstance(X, Columns):
        return _open_own(estimator, X, reset)
    if is_dask(X):
        from handful.columns.distributed import open_collection

        table = open_collection(X, allow_nan=get_tags(estimator).input_tags.allow_nan)
        return _open_own(estimator, table, reset)
    _refuse_duplicated_names(X)
    _refuse_dates(X)
    try:
        array = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse=("csc", "csr"),
            dtype="numeric",
            ensure_all_finite=False,
            ensure_min_samples=2 if reset else 1,
        )
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except (ValueError, TypeError) as error:
        _explain_unreadable(X, error)
        raise
    if array.dtype.kind not in "biuf":
        raise ValueError(f"X holds values of type {array.dtype}; numbers are needed.")
    if array.dtype == np.float16 or array.dtype == np.longdouble:
        array = array.astype(np.float32 if array.dtype == np.float16 else np.float64, copy=False)
    if isinstance(array, np.ndarray) and not _is_plain(array):
        array = array.astype(array.dtype.newbyteorder("="), order="C")
    names = getattr(estimator, "feature_names_in_", None)
    table = Sparse(array, names) if sparse.issparse(array) else Dense(array, names)
    refuse_nonfinite(table, allow_nan=get_tags(estimator).input_tags.allow_nan)
    return table


def is_dask(X: Any) -> bool:
    """Whether a table is a Dask collection; known without importing Dask."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")


def _is_plain(array: NDArray) -> bool:
    """Whether cells are in this machine's byte order and whole cells apart, as the core reads."""
    return array.dtype.isnative and not any(step % array.itemsize for step in array.strides)


def _open_own(estimator: Any, table: Columns, reset: bool) -> Columns:
    if reset:
        estimator.n_features_in_ = table.shape[1]
        if table.names is not None:
            estimator.feature_names_in_ = np.asarray(table.names, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        if table.shape[0] < 2:
            raise ValueError(
                f"Found a table with {table.shape[0]} sample(s) (shape={table.shape}) while a "
                "minimum of 2 is required."
            )
        if table.shape[1] < 1:
            raise ValueError(
                f"Found a table with 0 feature(s) (shape={table.shape}) while a minimum of 1 is "
                "required."
            )
    elif table.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {table.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    return table


def _column_names(X: Any) -> list | None:
    names = getattr(X, "columns", None)
    if names is None or not hasattr(X, "shape"):
        return None
    return list(names)


def _refuse_duplicated_names(X: Any) -> None:
    names = _column_names(X)
    if names is None or len(set(names)) == len(names):
        return
    twice = next(name for name in names if names.count(name) > 1)
    raise ValueError(
        f"Column name {twice!r} stands {names.count(twice)} times in the table; "
        "every column needs a name of its own."
    )


def _refuse_dates(X: Any) -> None:
    """Before the frame becomes an array, where polars would make plain numbers of its dates."""
    names = _column_names(X)
    if names is None or not hasattr(X, "dtypes"):
        return
    for name, kind in zip(names, X.dtypes, strict=True):
        if str(kind).lower().startswith(("date", "time", "duration")):
            raise ValueError(
                f"Column {name!r} holds dates or times ({kind}). Turn them into numbers first, for "
                "example days since a first day."
            )


def _explain_unreadable(X: Any, error: Exception) -> None:
    """Raise where a column is to blame, naming it, what it holds and what to do."""
    for name, values in _object_columns(X):
        for value in values:
            if isinstance(value, (str, bytes)):
                if _is_number(value) and values.dtype.kind == "O":
                    continue
                raise ValueError(
                    f"Column {name} holds text ({str(value)!r}). Encode it as numbers first, for "
                    "example with sklearn.preprocessing.OrdinalEncoder or OneHotEncoder."
                ) from error
            if not isinstance(value, (Real, NoneType)):
                kind = type(value).__name__
                raise TypeError(
                    f"Column {name} holds a value of type {kind} ({value}): {error}."
                ) from error


def _object_columns(X: Any) -> Iterator[tuple[str, NDArray]]:
    """The columns that are not stored as numbers, each as messages name it."""
    names = _column_names(X)
    if names is not None:
        columns = ((repr(name), np.asarray(X[name])) for name in names)
    elif sparse.issparse(X):
        return
    else:
        array = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
        if array.ndim != 2:
            return
        columns = ((str(j), array[:, j]) for j in range(array.shape[1]))
    for name, values in columns:
        if values.dtype.kind not in "biufc":
            yield name, values


def _is_number(value: str | bytes) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def refuse_nonfinite(table: Columns, *, allow_nan: bool = False) -> None:
    """Raise where a cell is NaN or infinite, naming the columns; streams, allocates one block."""
    if get_config()["assume_finite"] or table.dtype.kind != "f":
        return
    # a sum is finite only if, and unless it overflows whenever, all its terms are
    with np.errstate(over="ignore", invalid="ignore"):
        if sparse.issparse(table.native):
            sums = np.sum(table.native.data)
        else:
            sums = table.tdot(np.ones(table.shape[0]))
        if np.isfinite(sums).all():
            return
    found: dict[str, list[int]] = {"NaN": [], "infinity": []}
    for cols, block in table.blocks():
        found["NaN"] += (cols.start + np.flatnonzero(np.isnan(block).any(axis=0))).tolist()
        found["infinity"] += (cols.start + np.flatnonzero(np.isinf(block).any(axis=0))).tolist()
    for what, columns in found.items():
        if columns and not (allow_nan and what == "NaN"):
            named = ", ".join(table.label(j) for j in columns[:3])
            more = f" and {len(columns) - 3} more" if len(columns) > 3 else ""
            plural = "s" if len(columns) > 1 else ""
            raise ValueError(
                f"Input X contains {what} in column{plural} {named}{more}. Fill or drop such "
                "cells first, for example with sklearn.impute.SimpleImputer."
            )


def as_weight(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Sample weights as float64, one per row, finite, none negative, some positive."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_rows, sample_weight)
    weight = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
    )
    if weight.shape != (n_rows,):
        raise ValueError(
            f"sample_weight.shape == {weight.shape}, expected {(n_rows,)}: one weight per row."
        )
    if (weight < 0).any():
        row = int(np.flatnonzero(weight < 0)[0])
        raise ValueError(f"sample_weight is negative ({weight[row]}) at row {row}.")
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; nothing is left to learn from.")
    with np.errstate(over="ignore"):
        total = weight.sum()
    if total > MOST_WEIGHT:
        raise ValueError(
            f"sample_weight adds up to {total:.3g}, more than {MOST_WEIGHT:.0e}, where sums "
            "overflow; divide the weights by a common factor."
        )
    return weight
