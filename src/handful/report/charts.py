"""Curves over a number of columns: scores, risks, errors with their bars, shares of resamples.

Every chart is drawn twice, wide and narrow, and the style sheet shows the one that fits: text keeps
its size on a phone.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from handful.evaluation.profiles import drawable
from handful.report.numbers import axis, count
from handful.report.svg import Scale, element, log_ticks, picture, polyline, ticks

WIDTHS = {"wide": 760, "narrow": 350}
HEIGHT = 290
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 16, 34, 46
# Of more points than this only the line is drawn: dots would run into each other.
_MOST_DOTS = 60


@dataclass(frozen=True)
class Curve:
    """Values over numbers of columns, with bars of `errors` on both sides where they are known."""

    x: Sequence[float]
    y: Sequence[float]
    errors: Sequence[float] = ()
    label: str = ""


def lengthwise(x: Sequence[float], width: int, *, log: bool) -> Scale:
    """The scale of numbers of columns."""
    return Scale(min(x), max(x), _LEFT + 10, width - _RIGHT, log=log)


def upright(heights: Sequence[float], bottom: float, top: float, *, from_zero: bool) -> Scale:
    """The scale of values, with some room; what is unknown or infinite does not count."""
    finite = [height for height in heights if drawable([height])] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    room = 0.06 * (high - low) or 0.5
    low, high = low if from_zero and low == 0 else low - room, high + room
    return Scale(low, high, bottom, top)


def axes(
    across: Scale,
    up: Scale,
    x_title: str,
    y_title: str,
    label: Callable[[list[float]], list[str]],
) -> list[Markup]:
    """The lines and numbers of both axes, with what they are about."""
    parts = [element("text", y_title, x=2, y=14, class_="axis")]
    values = ticks(up.low, up.high)
    for value, said in zip(values, label(values), strict=True):
        y = up(value)
        parts += [
            element("line", x1=_LEFT, x2=across.end, y1=y, y2=y, class_="grid"),
            element("text", said, x=_LEFT - 8, y=y + 4, class_="tick end"),
        ]
    for value in _x_ticks(across):
        place = across(value)
        parts.append(
            element("text", count(int(value)), x=place, y=up.start + 19, class_="tick middle")
        )
    bottom = up.start + _BOTTOM - 6
    parts.append(element("text", x_title, x=across.end, y=bottom, class_="axis end"))
    return parts


def _x_ticks(across: Scale) -> list[float]:
    if across.log:
        return log_ticks(across.low, across.high, 9)
    whole = [value for value in ticks(across.low, across.high, 6) if value == int(value)]
    return whole or [across.low]


def thinned(length: int, most: int, also: Iterable[int] = ()) -> list[int]:
    """Places of a long curve that show its course, at growing distances; those of `also` too.

    Examples
    --------
    >>> thinned(4, 10), thinned(1000, 4, [2])
    ([0, 1, 2, 3], [0, 2, 5, 31, 177, 999])
    """
    if length <= most:
        return list(range(length))
    growth = length ** (1 / most)
    chosen = {round(growth**k) - 1 for k in range(most + 1)}
    return sorted(chosen | {place for place in also if 0 <= place < length})


@dataclass(frozen=True)
class Chart:
    """One curve with its axes, the place of the cut and a level that matters.

    `cut` is the number of columns kept with its words (dots beyond it are open), `level` a
    horizontal line with its words. `label` writes the numbers along the vertical axis.
    """

    ident: str
    title: str
    description: str
    curve: Curve
    x_title: str
    y_title: str
    cut: tuple[float, str] | None = None
    level: tuple[float, str] | None = None
    from_zero: bool = True
    label: Callable[[list[float]], list[str]] = axis

    def draw(self) -> Markup:
        """Both widths."""
        return Markup("").join(self._at(name, width) for name, width in WIDTHS.items())

    def _at(self, name: str, width: int) -> Markup:
        across, up = self._scales(width)
        return picture(
            f"{self.ident}-{name}",
            width,
            HEIGHT,
            self.title,
            self.description,
            *self._axes(across, up),
            *self._level(across, up),
            *self._line(across, up),
            *self._cut(across, up),
            kind=f"chart {name}",
        )

    def _scales(self, width: int) -> tuple[Scale, Scale]:
        curve = self.curve
        errors = curve.errors or [0.0] * len(curve.y)
        heights = [y + sign * e for y, e in zip(curve.y, errors, strict=True) for sign in (-1, 1)]
        heights += [] if self.level is None else [self.level[0]]
        log = max(curve.x) > 50 * max(min(curve.x), 1)
        up = upright(heights, HEIGHT - _BOTTOM, _TOP, from_zero=self.from_zero)
        return lengthwise(curve.x, width, log=log), up

    def _axes(self, across: Scale, up: Scale) -> list[Markup]:
        return axes(across, up, self.x_title, self.y_title, self.label)

    def _level(self, across: Scale, up: Scale) -> list[Markup]:
        if self.level is None:
            return []
        value, words = self.level
        y = up(value)
        left = self._cut_is_right(across)
        place, side = (_LEFT + 10, "") if left else (across.end, " end")
        return [
            element("line", x1=_LEFT, x2=across.end, y1=y, y2=y, class_="level"),
            element("text", words, x=place, y=y - 6, class_=f"note{side}"),
        ]

    def _line(self, across: Scale, up: Scale) -> list[Markup]:
        curve = self.curve
        places = [(across(x), up(y)) for x, y in zip(curve.x, curve.y, strict=True)]
        parts = [polyline(places, class_="line")] if len(places) > 1 else []
        for (x, _), y, error in zip(places, curve.y, curve.errors, strict=False):
            low, high = up(y - error), up(y + error)
            parts.append(element("line", x1=x, x2=x, y1=low, y2=high, class_="error"))
        if len(places) <= _MOST_DOTS:
            kept = math.inf if self.cut is None else self.cut[0]
            for (x, y), value in zip(places, curve.x, strict=True):
                state = "dot" if value <= kept else "dot open"
                parts.append(element("circle", cx=x, cy=y, r=3.5, class_=state))
        return parts

    def _cut_is_right(self, across: Scale) -> bool:
        """Then its words stand on the left of it, and those of the level on the other side."""
        middle = (across.start + across.end) / 2
        return self.cut is not None and across(self.cut[0]) > middle

    def _cut(self, across: Scale, up: Scale) -> list[Markup]:
        if self.cut is None or self.cut[0] < across.low:
            return []
        place, words = across(self.cut[0]), self.cut[1]
        right = self._cut_is_right(across)
        return [
            element("line", x1=place, x2=place, y1=_TOP - 6, y2=up.start, class_="cut"),
            element(
                "text",
                words,
                x=place - 7 if right else place + 7,
                y=_TOP + 2,
                class_="note strong" + (" end" if right else ""),
            ),
        ]
