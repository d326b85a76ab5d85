"""The command that selects columns of a table in a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from handful.cli.engine import ENGINE, MEMORY, SCHEDULER, check_engine, read_table, scheduler
from handful.cli.options import (
    FORCE,
    JOBS,
    PLACE,
    QUIET,
    SEED,
    MethodName,
    Number,
    Output,
    as_text,
    check_jobs,
    check_outputs,
    check_places,
    write_together,
)
from handful.cli.show import show_record
from handful.methods import catalogue

if TYPE_CHECKING:
    from handful.table import Table

# Rounds of random columns, unless the risk needs more of them.
ROUNDS = 99


@click.command(short_help="Select columns of a table in a file.")
@click.argument("table", type=PLACE, nargs=-1, required=True)
@click.option("--target", metavar="COLUMN", help="What to tell or predict: a column's name.")
@click.option("--drop", metavar="COLUMN", multiple=True, help="Leave a column out; repeatable.")
@click.option(
    "--method",
    type=MethodName(),
    default="cmim",
    show_default=True,
    help="How to rank the columns; `handful methods` lists the names.",
)
@click.option("--keep", type=Number(), metavar="N", help="Keep N columns, or a fraction such as .1")
@click.option(
    "--risk",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="R",
    help="Keep columns while random ones would rarely do as well, such as .05",
)
@click.option(
    "--cv",
    type=click.IntRange(2),
    metavar="FOLDS",
    help="Keep the number that does best in cross-validation, such as 5",
)
@click.option(
    "--stable",
    type=click.FloatRange(0.5, 1, min_open=True),
    metavar="SHARE",
    help="Keep what comes back in that share of resamples, such as .6",
)
@click.option(
    "--task",
    type=click.Choice([catalogue.CLASSES, catalogue.NUMBERS]),
    help="Take the target as classes or as numbers, instead of what it looks like.",
)
@click.option("--out", type=PLACE, metavar="FILE", help="Write the selection as JSON.")
@click.option("--report", type=PLACE, metavar="FILE", help="Write a report as HTML.")
@click.option(
    "--reduced",
    type=PLACE,
    metavar="FILE",
    help="Write the table with the kept columns and the target; the extension says how.",
)
@ENGINE
@SCHEDULER
@MEMORY
@SEED
@JOBS
@QUIET
@FORCE
@click.pass_obj
def select(
    command: str,
    table: tuple[Path, ...],
    target: str | None,
    drop: tuple[str, ...],
    method: catalogue.Method,
    out: Path | None,
    report: Path | None,
    reduced: Path | None,
    quiet: bool,
    force: bool,
    **asked: Any,
) -> None:
    """Select columns of TABLE: CSV, TSV, Parquet, Arrow, svmlight, Matrix Market, ARFF or NPZ.

    Several Parquet files, a directory of them or a pattern such as 'folder/*.parquet' are one
    table.

    Say how many to keep with one of --keep, --risk, --cv and --stable.
    """
    _check_asked(method, asked)
    for place in table:
        check_places(place, [out, report, reduced])

    from handful import table as tables
    from handful.evaluation.run import select as run

    if target is None and not tables.holds_target(table[0]):
        raise click.UsageError("Say which column is the target: --target COLUMN.")
    check_outputs(out=out, report=report, reduced=reduced, force=force)
    with scheduler(table, asked, verbose=not quiet):
        data = read_table(table, target, drop, asked)
        if reduced is not None:
            tables.check_fits(data, reduced)
        selector = _selector(method, data, asked, verbose=int(not quiet))
        record = run(
            selector,
            data.columns,
            data.y,
            notes=data.notes,
            name=data.name,
            target=data.target,
            seed=asked["seed"],
            command=command,
        )
        kept = None if reduced is None else data.take(selector.get_support(indices=True))
    outputs: list[Output] = []
    if out is not None:
        outputs.append((out, as_text(record.to_json())))
    if report is not None:
        outputs.append((report, as_text(record.report())))
    if reduced is not None and kept is not None:
        outputs.append((reduced, lambda place: tables.write_to(kept, place)))
    write_together(outputs, force=force)
    if not quiet:
        show_record(record, [place for place, _ in outputs])


def _check_asked(method: catalogue.Method, asked: dict[str, Any]) -> None:
    sizes = [f"--{name}" for name in ("keep", "risk", "cv", "stable") if asked[name] is not None]
    if len(sizes) > 1:
        raise click.UsageError(f"{' and '.join(sizes)} exclude each other; give one of them.")
    if not sizes:
        raise click.UsageError("Say how many to keep: --keep, --risk, --cv or --stable.")
    check_jobs(asked["jobs"])
    check_engine(asked)
    if asked["task"] not in (None, *method.tasks):
        others = [other.name for other in catalogue.METHODS if asked["task"] in other.tasks]
        raise click.UsageError(
            f"--method {method.name} does no {asked['task']}; use {', '.join(others)}."
        )


def _selector(
    method: catalogue.Method, data: "Table", asked: dict[str, Any], *, verbose: int
) -> Any:
    """The selector that was asked for, once the table is found to suit it."""
    from sklearn.utils.multiclass import type_of_target

    n_columns, keep = data.X.shape[1], asked["keep"]
    if keep is not None and keep > n_columns:
        raise ValueError(f"--keep {keep} is more than {data.name} has columns ({n_columns}).")
    numbers = type_of_target(data.y).startswith("continuous")
    if numbers and asked["task"] is None and catalogue.NUMBERS not in method.tasks:
        others = [other.name for other in catalogue.METHODS if catalogue.NUMBERS in other.tasks]
        raise ValueError(
            f"--method {method.name} is for classes, and the target {data.target!r} of "
            f"{data.name} holds numbers; use --method {', '.join(others)}."
        )
    given = {
        "n_features_to_select": _rule(method, asked),
        "task": asked["task"] or "auto",
        "random_state": asked["seed"],
        "n_jobs": asked["jobs"],
        "verbose": verbose,
    }
    known = method.build().get_params(deep=False)
    return method.build(**{name: value for name, value in given.items() if name in known})


def _rule(method: catalogue.Method, asked: dict[str, Any]) -> Any:
    from handful.stopping import AnalyticProbe, CrossValidated, EmpiricalProbe, StabilityThreshold

    seed, risk = asked["seed"], asked["risk"]
    if asked["keep"] is not None:
        return asked["keep"]
    if asked["cv"] is not None:
        return CrossValidated(cv=asked["cv"])
    if asked["stable"] is not None:
        return StabilityThreshold(asked["stable"], random_state=seed)
    if method.knows_chance:
        return AnalyticProbe(risk, probes="all")
    return EmpiricalProbe(risk, n_rounds=max(ROUNDS, int(1 / risk)), random_state=seed)
