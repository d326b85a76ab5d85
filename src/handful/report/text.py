"""How reports write names that come from the user's own tables: harmless, and of bounded length."""

import unicodedata
from dataclasses import replace
from typing import Any

from handful.evaluation.comparison import Comparison
from handful.evaluation.record import Selection

# Longer names and remarks are cut: a page has a bounded size whatever the table.
NAME, REMARK, COMMAND = 120, 400, 4000

# They turn the direction of the text around them.
_TURNING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F])
_UNSEEN = ("Cc", "Cs", "Zl", "Zp")
_FIRST_ISOLATE, _END_OF_ISOLATE = "\u2068", "\u2069"


def shortened(text: str, length: int) -> str:
    """At most so many characters, the last an ellipsis where some are missing.

    Examples
    --------
    >>> shortened("acute lymphoblastic", 8)
    'acute l…'
    """
    return text if len(text) <= length else text[: length - 1] + "…"


def shown(text: str, length: int = NAME) -> str:
    """A name as a page may write it: one line, no control characters, at most so long.

    What is written from right to left is set apart, so that the sentence around it keeps its order.

    Examples
    --------
    >>> shown("left\\nright"), shown("a\\u202eb"), shown("שלום") == "\\u2068שלום\\u2069"
    ('left�right', 'ab', True)
    """
    # cut first: everything below looks at each character
    text = shortened(text, length).translate(_TURNING)
    if text.isascii() and text.isprintable():
        return text
    text = "".join("�" if unicodedata.category(c) in _UNSEEN else c for c in text)
    if any(unicodedata.bidirectional(c) in ("R", "AL") for c in text):
        return f"{_FIRST_ISOLATE}{text}{_END_OF_ISOLATE}"
    return text


def readable(record: Selection) -> Selection:
    """The record with every name and remark as a page may write it."""
    return replace(
        record,
        features=[shown(name) for name in record.features],
        descriptions=[shown(words) for words in record.descriptions],
        method=shown(record.method),
        **_readable_parts(record),
    )


def readable_comparison(record: Comparison) -> Comparison:
    """The same of a comparison, but for the names of methods, classifiers and metrics.

    Those tie its parts together; whoever writes one uses `shown`.
    """
    return replace(
        record,
        names={j: shown(name) for j, name in record.names.items()},
        descriptions={j: shown(words) for j, words in record.descriptions.items()},
        **_readable_parts(record),
    )


def _readable_parts(record: Selection | Comparison) -> dict[str, Any]:
    """What both kinds of record have."""
    data = record.data
    return {
        "warnings": [shown(words, REMARK) for words in record.warnings],
        "command": shown(record.command, COMMAND),
        "data": replace(
            data,
            name=shown(data.name),
            target=shown(data.target),
            called=shown(data.called),
            classes=[replace(one, label=shown(one.label)) for one in data.classes],
        ),
        "profiles": [
            replace(
                profile,
                groups=[replace(group, group=shown(group.group)) for group in profile.groups],
            )
            for profile in record.profiles
        ],
    }
