"""The one entry for tables: checked once, here, and trusted below."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import get_config
from sklearn.utils.validation import check_array, validate_data

from handful.columns.base import BLOCK, Columns
from handful.columns.dense import Dense
from handful.columns.sparse import Sparse


def open(estimator: Any, X: Any, *, reset: bool = True) -> Columns:
    """Check a table and say how to ask it.

    Arrays, data frames and sparse matrices go through scikit-learn's own validation, which also
    notes (``reset=True``) or compares the number and names of the columns on the estimator. Tables
    of handful's own kinds are taken as they are.

    Raises
    ------
    ValueError
        Naming the column: text, NaN or infinity, duplicated names; a wrong number of columns.
    """
    if isinstance(X, Columns):
        return _open_own(estimator, X, reset)
    _refuse_duplicated_names(X)
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
    except (ValueError, TypeError) as error:
        column = _text_column(X)
        if column is None:
            raise
        raise ValueError(
            f"Column {column} holds text. Encode it as numbers first, for example with "
            "sklearn.preprocessing.OrdinalEncoder or OneHotEncoder."
        ) from error
    if array.dtype == np.float16 or array.dtype.kind == "O":
        array = array.astype(np.float32 if array.dtype == np.float16 else np.float64)
    names = getattr(estimator, "feature_names_in_", None)
    table = Sparse(array, names) if sparse.issparse(array) else Dense(array, names)
    refuse_nonfinite(table)
    return table


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


def _text_column(X: Any) -> str | None:
    """The first column that cannot be read as numbers, as a message names it."""
    if sparse.issparse(X):
        return None
    names = _column_names(X)
    if names is None:
        try:
            array = np.asarray(X, dtype=object)
        except ValueError:
            return None
        if array.ndim != 2:
            return None
        columns = ((str(j), array[:, j]) for j in range(array.shape[1]))
    else:
        columns = ((repr(name), X[name]) for name in names)
    for name, column in columns:
        values = np.asarray(column)
        if values.dtype.kind not in "OUST":
            continue
        if any(isinstance(value, (str, bytes)) and not _is_number(value) for value in values):
            return name
    return None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def refuse_nonfinite(table: Columns) -> None:
    """Raise where a cell is NaN or infinite, naming the columns; streams, allocates one block."""
    if get_config()["assume_finite"] or table.dtype.kind != "f":
        return
    values = table.native.data if sparse.issparse(table.native) else table.native
    if np.isfinite(_total(values)):
        return
    found: dict[str, list[int]] = {"NaN": [], "infinity": []}
    for cols, block in table.blocks():
        found["NaN"] += (cols.start + np.flatnonzero(np.isnan(block).any(axis=0))).tolist()
        found["infinity"] += (cols.start + np.flatnonzero(np.isinf(block).any(axis=0))).tolist()
    for what, columns in found.items():
        if columns:
            named = ", ".join(table.label(j) for j in columns[:3])
            more = f" and {len(columns) - 3} more" if len(columns) > 3 else ""
            plural = "s" if len(columns) > 1 else ""
            raise ValueError(
                f"Input X contains {what} in column{plural} {named}{more}. Fill or drop such "
                "cells first, for example with sklearn.impute.SimpleImputer."
            )


def _total(values: Any) -> float:
    """A sum that is finite only if (and, overflow aside, whenever) all values are."""
    array = np.asarray(values)
    if array.ndim < 2:
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.sum(array, dtype=np.float64))
    step = max(1, 4 * BLOCK // max(1, array.shape[1]))
    with np.errstate(over="ignore", invalid="ignore"):
        return float(sum(np.sum(array[i : i + step]) for i in range(0, len(array), step)))


def as_weight(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Sample weights as float64, one per row, finite, none negative, some positive."""
    if sample_weight is None:
        return None
    weight = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
    )
    if weight.ndim == 0:
        weight = np.full(n_rows, float(weight))
    if weight.shape != (n_rows,):
        raise ValueError(
            f"sample_weight.shape == {weight.shape}, expected {(n_rows,)}: one weight per row."
        )
    if (weight < 0).any():
        row = int(np.flatnonzero(weight < 0)[0])
        raise ValueError(f"sample_weight is negative ({weight[row]}) at row {row}.")
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; nothing is left to learn from.")
    return weight
