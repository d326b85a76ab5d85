"""What the commands print."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click


def show_record(record: Any, written: Sequence[Path]) -> None:
    """The record on the terminal, then what was said on the way."""
    from handful.report import terminal

    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    draw = {"selection": terminal.selection, "comparison": terminal.comparison}[record.kind]
    click.echo(
        draw(
            record,
            shutil.get_terminal_size().columns,
            ascii_only=_ascii_only(),
            paint=_paint if coloured else None,
        )
    )
    if written:
        click.echo()
    for place in written:
        click.echo(f"wrote {click.format_filename(place)}")
    for note in record.warnings:
        click.echo(f"note: {note}", err=True)


def _paint(text: str, kind: str) -> str:
    styles: dict[str, dict[str, Any]] = {"heading": {"bold": True}, "bar": {"fg": "cyan"}}
    return click.style(text, **styles.get(kind, {"dim": True}))


def _ascii_only() -> bool:
    try:
        "█▏−…".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return True
    return False


def show_definitions(rows: Sequence[tuple[str, ...]]) -> None:
    """Names on the left, lines of text to the right of them."""
    width = max(40, min(100, shutil.get_terminal_size().columns))
    indent = max(len(name) for name, *_ in rows) + 2
    for name, *texts in rows:
        for place, text in enumerate(texts):
            first = name.ljust(indent) if place == 0 else " " * indent
            click.echo(click.wrap_text(text, width, first, " " * indent))
