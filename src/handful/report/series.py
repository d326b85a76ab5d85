"""Several curves in one picture, told apart by colour, by the shape of their marks and by a legend.

The colours are told apart by people who see colours differently, and the shapes where there is no
colour; of more than eight curves the others are dashed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan

from markupsafe import Markup

from handful.report.charts import WIDTHS, axes, lengthwise, upright
from handful.report.numbers import axis
from handful.report.svg import Scale, element, picture, polyline
from handful.report.text import shortened

N_COLOURS = 8
_PLOT = 220
_TOP, _BOTTOM = 34, 46
_ROW = 20
# Widths in a legend: of its key, and of a letter.
_KEY, _LETTER, _GAP = 34, 6.9, 14
_LONGEST = 28
# Outlines of marks, around the point at which the pen stands.
_SHAPES = (
    "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",
    "m-3.2-3.2h6.4v6.4h-6.4z",
    "m0-4.6l4.4 7.6h-8.8z",
    "m0-4.8l4.8 4.8l-4.8 4.8l-4.8-4.8z",
    "m0 4.6l4.4-7.6h-8.8z",
)


@dataclass(frozen=True)
class Series:
    """A curve with a band from `low` to `high`; a ring stands around the point at `ring`.

    `place` is its number among all that the page shows: the same thing has the same look in every
    picture.
    """

    label: str
    place: int
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    ring: float | None = None

    @property
    def colour(self) -> str:
        return f"c{self.place % N_COLOURS}" + (" dashed" if self.place >= N_COLOURS else "")

    @property
    def shape(self) -> str:
        return _SHAPES[self.place % len(_SHAPES)]


@dataclass(frozen=True)
class SeriesChart:
    """Several curves over numbers of columns, with their axes and a legend.

    `heights` are values that the vertical axis covers beside those of the curves, so that pictures
    can be compared.
    """

    ident: str
    title: str
    description: str
    series: Sequence[Series]
    x_title: str
    y_title: str
    from_zero: bool = True
    label: Callable[[list[float]], list[str]] = axis
    heights: Sequence[float] = ()

    def draw(self) -> Markup:
        """Both widths."""
        return Markup("").join(self._at(name, width) for name, width in WIDTHS.items())

    def _at(self, name: str, width: int) -> Markup:
        legend, rows = _legend(self.series, width)
        top = _TOP + _ROW * rows
        every = [x for one in self.series for x in one.x]
        heights = [y for one in self.series for y in (*one.low, *one.high, *one.y)]
        across = lengthwise(every, width, log=min(every) >= 1 and max(every) >= 10 * min(every))
        up = upright([*heights, *self.heights], top + _PLOT, top, from_zero=self.from_zero)
        return picture(
            f"{self.ident}-{name}",
            width,
            top + _PLOT + _BOTTOM,
            self.title,
            self.description,
            *legend,
            *axes(across, up, self.x_title, self.y_title, self.label),
            *(_band(one, across, up) for one in self.series),
            *(part for one in self.series for part in _curve(one, across, up)),
            kind=f"chart {name}",
        )


def _legend(series: Sequence[Series], width: int) -> tuple[list[Markup], int]:
    """The keys with their names, in as many rows as they need."""
    parts: list[Markup] = []
    x, row = 2.0, 0
    for one in series:
        label = shortened(one.label, _LONGEST)
        wide = _KEY + _LETTER * len(label)
        if x + wide > width and x > 2:
            x, row = 2.0, row + 1
        y = _TOP + _ROW * row
        parts += [
            element("path", d=f"M{x:.1f} {y - 4}h26", fill="none", class_=f"trace {one.colour}"),
            element("path", d=f"M{x + 13:.1f} {y - 4}{one.shape}", class_=f"mark {one.colour}"),
            element("text", element("title", one.label), label, x=x + _KEY, y=y, class_="label"),
        ]
        x += wide + _GAP
    return parts, row + 1


def _band(one: Series, across: Scale, up: Scale) -> Markup:
    """The area between the ends; a line where there is one point only."""
    known = [i for i in range(len(one.x)) if not isnan(one.low[i]) and not isnan(one.high[i])]
    if not known:
        return Markup("")
    if len(known) == 1:
        (i,) = known
        x = across(one.x[i])
        ends = {"y1": up(one.low[i]), "y2": up(one.high[i])}
        return element("line", x1=x, x2=x, **ends, class_=f"spread {one.colour}")
    forth = [(across(one.x[i]), up(one.high[i])) for i in known]
    back = [(across(one.x[i]), up(one.low[i])) for i in reversed(known)]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in [*forth, *back])
    return element("path", d=f"M{path}z", class_=f"band {one.colour}")


def _curve(one: Series, across: Scale, up: Scale) -> list[Markup]:
    places = [(across(x), up(y)) for x, y in zip(one.x, one.y, strict=True)]
    parts = []
    if len(places) > 1:
        parts.append(polyline(places, class_=f"trace {one.colour}"))
    marks = "".join(f"M{x:.1f} {y:.1f}{one.shape}" for x, y in places)
    parts.append(element("path", d=marks, class_=f"mark {one.colour}"))
    for (x, y), size in zip(places, one.x, strict=True):
        if size == one.ring:
            parts.append(element("circle", cx=x, cy=y, r=8, class_=f"ring {one.colour}"))
    return parts
