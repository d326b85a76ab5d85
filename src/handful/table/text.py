"""CSV, TSV and the data lines of ARFF: lines of cells to a matrix.

NumPy's own parser takes blocks of lines at once; on wide tables that is faster than data frame
libraries, which pay for every column. A block that it cannot take is read again cell by cell, for
true and false and for messages that name line and column. Both ways round numbers alike.
"""

import csv
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import IO

import numpy as np
from numpy.typing import NDArray

from handful.table.base import (
    Table,
    TableError,
    as_number,
    check_names,
    find,
    fits_int32,
    labels,
    one_line,
    plural,
    refused_cell,
    stated,
)

# Cells parsed at a time: their numbers fit into the cache.
_BLOCK = 1 << 18
_BOOLEAN = {"true": 1.0, "false": 0.0}

Line = tuple[int, str]


def read_delimited(
    file: IO[bytes], delimiter: str, target: str | None, drop: Sequence[str]
) -> Table:
    """A table with a line of names and a line for every row."""
    target = stated(target)
    numbered = lines(file)
    first = next(numbered, None)
    if first is None:
        raise TableError("the file is empty.")
    names = _cells(first, numbered, delimiter)
    cells = Cells(names, target, drop, delimiter)
    for number, line in numbered:
        if '"' in line:
            cells.add(number, _cells((number, line), numbered, delimiter))
            continue
        line = line.rstrip("\r\n")
        if line or len(names) == 1:
            cells.add_line(number, line)
    return cells.table()


