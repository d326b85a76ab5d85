"""Comparison: the record of several methods under several classifiers, fold by fold."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from handful.evaluation.codec import RecordError
from handful.evaluation.profiles import Profile
from handful.evaluation.record import Data, Record
from handful.stopping import SizeCurve


@dataclass(frozen=True)
class Compared:
    """A method or a classifier: what the caller calls it, what it is, and its parameters.

    `sizes` says of a method whether it was measured at the sizes asked for; otherwise it decided
    in every fold by itself how many features to keep. It is always true of a classifier.
    """

    name: str
    what: str
    parameters: dict[str, Any]
    sizes: bool = True


@dataclass(frozen=True)
class Metric:
    """A measure, and which of its ends is the good one."""

    name: str
    larger_is_better: bool


@dataclass(frozen=True)
class Fold:
    """One division of the rows: how many to learn from and to test on, and which, as a hash.

    `unlearned` and `untested` are the classes without a row in the one or the other part.
    """

    train: int
    test: int
    sha256: str
    unlearned: list[str] = field(default_factory=list)
    untested: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Ranking:
    """What a method chose in one fold, best first; in `fold` None, on all rows.

    `warning` is the method's own, where its model evidently cannot learn the task.
    """

    method: str
    fold: int | None
    indices: list[int]
    warning: str | None = None


@dataclass(frozen=True)
class Scores:
    """What a classifier reached in one fold on the first features of a ranking.

    `values` holds, for each metric, one number for each of `sizes`; NaN is what could not be had.
    """

    method: str
    classifier: str
    fold: int
    sizes: list[int]
    values: dict[str, list[float]]


@dataclass(frozen=True)
class Failure:
    """What went wrong where. No `classifier`: in the method. No `fold`: on all rows."""

    method: str
    classifier: str | None
    fold: int | None
    size: int | None
    message: str


@dataclass(frozen=True)
class Curve:
    """A metric against the number of features, over folds.

    Attributes
    ----------
    method, classifier, metric : str
    n_folds : int
        Folds in which every size could be measured; the others are left out.
    sizes : list of float
        As asked for; of a method that decides by itself the mean number it kept.
    mean, standard_error : list of float
        As the rule `CrossValidated` reads them.
    lower, upper : list of float
        The 95 % interval of the corrected resampled t test, which allows for folds that share
        training rows. NaN for a single fold.
    best, one_standard_error : float
        The size with the best mean, and the smallest one within a standard error of it.
    """

    method: str
    classifier: str
    metric: str
    n_folds: int
    sizes: list[float]
    mean: list[float]
    standard_error: list[float]
    lower: list[float]
    upper: list[float]
    best: float
    one_standard_error: float


@dataclass(frozen=True)
class Agreement:
    """How alike the features are that a method chose in the folds.

    `index` with its interval is the index of Nogueira et al.; the others are for comparison with
    published figures, NaN where they are not defined. `hamming` is the mean over pairs of folds of
    the features that only one of the two chose. `size` None: the method decided by itself.
    """

    method: str
    size: int | None
    n_folds: int
    index: float
    lower: float
    upper: float
    kuncheva: float
    jaccard: float
    hamming: float


@dataclass(frozen=True)
class Returned:
    """In how many folds the features of a method's own list come back.

    `indices` is the list made from all rows, and `counts` holds, for each size, how often each of
    its first features is among the first features of a fold's list.
    """

    method: str
    n_folds: int
    indices: list[int]
    sizes: list[int]
    counts: list[list[int]]


@dataclass(frozen=True)
class Redundancy:
    """The correlations among a method's first features, in the order of choice."""

    method: str
    indices: list[int]
    correlation: list[list[float]]


@dataclass(frozen=True)
class Contrast:
    """A method's metric minus that of the first one at the same size: corrected resampled t test.

    `size` None: both decided by themselves.
    """

    method: str
    against: str
    classifier: str
    metric: str
    size: int | None
    difference: float
    lower: float
    upper: float
    p_value: float


