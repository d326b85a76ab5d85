"""What a terminal shows: a record as a table of plain text that fits the width."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from handful.evaluation.comparison import Comparison
from handful.evaluation.record import Selection
from handful.report import findings
from handful.report.numbers import aligned, count, hundredths, number
from handful.report.outcome import Outcome
from handful.report.text import readable, readable_comparison, shown
from handful.report.words import give_or_take, headline, measure, reason

# Longer lists are for files.
MAX_ROWS = 40
_MAX_NAMES = 10
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_GAP = "  "
_PLAIN = str.maketrans({"−": "-", "…": "~", "±": "+-", "∞": "inf", "\xa0": " "})

Paint = Callable[[str, str], str]


def selection(
    record: Selection, width: int = 80, *, ascii_only: bool = False, paint: Paint | None = None
) -> str:
    """The answer, the reason, and the kept columns with their scores as bars.

    Parameters
    ----------
    record : Selection
    width : int
        Of the terminal; no line is longer.
    ascii_only : bool
        For terminals that cannot show other characters.
    paint : callable (text, "heading" | "bar" | "quiet") -> text, optional
        Adds colour.
    """
    paint = paint or _unpainted
    record = readable(record)
    sentences = [f"{headline(record)}.", reason(record)]
    if ascii_only:
        sentences = [_in_ascii(sentence) for sentence in sentences]
        record = replace(
            record,
            features=[_in_ascii(name) for name in record.features],
            descriptions=[_in_ascii(words) for words in record.descriptions],
        )
    lines = [paint(line, "heading") for line in wrapped(sentences[0], width)]
    lines += wrapped(sentences[1], width)
    if record.features:
        lines += ["", *_table(record, width, ascii_only, paint)]
    # what kept a number with its unit has done so
    text = "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")
    return _in_ascii(text) if ascii_only else text


def comparison(
    record: Comparison, width: int = 80, *, ascii_only: bool = False, paint: Paint | None = None
) -> str:
    """The answer, what it rests on, a line for every method and classifier, and the best list.

    The parameters are those of `selection`.
    """
    paint = paint or _unpainted
    outcome = Outcome(readable_comparison(record))
    sentences = [f"{findings.headline(outcome)}.", findings.lead(outcome)]
    if ascii_only:
        sentences = [_in_ascii(sentence) for sentence in sentences]
    lines = [paint(line, "heading") for line in wrapped(sentences[0], width)]
    lines += wrapped(sentences[1], width)
    if outcome.ranked:
        lines += ["", *_standings(outcome, width, ascii_only, paint)]
        lines += ["", *wrapped(_first_names(outcome, ascii_only), width)]
    # what kept a number with its unit has done so
    text = "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")
    return _in_ascii(text) if ascii_only else text


def _standings(outcome: Outcome, width: int, ascii_only: bool, paint: Paint) -> list[str]:
    """Methods and classifiers, best first; on a narrow terminal without the last columns."""
    scoring, called = outcome.metric.name, outcome.record.data.called
    cells: list[list[str]] = []
    for curve in outcome.ranked[:MAX_ROWS]:
        row = [shown(curve.method), shown(curve.classifier)]
        for point in (outcome.smallest(curve), outcome.best(curve)):
            row += [number(point.size), give_or_take(scoring, point.value, point.error)]
        at = (None, curve.one_standard_error)
        alike = next((one for one in outcome.agreement(curve.method) if one.size in at), None)
        cells.append([*row, "" if alike is None else hundredths(alike.index)])
    heads = ["method", "classifier", called, measure(scoring), "best at", "", "stability"]
    if ascii_only:
        heads = [_in_ascii(head) for head in heads]
        cells = [[_in_ascii(cell) for cell in row] for row in cells]
    names = max(6, width // 5)
    columns = [
        _column(head, list(column), right=place in (2, 4, 6), most=names if place < 3 else 1000)
        for place, (head, column) in enumerate(zip(heads, zip(*cells, strict=True), strict=True))
    ]
    for kept in (6, 4):
        if sum(_cells_wide(one[0]) + len(_GAP) for one in columns) > width + len(_GAP):
            columns = columns[:kept]
    lines = [_cut(_GAP.join(row).rstrip(), width) for row in zip(*columns, strict=True)]
    lines[0] = paint(lines[0], "heading")
    if len(outcome.ranked) > MAX_ROWS:
        lines.append(paint(f"and {count(len(outcome.ranked) - MAX_ROWS)} more", "quiet"))
    return lines


def _first_names(outcome: Outcome, ascii_only: bool) -> str:
    """The first of the winner's list."""
    method = outcome.ranked[0].method
    indices = outcome.listed(method).indices
    names = [outcome.record.names[str(j)] for j in indices[:_MAX_NAMES]]
    rest = len(indices) - len(names)
    listed = ", ".join([*names, f"and {count(rest)} more"] if rest else names)
    said = f"{shown(method)} on all rows: {listed or 'nothing'}"
    return _in_ascii(said) if ascii_only else said


