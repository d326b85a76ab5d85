"""What is measured on a selection: balanced error, stability, the share of planted noise columns.

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

from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from handful import checks


def balanced_error(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """The mean of the classes' error rates, each class counting the same whatever its size.

    One minus scikit-learn's `balanced_accuracy_score`. A classifier that always answers the same
    class errs at 1/2 on two classes, however rare the other one is.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        The classes; those that occur here are the ones that count.
    y_pred : array-like of shape (n_samples,)

    Examples
    --------
    >>> balanced_error([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0])
    0.375
    """
    truth, answer = np.asarray(y_true), np.asarray(y_pred)
    if truth.ndim != 1 or truth.shape != answer.shape:
        raise ValueError(
            f"y_true has shape {truth.shape} and y_pred {answer.shape}; two rows of labels of one "
            "length are needed."
        )
    if not len(truth):
        raise ValueError("y_true is empty; an error rate needs at least one row.")
    _, codes = np.unique(truth, return_inverse=True)
    wrong = np.bincount(codes, weights=truth != answer)
    return float(np.mean(wrong / np.bincount(codes)))


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


def stability_index(masks: ArrayLike, *, level: float = 0.95) -> Stability:
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
    chosen = _masks(masks)
    n_runs, n_features = chosen.shape
    if n_runs < 2:
        raise ValueError("masks holds one run; agreement needs at least two.")
    frequency = chosen.mean(axis=0)
    density = frequency.mean()
    if density in (0.0, 1.0):
        return Stability(nan, nan, level)
    chance = density * (1 - density)
    spread = n_runs / (n_runs - 1) * np.mean(frequency * (1 - frequency))
    index = 1 - spread / chance
    # what each run contributes to the index; their spread gives the asymptotic variance
    sizes = chosen.mean(axis=1)
    overlap = chosen @ frequency / n_features
    balance = 2 * sizes * density - sizes - density + 1
    parts = (overlap - sizes * density + index / 2 * balance) / chance
    variance = 4 / n_runs**2 * np.sum((parts - parts.mean()) ** 2)
    return Stability(float(index), float(variance), level)


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


def _masks(masks: ArrayLike) -> NDArray[np.float64]:
    lengths = {np.size(mask) for mask in masks} if isinstance(masks, (list, tuple)) else set()
    if len(lengths) > 1:
        raise ValueError(
            f"masks have different lengths ({', '.join(map(str, sorted(lengths)))}); "
            "each run needs one entry per feature, not a list of indices."
        )
    chosen = np.asarray(masks)
    if chosen.ndim != 2 or not chosen.size:
        raise ValueError(f"masks must have shape (n_runs, n_features), not {chosen.shape}.")
    return _zeros_and_ones("masks", chosen).astype(np.float64)


def _mask(name: str, values: ArrayLike) -> NDArray[np.bool_]:
    mask = np.asarray(values)
    if mask.ndim != 1:
        raise ValueError(f"{name} must be a mask with one entry per feature, not {mask.shape}.")
    return _zeros_and_ones(name, mask).astype(bool)


def _zeros_and_ones(name: str, values: NDArray) -> NDArray:
    if values.dtype.kind not in "buif" or not np.isin(values, (0, 1)).all():
        raise ValueError(f"{name} must hold True and False (or 1 and 0), not indices or names.")
    return values
