"""Parts that the pages of all kinds of record have in common."""

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from handful.evaluation.record import Data
from handful.report.numbers import count

MOST_WARNINGS = 20
_MOST_CLASSES = 24


@dataclass(frozen=True)
class Figure:
    """A picture with its heading, and a sentence that says how to read it."""

    ident: str
    heading: str
    picture: Markup
    caption: str


def classes(data: Data) -> dict[str, Any]:
    """The classes with their rows and bars, and how many more there are."""
    most = max((one.rows for one in data.classes), default=1)
    listed = [
        (one.label, count(one.rows), round(100 * one.rows / max(most, 1), 1))
        for one in data.classes[:_MOST_CLASSES]
    ]
    more = len(data.classes) - len(listed)
    digits = max((len(rows) for _, rows, _ in listed), default=1)
    return {"listed": listed, "digits": digits, "more": count(more) if more else ""}
