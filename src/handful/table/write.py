"""Tables to files, in the formats that `read` takes back."""

import csv
import gzip
import io
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from handful.files import check_writable, writing
from handful.table.base import LARGEST_WHOLE, Table, TableError
from handful.table.frames import PARQUET, check_polars, write_frame
from handful.table.read import ARROW, DELIMITERS, SVMLIGHT, format_of

WRITABLE = (*DELIMITERS, *PARQUET, *ARROW, *SVMLIGHT, ".npz")
_PACKED = (*DELIMITERS, *SVMLIGHT)
# Cells made into text at a time.
_BLOCK = 1 << 18


def write(table: Table, path: str | PathLike, *, force: bool = False) -> None:
    """Write a table; the file is there complete or not at all.

    Columns come first, in the table's own order, the target last (svmlight: first, as it must).
    Columns that were true or false are written so, whole numbers without a point, all others with
    as many digits as give the same number back. Names and labels are written as they are, quoted
    where CSV needs it; one that begins with ``=`` stays what it is, so be as careful with the
    tables of strangers in a spreadsheet as with any. svmlight has no names, and its readers do not
    see columns of zeros at the end.

    Raises
    ------
    TableError
        An unknown extension, or a target that the format cannot hold.
    FileExistsError, FileNotFoundError, IsADirectoryError, PermissionError
        See `handful.files.check_writable`.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> place = Path(folder.name) / "small.csv"
    >>> names = np.array(["=cmd()", "b"], dtype=object)
    >>> write(Table(np.array([[1, 0.1], [2, 3]]), np.array(["x", "y"]), names, "kind"), place)
    >>> print(place.read_text())
    =cmd(),b,kind
    1,0.1,x
    2,3.0,y
    <BLANKLINE>
    >>> folder.cleanup()
    """
    path = check_output(path, force=force)
    check_fits(table, path)
    with writing(path, force=force) as beside:
        write_to(table, beside)


def check_output(path: str | PathLike, *, force: bool = False) -> Path:
    """Refuse a place that `write` could not write to, whatever the table.

    Examples
    --------
    >>> check_output("reduced.xlsx")
    Traceback (most recent call last):
    handful.table.base.TableError: reduced.xlsx: the extension '.xlsx' cannot be written; use ...
    """
    path = Path(path)
    suffix, packed = format_of(path)
    if suffix not in WRITABLE or (packed and suffix not in _PACKED):
        known = ", ".join(WRITABLE)
        raise TableError(f"{path}: the extension {path.suffix!r} cannot be written; use {known}.")
    if suffix in (*PARQUET, *ARROW):
        try:
            check_polars(suffix)
        except TableError as error:
            raise TableError(f"{path}: {error}") from None
    return check_writable(path, force=force)


def check_fits(table: Table, path: Path) -> None:
    """Refuse a table that the format cannot hold."""
    if format_of(path)[0] in SVMLIGHT and table.y.dtype.kind not in "biuf":
        raise TableError(
            f"{path}: svmlight holds numbers alone, and the target {table.target!r} is text "
            f"({str(table.y[0])!r}); write another format."
        )


def write_to(table: Table, place: Path) -> None:
    """Write to a place that may be written over, such as one of `handful.files.writing`."""
    suffix, packed = format_of(place)
    if suffix in (*PARQUET, *ARROW):
        names, columns = _named_columns(table)
        write_frame(place, suffix, [*names, table.target], [*columns, table.y])
        return
    with place.open("wb") as opened:
        if suffix == ".npz":
            _write_npz(opened, table)
        elif packed:
            # no name and no time inside, so that equal tables make equal files
            with gzip.GzipFile("", "wb", fileobj=opened, mtime=0) as packing:
                _write_text(packing, suffix, table)
        else:
            _write_text(opened, suffix, table)


