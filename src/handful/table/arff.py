"""ARFF, the format of Weka and of OpenML: a header of attributes, then lines of cells."""

import re
from collections.abc import Iterator, Sequence
from typing import IO

from handful.table.base import Table, TableError, stated
from handful.table.text import Cells, Line, lines

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s'\"{{]+)\s*(\S.*)", re.IGNORECASE)
_CELL = re.compile(rf"\s*({_QUOTED}|[^,'\"]*)\s*(,|$)")
_KINDS = ("numeric", "real", "integer", "string", "{")


def read_arff(file: IO[bytes], target: str | None, drop: Sequence[str]) -> Table:
    """A table whose header says what its columns are called.

    Nominal attributes and text are read like any other cell: numbers, true or false, and text for
    the target alone.
    """
    target = stated(target)
    content = _without_comments(lines(file))
    cells = Cells(_header(content), target, drop, ",", strip=True)
    for number, line in content:
        if line.startswith("{"):
            raise TableError(
                f"line {number}: sparse ARFF is not read; save the table as svmlight or NPZ."
            )
        if "'" in line or '"' in line:
            cells.add(number, _quoted_cells(number, line))
        else:
            cells.add_line(number, line)
    return cells.table()


def _without_comments(numbered: Iterator[Line]) -> Iterator[Line]:
    for number, line in numbered:
        line = line.strip()
        if line and not line.startswith("%"):
            yield number, line


def _header(content: Iterator[Line]) -> list[str]:
    """The attributes' names; leaves `content` at the first row."""
    names = []
    for number, line in content:
        keyword = line.split(maxsplit=1)[0].lower()
        if keyword == "@data":
            if not names:
                raise TableError("the header has no @attribute.")
            return names
        if keyword == "@attribute":
            names.append(_attribute(number, line))
        elif keyword != "@relation":
            raise TableError(f"line {number} of the header is not ARFF: {line[:40]!r}.")
    raise TableError("there is no @data; the file is empty or ends too early.")


def _attribute(number: int, line: str) -> str:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise TableError(f"line {number}: an @attribute needs a name and a type.")
    name, kind = _unquoted(match[1]), match[2].lower()
    if not kind.startswith(_KINDS):
        raise TableError(f"line {number}: column {name!r} has the type {match[2]!r}, not read.")
    return name


def _quoted_cells(number: int, line: str) -> list[str]:
    cells, place = [], 0
    while True:
        match = _CELL.match(line, place)
        if match is None:
            raise TableError(f"line {number}: a quoted cell is wrong.")
        cells.append(_unquoted(match[1]))
        place = match.end()
        if not match[2]:
            return cells


def _unquoted(cell: str) -> str:
    """A cell without its quotes; in quotes a backslash stands before what is meant literally.

    Examples
    --------
    >>> _unquoted(r"'it\\'s'"), _unquoted(" 12 ")
    ("it's", '12')
    """
    if cell[:1] in ("'", '"'):
        return re.sub(r"\\(.)", r"\1", cell[1:-1])
    return cell.strip()
