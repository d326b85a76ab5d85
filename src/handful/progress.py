"""A bar for long work: drawn on standard error where that is a terminal, silent elsewhere."""

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def track(items: Iterable[Item], label: str, *, length: int, verbose: int) -> Iterator[Item]:
    """The items, with a bar that moves on as each is taken.

    Examples
    --------
    >>> list(track("abc", "letters", length=3, verbose=0))
    ['a', 'b', 'c']
    """
    if not verbose or not sys.stderr.isatty():
        yield from items
        return
    import click

    with click.progressbar(items, length=length, label=label, file=sys.stderr) as bar:
        yield from bar
