"""The commands that list: methods and data sets; one data set can be fetched and written."""

from collections.abc import Sequence
from pathlib import Path

import click

from handful.cli.options import PLACE
from handful.cli.show import show_definitions
from handful.methods import catalogue


@click.command(short_help="List the methods and the classifiers.")
def methods() -> None:
    """List the methods, what each looks for and when to use it; then the classifiers."""
    from handful.classifiers.catalogue import CLASSIFIERS

    click.echo("Methods (--method, --methods)\n")
    show_definitions(
        [(one.name, f"{_tasks(one.tasks)} {one.idea}", one.when) for one in catalogue.METHODS]
    )
    click.echo("\nClassifiers to compare them with (--classifiers)\n")
    show_definitions([(one.name, f"{_tasks(one.tasks)} {one.idea}") for one in CLASSIFIERS])


def _tasks(tasks: Sequence[str]) -> str:
    words = {catalogue.CLASSES: "classes", catalogue.NUMBERS: "numbers"}
    return f"[{', '.join(words[task] for task in tasks)}]"


@click.command(short_help="List the data sets, or fetch one.")
@click.argument("name", required=False)
@click.option("--split", metavar="PART", help="One part of the official split, such as train.")
@click.option("--out", type=PLACE, metavar="FILE", help="Write it as a table; .csv, .npz, ...")
@click.option("--force", is_flag=True, help="Replace a file that exists.")
def data(name: str | None, split: str | None, out: Path | None, force: bool) -> None:
    """List the data sets, or fetch one by NAME and, with --out, write it as a table."""
    from handful import datasets
    from handful.report.numbers import count

    if name is None:
        if out is not None or split is not None:
            raise click.UsageError("Say which data set: handful data NAME.")
        listed = [("leukaemia", "38 + 34 x 7,129", "kinds of leukaemia by genes; in the package")]
        for key, known in datasets.CATALOGUE.items():
            shape = f"{count(known.n_rows)} x {count(known.n_features)}"
            listed.append((key, shape, known.about))
        show_definitions([(key, f"[{shape}] {about}") for key, shape, about in listed])
        return
    if out is not None:
        from handful.table import check_output

        check_output(out, force=force)
    if name == "leukaemia":
        found = datasets.load_leukaemia(split=split or "train")
    else:
        found = datasets.fetch(name, split=split or "all")
    click.echo(found.DESCR.strip())
    n_rows, n_columns = found.data.shape
    click.echo(f"\nHere: {count(n_rows)} rows, {count(n_columns)} columns.")
    if out is not None:
        from handful.table import of_dataset, write

        write(of_dataset(name, found), out, force=force)
        click.echo(f"wrote {click.format_filename(out)}")
