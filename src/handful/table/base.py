"""What every reader returns, and what all of them agree on: names, missing cells, whole numbers."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from handful.columns import Columns
from handful.columns.dense import Dense
from handful.columns.sparse import Sparse

# Cells that mean "not known". A class may be called None, so that word is not among them.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "?"})
# From here on float64 no longer holds every whole number.
LARGEST_WHOLE = 2.0**53
# A sparse file that claims more rows or columns has a wrong number in it.
MOST = 100_000_000


class TableError(ValueError):
    """A table that cannot be read or written; one line says what is wrong and where."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table from a file, ready to fit: every cell a finite number.

    Attributes
    ----------
    X : ndarray or scipy.sparse.csr_array of shape (n_rows, n_columns), or Columns
        bool where every column is true or false, int32 where every cell is a whole number that
        fits, else floating point. A table that stays in its files has the type that its columns
        have in common.
    y : ndarray of shape (n_rows,)
        Text, whole numbers (int64), floating point numbers or bool.
    names : ndarray of str objects, or None
        The columns' names, where the file has them.
    target : str
        The target's name.
    name : str
        The file's name without its folders.
    boolean : ndarray of bool, or None
        Which columns were true or false in the file; they are written so again.
    notes : tuple of str
        What the reader did that its user should know.
    """

    X: Any
    y: NDArray
    names: NDArray | None
    target: str = "y"
    name: str = "table"
    boolean: NDArray[np.bool_] | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def columns(self) -> Columns:
        """The table as selectors take it, with its names."""
        if isinstance(self.X, Columns):
            return self.X
        kind = Sparse if sparse.issparse(self.X) else Dense
        return kind(self.X, self.names)

    def take(self, columns: NDArray) -> "Table":
        """The same rows and target with these columns alone, in this order."""
        return replace(
            self,
            X=self.X.gather(None, columns) if isinstance(self.X, Columns) else self.X[:, columns],
            names=None if self.names is None else self.names[columns],
            boolean=None if self.boolean is None else self.boolean[columns],
        )


def of_dataset(name: str, found: Any) -> Table:
    """A data set of `handful.datasets` as a table.

    Examples
    --------
    >>> from sklearn.utils import Bunch
    >>> found = Bunch(data=np.eye(2), target=np.array(["a", "b"]), feature_names=["u", "v"])
    >>> of_dataset("twins", found).names.tolist()
    ['u', 'v']
    """
    y = np.asarray(found.target)
    if y.ndim != 1:
        raise TableError(f"{name} has {y.shape[1]} labels per row; a table holds one target.")
    names = found.get("feature_names")
    names = None if names is None else np.array([str(one) for one in names], dtype=object)
    return Table(found.data, y.astype(np.str_) if y.dtype.kind == "O" else y, names, name=name)


def plural(number: int, thing: str) -> str:
    """A counted thing.

    Examples
    --------
    >>> plural(1, "row"), plural(7129, "column")
    ('1 row', '7,129 columns')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def check_names(names: Sequence[str]) -> None:
    """Refuse names that are missing or stand twice."""
    seen: dict[str, int] = {}
    for place, name in enumerate(names, 1):
        if not name:
            raise TableError(f"column {place} has no name.")
        if name in seen:
            raise TableError(
                f"columns {seen[name]} and {place} are both called {name!r}; every column needs a "
                "name of its own."
            )
        seen[name] = place


def find(name: str, names: Iterable[str], what: str = "column") -> int:
    """The place of a name.

    Examples
    --------
    >>> find("Label", ["gene", "label"])
    Traceback (most recent call last):
    handful.table.base.TableError: there is no column 'Label'; did you mean 'label'?
    """
    names = list(names)
    if name in names:
        return names.index(name)
    close = [other for other in names if other.strip().lower() == name.strip().lower()]
    close = close or difflib.get_close_matches(name, names, n=3)
    if close:
        hint = f"did you mean {' or '.join(map(repr, close[:3]))}?"
    elif names:
        # the last one, too: it often is the target
        rest = f", ..., {names[-1]!r} ({len(names):,} in all)" if len(names) > 4 else ""
        hint = f"there {'is' if len(names) == 1 else 'are'} "
        hint += f"{', '.join(map(repr, names[:4]))}{rest}."
    else:
        hint = "there are none."
    raise TableError(f"there is no {what} {name!r}; {hint}")


