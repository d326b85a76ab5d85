"""Formats of numbers alone: svmlight and NumPy's NPZ; and what Matrix Market shares with them."""

import io
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from handful.table.base import (
    MOST,
    Table,
    TableError,
    check_cells,
    check_names,
    compact,
    find,
    labels,
    one_line,
    plural,
    stated,
    whole_target,
)
from handful.table.text import lines

UNNAMED = "the columns of this format have no names, so none can be left out (drop, --drop)."
_WHOLE = re.compile(r"-?\d+")


def read_svmlight(file: IO[bytes], target: str | None, drop: Sequence[str]) -> Table:
    """A line for every row: the target, then ``column:value`` for what is not zero."""
    if target is not None:
        raise TableError("an svmlight file holds its target itself; leave out target (--target).")
    if drop:
        raise TableError(UNNAMED)
    content = file.read()
    if not content.strip():
        raise TableError("the file is empty.")
    if b":" not in content:
        raise TableError("there is no column besides the target.")
    try:
        matrix, y = load_svmlight_file(io.BytesIO(content))
    except _NOT_SVMLIGHT as error:
        raise TableError(f"{_where(content)}this is not svmlight: {one_line(error)}.") from None
    return _numbers(sparse.csr_array(matrix), y, "y")


# What the reader of scikit-learn was seen to raise.
_NOT_SVMLIGHT = (ValueError, OverflowError, TypeError, IndexError)


def _where(content: bytes) -> str:
    """The first line of an unreadable file that cannot be read by itself either, if any."""
    for number, line in enumerate(content.split(b"\n"), 1):
        try:
            load_svmlight_file(io.BytesIO(line))
        except _NOT_SVMLIGHT:
            return f"line {number}: "
    return ""


def split_off(matrix: Any, target: str) -> Table:
    """The target is a column's number, from 0 (-1 is the last), or the place of a file."""
    if not _WHOLE.fullmatch(target):
        y = _labels_beside(Path(target))
        if len(y) != matrix.shape[0]:
            raise TableError(
                f"the table has {plural(matrix.shape[0], 'row')} and {target} has "
                f"{plural(len(y), 'label')}; one per row is needed."
            )
        return _numbers(matrix, y, Path(target).name)
    place, n_columns = int(target), matrix.shape[1]
    if not -n_columns <= place < n_columns:
        raise TableError(
            f"there is no column {place} for the target: there are {plural(n_columns, 'column')}, "
            "counted from 0. A file of one label per line is fine too."
        )
    place %= n_columns
    column = matrix[:, [place]]
    y = np.asarray(column.toarray() if sparse.issparse(column) else column).ravel()
    rest = np.delete(np.arange(n_columns), place)
    return _numbers(matrix[:, rest], y.astype(np.float64), f"x{place}")


def _labels_beside(place: Path) -> NDArray:
    if not place.exists():
        raise TableError(
            f"the target {str(place)!r} is neither a column's number, counted from 0, nor a file "
            "of one label per line."
        )
    try:
        with place.open("rb") as file:
            found = [(number, line.strip()) for number, line in lines(file)]
    except OSError as error:
        raise TableError(f"the target {place} cannot be read: {error.strerror}.") from None
    except TableError as error:
        raise TableError(f"the target {place}: {error}") from None
    while found and not found[-1][1]:
        found.pop()
    where = [f"{place}, line {number}: " for number, _ in found]
    return labels([label for _, label in found], where)


def read_npz(file: IO[bytes], target: str | None, drop: Sequence[str]) -> Table:
    """Arrays ``X`` and ``y``, perhaps ``feature_names``; X also as the parts of a CSR matrix.

    A sparse matrix is ``X_data, X_indices, X_indptr, X_shape``. A file of `scipy.sparse.save_npz`
    holds a matrix alone: its target is said as for Matrix Market.
    """
    try:
        stored = np.load(file, allow_pickle=False)
        arrays = None if isinstance(stored, np.ndarray) else dict(stored)
    except _UNREADABLE as error:
        raise TableError(f"this is not NPZ, or it is damaged: {one_line(error)}.") from None
    if arrays is None:
        raise TableError("this is a single array (NPY); an NPZ with X and y is needed.")
    if {"format", "shape", "data"} <= set(arrays):
        if drop:
            raise TableError(UNNAMED)
        return split_off(_saved_by_scipy(file), stated(target))
    return _from_arrays(arrays, target or "y", drop)


