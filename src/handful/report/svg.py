"""Scalable pictures from text: elements, scales and ticks. Everything written is escaped."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape


def element(name: str, *children: str, **attributes: object) -> Markup:
    """One element; ``stroke_width`` becomes ``stroke-width``, ``class_`` becomes ``class``.

    Examples
    --------
    >>> element("text", "a < b", x=1.5, class_="tick")
    Markup('<text x="1.5" class="tick">a &lt; b</text>')
    """
    written = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _value(value))
        for key, value in attributes.items()
        if value is not None
    )
    if not children:
        return Markup(f"<{name}{written}/>")
    inside = Markup("").join(escape(child) for child in children)
    return Markup(f"<{name}{written}>") + inside + Markup(f"</{name}>")


def _value(value: object) -> str:
    """Coordinates to a tenth of a unit: finer cannot be seen, and pages stay small."""
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return str(value)


def picture(
    ident: str, width: float, height: float, title: str, description: str, *parts: str, kind: str
) -> Markup:
    """A whole picture with its text alternative; `kind` names it for the style sheet."""
    return element(
        "svg",
        element("title", title, id=f"{ident}-title"),
        element("desc", description, id=f"{ident}-desc"),
        *parts,
        viewBox=f"0 0 {_value(float(width))} {_value(float(height))}",
        role="img",
        aria_labelledby=f"{ident}-title {ident}-desc",
        class_=f"picture {kind}",
    )


def polyline(points: Sequence[tuple[float, float]], **attributes: object) -> Markup:
    """A line through the points."""
    path = "M" + "L".join(f"{_value(float(x))} {_value(float(y))}" for x, y in points)
    return element("path", d=path, fill="none", **attributes)


@dataclass(frozen=True)
class Scale:
    """From data to places: `low` goes to `start`, `high` to `end`, straight or by logarithm.

    What lies beyond is placed at the nearer end.

    Examples
    --------
    >>> Scale(0, 10, 100, 200)(5), Scale(1, 100, 0, 10, log=True)(10)
    (150.0, 5.0)
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        low, high = self.low, self.high
        if self.log:
            value, low, high = math.log(value), math.log(low), math.log(high)
        if not math.isfinite(value):
            return self.end if value > 0 else self.start
        share = min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.5
        return self.start + share * (self.end - self.start)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers inside [low, high], about so many.

    Examples
    --------
    >>> ticks(0, 0.93), ticks(118, 2950, 3)
    ([0.0, 0.2, 0.4, 0.6, 0.8], [1000.0, 2000.0])
    """
    if not high - low > 1e-300:
        return [low]
    rough = (high - low) / about
    base = 10.0 ** math.floor(math.log10(rough))
    step = min((factor * base for factor in (1, 2, 5, 10)), key=lambda size: abs(size - rough))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, -math.floor(math.log10(step)))
    return [round(k * step, digits) + 0.0 for k in range(first, last + 1)]


def log_ticks(low: float, high: float, about: int = 6) -> list[float]:
    """1, 2, 5, 10, 20, ... inside [low, high]; only the tens where that is too many.

    Examples
    --------
    >>> log_ticks(1, 50), log_ticks(1, 7000)
    ([1, 2, 5, 10, 20, 50], [1, 10, 100, 1000])
    """
    tens = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    fine = [factor * 10**ten for ten in tens for factor in (1, 2, 5)]
    fine = [value for value in fine if low <= value <= high]
    if len(fine) <= about:
        return fine
    return [value for value in fine if str(value).startswith("1")] or fine[:1]