@dataclass(frozen=True)
class Comparison(Record):
    """Several methods under several classifiers: what `handful.evaluation.compare` returns.

    Attributes
    ----------
    data : Data
    methods, classifiers : list of Compared
    metrics : list of Metric
    sizes : list of int
        Empty where every method decided by itself.
    folds : list of Fold
    rankings : list of Ranking
        Per method and fold, and (for more than one fold) one made from all rows.
    scores : list of Scores
    failures : list of Failure
        What could not be measured, and why. All the rest is complete.
    curves, agreement, returned, redundancy, contrasts : list
        What follows from rankings and scores, computed once, so that whoever shows it need not.
    profiles : list of Profile
        The first features of the methods' own lists against the target.
    names, descriptions : dict
        Of the columns that stand in any ranking, by index (as text).
    weighted, grouped : bool
        Whether the rows had weights, and groups.
    warnings : list of str
    seed : int
    command, versions, platform
        What repeats the run.
    time : dict
        "finished", "seconds", and per method the seconds of each fold's "rank", "fit" and "score"
        (predictions and metrics): the only part that differs between equal runs.
    """

    kind: ClassVar[str] = "comparison"

    data: Data
    methods: list[Compared]
    classifiers: list[Compared]
    metrics: list[Metric]
    sizes: list[int]
    folds: list[Fold]
    rankings: list[Ranking]
    scores: list[Scores]
    seed: int
    versions: dict[str, str]
    failures: list[Failure] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    agreement: list[Agreement] = field(default_factory=list)
    returned: list[Returned] = field(default_factory=list)
    redundancy: list[Redundancy] = field(default_factory=list)
    contrasts: list[Contrast] = field(default_factory=list)
    profiles: list[Profile] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)
    weighted: bool = False
    grouped: bool = False
    warnings: list[str] = field(default_factory=list)
    command: str = ""
    platform: str = ""
    time: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        methods = {method.name for method in self.methods}
        classifiers = {classifier.name for classifier in self.classifiers}
        for scores in self.scores:
            if scores.method not in methods or scores.classifier not in classifiers:
                raise RecordError(
                    f"record.scores speak of {scores.method!r} under {scores.classifier!r}, which "
                    "the record does not list."
                )
            for metric in self.metrics:
                if len(scores.values.get(metric.name, ())) != len(scores.sizes):
                    raise RecordError(
                        f"record.scores lack {metric.name!r} for some of {len(scores.sizes)} sizes."
                    )

    def columns(self) -> dict[str, list[Any]]:
        """The scores as equally long lists: "method", "classifier", "size", "fold", each metric.

        One row per method, classifier, size and fold. A size is what was asked for, also where the
        method returned fewer features and all of them were used; of a method that decides by
        itself it is the number it kept. A method that failed in a fold has no rows there unless
        the sizes were asked for; those are NaN.
        """
        metrics = [metric.name for metric in self.metrics]
        answer: dict[str, list[Any]] = {
            key: [] for key in ("method", "classifier", "size", "fold", *metrics)
        }
        for scores in self.scores:
            n_sizes = len(scores.sizes)
            answer["method"] += [scores.method] * n_sizes
            answer["classifier"] += [scores.classifier] * n_sizes
            answer["size"] += scores.sizes
            answer["fold"] += [scores.fold] * n_sizes
            for name in metrics:
                answer[name] += scores.values[name]
        return answer

    def frame(self) -> Any:
        """`columns` as a pandas frame, or as a polars frame where only polars is installed."""
        try:
            import pandas as frames
        except ImportError:
            try:
                import polars as frames
            except ImportError:
                raise ImportError(
                    "frame() needs pandas or polars; install one of them (pip install polars), or "
                    "use columns(), which returns plain lists."
                ) from None
        return frames.DataFrame(self.columns())

    def curve(self, method: str, classifier: str, metric: str | None = None) -> Curve:
        """The summary over folds of one method under one classifier; `metric` None: the first."""
        metric = metric or self.metrics[0].name
        for curve in self.curves:
            if (curve.method, curve.classifier, curve.metric) == (method, classifier, metric):
                return curve
        raise KeyError(f"There is no curve of {metric!r} for {method!r} under {classifier!r}.")

    def ranking(self, method: str) -> Ranking | None:
        """A method's own list: from all rows, or from the only fold's training rows."""
        fold = None if len(self.folds) > 1 else 0
        for ranking in self.rankings:
            if (ranking.method, ranking.fold) == (method, fold):
                return ranking
        return None


def size_curve_of(found: list[Scores], metric: Metric) -> SizeCurve:
    """The size curve of some folds' scores, in its own sense: the larger the better.

    Folds in which a size is missing are left out.
    """
    values = np.array([scores.values[metric.name] for scores in found], dtype=np.float64)
    whole = values[~np.isnan(values).any(axis=1)]
    return SizeCurve(np.array(found[0].sizes), whole if metric.larger_is_better else -whole)
