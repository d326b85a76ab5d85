"""Support vector machines by their dual: exact, several on one Gram matrix, from a warm start.

libsvm's problem, with its free intercept. For signs ``y_i`` and dual variables ``alpha_i`` the
coefficients here are ``beta_i = y_i alpha_i``: they maximise ``sum y_i beta_i - beta' K beta / 2``
where they sum to 0 and ``0 <= y_i beta_i <= bound_i``. A linear machine's weights are ``X' beta``,
its decisions ``K beta + intercept``. The bound of a row is C times its weight; a row whose sign or
bound is 0 is absent, so that resamples and pairs of classes share one matrix.

References
----------
Chang and Lin (2011), "LIBSVM: a library for support vector machines", ACM Transactions on
Intelligent Systems and Technology 2. Platt (1998), "Fast training of support vector machines using
sequential minimal optimization". Ban and Inoue, "Feature subset selection by SVM ensemble".

Examples
--------
>>> X, signs = np.array([[-2.0], [-1.0], [1.0], [3.0]]), np.array([[-1.0, -1.0, 1.0, 1.0]])
>>> gram = X @ X.T
>>> beta = solve(gram, signs, np.full((1, 4), 10.0))
>>> (beta @ X + 0.0).round(6).tolist(), intercepts(gram, signs, np.full((1, 4), 10.0), beta)
([[1.0]], array([0.]))
"""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful import _core
from handful.target import Target

Numbers = NDArray[np.float64]
# A coefficient within so much of its bound, as a share of it, is at the bound.
_NEAR = 1e-12


def solve(
    gram: Numbers, signs: Numbers, bounds: Numbers, start: Numbers | None = None, n_jobs: int = 1
) -> Numbers:
    """The coefficients of machines that share a Gram matrix.

    Parameters
    ----------
    gram : ndarray of shape (n_rows, n_rows)
        Symmetric and positive semidefinite.
    signs : ndarray of shape (n_machines, n_rows)
        -1 and 1, and 0 for rows that are absent. One row, or just the rows' signs, serves all.
    bounds : ndarray of shape (n_machines, n_rows)
        The largest ``alpha`` of each row, likewise.
    start : ndarray of shape (n_machines, n_rows), optional
        Coefficients to start from, such as those of nearly the same problem: within the bounds,
        with sum 0.
    n_jobs : int
        Threads; each has a machine at a time.

    Returns
    -------
    ndarray of shape (n_machines, n_rows)
        The same bits for any number of threads.

    Examples
    --------
    >>> gram = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> solve(gram, np.array([1.0, -1.0]), np.array([[9.0], [0.25]])).tolist()
    [[0.5, -0.5], [0.25, -0.25]]
    """
    shape = np.broadcast_shapes(np.atleast_2d(signs).shape, np.atleast_2d(bounds).shape)
    shape = np.broadcast_shapes(shape, (1, len(gram)))
    start = np.zeros(shape) if start is None else start
    plain = (np.ascontiguousarray(np.broadcast_to(a, shape), float) for a in (signs, bounds, start))
    return _core.solve_machines(np.ascontiguousarray(gram, dtype=float), *plain, n_jobs)


def intercepts(gram: Numbers, signs: Numbers, bounds: Numbers, beta: Numbers) -> Numbers:
    """What each machine adds to ``K beta``, as libsvm chooses it.

    The mean of what makes the rows between their bounds stand on their margin; where there are
    none, the middle of what the others allow.

    Examples
    --------
    >>> gram, signs = np.array([[4.0, 2.0], [2.0, 1.0]]), np.array([[1.0, -1.0]])
    >>> intercepts(gram, signs, np.full((1, 2), 9.0), np.array([[2.0, -2.0]])).tolist()
    [-3.0]
    """
    errors = signs - beta @ gram
    near = _NEAR * bounds
    grows = beta < np.maximum(0, signs * bounds) - near
    shrinks = beta > np.minimum(0, signs * bounds) + near
    between = grows & shrinks
    least = np.where(grows, errors, -np.inf).max(axis=1)
    most = np.where(shrinks, errors, np.inf).min(axis=1)
    middle = np.where(np.isfinite(least) & np.isfinite(most), (least + most) / 2, 0.0)
    count = between.sum(axis=1)
    mean = np.where(between, errors, 0.0).sum(axis=1) / np.maximum(count, 1)
    return np.where(count > 0, mean, middle)


def one_versus_rest(target: Target) -> Numbers:
    """Signs, one machine per class against all others; a single machine for two classes.

    Examples
    --------
    >>> from handful.target import encode
    >>> one_versus_rest(encode(np.array([0, 1, 2]), tasks=("classification",))).tolist()
    [[1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]]
    """
    return np.ascontiguousarray(target.columns().T)


def pairwise(target: Target) -> Numbers:
    """Signs, one machine per pair of classes in their order, 1 for the second; 0 for other rows.

    Examples
    --------
    >>> from handful.target import encode
    >>> pairwise(encode(np.array([0, 1, 2]), tasks=("classification",))).tolist()
    [[-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0], [0.0, -1.0, 1.0]]
    """
    codes = target.class_codes
    pairs = combinations(range(target.n_classes), 2)
    return np.array([(codes == b).astype(float) - (codes == a) for a, b in pairs])


def bounds_of(
    target: Target,
    signs: Numbers,
    C: float,
    class_weight: str | Mapping[Any, float] | None = None,
) -> Numbers:
    """Of each machine and row: C times the weights of the row and of its class.

    0 where the row is absent. `class_weight` is None, "balanced", or a weight per class, 1 for
    those it does not name.

    Examples
    --------
    >>> from handful.target import encode
    >>> target = encode(np.array([0, 1, 2]), tasks=("classification",))
    >>> bounds_of(target, pairwise(target), 2.0, {1: 3.0}).tolist()
    [[2.0, 6.0, 0.0], [2.0, 0.0, 2.0], [0.0, 6.0, 2.0]]
    """
    weight = np.ones(target.n_rows) if target.weight is None else target.weight
    if class_weight is not None:
        weight = weight * _of_classes(target, weight, class_weight)[target.class_codes]
    return C * weight * np.abs(signs)


def _of_classes(
    target: Target, weight: Numbers, class_weight: str | Mapping[Any, float]
) -> Numbers:
    """The weight of each class."""
    if target.classes is None:
        n_labels = target.values.shape[1]
        raise ValueError(
            f"class_weight={class_weight!r} is for one label per row, and y has {n_labels}; fit a "
            "selector for each, or leave class_weight at None."
        )
    if isinstance(class_weight, Mapping):
        labels = target.classes.tolist()
        for label in class_weight:
            if label not in labels:
                raise ValueError(
                    f"class_weight names the class {label!r}; the classes are "
                    f"{', '.join(map(repr, labels))}."
                )
        found = np.array([class_weight.get(label, 1.0) for label in labels], dtype=np.float64)
        if not (np.isfinite(found) & (found > 0)).all():
            raise ValueError(f"class_weight={dict(class_weight)!r} must hold positive numbers.")
        return found
    if class_weight != "balanced":
        raise ValueError(
            f"class_weight={class_weight!r} is not known; use None, 'balanced' or a dict."
        )
    total = np.bincount(target.class_codes, weight)
    return total.sum() / (len(total) * total)