def stated(target: str | None) -> str:
    if target is None:
        raise TableError("say which column is the target (--target).")
    return target


def labels(cells: Sequence[str], where: Sequence[str]) -> NDArray:
    """The target from text: whole numbers, numbers or text, whatever fits all cells.

    Examples
    --------
    >>> labels(["1", "2.0"], ["", ""]), labels(["1", "b"], ["", ""])
    (array([1, 2]), array(['1', 'b'], dtype='<U1'))
    """
    for cell, place in zip(cells, where, strict=True):
        if cell.strip().lower() in MISSING:
            raise TableError(f"{place}the target is missing{_shown(cell)}; leave the row out.")
    numbers = []
    for cell in cells:
        value = as_number(cell)
        if value is None:
            return np.array(cells, dtype=np.str_)
        numbers.append(value)
    values = np.array(numbers)
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise TableError(f"{where[row]}the target is not a finite number ({cells[row]!r}).")
    return whole_target(values)


def whole_target(values: NDArray) -> NDArray:
    """int64 where all values are whole numbers, so that classes are called 1 and not 1.0."""
    is_whole = (values == np.rint(values)) & (np.abs(values) < LARGEST_WHOLE)
    return values.astype(np.int64) if is_whole.all() else values


def as_number(cell: str) -> float | None:
    """The number that a cell holds (perhaps infinite, or NaN), or None.

    Examples
    --------
    >>> as_number(" -1.5e3 "), as_number("1_000"), as_number("abc")
    (-1500.0, None, None)
    """
    try:
        return float(cell) if "_" not in cell and cell.isascii() else None
    except ValueError:
        return None


def refused_cell(cell: str, column: str, place: str) -> TableError:
    """What is wrong with a cell that is not a finite number; `place` says where, with a comma."""
    if cell.strip().lower() in MISSING:
        return TableError(
            f"{place}column {column}: the cell is missing{_shown(cell)}; fill it, or leave the row "
            "or the column out."
        )
    if as_number(cell) is not None:
        return TableError(f"{place}column {column}: {cell.strip()!r} is not a finite number.")
    return TableError(
        f"{place}column {column} holds text{_shown(cell)}; encode it as numbers, or leave it out "
        "with drop (--drop)."
    )


def _shown(cell: str) -> str:
    if not cell.strip():
        return ""
    return f" ({cell!r})" if len(cell) <= 40 else f" ({cell[:37] + '...'!r})"


def compact(X: Any) -> Any:
    """bool as it is; int32 where every cell is a whole number that fits; else as it is."""
    values = X.data if sparse.issparse(X) else X
    if values.dtype.kind == "b" or values.dtype == np.int32 or not fits_int32(values):
        return X
    return X.astype(np.int32)


def fits_int32(values: NDArray) -> bool:
    if not values.size:
        return True
    limits = np.iinfo(np.int32)
    if values.min() < limits.min or values.max() > limits.max:
        return False
    return values.dtype.kind in "bui" or bool((values == np.rint(values)).all())


def check_cells(X: Any, names: NDArray | None) -> None:
    """Refuse NaN and infinity, naming the first such cell by row (from 1) and column."""
    values = X.data if sparse.issparse(X) else X
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return
    if sparse.issparse(X):
        cells = X.tocoo()
        at = int(np.flatnonzero(~np.isfinite(cells.data))[0])
        row, column, value = int(cells.row[at]), int(cells.col[at]), cells.data[at]
    else:
        row, column = (int(place) for place in np.argwhere(~np.isfinite(X))[0])
        value = X[row, column]
    called = f"x{column}" if names is None else repr(str(names[column]))
    raise refused_cell(str(float(value)), called, f"row {row + 1}, ")


def one_line(error: BaseException) -> str:
    r"""The message of another library's error, made fit for the end of a sentence.

    Examples
    --------
    >>> one_line(ValueError("bad\n  number\x1b."))
    'bad number�'
    """
    text = " ".join(str(error).split()).rstrip(".")[:200] or type(error).__name__
    return "".join(character if character.isprintable() else "�" for character in text)
