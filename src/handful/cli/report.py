"""The command that makes a page of a record."""

from pathlib import Path

import click

from handful.cli.options import (
    FORCE,
    PLACE,
    QUIET,
    as_text,
    check_outputs,
    check_places,
    write_together,
)
from handful.cli.show import show_record


@click.command(short_help="Make a report of a record.")
@click.argument("record", type=PLACE)
@click.option(
    "--out", type=PLACE, metavar="FILE", help="Where to write it; RECORD's name with .html if not."
)
@QUIET
@FORCE
def report(record: Path, out: Path | None, quiet: bool, force: bool) -> None:
    """Make a report, as HTML, of RECORD: the JSON that select or compare wrote."""
    from handful.evaluation import read_record

    out = record.with_suffix(".html") if out is None else out
    check_places(record, [out], "the record")
    check_outputs(report=out, force=force)
    found = read_record(record)
    write_together([(out, as_text(found.report()))], force=force)
    if not quiet:
        show_record(found, [out])