def lines(file: IO[bytes]) -> Iterator[Line]:
    """Numbered lines of text, with their ends."""
    number = 0
    try:
        for number, raw in enumerate(file, 1):
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            if "\0" in line:
                raise TableError(f"line {number} holds a NUL character; this is not a text file.")
            yield number, line
    except UnicodeDecodeError as error:
        hint = " It looks like UTF-16." if error.object[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        raise TableError(
            f"line {number} is not UTF-8 (byte {error.start + 1} of the line); save the table as "
            f"UTF-8.{hint}"
        ) from None
    except EOFError:
        raise TableError(f"the compressed file ends too early, after line {number}.") from None


def _cells(first: Line, following: Iterator[Line], delimiter: str) -> list[str]:
    """The cells of one row, which goes on over several lines where a quoted cell does."""
    number, line = first
    if '"' not in line:
        return line.rstrip("\r\n").split(delimiter)
    more = chain([line], (text for _, text in following))
    try:
        return next(csv.reader(more, delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise TableError(f"line {number}: a quoted cell is wrong ({one_line(error)}).") from None


class Cells:
    """Collects rows of cells and makes them a table.

    Parameters
    ----------
    names : list of str
        One for each cell of a row.
    target : str
    drop : sequence of str
        Columns to leave out.
    delimiter : str
    strip : bool
        Whether blanks around a cell belong to the format and not to the target's value.
    """

    def __init__(
        self,
        names: list[str],
        target: str,
        drop: Sequence[str],
        delimiter: str,
        *,
        strip: bool = False,
    ) -> None:
        self._delimiter, self._strip = delimiter, strip
        self._n_cells, self._target = len(names), target
        self._notes: tuple[str, ...] = ()
        self._out = self._places_out(names, drop)
        left = [name for place, name in enumerate(names) if place not in self._out]
        check_names([*left, target])
        if not left:
            raise TableError(f"there is no column besides {target!r}.")
        self._names = np.array(left, dtype=object)
        self._true_or_false = np.zeros(len(left), dtype=bool)
        self._numbers = np.zeros(len(left), dtype=bool)
        self._whole = True
        self._blocks: list[NDArray] = []
        self._pending: list[Line] = []
        self._labels: list[str] = []
        self._where: list[str] = []

    def _places_out(self, names: list[str], drop: Sequence[str]) -> list[int]:
        """Places that are not features, from right to left; the target's is kept apart."""
        if len(names) == 1:
            for other in (";", "\t", ",", "|"):
                if other in names[0]:
                    raise TableError(
                        f"the line of names has no {self._delimiter!r} but {other!r}; save the "
                        "table with commas as .csv or with tabs as .tsv."
                    )
        self._target_place = find(self._target, names)
        out = {self._target_place, *(find(name, names) for name in drop)}
        if self._target in drop:
            raise TableError(f"column {self._target!r} is the target, so it cannot be left out.")
        if not names[0].strip() and len(names) > 1:
            out.add(0)
            self._notes = ("The first column has no name: taken as row names and left out.",)
        return sorted(out, reverse=True)

    def add_line(self, number: int, line: str) -> None:
        """A row without quotes."""
        self._check_length(number, line.count(self._delimiter) + 1)
        n_cells, label = self._n_cells, ""
        for place in self._out:
            cell, line = _take_out(line, place, n_cells, self._delimiter)
            n_cells -= 1
            label = cell if place == self._target_place else label
        self._add(number, label.strip() if self._strip else label, line)

    def add(self, number: int, cells: list[str]) -> None:
        """A row that is split into its cells already."""
        self._check_length(number, len(cells))
        label = cells[self._target_place]
        for place in self._out:
            del cells[place]
        # a cell that the parser would split in two is text for certain
        for name, cell in zip(self._names, cells, strict=True):
            if self._delimiter in cell or "\n" in cell:
                raise refused_cell(cell, repr(name), f"line {number}, ")
        self._add(number, label, self._delimiter.join(cells))

    def _check_length(self, number: int, n_cells: int) -> None:
        if n_cells != self._n_cells:
            raise TableError(
                f"line {number} has {plural(n_cells, 'cell')}; the table has "
                f"{plural(self._n_cells, 'column')}."
            )

    def _add(self, number: int, label: str, line: str) -> None:
        self._labels.append(label)
        self._where.append(f"line {number}: ")
        self._pending.append((number, line))
        if len(self._pending) * len(self._names) >= _BLOCK:
            self._parse()

    def _parse(self) -> None:
        block = self._parse_quickly()
        if block is None:
            block = np.array([self._parse_slowly(number, line) for number, line in self._pending])
        self._pending = []
        self._whole = self._whole and fits_int32(block)
        self._blocks.append(block.astype(np.int32) if self._whole else block)

    def _parse_quickly(self) -> NDArray[np.float64] | None:
        """The pending lines as numbers, or None where any cell needs a closer look."""
        texts = [line for _, line in self._pending]
        # blank lines would be skipped
        if any(not text or text.isspace() for text in texts):
            return None
        try:
            block = np.loadtxt(texts, delimiter=self._delimiter, comments=None, ndmin=2)
        except ValueError:
            return None
        if block.shape != (len(texts), len(self._names)) or not np.isfinite(block).all():
            return None
        self._numbers[:] = True
        return block

    def _parse_slowly(self, number: int, line: str) -> list[float]:
        row = []
        for place, cell in enumerate(line.split(self._delimiter)):
            value = _BOOLEAN.get(cell.strip().lower())
            if value is None:
                value = as_number(cell)
                self._numbers[place] = True
            else:
                self._true_or_false[place] = True
            if value is None or not np.isfinite(value):
                raise refused_cell(cell, repr(self._names[place]), f"line {number}, ")
            row.append(value)
        return row

    def table(self) -> Table:
        """Everything added, as a table."""
        if not self._labels:
            raise TableError("the table has a line of names and no rows.")
        if self._pending:
            self._parse()
        both = np.flatnonzero(self._true_or_false & self._numbers)
        if both.size:
            raise TableError(f"column {self._names[both[0]]!r} mixes true or false with numbers.")
        X = self._joined()
        boolean = self._true_or_false if self._true_or_false.any() else None
        return Table(
            X.astype(bool) if self._true_or_false.all() else X,
            labels(self._labels, self._where),
            self._names,
            self._target,
            boolean=boolean,
            notes=self._notes,
        )

    def _joined(self) -> NDArray:
        """The blocks as one array; each is let go once it is copied."""
        X = np.empty(
            (len(self._labels), len(self._names)), dtype=np.int32 if self._whole else np.float64
        )
        end = len(X)
        while self._blocks:
            block = self._blocks.pop()
            X[end - len(block) : end] = block
            end -= len(block)
        return X


def _take_out(line: str, place: int, n_cells: int, delimiter: str) -> tuple[str, str]:
    """One cell of a line, and the line without it; the nearer end is split.

    Examples
    --------
    >>> _take_out("a,b,c,d", 2, 4, ","), _take_out("a,b", 0, 2, ",")
    (('c', 'a,b,d'), ('a', 'b'))
    """
    if place < n_cells - place:
        parts = line.split(delimiter, place + 1)
        cell = parts.pop(place)
    else:
        parts = line.rsplit(delimiter, n_cells - place)
        cell = parts.pop(1)
    return cell, delimiter.join(parts)
