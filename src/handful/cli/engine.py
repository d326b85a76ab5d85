"""Where a table is worked on: in memory, or part by part with Dask."""

import re
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from handful.table import Table

ENGINE = click.option(
    "--engine",
    type=click.Choice(["auto", "memory", "dask"]),
    default="auto",
    show_default=True,
    help="Load the table, or read it in parts with Dask; auto takes Dask where several Parquet "
    "files would not fit into memory.",
)
SCHEDULER = click.option(
    "--scheduler", metavar="ADDRESS", help="Of a running Dask cluster, such as tcp://host:8786"
)
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


class Size(click.ParamType):
    """An amount of memory."""

    name = "size"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)I?B?", value.strip().upper())
        if found is None or not float(found[1]):
            self.fail(f"{value!r} is not an amount of memory, such as 4GB.", param, ctx)
        return int(float(found[1]) * _UNITS[found[2]])


MEMORY = click.option(
    "--memory",
    type=Size(),
    metavar="SIZE",
    help="How much of it reading in parts may use, such as 4GB; half of the machine's otherwise.",
)


def check_engine(asked: dict[str, Any]) -> None:
    """Refuse options that exclude each other, before any work."""
    if asked["engine"] == "memory":
        for name in ("scheduler", "memory"):
            if asked[name] is not None:
                raise click.UsageError(f"--{name} is for Dask; leave out --engine memory.")


def read_table(
    places: Sequence[Path], target: str | None, drop: Sequence[str], asked: dict[str, Any]
) -> "Table":
    """The table in memory, or in parts where that was asked for or is needed."""
    from handful import table as tables
    from handful.table import parts
    from handful.table.base import compact

    if not _in_parts(places, asked):
        return tables.read(places[0], target, drop=drop)
    dask = asked["engine"] == "dask" or asked["scheduler"] is not None
    memory = asked["memory"]
    found = parts.read_parts(places, target, drop=drop, memory=memory)
    most = memory or parts.memory_of_machine() // 2
    # twice: while it is read, and while a method works with it
    fits = 2 * parts.decoded_bytes(found) <= most
    if dask or (asked["engine"] == "auto" and not fits):
        return found
    return replace(found, X=compact(found.X.gather()), notes=())


def _in_parts(places: Sequence[Path], asked: dict[str, Any]) -> bool:
    from handful.table import parts

    dask = asked["engine"] == "dask" or asked["scheduler"] is not None
    return dask or parts.is_parts(places)


def _bar(verbose: bool) -> Any:
    """A bar over the parts of whatever takes more than a moment, on a terminal."""
    from dask.diagnostics.progress import ProgressBar

    shown = verbose and sys.stderr.isatty()
    return ProgressBar(minimum=2, out=sys.stderr) if shown else nullcontext()


@contextmanager
def scheduler(places: Sequence[Path], asked: dict[str, Any], *, verbose: bool) -> Generator[None]:
    """Dask's work goes to the cluster that was named, or to as many threads as jobs."""
    if not _in_parts(places, asked):
        yield
        return
    try:
        import dask.config as settings
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "A table in several files needs Dask: pip install 'handful[dask]'"
        ) from None
    if asked["scheduler"] is None:
        n_threads = asked["jobs"] if asked["jobs"] > 0 else None
        with settings.set(scheduler="threads", num_workers=n_threads), _bar(verbose):
            yield
        return
    try:
        from distributed import Client

        client = Client(asked["scheduler"], timeout=20, set_as_default=True)
    except (OSError, ValueError) as error:
        raise ConnectionError(
            f"there is no Dask scheduler at {asked['scheduler']}: {error}"
        ) from None
    with client:
        yield
