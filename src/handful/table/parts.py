"""Many Parquet files as one table: read part by part where it is asked, never as a whole.

Parquet keeps columns apart, so a part is all rows of a few columns, out of every file. Only footers
and the target are read here; cells are read, and checked, when a method asks.
"""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handful.table.base import (
    Table,
    TableError,
    check_cells,
    check_names,
    find,
    one_line,
    plural,
    stated,
)
from handful.table.frames import PARQUET, check_polars, target_of

# A part and the frame it is made of, for each of two threads, and as much again to work with.
_SHARE = 8
# The end of a Parquet file: the length of the footer, and a mark.
_TAIL = 8


class File(NamedTuple):
    """One of the files, known by its footer."""

    path: str
    n_rows: int


def is_parts(places: Sequence[str | Path]) -> bool:
    """Whether these stand for several files: a list, a pattern or a directory."""
    return len(places) > 1 or _is_pattern(places[0]) or Path(places[0]).is_dir()


def _is_pattern(place: str | Path) -> bool:
    return any(sign in str(place) for sign in "*?[") and not Path(place).exists()


def files_of(places: Sequence[str | Path]) -> list[Path]:
    """The Parquet files that these stand for, each directory's and pattern's in order of name."""
    found: list[Path] = []
    for place in map(Path, places):
        if _is_pattern(place):
            here = sorted(Path(place.anchor or ".").glob(str(place.relative_to(place.anchor))))
        elif place.is_dir():
            here = sorted(path for path in place.iterdir() if path.suffix.lower() in PARQUET)
        else:
            here = [place]
        if not here:
            raise TableError(f"{place}: there are no Parquet files.")
        found += here
    for path in found:
        if path.suffix.lower() not in PARQUET:
            raise TableError(
                f"{path}: several files must all be Parquet ({', '.join(PARQUET)}); convert it, or "
                "give one file."
            )
    return found


