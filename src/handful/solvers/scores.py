"""Scores of single columns, computed from a table's sums: any kind of table, with weights.

Each function takes a table and its target and returns a score per column, the larger the better.
What it says of a constant column means nothing: callers leave those out.
"""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from handful.columns import Columns, group_indicator
from handful.target import Target


def fisher(table: Columns, target: Target) -> NDArray[np.float64]:
    """How far the class means lie apart, for the spread inside the classes.

    ``sum_k (mean_k - mean)^2 / sum_k s_k^2`` with unbiased variances: the score of Gadat and
    Younes (2007), section 5.2.5, for any number of classes. Infinite where classes do not vary.
    """
    total, means, squares = _by_class(table, target)
    grand = total @ means / total.sum()
    return _ratio(((means - grand) ** 2).sum(axis=0), _variances(total, squares).sum(axis=0))


def golub(table: Columns, target: Target) -> NDArray[np.float64]:
    """``|mean_1 - mean_2| / (s_1 + s_2)``, the largest over pairs of classes.

    Golub et al. (1999); Ban and Inoue, equation 13.
    """
    total, means, squares = _by_class(table, target)
    spread = np.sqrt(_variances(total, squares))
    pairs = combinations(range(len(total)), 2)
    scores = [_ratio(np.abs(means[a] - means[b]), spread[a] + spread[b]) for a, b in pairs]
    return np.fmax.reduce(scores)


def pearson(table: Columns, target: Target) -> NDArray[np.float64]:
    """The absolute correlation with a target of numbers."""
    y, weight = target.values, target.weight
    weight = np.ones(len(y)) if weight is None else weight
    _, means, squares = table.group_moments(np.zeros(len(y), dtype=np.int32), 1, target.weight)
    y = y - np.average(y, weights=weight)
    product = table.weighted_sums(weight * y, means[0])
    correlation = _ratio(np.abs(product), np.sqrt(squares[0] * np.sum(weight * y**2)))
    return np.minimum(correlation, 1.0)


def f_statistic(table: Columns, target: Target) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The F statistic of an analysis of variance (classes) or of a straight line (numbers).

    With it its p-value, the chance that one normal column unrelated to y does as well.
    """
    if target.task == "regression":
        between = pearson(table, target) ** 2
        within = 1.0 - between
        n_groups, n_rows = 2, target.n_rows if target.weight is None else target.weight.sum()
    else:
        total, means, squares = _by_class(table, target)
        between = total @ (means - total @ means / total.sum()) ** 2
        within = squares.sum(axis=0)
        n_groups, n_rows = len(total), total.sum()
    if n_rows <= n_groups:
        raise ValueError(
            f"score='f' needs more rows than {n_groups} to compare spreads; there are {n_rows:g}."
        )
    scores = _ratio(between / (n_groups - 1), within / (n_rows - n_groups))
    return scores, fdtrc(n_groups - 1, n_rows - n_groups, scores)


def chi2(table: Columns, target: Target) -> NDArray[np.float64]:
    """Pearson's statistic of each column's sum per class against what the class sizes predict.

    For counts and other values that are not negative.
    """
    negative = np.flatnonzero(table.extremes()[0] < 0)
    if negative.size:
        # the last, since probes made of the table's columns stand before these
        raise ValueError(
            f"Negative values in data: column {table.label(int(negative[-1]))} has some, and "
            "score='chi2' is for counts; use score='f' or 'fisher'."
        )
    indicator = group_indicator(target.class_codes, target.n_classes, target.weight)
    observed = table.weighted_sums(indicator)
    shares = indicator.sum(axis=1) / indicator.sum()
    expected = shares[:, None] * observed.sum(axis=0)
    return _ratio((observed - expected) ** 2, expected).sum(axis=0)


def _by_class(table: Columns, target: Target) -> tuple[NDArray, NDArray, NDArray]:
    """`group_moments` of the classes, whose weights must be those of at least one row."""
    codes = target.class_codes
    total, means, squares = table.group_moments(codes, target.n_classes, target.weight)
    if total.min() < 1:
        lightest = int(np.argmin(total))
        name = target.original[codes == lightest].tolist()[0]
        raise ValueError(
            "sample_weight counts repeated rows, and the rows of class "
            f"{name!r} weigh {total[lightest]:g} together, less than "
            "one row; multiply all weights by a constant."
        )
    return total, means, squares


def _variances(total: NDArray, squares: NDArray) -> NDArray[np.float64]:
    """Unbiased; 0 for a class of one row, which shows no spread."""
    return squares / np.where(total > 1, total - 1.0, np.inf)[:, None]


def _ratio(above: NDArray, below: NDArray) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return above / below
