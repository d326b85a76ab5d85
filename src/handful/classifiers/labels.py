"""What classifiers share: the check of y, and what a wrong answer costs in each row."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful import checks
from handful.target import Target, encode

ERRORS = ("plain", "balanced")


def classes(y: Any, n_rows: int, weight: NDArray[np.float64] | None = None) -> Target:
    """The encoded classes of a table with so many rows."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None.")
    target = encode(y, tasks=("classification",), weight=weight)
    if target.n_rows != n_rows:
        raise ValueError(
            f"X has {n_rows} rows and y has {target.n_rows}: inconsistent numbers of samples; give "
            "one label per row."
        )
    return target


def two_classes(y: Any, n_rows: int, weight: NDArray[np.float64] | None = None) -> Target:
    """The encoded target, the second class being 1.

    Examples
    --------
    >>> two_classes(["no", "yes", "no"], 3).codes.tolist()
    [0, 1, 0]
    """
    target = classes(y, n_rows, weight)
    if target.n_classes > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: y has "
            f"{target.n_classes} classes; put sklearn.multiclass.OneVsRestClassifier around it."
        )
    return target


def costs(target: Target, error: str) -> NDArray[np.float64]:
    """What a wrong answer costs in each row: all rows 1 together, or for "balanced" each class 1/2.

    Examples
    --------
    >>> costs(two_classes([0, 0, 0, 1], 4), "balanced").round(3).tolist()
    [0.167, 0.167, 0.167, 0.5]
    """
    checks.one_of("error", error, ERRORS)
    weight = np.ones(target.n_rows) if target.weight is None else target.weight
    if error == "plain":
        return weight / weight.sum()
    of_class = np.bincount(target.class_codes, weight)
    return weight / (2 * of_class[target.class_codes])
