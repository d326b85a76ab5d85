"""What several commands ask for: kinds of values, and output files that appear together."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from handful.methods import catalogue

SEED = click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
JOBS = click.option(
    "--jobs", type=int, default=1, show_default=True, help="Processes; -1 takes all."
)
QUIET = click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors.")
FORCE = click.option("--force", is_flag=True, help="Replace files that exist.")
PLACE = click.Path(path_type=Path)
Output = tuple[Path, Callable[[Path], Any]]


class Number(click.ParamType):
    """A whole number of columns, or a fraction of them."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | float:
        try:
            number = int(value) if str(value).lstrip("+-").isdigit() else float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number.", param, ctx)
        if (isinstance(number, int) and number >= 1) or 0 < number < 1:
            return number
        self.fail(f"{value} is neither a whole number from 1 nor a fraction below 1.", param, ctx)


class MethodName(click.ParamType):
    """The short name of a method."""

    name = "method"

    def convert(self, value: Any, param: Any, ctx: Any) -> catalogue.Method:
        if isinstance(value, catalogue.Method):
            return value
        try:
            return catalogue.find(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Names(click.ParamType):
    """Names with commas between, each of them known."""

    name = "names"

    def __init__(self, what: str, find: Callable[[str], Any]) -> None:
        self._what, self._find = what, find

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        from handful.evaluation import named

        try:
            for name in named.parts_of(self._what, value):
                self._find(name)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return value


def check_places(source: Path, places: Sequence[Path | None], what: str = "the table") -> None:
    """No file may stand for two things."""
    seen = {source.resolve(): f"{what} itself"}
    for place in places:
        if place is not None:
            if place.resolve() in seen:
                raise click.UsageError(f"{place} is {seen[place.resolve()]} already.")
            seen[place.resolve()] = "another output"


def check_outputs(
    *,
    out: Path | None = None,
    report: Path | None = None,
    reduced: Path | None = None,
    force: bool,
) -> None:
    """Refuse what could not be written, before the work starts."""
    from handful.files import check_writable
    from handful.table import check_output

    for place in (out, report):
        if place is not None:
            check_writable(place, force=force)
    if reduced is not None:
        check_output(reduced, force=force)
    if report is not None:
        _check_jinja2()


def check_jobs(jobs: int) -> None:
    if jobs == 0:
        raise click.UsageError("--jobs 0 would do nothing; give a number from 1, or -1 for all.")


def _check_jinja2() -> None:
    """Raise now, and not after the work, where reports cannot be made."""
    if find_spec("jinja2") is None:
        raise ModuleNotFoundError(
            "A report needs the package jinja2: pip install 'handful[report]'"
        )


def as_text(content: str) -> Callable[[Path], Any]:
    return lambda place: place.write_text(content, encoding="utf-8", newline="\n")


def write_together(outputs: Sequence[Output], *, force: bool) -> None:
    """All files or, where one cannot be written, none."""
    from handful.files import writing

    with ExitStack() as together:
        for place, write in outputs:
            write(together.enter_context(writing(place, force=force)))
