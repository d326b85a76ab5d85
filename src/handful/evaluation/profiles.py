"""Profiles: what a picture of one column against the target needs, bounded whatever the table.

Columns of few levels become counts, all others five-number summaries (with the single values where
there are few rows), or points where the target is a number as well.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.evaluation.codec import RecordError

# A picture of more rows than this shows summaries instead of every value.
MAX_VALUES = 200
MAX_POINTS = 300
MAX_GROUPS = 12
MAX_LEVELS = 6


@dataclass(frozen=True)
class Group:
    """The rows of one class, or of one level of the column.

    `summary` is least, lower quartile, median, upper quartile, largest; `values` are the single
    ones, ascending, where there are few; `counts` are the rows at each level.
    """

    group: str
    rows: int
    summary: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Profile:
    """One column against the target.

    Attributes
    ----------
    index : int
        The column.
    kind : {"spread", "counts", "points"}
        "spread": the column's values by class, or a numeric target by the column's level.
        "counts": a column of few levels, by class. "points": two numbers per row.
    of : {"column", "target"}
        Whose values a "spread" holds.
    groups : list of Group
    levels : list of float
        What the counts are about.
    points : list of [x, y]
        Evenly taken from the rows, where there are many.
    """

    index: int
    kind: str
    of: str = "column"
    groups: list[Group] = field(default_factory=list)
    levels: list[float] = field(default_factory=list)
    points: list[list[float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        fits = {"spread": self._is_spread, "counts": self._is_counts, "points": self._is_points}
        if self.kind not in fits or not fits[self.kind]():
            raise RecordError(
                f"The profile of column {self.index} is not a complete one of kind {self.kind!r}."
            )

    def _is_spread(self) -> bool:
        summaries = [group.summary for group in self.groups]
        complete = all(len(s) == 5 and s == sorted(s) and drawable(s) for s in summaries)
        return bool(summaries) and complete and all(drawable(g.values) for g in self.groups)

    def _is_counts(self) -> bool:
        if not self.groups or not self.levels or not drawable(self.levels):
            return False
        counts = [group.counts for group in self.groups]
        return all(len(c) == len(self.levels) and min(c) >= 0 and sum(c) > 0 for c in counts)

    def _is_points(self) -> bool:
        return bool(self.points) and all(len(p) == 2 and drawable(p) for p in self.points)


def drawable(values: Iterable[float]) -> bool:
    """Whether all values are finite and far enough from overflow to be placed on an axis.

    Examples
    --------
    >>> drawable([0.0, -7129.0]), drawable([float("nan")]), drawable([1e308])
    (True, False, False)
    """
    return all(abs(value) < 1e100 for value in values)


def profile(index: int, column: NDArray[np.float64], y: NDArray, task: str) -> Profile:
    """Look at one column, class by class or against a numeric target.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([0.0, 1.0, 1.0, 1.0])
    >>> answer = profile(7, x, np.array(["a", "a", "b", "b"]), "classification")
    >>> answer.levels, [(group.group, group.counts) for group in answer.groups]
    ([0.0, 1.0], [('a', [1, 1]), ('b', [0, 2])])
    """
    levels = _levels(column)
    if task == "classification":
        classes = _largest_classes(y)
        if levels is None:
            return Profile(index, "spread", groups=_spread(column, y, classes))
        groups = _counts(column, y, classes, levels)
        return Profile(index, "counts", groups=groups, levels=levels.tolist())
    if levels is not None:
        return Profile(index, "spread", of="target", groups=_spread(y, column, levels))
    step = -(-len(y) // MAX_POINTS)
    points = np.column_stack([column, np.asarray(y, dtype=np.float64)])[::step]
    return Profile(index, "points", points=points.tolist())


def class_label(label: Any) -> str:
    """A class as people write it: whole numbers without a point.

    Examples
    --------
    >>> class_label(np.float64(-1.0)), class_label(np.str_("ALL")), class_label(True)
    ('-1', 'ALL', 'True')
    """
    value = label.item() if isinstance(label, np.generic) else label
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def _levels(column: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The distinct values, where they are few enough to be levels rather than measurements."""
    distinct = np.unique(column)
    if len(distinct) > MAX_LEVELS:
        return None
    whole = bool((distinct == np.round(distinct)).all())
    return distinct if len(distinct) <= 2 or whole else None


def _largest_classes(y: NDArray) -> NDArray:
    """The classes in their own order; of many, those with most rows."""
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) <= MAX_GROUPS:
        return classes
    return classes[np.sort(np.argsort(-counts, kind="stable")[:MAX_GROUPS])]


def _spread(values: NDArray, by: NDArray, groups: NDArray) -> list[Group]:
    answer = []
    for group in groups:
        inside = np.sort(np.asarray(values[by == group], dtype=np.float64))
        # sorted: neighbouring quantiles of nearly equal values may swap by rounding
        summary = np.sort(np.quantile(inside, [0, 0.25, 0.5, 0.75, 1])).tolist()
        single = inside.tolist() if len(values) <= MAX_VALUES else []
        answer.append(Group(class_label(group), len(inside), summary, single))
    return answer


def _counts(column: NDArray, y: NDArray, classes: NDArray, levels: NDArray) -> list[Group]:
    answer = []
    for label in classes:
        counts = (column[y == label, None] == levels).sum(axis=0).tolist()
        answer.append(Group(class_label(label), sum(counts), counts=counts))
    return answer
