"""What is measured: errors of predictions, stability of selections, planted noise among them.

Examples
--------
>>> from handful.metrics import balanced_error, probe_fraction, stability_index
>>> balanced_error(["a", "a", "a", "b"], ["a", "a", "a", "a"])
0.5
>>> same = [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]]
>>> float(stability_index(same))
1.0
>>> probe_fraction(selected=[1, 1, 1, 1], probes=[0, 0, 0, 1])
0.25
"""

from dataclasses import dataclass
from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from handful import checks


def balanced_error(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """The mean of the classes' error rates, each class counting the same whatever its size.

    One minus scikit-learn's `balanced_accuracy_score`. A classifier that always answers the same
    class errs at 1/2 on two classes, however rare the other one is.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes; those that occur here are the ones that count.
    y_pred : array-like of shape (n_samples,)
    sample_weight : array-like of shape (n_samples,), optional
        A row of weight 2 counts as two equal rows.

    Examples
    --------
    >>> balanced_error([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0])
    0.375
    """
    truth, answer, weight = _aligned(y_true, y_pred, sample_weight)
    return float(error_shares(truth, weight) @ (truth != answer))


def error_shares(y_true: NDArray, weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """What a wrong answer in each row adds to the balanced error: enough to know of the truth."""
    if y_true.ndim != 1:
        raise ValueError(
            f"y_true has shape {y_true.shape}; balanced_error takes one label per row. For several "
            "labels per row use 'f1_macro' or 'f1_micro'."
        )
    weight = np.ones(len(y_true)) if weight is None else weight
    _, codes = np.unique(y_true, return_inverse=True)
    total = np.bincount(codes, weights=weight)
    share = np.zeros(len(total))
    np.divide(1.0, total * np.count_nonzero(total), out=share, where=total > 0)
    return weight * share[codes]


def accuracy(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """The share of rows that are right; with several labels per row, of those right in all.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,) or (n_samples, n_labels)
    sample_weight : array-like of shape (n_samples,), optional
        A row of weight 2 counts as two equal rows.

    Examples
    --------
    >>> accuracy(["a", "b", "b", "c"], ["a", "b", "a", "c"])
    0.75
    """
    truth, answer, weight = _aligned(y_true, y_pred, sample_weight)
    right = (truth == answer).reshape(len(truth), -1).all(axis=1)
    return float(weight @ right / weight.sum())


def area_under_curve(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """The chance that a member of a class has a higher score for it than a row of another class.

    A tie counts one half. With several classes the mean over the classes that occur, each against
    all the rest. Only the order of the scores counts, so decision values do as well as
    probabilities.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
    scores : array-like of shape (n_samples,) or (n_samples, n_classes)
        For two classes the scores of the second one, or both.
    classes : array-like, optional
        What the columns of `scores` stand for; None: the classes in `y_true`, sorted. A class in
        `y_true` that has no column counts 1/2: nothing is known about it.
    sample_weight : array-like of shape (n_samples,), optional

    Returns
    -------
    float
        NaN where `y_true` holds one class only.

    Examples
    --------
    >>> area_under_curve([0, 0, 1, 1], [0.1, 0.6, 0.6, 0.8])
    0.875
    """
    truth, table, weight = _aligned(y_true, scores, sample_weight, same_shape=False)
    present = np.unique(truth)
    if len(present) < 2:
        return nan
    known = present if classes is None else np.asarray(classes)
    table = table.astype(np.float64)
    if table.ndim == 1:
        table = np.column_stack([-table, table])
    if table.shape[1] != len(known):
        raise ValueError(
            f"scores has {table.shape[1]} columns for {len(known)} classes; one for each is needed."
        )
    columns = {label: table[:, j] for j, label in enumerate(known.tolist())}
    areas = [
        _against_rest(columns[label], truth == label, weight) if label in columns else 0.5
        for label in present.tolist()
    ]
    return float(np.mean(areas))


def _against_rest(scores: NDArray, member: NDArray, weight: NDArray) -> float:
    _, place = np.unique(scores, return_inverse=True)
    inside = np.bincount(place, weights=weight * member)
    outside = np.bincount(place, weights=weight * ~member)
    below = np.cumsum(outside) - outside
    return float(inside @ (below + outside / 2) / (inside.sum() * outside.sum()))


def _aligned(
    y_true: ArrayLike, other: ArrayLike, sample_weight: ArrayLike | None, *, same_shape: bool = True
) -> tuple[NDArray, NDArray, NDArray[np.float64]]:
    """Truth, answers and weights row by row, without the rows that weigh nothing."""
    truth, answer = np.asarray(y_true), np.asarray(other)
    if truth.shape != answer.shape if same_shape else len(truth) != len(answer):
        raise ValueError(
            f"y_true has shape {truth.shape} and the predictions {answer.shape}; one entry for "
            "every row is needed."
        )
    if sample_weight is None:
        weight = np.ones(len(truth))
    else:
        weight = np.asarray(sample_weight, dtype=np.float64)
        if weight.shape != (len(truth),) or not (weight >= 0).all():
            raise ValueError("sample_weight must hold one number from 0 up for every row.")
        kept = weight > 0
        truth, answer, weight = truth[kept], answer[kept], weight[kept]
    if not len(truth):
        raise ValueError("y_true is empty; an error rate needs at least one row.")
    return truth, answer, weight


class Stability(float):
    """A stability index: a float that also knows its confidence interval.

    Attributes
    ----------
    lower, upper : float
        The ends of the interval. They are not cut at the index's own bounds.
    level : float
        The interval's nominal coverage.
    variance : float
        The asymptotic variance of the index.
    """

    lower: float
    upper: float
    level: float
    variance: float

    def __new__(cls, value: float, variance: float, level: float) -> "Stability":
        self = super().__new__(cls, value)
        half = float(ndtri((1 + level) / 2)) * sqrt(variance)
        self.lower, self.upper = float(value) - half, float(value) + half
        self.level, self.variance = float(level), float(variance)
        return self

    def __getnewargs__(self) -> tuple[float, float, float]:  # type: ignore[override]
        return float(self), self.variance, self.level

    def __repr__(self) -> str:
        return (
            f"Stability({float(self):.3f}, lower={self.lower:.3f}, upper={self.upper:.3f}, "
            f"level={self.level:g})"
        )


def stability_index(
    masks: ArrayLike, *, level: float = 0.95, n_features: int | None = None
) -> Stability:
    """How much the subsets chosen in several runs agree, corrected for chance.

    With ``p_f`` the share of the M runs that chose feature f and ``k`` the mean number chosen out
    of d, the index is

        1 - mean_f(M / (M - 1) p_f (1 - p_f)) / (k/d (1 - k/d))

    It is 1 when all runs chose the same features and 0 on average when each run drew its features
    at random; its smallest value is ``-1 / (M - 1)``. Subsets may differ in size. The interval is
    the paper's asymptotic one, meant for some tens of runs or more.

    Parameters
    ----------
    masks : array-like of shape (n_runs, n_features)
        True or 1 where a run chose a feature.
    level : float, default 0.95
        Nominal coverage of the interval.
    n_features : int, optional
        How many features there are, where `masks` leaves out columns that no run chose.

    Returns
    -------
    Stability
        A float with ``lower``, ``upper``, ``level`` and ``variance``; NaN throughout when all
        features or none were chosen in every run.

    References
    ----------
    Nogueira, Sechidis and Brown (2018), On the stability of feature selection algorithms, Journal
    of Machine Learning Research 18(174).

    Examples
    --------
    >>> masks = [[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]]
    >>> stability_index(masks)
    Stability(0.500, lower=0.076, upper=0.924, level=0.95)
    """
    checks.real("level", level, 0, 1)
    chosen, n_features = runs(masks, n_features)
    n_runs = len(chosen)
    frequency = chosen.mean(axis=0)
    density = frequency.sum() / n_features
    if density in (0.0, 1.0):
        return Stability(nan, nan, level)
    chance = density * (1 - density)
    spread = n_runs / (n_runs - 1) * np.sum(frequency * (1 - frequency)) / n_features
    index = 1 - spread / chance
    # what each run contributes to the index; their spread gives the asymptotic variance
    sizes = chosen.sum(axis=1) / n_features
    overlap = chosen @ frequency / n_features
    balance = 2 * sizes * density - sizes - density + 1
    parts = (overlap - sizes * density + index / 2 * balance) / chance
    variance = 4 / n_runs**2 * np.sum((parts - parts.mean()) ** 2)
    return Stability(float(index), float(variance), level)


@dataclass(frozen=True)
class StabilityDifference:
    """A test of two stabilities: their difference, its normal score, and the two-sided p-value."""

    difference: float
    statistic: float
    p_value: float


def stability_difference(first: Stability, second: Stability) -> StabilityDifference:
    """Whether two procedures differ in stability: section 4.3 of Nogueira et al. (2018).

    Meant for runs that were made independently of each other, some tens of them or more.

    Parameters
    ----------
    first, second : Stability
        Two answers of `stability_index`.

    Examples
    --------
    >>> always = stability_index([[1, 1, 0, 0]] * 3 + [[1, 0, 1, 0]])
    >>> seldom = stability_index([[1, 0, 0, 1], [0, 1, 1, 0], [1, 1, 0, 0], [1, 0, 1, 0]])
    >>> round(stability_difference(always, seldom).p_value, 3)
    0.008
    """
    difference = float(first) - float(second)
    error = sqrt(first.variance + second.variance)
    if error == 0:
        score = 0.0 if difference == 0 else np.copysign(np.inf, difference)
    else:
        score = difference / error
    return StabilityDifference(difference, float(score), float(2 * ndtr(-abs(score))))


def probe_fraction(selected: ArrayLike, probes: ArrayLike) -> float:
    """The share of the selected features that are probes: columns known to be without effect.

    Parameters
    ----------
    selected, probes : array-like of shape (n_features,)
        Two masks, such as a selector's ``support_`` and the columns that were planted.

    Returns
    -------
    float
        NaN when nothing was selected.

    Examples
    --------
    >>> probe_fraction([True, True, False, True], [False, False, True, True])
    0.3333333333333333
    """
    chosen, planted = _mask("selected", selected), _mask("probes", probes)
    if chosen.shape != planted.shape:
        raise ValueError(
            f"selected has {len(chosen)} features and probes {len(planted)}; "
            "two masks over the same features are needed."
        )
    n_selected = np.count_nonzero(chosen)
    return float(np.count_nonzero(chosen & planted) / n_selected) if n_selected else nan


def runs(masks: ArrayLike, n_features: int | None = None) -> tuple[NDArray[np.float64], int]:
    """The runs' masks as numbers, and how many features there are."""
    lengths = {np.size(mask) for mask in masks} if isinstance(masks, (list, tuple)) else set()
    if len(lengths) > 1:
        raise ValueError(
            f"masks have different lengths ({', '.join(map(str, sorted(lengths)))}); "
            "each run needs one entry per feature, not a list of indices."
        )
    chosen = np.asarray(masks)
    if chosen.ndim != 2 or not chosen.size:
        raise ValueError(f"masks must have shape (n_runs, n_features), not {chosen.shape}.")
    chosen = _zeros_and_ones("masks", chosen).astype(np.float64)
    if len(chosen) < 2:
        raise ValueError("masks holds one run; agreement needs at least two.")
    if n_features is None:
        return chosen, chosen.shape[1]
    checks.whole("n_features", n_features, chosen.shape[1])
    return chosen, n_features


def _mask(name: str, values: ArrayLike) -> NDArray[np.bool_]:
    mask = np.asarray(values)
    if mask.ndim != 1:
        raise ValueError(f"{name} must be a mask with one entry per feature, not {mask.shape}.")
    return _zeros_and_ones(name, mask).astype(bool)


def _zeros_and_ones(name: str, values: NDArray) -> NDArray:
    if values.dtype.kind not in "buif" or not ((values == 0) | (values == 1)).all():
        raise ValueError(f"{name} must hold True and False (or 1 and 0), not indices or names.")
    return values
