"""Outcome: what a comparison came to, as pages, terminals and pictures say it.

A comparison holds a curve for every method, classifier and metric. Here they are put in order, and
turned to the sense in which people read them: errors as errors, within the limits of the measure.
"""

from dataclasses import dataclass
from math import ceil, inf, nan

from handful.evaluation.comparison import Agreement, Comparison, Contrast, Curve, Metric
from handful.report.words import SHARES

# What comes back in so many of the folds came back often.
OFTEN = 0.9


@dataclass(frozen=True)
class Point:
    """A measure at one size: its mean with the standard error, and the 95 % interval."""

    size: float
    value: float
    error: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Listed:
    """The first features of a method's own list, and in how many of the folds each came back."""

    indices: list[int]
    counts: list[int]
    n_folds: int

    @property
    def needed(self) -> int:
        """The number of folds that counts as often."""
        return ceil(OFTEN * self.n_folds - 1e-9)

    @property
    def often(self) -> int:
        """How many came back often."""
        return sum(count >= self.needed for count in self.counts)


def lower_is_better(metric: Metric) -> bool:
    """Of the numbers as they are shown."""
    return not metric.larger_is_better or metric.name.startswith("neg_")


def limits(scoring: str) -> tuple[float, float]:
    """Between which numbers a measure lies, as it is shown.

    Examples
    --------
    >>> limits("balanced_error"), limits("neg_mean_squared_error"), limits("r2")
    ((0.0, 1.0), (0.0, inf), (-inf, 1.0))
    """
    if scoring in SHARES or scoring.startswith(("auc", "roc_auc", "f1")):
        return 0.0, 1.0
    if scoring.startswith("neg_"):
        return 0.0, inf
    return -inf, 1.0 if scoring == "r2" else inf


def points(curve: Curve) -> list[Point]:
    """A curve as it is shown: scorers' negative errors as errors, ends within the limits."""
    sign = -1.0 if curve.metric.startswith("neg_") else 1.0
    low, high = limits(curve.metric)
    answer = []
    for i, size in enumerate(curve.sizes):
        ends = [sign * end for end in (curve.lower[i], curve.upper[i])]
        lower, upper = sorted(min(max(end, low), high) if end == end else nan for end in ends)
        value = sign * curve.mean[i] + 0.0  # no minus before a zero
        error = curve.standard_error[i] if curve.n_folds > 1 else nan
        answer.append(Point(size, value, error, lower, upper))
    return answer


class Outcome:
    """A comparison read by its first metric.

    Attributes
    ----------
    record : Comparison
    metric : Metric
    ranked : list of Curve
        Every method under every classifier, the best first; without those that could not be
        measured at every size in any fold.
    winner : Curve or None
        The first of them.
    """

    def __init__(self, record: Comparison) -> None:
        self.record, self.metric = record, record.metrics[0]
        sign = 1 if lower_is_better(self.metric) else -1
        known = [one for one in record.curves if one.metric == self.metric.name and one.n_folds]
        self.ranked = sorted(known, key=lambda curve: sign * self.best(curve).value)
        self.winner = self.ranked[0] if self.ranked else None

    @property
    def n_folds(self) -> int:
        return len(self.record.folds)

    def best(self, curve: Curve) -> Point:
        """Where the mean is best."""
        return points(curve)[curve.sizes.index(curve.best)]

    def smallest(self, curve: Curve) -> Point:
        """At the smallest size within a standard error of the best: the size to use."""
        return points(curve)[curve.sizes.index(curve.one_standard_error)]

    def size(self, method: str) -> int | None:
        """How many of a method's list are looked at; None where it decides by itself.

        As many as the winner needs, so that methods can be compared.
        """
        asked = next(one.sizes for one in self.record.methods if one.name == method)
        if not asked or not self.record.sizes:
            return None
        if self.winner is None or self.winner.one_standard_error not in self.record.sizes:
            return self.record.sizes[0]
        return int(self.winner.one_standard_error)

    def listed(self, method: str) -> Listed:
        """A method's own list, as long as `size` says."""
        ranking, size = self.record.ranking(method), self.size(method)
        indices = [] if ranking is None else ranking.indices[:size]
        for found in self.record.returned:
            if found.method == method and found.n_folds > 1 and (size or 0) in (0, *found.sizes):
                counts = found.counts[found.sizes.index(size) if size else 0]
                return Listed(indices, counts, found.n_folds)
        return Listed(indices, [], 0)

    def agreement(self, method: str) -> list[Agreement]:
        """How alike the folds' lists are, by size."""
        return [one for one in self.record.agreement if one.method == method]

    def agreement_at(self, method: str) -> Agreement | None:
        """The same at the size that is looked at."""
        size = self.size(method)
        return next((one for one in self.agreement(method) if one.size == size), None)

    def contrasts(self) -> list[Contrast]:
        """The differences from the first method at the size that is looked at."""
        return [
            one
            for one in self.record.contrasts
            if one.metric == self.metric.name and one.size == self.size(one.method)
        ]