def read_parts(
    places: Sequence[str | Path],
    target: str | None,
    *,
    drop: Sequence[str] = (),
    memory: int | None = None,
) -> Table:
    """A table whose cells stay in their Parquet files until a method asks for them.

    Parameters
    ----------
    places : sequence of path
        Files, directories, patterns such as ``"folder/*.parquet"``.
    target : str
        A column's name.
    drop : sequence of str
        Columns to leave out, by name; they are never read, as all but the named are not.
    memory : int, optional
        How many bytes may be used; None is half of what the machine has.

    Raises
    ------
    TableError
        Naming the file: columns or types that differ from the first file's, text, a missing cell.
    """
    check_polars(PARQUET[0])
    paths = files_of(places)
    schema = _schema(paths[0])
    names, called = list(schema), stated(target)
    try:
        out = {find(called, names), *(find(name, names) for name in drop)}
        if called in drop:
            raise TableError(f"column {called!r} is the target, so it cannot be left out.")
        kept = [name for place, name in enumerate(names) if place not in out]
        check_names(kept)
        if not kept:
            raise TableError(f"there is no column besides {called!r}.")
        dtype = _number_type({name: schema[name] for name in kept})
    except TableError as error:
        raise TableError(f"{paths[0]}: {error}") from None
    files = [_checked(path, schema, [*kept, called], paths[0]) for path in paths]
    filled = [file for file in files if file.n_rows]
    if not filled:
        raise TableError(f"{paths[0]}: the table has no rows.")
    y = _target(filled, called)
    X = _columns(filled, np.array(kept, dtype=object), dtype, memory or memory_of_machine() // 2)
    name = paths[0].name if len(paths) == 1 else f"{paths[0].parent.name} ({len(paths)} files)"
    notes = (f"{plural(len(paths), 'file')} read in parts",)
    return Table(X, y, X.names, called, name, notes=notes)


def decoded_bytes(table: Table) -> int:
    """The memory that the cells of a table would take."""
    return table.X.shape[0] * table.X.shape[1] * table.X.dtype.itemsize


def memory_of_machine() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _schema(path: Path) -> dict[str, Any]:
    import polars as pl

    try:
        return dict(pl.read_parquet_schema(path))
    except FileNotFoundError:
        raise TableError(f"{path}: there is no such file.") from None
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise TableError(
            f"{path}: this is not Parquet, or it is damaged: {one_line(error)}."
        ) from None


def _number_type(schema: dict[str, Any]) -> np.dtype:
    """The smallest type that holds all columns."""
    import polars as pl

    kinds: set[np.dtype] = set()
    for name, kind in schema.items():
        if not (kind.is_numeric() or kind == pl.Boolean):
            raise TableError(
                f"column {name!r} holds {kind}, not numbers; encode it as numbers, or leave it out "
                "with drop (--drop)."
            )
        plain = kind.is_integer() or kind in (pl.Boolean, pl.Float32, pl.Float64)
        kinds.add(np.dtype(str(kind).lower().replace("boolean", "bool") if plain else "float64"))
    return np.result_type(*kinds)


def _checked(path: Path, schema: dict[str, Any], needed: Sequence[str], first: Path) -> File:
    """A file whose needed columns are those of the first one."""
    import polars as pl

    found = _schema(path)
    for name in needed:
        if name not in found:
            raise TableError(f"{path}: there is no column {name!r}, which {first} has.")
        if found[name] != schema[name]:
            raise TableError(
                f"{path}: column {name!r} holds {found[name]}, and in {first} {schema[name]}; "
                "write all files with the same types."
            )
    n_rows = pl.scan_parquet(path).select(pl.len()).collect().item()
    return File(str(path.resolve()), n_rows)


def _target(files: Sequence[File], name: str) -> NDArray:
    import polars as pl

    parts = []
    for file in files:
        part = pl.read_parquet(file.path, columns=[name])[name]
        try:
            target_of(part)
        except TableError as error:
            raise TableError(f"{file.path}: {error}") from None
        parts.append(part)
    return target_of(pl.concat(parts))


def _columns(files: Sequence[File], names: NDArray, dtype: np.dtype, memory: int) -> Any:
    try:
        import dask.array as da
        from dask.delayed import delayed
    except ModuleNotFoundError:
        raise TableError("tables in parts need Dask: pip install 'handful[dask]'.") from None
    from handful.columns.distributed import Distributed

    n_rows = sum(file.n_rows for file in files)
    width = max(1, min(memory // (_SHARE * n_rows * dtype.itemsize), -(-len(names) // 16)))
    parts = []
    for first in range(0, len(names), width):
        some = names[first : first + width]
        part = delayed(read_part)(files, some, dtype)
        parts.append(da.from_delayed(part, (n_rows, len(some)), dtype=dtype))
    return Distributed(da.concatenate(parts, axis=1), names, digest=_digest(files, names))


def read_part(files: Sequence[File], names: NDArray, dtype: np.dtype) -> NDArray:
    """Some columns of all files, every cell checked."""
    import polars as pl

    part = np.empty((sum(file.n_rows for file in files), len(names)), dtype, order="F")
    end = 0
    for file in files:
        start, end = end, end + file.n_rows
        try:
            frame = pl.read_parquet(file.path, columns=names.tolist(), use_statistics=False)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise TableError(f"{file.path}: the file cannot be read: {one_line(error)}.") from None
        _fill(part[start:end], frame, file.path)
        check = part[start:end]
        try:
            check_cells(check, names)
        except TableError as error:
            raise TableError(f"{file.path}: {error}") from None
    return part


def _fill(part: NDArray, frame: Any, path: str) -> None:
    import polars as pl

    if part.dtype.kind == "b":
        # to bytes in one go: a bit at a time takes three times as long
        frame = frame.with_columns(pl.all().cast(pl.UInt8))
    for place, column in enumerate(frame.iter_columns()):
        if column.null_count():
            row = int(column.is_null().arg_max() or 0) + 1
            raise TableError(
                f"{path}: row {row}, column {column.name!r}: the cell is missing; fill it, or "
                "leave the row or the column out."
            )
        part[:, place] = column.to_numpy()


def _digest(files: Sequence[File], names: NDArray) -> str:
    """A hash of the files' footers, which say where and how large every column is in them."""
    digest = hashlib.sha256(repr(names.tolist()).encode())
    for file in files:
        with open(file.path, "rb") as opened:
            opened.seek(-_TAIL, os.SEEK_END)
            length = int.from_bytes(opened.read(4), "little")
            opened.seek(-_TAIL - length, os.SEEK_END)
            digest.update(opened.read(length))
    return digest.hexdigest()