def _unpainted(text: str, kind: str) -> str:
    return text


def _in_ascii(text: str) -> str:
    """The text with a question mark for what ASCII does not have; what has no width is left out."""
    text = "".join(character for character in text if _cells_wide(character))
    text = text.translate(
        {ord("−"): "-", ord("…"): "~", ord("±"): "+-", ord("∞"): "inf", 0xA0: " "}
    )
    return text.encode("ascii", "replace").decode()


def _table(record: Selection, width: int, ascii_only: bool, paint: Paint) -> list[str]:
    shown = min(record.n_features, MAX_ROWS)
    scores = aligned(record.scores[:shown])
    if ascii_only:
        scores = [_in_ascii(score) for score in scores]
    thing = record.data.called.removesuffix("s")
    ranks = _column("rank", [str(rank) for rank in range(1, shown + 1)], right=True)
    values = _column("score", scores, right=True)
    bar_width = 16 if width >= 80 else 8
    left = width - len(ranks[0]) - len(values[0]) - bar_width - 3 * len(_GAP)
    middle = [_column(thing, record.features[:shown], most=max(8, left))]
    left -= _cells_wide(middle[0][0]) + len(_GAP)
    if record.descriptions and left >= 12:
        middle.append(_column("description", record.descriptions[:shown], most=left))
    bars = ["", *(bar(share, bar_width, ascii_only) for share in _shares(record.scores[:shown]))]
    lines = []
    for row, cells in enumerate(zip(ranks, *middle, values, strict=True)):
        line = _GAP.join(cells)
        if row == 0:
            lines.append(paint(line, "heading"))
        else:
            lines.append(f"{line}{_GAP}{paint(bars[row], 'bar')}" if bars[row] else line)
    if record.n_features > shown:
        lines.append(paint(f"and {count(record.n_features - shown)} more", "quiet"))
    return lines


def _shares(scores: Sequence[float]) -> list[float]:
    """Scores as shares of the largest; the infinite are full."""
    values = np.abs(np.array(scores, dtype=np.float64))
    finite = values[np.isfinite(values)]
    most = finite.max() if finite.size and finite.max() > 0 else 1.0
    return np.nan_to_num(np.minimum(values / most, 1.0), nan=0.0).tolist()


def bar(share: float, width: int, ascii_only: bool = False) -> str:
    """A bar for a share of one.

    Examples
    --------
    >>> bar(1, 4), bar(0.4, 4), bar(0.4, 10, ascii_only=True)
    ('████', '█▌', '####')
    """
    if ascii_only:
        return "#" * round(share * width)
    full, eighth = divmod(int(share * width * 8), 8)
    return "█" * full + _EIGHTHS[eighth].strip()


def _column(heading: str, cells: list[str], *, right: bool = False, most: int = 1000) -> list[str]:
    """Heading and cells, all padded or cut to one width."""
    cells = [heading, *cells]
    width = min(most, max(_cells_wide(cell) for cell in cells))
    cut = [_cut(cell, width) for cell in cells]
    return [
        " " * (width - _cells_wide(cell)) + cell
        if right
        else cell + " " * (width - _cells_wide(cell))
        for cell in cut
    ]


def _cut(text: str, width: int) -> str:
    if _cells_wide(text) <= width:
        return text
    while _cells_wide(text) > width - 1:
        text = text[:-1]
    return text + "…"


def _cells_wide(text: str) -> int:
    """Places that a text takes on a terminal: two for wide characters, none for marks."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    unseen = sum(unicodedata.category(character) in ("Mn", "Me", "Cf") for character in text)
    return len(text) + wide - unseen


def wrapped(text: str, width: int) -> list[str]:
    """Lines of whole words; a word longer than a line is cut.

    Examples
    --------
    >>> wrapped("one handful of columns", 12)
    ['one handful', 'of columns']
    """
    lines, line = [], ""
    for word in (_cut(word, width) for word in text.split(" ")):
        if line and _cells_wide(line) + 1 + _cells_wide(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line] if line else lines