# What a damaged archive was seen to raise in NumPy, zipfile and the decompressors.
_UNREADABLE = (
    *(ValueError, OSError, EOFError, KeyError, TypeError, IndexError, OverflowError, MemoryError),
    *(BadZipFile, zlib.error, NotImplementedError, RuntimeError, SyntaxError, AttributeError),
)


def _saved_by_scipy(file: IO[bytes]) -> Any:
    file.seek(0)
    try:
        matrix = sparse.csr_array(sparse.load_npz(file))
        matrix.check_format(full_check=True)
    except _UNREADABLE as error:
        raise TableError(f"the sparse matrix is damaged: {one_line(error)}.") from None
    return matrix


def _from_arrays(arrays: Mapping[str, NDArray], target: str, drop: Sequence[str]) -> Table:
    y = arrays[list(arrays)[find(target, arrays, "array")]]
    matrix = _matrix(arrays)
    if y.shape != (matrix.shape[0],):
        raise TableError(
            f"X has {plural(matrix.shape[0], 'row')} and {target} has the shape {y.shape}; one "
            "value per row is needed."
        )
    if y.dtype.kind not in "biufU":
        raise TableError(f"{target} holds neither text nor numbers but {y.dtype}.")
    names = _names(arrays, matrix.shape[1])
    if drop and names is None:
        raise TableError(UNNAMED)
    if names is not None and drop:
        out = {find(name, names) for name in drop}
        kept = np.array([place for place in range(len(names)) if place not in out], dtype=np.intp)
        matrix, names = matrix[:, kept], names[kept]
    return _numbers(matrix, y, target, names)


def _matrix(arrays: Mapping[str, NDArray]) -> Any:
    parts = [f"X_{part}" for part in ("data", "indices", "indptr", "shape")]
    if "X" not in arrays and set(parts) <= set(arrays):
        data, indices, indptr, shape = (arrays[part] for part in parts)
        try:
            matrix = sparse.csr_array((data, indices, indptr), shape=tuple(shape.tolist()))
            matrix.check_format(full_check=True)
        except (ValueError, TypeError, IndexError, OverflowError) as error:
            raise TableError(f"the sparse matrix X is damaged: {one_line(error)}.") from None
    else:
        matrix = arrays[list(arrays)[find("X", arrays, "array")]]
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise TableError(
            f"X has the shape {matrix.shape} and the type {matrix.dtype}; rows and columns of "
            "numbers are needed."
        )
    return matrix


def _names(arrays: Mapping[str, NDArray], n_columns: int) -> NDArray | None:
    names = arrays.get("feature_names")
    if names is None:
        return None
    if names.dtype.kind != "U" or names.shape != (n_columns,):
        raise TableError(
            f"feature_names is not text with one name for each of {n_columns} columns."
        )
    check_names(names.tolist())
    return names.astype(object)


def _numbers(matrix: Any, y: NDArray, target: str, names: NDArray | None = None) -> Table:
    """The table, once its cells and its target are found to be finite numbers."""
    n_rows, n_columns = matrix.shape
    if n_columns == 0:
        raise TableError("there is no column besides the target.")
    if n_rows == 0:
        raise TableError("the table has no rows.")
    if max(n_rows, n_columns) > MOST:
        raise TableError(
            f"{n_rows:,} x {n_columns:,} is more than {MOST:,} rows or columns; a number in the "
            "file is wrong."
        )
    if matrix.dtype.kind == "f" and matrix.dtype.itemsize not in (4, 8):
        matrix = matrix.astype(np.float32 if matrix.dtype.itemsize == 2 else np.float64)
    if y.dtype.kind == "f":
        if not np.isfinite(y).all():
            row = int(np.flatnonzero(~np.isfinite(y))[0])
            raise TableError(f"row {row + 1}: the target is not a finite number ({y[row]}).")
        y = whole_target(y.astype(np.float64))
    check_cells(matrix, names)
    matrix = _short_indices(_wide(compact(matrix)))
    boolean = np.ones(n_columns, dtype=bool) if matrix.dtype.kind == "b" else None
    return Table(matrix, y, names, target, boolean=boolean)


def _short_indices(matrix: Any) -> Any:
    """Indices of 32 bits where those do: the models of libsvm take no others."""
    if sparse.issparse(matrix) and matrix.nnz <= np.iinfo(np.int32).max:
        matrix.indices = matrix.indices.astype(np.int32, copy=False)
        matrix.indptr = matrix.indptr.astype(np.int32, copy=False)
    return matrix


def _wide(matrix: Any) -> Any:
    """Whole numbers beyond int32 as float64."""
    return (
        matrix.astype(np.float64) if matrix.dtype.kind in "ui" and matrix.dtype != "i4" else matrix
    )
