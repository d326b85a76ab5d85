"""The command that compares methods on a table in a file."""

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from handful.cli.options import (
    FORCE,
    JOBS,
    PLACE,
    QUIET,
    SEED,
    Names,
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
    from handful.evaluation import Comparison
    from handful.evaluation.checkpoint import Checkpoint
    from handful.table import Table

# Unless asked otherwise, as far as the table has so many columns.
SIZES = (1, 2, 5, 10, 20, 50)


class Sizes(click.ParamType):
    """Whole numbers with commas between."""

    name = "sizes"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[int]:
        from handful.evaluation import named

        try:
            sizes = named.sizes(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        if min(sizes) < 1:
            self.fail(f"{min(sizes)} is no size; sizes are whole numbers from 1.", param, ctx)
        return sizes


class Folds(click.ParamType):
    """A number of folds, or of folds and rounds."""

    name = "folds"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        if not re.fullmatch(r"\d+(x\d+)?", value):
            self.fail(f"{value!r} is neither a number of folds nor FOLDSxROUNDS.", param, ctx)
        return value


def _find_classifier(name: str) -> Any:
    from handful.classifiers.catalogue import find

    return find(name)


@click.command(short_help="Compare methods on a table in a file.")
@click.argument("table", type=PLACE)
@click.option("--target", metavar="COLUMN", help="What to tell or predict: a column's name.")
@click.option("--drop", metavar="COLUMN", multiple=True, help="Leave a column out; repeatable.")
@click.option(
    "--methods",
    type=Names("method", catalogue.find),
    required=True,
    metavar="NAMES",
    help="How to rank the columns, such as cmim,fisher; `handful methods` lists the names.",
)
@click.option(
    "--classifiers",
    type=Names("classifier", _find_classifier),
    required=True,
    metavar="NAMES",
    help="What learns from the ranked columns, such as naive-bayes,linear-svm; listed there, too.",
)
@click.option(
    "--sizes",
    type=Sizes(),
    metavar="NUMBERS",
    help=f"How many columns to learn from.  [default: {','.join(map(str, SIZES))}]",
)
@click.option(
    "--cv",
    type=Folds(),
    default="5",
    metavar="FOLDS",
    show_default=True,
    help="Folds, or folds and rounds: 5x4 divides the rows 4 times into 5.",
)
@click.option(
    "--metrics",
    metavar="NAMES",
    help="balanced_error, accuracy, auc or scikit-learn's names; the first decides.",
)
@click.option("--groups", metavar="COLUMN", help="Rows alike in it stay on one side of a fold.")
@click.option(
    "--task",
    type=click.Choice([catalogue.CLASSES, catalogue.NUMBERS]),
    help="Take the target as classes or as numbers, instead of what it looks like.",
)
@click.option("--out", type=PLACE, metavar="FILE", help="Write the record as JSON.")
@click.option("--report", type=PLACE, metavar="FILE", help="Write a report as HTML.")
@click.option(
    "--checkpoint",
    type=PLACE,
    metavar="FOLDER",
    help="Keep finished folds there.  [default: beside the output, until the run is done]",
)
@click.option("--resume", is_flag=True, help="Go on with a run that was stopped.")
@SEED
@JOBS
@QUIET
@FORCE
@click.pass_obj
def compare(command: str, table: Path, out: Path | None, report: Path | None, **asked: Any) -> int:
    """Compare methods of selection on TABLE, under classifiers, in cross-validation.

    Every method ranks the training rows of every fold, and every classifier learns from the first
    columns of that ranking. The exit code is 1 where a part failed; the others are complete.
    """
    check_jobs(asked["jobs"])
    check_places(table, [out, report])
    if asked["groups"] is not None and asked["groups"] == asked["target"]:
        raise click.UsageError("--groups and --target name the same column.")

    from handful import table as tables

    if asked["target"] is None and not tables.holds_target(table):
        raise click.UsageError("Say which column is the target: --target COLUMN.")
    check_outputs(out=out, report=report, force=asked["force"])
    kept = _checkpoint(out or report, asked)
    data, groups = _read(table, asked)
    record = _run(data, groups, kept, asked, command)
    outputs: list[Output] = []
    if out is not None:
        outputs.append((out, as_text(record.to_json())))
    if report is not None:
        outputs.append((report, as_text(record.report())))
    write_together(outputs, force=asked["force"])
    if kept is not None and asked["checkpoint"] is None:
        kept.clear()
    if not asked["quiet"]:
        show_record(record, [place for place, _ in outputs])
    return _failed(record)


def _checkpoint(output: Path | None, asked: dict[str, Any]) -> "Checkpoint | None":
    """The folder that keeps what is finished. A run that lies there is not replaced unasked."""
    from handful.evaluation.checkpoint import Checkpoint

    folder: Path | None = asked["checkpoint"]
    if folder is None and output is not None:
        folder = output.with_name(f"{output.name}.unfinished")
    if folder is None:
        if asked["resume"]:
            raise click.UsageError("--resume needs --checkpoint, --out or --report as it was.")
        return None
    kept = Checkpoint(folder)
    if kept.begun and not asked["resume"]:
        if not asked["force"]:
            raise FileExistsError(
                f"{kept.folder} holds a run; --resume goes on with it, --force starts anew."
            )
        kept.clear()
    return kept


def _read(place: Path, asked: dict[str, Any]) -> "tuple[Table, Any]":
    """The table, and the groups of its rows."""
    from handful import table as tables

    target, groups, drop = asked["target"], asked["groups"], asked["drop"]
    if groups is None:
        return tables.read(place, target, drop=drop), None
    if target is None:
        raise click.UsageError("--groups needs a table whose columns have names.")
    data = tables.read(place, target, drop=[*drop, groups])
    # read as a second target: like that, it may be text
    return data, tables.read(place, groups, drop=[*drop, target]).y


def _run(
    data: "Table", groups: Any, kept: "Checkpoint | None", asked: dict[str, Any], command: str
) -> "Comparison":
    from scipy.sparse import issparse
    from sklearn.utils.multiclass import type_of_target

    from handful.evaluation import compare as run
    from handful.evaluation import named

    looks = "regression" if type_of_target(data.y).startswith("continuous") else "classification"
    task = asked["task"] or looks
    sizes = asked["sizes"] or [size for size in SIZES if size <= data.X.shape[1]]
    metrics = asked["metrics"]
    try:
        record = run(
            named.selectors(asked["methods"], task),
            named.classifiers(asked["classifiers"], task, sparse=issparse(data.X)),
            data.columns,
            data.y,
            sizes=sizes,
            cv=asked["cv"],
            metrics=None if metrics is None else named.metrics(metrics),
            groups=groups,
            n_jobs=asked["jobs"],
            random_state=asked["seed"],
            checkpoint=None if kept is None else kept.folder,
            verbose=int(not asked["quiet"]),
            name=data.name,
            target=data.target,
            command=_without_resume(command),
        )
    except KeyboardInterrupt:
        if kept is not None:
            click.echo(f"What is finished is in {kept.folder}; --resume goes on.", err=True)
        raise
    return replace(record, warnings=[*data.notes, *record.warnings])


def _without_resume(command: str) -> str:
    """The command that makes the whole record, so that a resumed run leaves the same one."""
    return shlex.join(part for part in shlex.split(command) if part != "--resume")


def _failed(record: "Comparison") -> int:
    """Say so where something failed; the exit code."""
    from handful.report.findings import failure

    if not record.failures:
        return 0
    n = len(record.failures)
    first = failure(record.failures[0], record.data.called)
    said = "1 part failed" if n == 1 else f"{n:,} parts failed, the first of them"
    click.echo(f"Error: {said}: {first}", err=True)
    return 1
