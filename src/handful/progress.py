"""A bar for long work: drawn on standard error where that is a terminal, silent elsewhere."""

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def follow(steps: Iterable[tuple[int, str]], label: str, *, length: int, verbose: int) -> None:
    """Go through work that says after each part how many steps it has made, and how it stands.

    Examples
    --------
    >>> follow(iter([(5, "a"), (10, "b")]), "parts", length=10, verbose=0)
    """
    if not verbose or not sys.stderr.isatty():
        for _ in steps:
            pass
        return
    import click

    def shown(text: str | None) -> str | None:
        return text

    with click.progressbar(
        length=length, label=label, file=sys.stderr, item_show_func=shown
    ) as bar:
        before = 0
        for now, text in steps:
            bar.update(now - before, text)
            before = now


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
