"""The demonstration on the bundled table: a selection, then a comparison of methods."""

from pathlib import Path
from typing import Any

import click

from handful.cli.options import PLACE, as_text, check_outputs, write_together
from handful.cli.show import show_record
from handful.methods import catalogue

DEMO_REPORT = Path("demo-report.html")
METHODS, CLASSIFIERS = "cmim,fisher,random", "naive-bayes,linear-svm"
SIZES = (1, 2, 5, 10, 20, 50)
FOLDS = "5x4"


@click.command(short_help="Select genes, compare methods on a bundled table, write a report.")
@click.option(
    "--report",
    type=PLACE,
    metavar="FILE",
    default=DEMO_REPORT,
    show_default=True,
    help="Where to write the report; the default one is replaced.",
)
@click.option("--force", is_flag=True, help="Replace a report of another name.")
@click.pass_obj
def demo(command: str, report: Path, force: bool) -> None:
    """Select ten genes that tell two kinds of leukaemia apart, then compare methods in a report."""
    from handful.datasets import load_leukaemia
    from handful.evaluation import compare, named
    from handful.evaluation.run import select
    from handful.table import of_dataset

    force = force or report == DEMO_REPORT
    check_outputs(report=report, force=force)
    leukaemia = load_leukaemia(split="all")
    data = of_dataset("leukaemia", leukaemia)
    about: dict[str, Any] = {
        "name": "leukaemia",
        "target": "type",
        "called": "genes",
        "descriptions": leukaemia.feature_descriptions,
        "command": command,
    }
    selector = catalogue.find("cmim").build(n_features_to_select=10)
    show_record(select(selector, data.columns, data.y, **about), [])
    click.echo()
    record = compare(
        named.selectors(METHODS, catalogue.CLASSES),
        named.classifiers(CLASSIFIERS, catalogue.CLASSES),
        data.columns,
        data.y,
        sizes=SIZES,
        cv=FOLDS,
        random_state=0,
        verbose=1,
        **about,
    )
    write_together([(report, as_text(record.report()))], force=force)
    show_record(record, [report])
