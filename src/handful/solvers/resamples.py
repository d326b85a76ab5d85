"""Resamples of the rows: who is drawn how often, the machines on them, and what they agree on."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve

from handful.columns import Columns
from handful.columns.base import sums_of_squares
from handful.solvers.ridge import cholesky

Numbers = NDArray[np.float64]

# More agreement than this is rounding: the spread counts as at least so much of the mean.
_MOST = 1e12


@dataclass(frozen=True, eq=False)
class Resamples:
    """Resamples of the rows of two classes.

    Attributes
    ----------
    signs : ndarray of shape (n_rows,)
        -1 and 1; 0 for rows of other classes.
    counts : ndarray of shape (n_resamples, n_rows)
        How often each row was drawn.
    """

    signs: Numbers
    counts: Numbers

    def recognised(self, decisions: Numbers, weight: Numbers | None = None) -> float:
        """The share of right decisions on the rows that a machine has not seen, over all machines.

        NaN where every machine has seen all rows.
        """
        unseen = ((self.counts == 0) & (self.signs != 0)) * (1.0 if weight is None else weight)
        right = ((decisions > 0) == (self.signs > 0)) * unseen
        total = unseen.sum(axis=1)
        tested = total > 0
        return float(np.mean(right.sum(axis=1)[tested] / total[tested])) if tested.any() else np.nan


def draw(signs: Numbers, number: int, fraction: float, rng: np.random.Generator) -> Resamples:
    """Rows drawn with replacement, `fraction` as many as there are, of both classes each time.

    Draws of one class only are made anew: no machine can learn from them.

    Examples
    --------
    >>> signs = np.array([-1.0, 1.0, 0.0, 1.0, 1.0, 1.0])
    >>> drawn = draw(signs, 3, 0.8, np.random.default_rng(0)).counts
    >>> drawn.sum(axis=1).tolist(), drawn[:, 2].tolist(), bool((drawn[:, 0] > 0).all())
    ([4.0, 4.0, 4.0], [0.0, 0.0, 0.0], True)
    """
    rows = np.flatnonzero(signs)
    size = max(2, round(fraction * len(rows)))
    counts = np.zeros((number, len(signs)))
    missing = np.arange(number)
    while missing.size:
        drawn = rng.choice(rows, (len(missing), size))
        places = drawn + len(signs) * np.arange(len(missing))[:, None]
        found = np.bincount(places.ravel(), minlength=len(missing) * len(signs))
        counts[missing] = found.reshape(len(missing), len(signs))
        both = (counts @ (signs > 0) > 0) & (counts @ (signs < 0) > 0)
        missing = np.flatnonzero(~both)
    return Resamples(signs, counts)


def solve_ridge(
    gram: Numbers, signs: Numbers, weights: Numbers, alpha: float
) -> tuple[Numbers, Numbers]:
    """Ridge machines on one Gram matrix: coefficients and intercepts.

    Each minimises ``sum weight (sign - f)^2 + alpha |w|^2``. As for support vector machines the
    weights are ``w = X' beta``, decisions ``K beta + intercept``, and the coefficients sum to 0;
    rows that weigh nothing are absent.

    Examples
    --------
    >>> X, signs = np.array([[-1.0], [0.0], [1.0]]), np.array([-1.0, -1.0, 1.0])
    >>> beta, intercept = solve_ridge(X @ X.T, signs, np.ones((1, 3)), 1.0)
    >>> (beta @ X).round(12).tolist(), intercept.round(12).tolist()
    ([[0.666666666667]], [-0.333333333333])
    """
    beta, intercept = np.zeros_like(weights), np.zeros(len(weights))
    for number, weight in enumerate(weights):
        rows = np.flatnonzero(weight)
        share, root = weight[rows] / weight[rows].sum(), np.sqrt(weight[rows])
        own = gram[np.ix_(rows, rows)]
        means = own @ share
        centred = own - means - means[:, None] + share @ means
        centred *= np.multiply.outer(root, root)
        mean = share @ signs[rows]
        found = root * _sound_solution(centred, root * (signs[rows] - mean), root, alpha)
        intercept[number] = mean - means @ found
        beta[number, rows] = found
    return beta, intercept


def _sound_solution(gram: Numbers, side: Numbers, nothing: Numbers, alpha: float) -> Numbers:
    """The solution of ``gram + alpha``; `nothing` spans what the matrix and the side do not reach.

    Where columns depend on each other and alpha is tiny, what rounding leaves in further dimensions
    would be divided by alpha: those are left out.
    """
    # so that it has a pivot there that is as large as the others; the solution has no part in it
    unit = nothing / np.linalg.norm(nothing)
    filled = gram + np.trace(gram) / len(gram) * np.multiply.outer(unit, unit)
    factor = cholesky(filled, alpha)
    if factor is not None:
        return cho_solve((factor, True), side, check_finite=False)
    sizes, vectors = np.linalg.eigh(gram)
    sound = sizes > len(gram) * np.finfo(float).eps * sizes[-1]
    vectors = vectors[:, sound]
    return vectors @ ((vectors.T @ side) / (sizes[sound] + alpha))


class Moments:
    """Means and spreads of what comes part by part; only running sums are held.

    The sums of squares are about the mean so far (Chan, Golub and LeVeque, "Algorithms for
    computing the sample variance", The American Statistician 37, 1983).

    Examples
    --------
    >>> moments = Moments(2)
    >>> for part in ([[1.0, 5.0]], [[3.0, 5.0], [5.0, 5.0]]):
    ...     moments.add(np.array(part))
    >>> moments.mean.tolist(), moments.deviation.round(3).tolist()
    ([3.0, 5.0], [1.633, 0.0])
    """

    def __init__(self, n_columns: int) -> None:
        self.mean = np.zeros(n_columns)
        self._squares = np.zeros(n_columns)
        self._count = 0

    def add(self, values: Numbers) -> None:
        """Some more rows of numbers."""
        mean = values.mean(axis=0)
        apart, total = mean - self.mean, self._count + len(values)
        self._squares += np.square(values - mean).sum(axis=0)
        self._squares += apart**2 * (self._count * len(values) / total)
        self.mean += apart * (len(values) / total)
        self._count = total

    @property
    def deviation(self) -> Numbers:
        return np.sqrt(self._squares / self._count)


def linear_stability(table: Columns, beta: Numbers, some: int) -> Numbers:
    """The `stability` of the weights ``X' beta`` over machines, without all weights of any.

    The deviations of the coefficients, turned into no more rows than they have columns, leave the
    sum of squares of the weights' deviations as it is. `some` such rows are multiplied at a time.
    """
    mean = beta.mean(axis=0)
    apart = (beta - mean) / np.sqrt(len(beta))
    if len(apart) > apart.shape[1]:
        apart = np.linalg.qr(apart, mode="r")
    rows = np.vstack([mean, apart])
    sums = squares = np.zeros(table.shape[1])
    for start in range(0, len(rows), some):
        found = table.weighted_sums(rows[start : start + some])
        if start == 0:
            sums, found = found[0], found[1:]
        squares = squares + sums_of_squares(found, None)
    return stability(sums, np.sqrt(squares))


def stability(mean: Numbers, deviation: Numbers) -> Numbers:
    """``|mean| / deviation``: 0 where all is 0, and at most 1e12, where all is the same.

    Examples
    --------
    >>> stability(np.array([-3.0, 0.0, 5.0]), np.array([2.0, 0.0, 0.0])).tolist()
    [1.5, 0.0, 1000000000000.0]
    """
    size = np.abs(mean)
    spread = np.maximum(deviation, size / _MOST)
    return np.divide(size, spread, out=np.zeros_like(size), where=spread > 0)
