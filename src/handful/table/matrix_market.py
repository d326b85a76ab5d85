"""Matrix Market, the text format of sparse matrices.

Read here and not by SciPy, whose reader was seen to end the interpreter on a damaged file.
"""

from collections.abc import Iterator, Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from handful.table.base import MOST, Table, TableError, one_line, plural, stated
from handful.table.matrices import UNNAMED, split_off
from handful.table.text import Line, lines


def read_matrix_market(file: IO[bytes], target: str | None, drop: Sequence[str]) -> Table:
    """A matrix; its target is one of its columns, by number, or a file of one label per line."""
    if drop:
        raise TableError(UNNAMED)
    target = stated(target)
    numbered = lines(file)
    layout, field, symmetry = _banner(next(numbered, (0, ""))[1])
    content = _without_comments(numbered)
    sizes = _sizes(content, 3 if layout == "coordinate" else 2)
    body = _body(content)
    if layout == "array":
        return split_off(_dense(body, *sizes), target)
    matrix = _sparse(body, sizes, pattern=field == "pattern", symmetric=symmetry == "symmetric")
    return split_off(matrix, target)


def _banner(line: str) -> tuple[str, str, str]:
    words = line.lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise TableError("this is not Matrix Market: the first line must say so.")
    layout, field, symmetry = words[2:]
    symmetries = {"coordinate": ("general", "symmetric"), "array": ("general",)}
    fields = ("real", "integer", "double", *(("pattern",) if layout == "coordinate" else ()))
    if field not in fields or symmetry not in symmetries.get(layout, ()):
        raise TableError(f"a matrix of the kind {' '.join(words[2:])!r} is not read.")
    return layout, field, symmetry


def _without_comments(numbered: Iterator[Line]) -> Iterator[Line]:
    for number, line in numbered:
        if not line.startswith("%") and not line.isspace():
            yield number, line


def _sizes(content: Iterator[Line], n_sizes: int) -> list[int]:
    number, line = next(content, (2, ""))
    words = line.split()
    if len(words) != n_sizes or not all(word.isascii() and word.isdigit() for word in words):
        raise TableError(f"line {number} should give the size as {n_sizes} whole numbers.")
    sizes = [int(word) for word in words]
    if max(sizes[:2]) > MOST:
        raise TableError(f"line {number} promises more than {MOST:,} rows or columns.")
    return sizes


def _body(content: Iterator[Line]) -> NDArray[np.float64]:
    """The numbers of all further lines, in rows."""
    first = next(content, None)
    if first is None:
        raise TableError("the matrix has no entries, or the file ends too early.")

    def texts() -> Iterator[str]:
        yield first[1]
        yield from (line for _, line in content)

    try:
        return np.loadtxt(texts(), comments=None, ndmin=2)
    except TableError:
        raise
    except ValueError as error:
        raise TableError(f"an entry of the matrix is wrong: {one_line(error)}.") from None


def _dense(body: NDArray[np.float64], n_rows: int, n_columns: int) -> NDArray[np.float64]:
    if body.size != n_rows * n_columns:
        raise TableError(
            f"the size promises {plural(n_rows * n_columns, 'number')} and there are "
            f"{body.size:,}; the file may end too early."
        )
    return np.ascontiguousarray(body.reshape(n_columns, n_rows).T)


def _sparse(body: NDArray[np.float64], sizes: list[int], *, pattern: bool, symmetric: bool) -> Any:
    *shape, n_entries = sizes
    width = 2 if pattern else 3
    if body.shape != (n_entries, width):
        raise TableError(
            f"the size promises {n_entries:,} entries of {width} numbers and there are "
            f"{body.shape[0]:,} of {body.shape[1]}; the file may end too early."
        )
    places = body[:, :2]
    inside = (places == np.rint(places)) & (places >= 1) & (places <= shape)
    if not inside.all():
        entry = int(np.flatnonzero(~inside.all(axis=1))[0])
        row, column = places[entry]
        raise TableError(
            f"entry {entry + 1} is at {row:g}, {column:g}, outside of the {shape[0]:,} rows and "
            f"{shape[1]:,} columns."
        )
    row, column = (places - 1).astype(np.intp).T
    values = np.ones(n_entries) if pattern else body[:, 2]
    if symmetric:
        mirrored = row != column
        row, column, values = (
            np.concatenate([row, column[mirrored]]),
            np.concatenate([column, row[mirrored]]),
            np.concatenate([values, values[mirrored]]),
        )
    return sparse.csr_array(sparse.coo_array((values, (row, column)), shape=tuple(shape)))
