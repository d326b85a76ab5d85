"""Ridge regression on a sparse table, for many targets, each on the columns that it has left.

A text collection with ten thousand words has a table that is nearly empty and Gram matrices that
are nearly full. So nothing is factorised here: conjugate gradients ask the table for products
alone, for several targets at once, and each new fit starts from the last one's weights. Columns are
about their means without a dense table ever being made.

References
----------
Hestenes and Stiefel (1952), "Methods of conjugate gradients for solving linear systems", Journal of
Research of the National Bureau of Standards 49. Li and Yang (2005), "Using recursive classification
to discover predictive features", ACM Symposium on Applied Computing: a ranking for each category.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from handful import _core
from handful.columns import Columns
from handful.solvers.backward import Plan, weakest_first
from handful.target import Target

# What a solution leaves of the equations, as a share of their right-hand side, and after how many
# steps it is told that they are too hard.
_TOLERANCE, _STEPS = 1e-8, 2000


@dataclass(frozen=True, eq=False)
class Fits:
    """One model for every target, all with as many columns.

    Attributes
    ----------
    columns : ndarray of int, shape (n_targets, n_left)
        Each target's columns, rising.
    weights : ndarray of shape (n_targets, n_left)
    intercepts : ndarray of shape (n_targets,)
    """

    columns: NDArray[np.int64]
    weights: NDArray[np.float64]
    intercepts: NDArray[np.float64]

    @property
    def n_left(self) -> int:
        return self.columns.shape[1]


class TargetRidges:
    """A ridge regression for every target, on columns of its own.

    Parameters
    ----------
    table : Columns
        With a sparse `native`.
    target : Target
    alpha : float
    n_jobs : int
        Threads; they do not change the answer.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from handful.columns import Sparse
    >>> from handful.target import encode
    >>> table, labels = Sparse(csr_array(np.eye(4)[:, :3])), np.eye(4, dtype=int)[:, :2]
    >>> target = encode(labels, tasks=("classification",), several=True)
    >>> fits = TargetRidges(table, target, 1.0).fit(np.array([[0, 1], [1, 2]]))
    >>> fits.weights.round(3).tolist()
    [[0.833, -0.167], [0.833, -0.167]]
    """

    def __init__(self, table: Columns, target: Target, alpha: float, n_jobs: int = 1) -> None:
        targets, self.alpha, self._n_jobs = target.columns(), alpha, n_jobs
        weight = np.ones(len(targets)) if target.weight is None else target.weight
        columns = sparse.csc_array(table.native, dtype=np.float64)
        share, root = weight / weight.sum(), np.sqrt(weight)
        self._column_means, self._means = columns.T @ share, share @ targets
        centred = (targets - self._means) * root[:, None]
        if target.weight is not None:
            columns = sparse.csc_array(sparse.diags_array(root) @ columns)
        # the centred targets of weighted rows are orthogonal to the roots: no column's mean counts
        self._sums = np.ascontiguousarray(columns.T @ centred)
        self._table = _core.SparseColumns(
            columns.indptr.astype(np.int64),
            columns.indices.astype(np.int32, copy=False),
            columns.data,
            self._column_means,
            root,
        )
        self.n_columns, self.n_targets = self._sums.shape

    def fit(self, columns: NDArray[np.int64], start: NDArray | None = None) -> Fits:
        """The models on these columns, as in `Fits`; `start` is a guess of their weights."""
        columns = np.ascontiguousarray(columns, dtype=np.int64)
        weights = np.zeros(columns.shape) if start is None else start.copy()
        n_solved = _core.conjugate_ridge(
            self._table, self.alpha, self._sums, columns, weights, _TOLERANCE, _STEPS, self._n_jobs
        )
        if n_solved < self.n_targets:
            warnings.warn(
                f"Ridge with alpha={self.alpha:g} on {columns.shape[1]} columns of a sparse table "
                f"came to no exact answer in {_STEPS} steps for {self.n_targets - n_solved} of "
                f"{self.n_targets} targets; scale the columns alike, or use a larger alpha.",
                ConvergenceWarning,
                stacklevel=2,
            )
        products = np.einsum("tj,tj->t", weights, self._column_means[columns])
        return Fits(columns, weights, self._means - products)


class JointRidge:
    """`TargetRidges` of which all targets lose the same columns, for `backward.eliminate`.

    Attributes
    ----------
    alphas : list of (int, float)
        For each fit how many columns it had, and its alpha.
    """

    def __init__(self, models: TargetRidges) -> None:
        self._models = models
        self._left = np.arange(models.n_columns)
        self._weights = np.zeros((models.n_targets, models.n_columns))
        self.alphas: list[tuple[int, float]] = []

    def scores(self) -> NDArray[np.float64]:
        columns = np.tile(self._left, (self._models.n_targets, 1))
        self._weights = self._models.fit(columns, self._weights).weights
        self.alphas.append((len(self._left), self._models.alpha))
        return np.linalg.norm(self._weights, axis=0)

    def keep(self, places: NDArray[np.intp]) -> None:
        self._left = self._left[places]
        self._weights = np.ascontiguousarray(self._weights[:, places])


def each_target(models: TargetRidges, plan: Plan) -> Iterator[tuple[Fits, NDArray[np.intp]]]:
    """Eliminate columns for every target by itself, from all columns down to none.

    Yields the models of every step, and of each target the places among its columns of those that
    go next, the weakest first. The plan is of single columns, none of them kept.
    """
    shape = models.n_targets, -1
    columns = np.tile(np.arange(models.n_columns), (models.n_targets, 1))
    start = None
    while columns.size:
        fits = models.fit(columns, start)
        n_going = min(plan.number(fits.n_left), fits.n_left)
        going = np.array([weakest_first(scores, n_going) for scores in np.abs(fits.weights)])
        yield fits, going
        stays = np.ones(columns.shape, dtype=bool)
        np.put_along_axis(stays, going, False, axis=1)
        columns, start = columns[stays].reshape(shape), fits.weights[stays].reshape(shape)


def rank_targets(models: TargetRidges, plan: Plan) -> list[tuple[NDArray, NDArray]]:
    """Of every target all columns best first, and each one's score as it went."""
    gone, scores = [], []
    for fits, going in each_target(models, plan):
        gone.append(np.take_along_axis(fits.columns, going, axis=1))
        scores.append(np.abs(np.take_along_axis(fits.weights, going, axis=1)))
    features, judged = (np.hstack(parts)[:, ::-1] for parts in (gone, scores))
    return list(zip(features, judged, strict=True))
