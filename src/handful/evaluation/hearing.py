"""Hearing: warnings as lines of a record in place of text on a terminal."""

import threading
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager

_LONGEST = 1000
# what libraries tell programmers about changes to come
_TO_PROGRAMMERS = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)


@contextmanager
def hearing(into: list[str]) -> Generator[Callable[[str], None]]:
    """Note warnings instead of showing them.

    Gives a function that notes what was said since it was last called, with a name before it where
    one is given. Warnings belong to the whole process: threads beside the main one leave them as
    they are.

    Examples
    --------
    >>> notes = []
    >>> with hearing(notes) as said_by:
    ...     warnings.warn("few rows")
    ...     said_by("fisher")
    >>> notes
    ['fisher: few rows']
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda who: None
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")

        def said_by(who: str) -> None:
            if caught:
                before = f"{who}: " if who else ""
                into.extend(
                    one_line(f"{before}{warning.message}")
                    for warning in caught
                    if not issubclass(warning.category, _TO_PROGRAMMERS)
                )
                caught.clear()

        yield said_by


def one_line(text: str) -> str:
    """The text on one line, cut where it is very long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."
