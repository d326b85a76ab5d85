"""Correlations among features in the order of choice: a square of cells, dark where strong."""

from collections.abc import Sequence
from math import isnan

from markupsafe import Markup

from handful.report.svg import element, picture
from handful.report.text import shortened

# More than these do not fit beside their names on a phone.
MOST = 20
_WIDTH, _LABEL, _HEAD, _FOOT = 350, 118, 18, 30
_LARGEST = 26.0
_SHADES = 5


def draw(
    correlation: Sequence[Sequence[float]], names: Sequence[str], ident: str, title: str, said: str
) -> Markup:
    """The picture of a square matrix; `said` is its description."""
    n = len(names)
    cell = min(_LARGEST, (_WIDTH - _LABEL) / n)
    parts = _cells(correlation, cell)
    for i, name in enumerate(names):
        y = _HEAD + cell * (i + 0.5) + 4
        words = element("title", name), shortened(name, 16)
        parts.append(element("text", *words, x=_LABEL - 6, y=y, class_="name end"))
    for i in sorted({0, *range(4, n, 5)}):
        x = _LABEL + cell * (i + 0.5)
        parts.append(element("text", str(i + 1), x=x, y=_HEAD - 6, class_="tick middle"))
    bottom = _HEAD + cell * n + _FOOT
    return picture(ident, _WIDTH, bottom, title, said, *parts, *_key(bottom), kind="matrix")


def _cells(correlation: Sequence[Sequence[float]], cell: float) -> list[Markup]:
    """All cells of one shade as one path; unknown correlations stay empty."""
    paths = [""] * _SHADES
    side = f"h{cell - 1:.1f}v{cell - 1:.1f}h-{cell - 1:.1f}z"
    for i, row in enumerate(correlation):
        for j, value in enumerate(row):
            if not isnan(value):
                shade = min(int(abs(value) * _SHADES), _SHADES - 1)
                paths[shade] += f"M{_LABEL + cell * j:.1f} {_HEAD + cell * i:.1f}{side}"
    return [
        element("path", d=path, class_=f"shade s{shade}")
        for shade, path in enumerate(paths)
        if path
    ]


def _key(bottom: float) -> list[Markup]:
    """The shades with the strengths between which each stands."""
    parts, y = [], bottom - 12
    wide = (_WIDTH - _LABEL) / _SHADES
    for shade in range(_SHADES):
        x = _LABEL + wide * shade
        size = {"width": wide - 1, "height": 8}
        parts.append(element("rect", x=x, y=y - 12, **size, class_=f"shade s{shade}"))
    for shade in range(_SHADES + 1):
        side = {0: "", _SHADES: " end"}.get(shade, " middle")
        place = {"x": _LABEL + wide * shade, "y": bottom - 2}
        parts.append(element("text", f"{shade / _SHADES:g}", **place, class_=f"tick{side}"))
    return parts