def _write_text(binary: Any, suffix: str, table: Table) -> None:
    file = io.TextIOWrapper(binary, encoding="utf-8", newline="")
    if suffix in SVMLIGHT:
        _write_svmlight(file, table)
    else:
        rows = csv.writer(file, delimiter=DELIMITERS[suffix], lineterminator="\n")
        rows.writerow([*_names(table), table.target])
        rows.writerows(
            [*cells, label] for cells, label in zip(_cells(table), _labels(table), strict=True)
        )
    file.flush()
    file.detach()


def _names(table: Table) -> list[str]:
    if table.names is None:
        return [f"x{place}" for place in range(table.X.shape[1])]
    return [str(name) for name in table.names]


def _labels(table: Table) -> list[Any]:
    if table.y.dtype.kind == "b":
        return ["true" if label else "false" for label in table.y]
    return table.y.tolist()


def _cells(table: Table) -> Any:
    """The rows as lists of what CSV should show."""
    n_rows, n_columns = table.X.shape
    boolean = np.zeros(n_columns, bool) if table.boolean is None else table.boolean
    whole = _whole(table.X)
    plain = not boolean.any() and (table.X.dtype.kind in "ui" or not whole.any())
    step = max(1, _BLOCK // max(1, n_columns))
    for start in range(0, n_rows, step):
        block = table.X[start : start + step]
        block = block.toarray() if sparse.issparse(block) else block
        if plain:
            yield from block.tolist()
            continue
        shown = block.astype(object)
        shown[:, whole] = block[:, whole].astype(np.int64)
        shown[:, boolean] = np.where(block[:, boolean] != 0, "true", "false")
        yield from shown.tolist()


def _whole(X: Any) -> NDArray[np.bool_]:
    """Which columns hold whole numbers alone."""
    if X.dtype.kind in "bui":
        return np.ones(X.shape[1], dtype=bool)
    answer = np.ones(X.shape[1], dtype=bool)
    if sparse.issparse(X):
        entries = X.tocoo()
        uneven = (entries.data != np.rint(entries.data)) | (np.abs(entries.data) >= LARGEST_WHOLE)
        answer[entries.col[uneven]] = False
        return answer
    step = max(1, _BLOCK // max(1, X.shape[1]))
    for start in range(0, len(X), step):
        block = X[start : start + step]
        answer &= ((block == np.rint(block)) & (np.abs(block) < LARGEST_WHOLE)).all(axis=0)
    return answer


def _named_columns(table: Table) -> tuple[list[str], list[NDArray]]:
    """Names, and columns of the type that they had."""
    whole = _whole(table.X)
    X = table.X.toarray() if sparse.issparse(table.X) else table.X
    columns = []
    for place in range(X.shape[1]):
        column = np.ascontiguousarray(X[:, place])
        if table.boolean is not None and table.boolean[place]:
            column = column != 0
        elif whole[place]:
            column = column.astype(np.int64)
        columns.append(column)
    return _names(table), columns


def _write_svmlight(file: Any, table: Table) -> None:
    matrix = sparse.csr_array(table.X)
    matrix.sort_indices()
    for row, label in enumerate(table.y.tolist()):
        part = slice(matrix.indptr[row], matrix.indptr[row + 1])
        entries = zip(matrix.indices[part].tolist(), matrix.data[part].tolist(), strict=True)
        # true as 1, and numbers with all their digits
        cells = (f" {place + 1}:{value + 0!r}" for place, value in entries)
        file.write(f"{label + 0!r}{''.join(cells)}\n")


def _write_npz(file: Any, table: Table) -> None:
    arrays: dict[str, Any] = {"y": table.y}
    if sparse.issparse(table.X):
        parts = ("data", "indices", "indptr")
        arrays |= {f"X_{part}": getattr(table.X, part) for part in parts}
        arrays["X_shape"] = np.array(table.X.shape)
    else:
        arrays["X"] = table.X
    if table.names is not None:
        arrays["feature_names"] = np.array(_names(table))
    np.savez_compressed(file, **arrays)
