"""Small pictures of one column each: by class, or against a numeric target."""

from collections.abc import Sequence

from markupsafe import Markup

from handful.evaluation.profiles import Group, Profile
from handful.report.numbers import axis, count, number
from handful.report.svg import Scale, element, picture, ticks
from handful.report.text import shortened

_WIDTH = 320
_LABEL, _RIGHT = 84, 14
_ROW = 34
_DOT = 2.6
# Rows beside each other, in units of the dot, before dots may overlap.
_LANES = (0, 1, -1, 2, -2)


def draw(profile: Profile, ident: str, name: str, target: str) -> Markup:
    """The picture of one profile; `name` and `target` are what it is about."""
    if profile.kind == "points":
        return _points(profile, ident, name, target)
    if profile.kind == "counts":
        return _counts(profile, ident, name, target)
    return _spread(profile, ident, name, target)


def _spread(profile: Profile, ident: str, name: str, target: str) -> Markup:
    groups = profile.groups
    low = min(group.summary[0] for group in groups)
    high = max(group.summary[4] for group in groups)
    across = Scale(low, high, _LABEL + 6, _WIDTH - _RIGHT)
    bottom = _ROW * len(groups) + 6
    parts = _axis(across, bottom)
    for i, group in enumerate(groups):
        parts += _spread_row(group, across, middle=_ROW * i + _ROW / 2, colour=_colour(i, groups))
    what, by = (name, target) if profile.of == "column" else (target, name)
    if profile.of == "target":
        words = shortened(target, 12)
        parts.append(element("text", words, x=_LABEL - 4, y=bottom + 17, class_="tick end"))
    medians = ", ".join(f"{group.group}: {number(group.summary[2])}" for group in groups)
    return picture(
        ident,
        _WIDTH,
        bottom + 20,
        f"{what} by {by}",
        f"Median of {what} by {by}: {medians}.",
        *parts,
        kind="profile",
    )


def _spread_row(group: Group, across: Scale, middle: float, colour: str) -> list[Markup]:
    low, first, median, third, high = (across(value) for value in group.summary)
    parts = _row_label(group, middle)
    parts += [
        element("line", x1=low, x2=high, y1=middle, y2=middle, class_=f"whisker {colour}"),
        element(
            "rect",
            x=first,
            y=middle - 8,
            width=max(third - first, 1.0),
            height=16,
            rx=3,
            class_=f"box {colour}",
        ),
    ]
    for x, lane in _swarm([across(value) for value in group.values]):
        y = middle + lane * 2 * _DOT
        parts.append(element("circle", cx=x, cy=y, r=_DOT, class_=f"value {colour}"))
    parts.append(
        element("line", x1=median, x2=median, y1=middle - 11, y2=middle + 11, class_="median")
    )
    return parts


def _swarm(places: Sequence[float]) -> list[tuple[float, int]]:
    """Each place with the first lane in which it does not touch the one before it."""
    last: dict[int, float] = dict.fromkeys(_LANES, -1e9)
    answer = []
    for x in places:
        lane = next((lane for lane in _LANES if x - last[lane] >= 2 * _DOT), 0)
        last[lane] = x
        answer.append((x, lane))
    return answer


def _counts(profile: Profile, ident: str, name: str, target: str) -> Markup:
    levels, groups = [number(level) for level in profile.levels], profile.groups
    head, right = 22, 66
    across = Scale(0, 1, _LABEL + 6, _WIDTH - right)
    last = levels[-1]
    parts = _legend(levels)
    parts.append(element("text", f"rows at {last}", x=_WIDTH, y=12, class_="tick end"))
    for i, group in enumerate(groups):
        middle = head + _ROW * i + _ROW / 2
        parts += _row_label(group, middle)
        parts += _count_bar(group.counts, levels, across, middle)
        share = f"{count(group.counts[-1])} of {count(group.rows)}"
        parts.append(element("text", share, x=_WIDTH, y=middle + 4, class_="share end"))
    said = ", ".join(
        f"{group.group}: {count(group.counts[-1])} of {count(group.rows)}" for group in groups
    )
    return picture(
        ident,
        _WIDTH,
        head + _ROW * len(groups) + 4,
        f"Values of {name} by {target}",
        f"Rows with the value {last} of {name}, by {target}: {said}.",
        *parts,
        kind="profile",
    )


def _legend(levels: list[str]) -> list[Markup]:
    parts, x = [], _LABEL + 6.0
    for j, level in enumerate(levels):
        parts.append(element("rect", x=x, y=3, width=10, height=10, class_=_shade(j, len(levels))))
        parts.append(element("text", level, x=x + 14, y=12, class_="tick"))
        x += 22 + 7 * len(level)
    return parts


def _count_bar(
    counts: Sequence[int], levels: Sequence[str], across: Scale, middle: float
) -> list[Markup]:
    parts, total, before = [], sum(counts), 0
    for j, size in enumerate(counts):
        if not size:
            continue
        start, end = across(before / total), across((before + size) / total)
        before += size
        parts.append(
            element(
                "rect",
                element("title", f"{levels[j]}: {count(size)}"),
                x=start,
                y=middle - 9,
                width=max(end - start - 1, 0.8),
                height=18,
                class_=_shade(j, len(counts)),
            )
        )
    return parts


def _points(profile: Profile, ident: str, name: str, target: str) -> Markup:
    xs, ys = zip(*profile.points, strict=True)
    bottom, left = 190.0, 58.0
    across = Scale(min(xs), max(xs), left + 6, _WIDTH - _RIGHT)
    up = Scale(min(ys), max(ys), bottom - 8, 26)
    parts = [element("text", shortened(target, 30), x=0, y=12, class_="tick")]
    values = ticks(up.low, up.high, 3)
    for value, label in zip(values, axis(values), strict=True):
        y = up(value)
        parts += [
            element("line", x1=left, x2=_WIDTH, y1=y, y2=y, class_="grid"),
            element("text", label, x=left - 6, y=y + 4, class_="tick end"),
        ]
    parts += _axis(across, bottom)
    for x, y in profile.points:
        parts.append(element("circle", cx=across(x), cy=up(y), r=_DOT, class_="value c0"))
    return picture(
        ident,
        _WIDTH,
        bottom + 20,
        f"{target} against {name}",
        f"{count(len(xs))} rows; {name} from {number(min(xs))} to {number(max(xs))}, "
        f"{target} from {number(min(ys))} to {number(max(ys))}.",
        *parts,
        kind="profile",
    )


def _axis(across: Scale, bottom: float) -> list[Markup]:
    parts = [element("line", x1=across.start, x2=across.end, y1=bottom, y2=bottom, class_="grid")]
    values = ticks(across.low, across.high, 3)
    for value, label in zip(values, axis(values), strict=True):
        x = across(value)
        parts += [
            element("line", x1=x, x2=x, y1=bottom, y2=bottom + 4, class_="grid"),
            element("text", label, x=x, y=bottom + 17, class_="tick middle"),
        ]
    return parts


def _row_label(group: Group, middle: float) -> list[Markup]:
    label = element("title", group.group)
    words = shortened(group.group, 12)
    return [element("text", label, words, x=_LABEL - 4, y=middle + 4, class_="label end")]


def _colour(i: int, groups: Sequence[Group]) -> str:
    """Every class has its own row and name; colours help only while they can be told apart."""
    return f"c{i}" if len(groups) <= 4 else "c0"


def _shade(j: int, n_levels: int) -> str:
    """Levels from pale to strong, the last always the strongest."""
    return f"shade s{round(4 * j / max(1, n_levels - 1))}"
