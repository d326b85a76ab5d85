"""Parquet and Arrow (Feather), through polars: the extra ``handful[io]``."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from handful.table.base import (
    Table,
    TableError,
    check_cells,
    check_names,
    compact,
    find,
    one_line,
    stated,
    whole_target,
)

PARQUET = (".parquet", ".pq")


def check_polars(suffix: str) -> None:
    """Refuse a format whose library is not there."""
    if find_spec("polars") is None:
        raise TableError(f"{suffix} files need polars: pip install 'handful[io]'.")


def read_frame(file: IO[bytes], suffix: str, target: str | None, drop: Sequence[str]) -> Table:
    """A table of typed columns."""
    check_polars(suffix)
    target = stated(target)
    frame = _load(file, suffix)
    names = frame.columns
    out = {find(target, names), *(find(name, names) for name in drop)}
    if target in drop:
        raise TableError(f"column {target!r} is the target, so it cannot be left out.")
    kept = [name for place, name in enumerate(names) if place not in out]
    check_names(kept)
    if not kept:
        raise TableError(f"there is no column besides {target!r}.")
    if not frame.height:
        raise TableError("the table has no rows.")
    boolean = _check_types(frame, kept)
    X = _matrix(frame.select(kept), boolean)
    called = np.array(kept, dtype=object)
    check_cells(X, called)
    y = target_of(frame[target])
    return Table(compact(X), y, called, target, boolean=boolean if boolean.any() else None)


def _load(file: IO[bytes], suffix: str) -> Any:
    import polars as pl

    try:
        if suffix in PARQUET:
            return pl.read_parquet(file)
        return pl.read_ipc(file)
    except MemoryError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        # polars answers a damaged file with many kinds of error, a panic of its own among them
        kind = "Parquet" if suffix in PARQUET else "Arrow"
        raise TableError(f"this is not {kind}, or it is damaged: {one_line(error)}.") from None


def _check_types(frame: Any, kept: list[str]) -> NDArray[np.bool_]:
    """Which columns are true or false; all others must be numbers, and none may lack a cell."""
    import polars as pl

    boolean = np.zeros(len(kept), dtype=bool)
    for place, name in enumerate(kept):
        column = frame[name]
        boolean[place] = column.dtype == pl.Boolean
        if not boolean[place] and not column.dtype.is_numeric():
            raise TableError(
                f"column {name!r} holds {column.dtype}, not numbers; encode it as numbers, or "
                "leave it out with drop (--drop)."
            )
        if column.null_count():
            row = int(column.is_null().arg_max() or 0) + 1
            raise TableError(
                f"row {row}, column {name!r}: the cell is missing; fill it, or leave the row or "
                "the column out."
            )
    return boolean


def _matrix(frame: Any, boolean: NDArray[np.bool_]) -> NDArray:
    import polars as pl

    if boolean.all():
        return frame.to_numpy()
    single = all(kind == pl.Float32 for kind in frame.dtypes)
    frame = frame.cast(pl.Float32 if single else pl.Float64)
    return np.ascontiguousarray(frame.to_numpy())


def target_of(column: Any) -> NDArray:
    """A target from a typed column: text, whole numbers, numbers or bool."""
    import polars as pl

    if column.null_count():
        row = int(column.is_null().arg_max() or 0) + 1
        raise TableError(f"row {row}: the target is missing; leave the row out.")
    if column.dtype in (pl.String, pl.Categorical, pl.Enum):
        return np.array(column.cast(pl.String).to_list(), dtype=np.str_)
    if column.dtype == pl.Boolean:
        return column.to_numpy()
    if column.dtype.is_integer():
        return column.cast(pl.Int64, strict=False).to_numpy()
    if not column.dtype.is_numeric():
        raise TableError(f"the target {column.name!r} holds {column.dtype}, not text or numbers.")
    values = column.cast(pl.Float64).to_numpy()
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise TableError(f"row {row + 1}: the target is not a finite number ({values[row]}).")
    return whole_target(values)


def write_frame(place: Path, suffix: str, names: list[str], columns: list[NDArray]) -> None:
    """Typed columns to a file."""
    import polars as pl

    frame = pl.DataFrame(dict(zip(names, columns, strict=True)))
    try:
        if suffix in PARQUET:
            frame.write_parquet(place)
        else:
            frame.write_ipc(place)
    except pl.exceptions.PolarsError as error:
        # a full disk is no OSError to polars
        raise OSError(f"{suffix} cannot be written: {one_line(error)}.") from None
