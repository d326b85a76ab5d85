"""The one command with its subcommands, and what becomes of an error."""

import shlex
import signal
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import click

from handful.cli.compare import compare
from handful.cli.demo import demo
from handful.cli.listings import data, methods
from handful.cli.report import report
from handful.cli.select import select


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="handful", message="handful %(version)s")
def handful() -> None:
    """Pick the handful of columns that matter, out of thousands or millions."""


for command in (select, compare, report, methods, data, demo):
    handful.add_command(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    command = shlex.join(["handful", *arguments])
    try:
        with _ended_like_ctrl_c():
            code = handful.main(arguments, prog_name="handful", standalone_mode=False, obj=command)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return 130
    except (ValueError, OSError, MemoryError, ModuleNotFoundError) as error:
        click.echo(f"Error: {_one_line(error)}", err=True)
        return 1
    return code or 0


@contextmanager
def _ended_like_ctrl_c() -> Generator[None]:
    """`kill`, `timeout` and batch systems end a command with its workers, and say --resume."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _one_line(error: BaseException) -> str:
    text = str(error)
    if isinstance(error, OSError) and error.errno is not None:
        place = "" if error.filename is None else f"{error.filename}: "
        text = f"{place}{error.strerror}."
    text = " ".join(text.split()) or f"{type(error).__name__}."
    return "".join(character if character.isprintable() else "�" for character in text)
