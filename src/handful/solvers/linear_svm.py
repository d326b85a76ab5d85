"""Linear support vector machines that lose their columns, with the weights of a new fit each time.

The machines see the rows through their inner products alone, which lose a product when columns go;
each fit starts from the coefficients of the last one. One column at a time is the compiled core's
work.
"""

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from handful import _core
from handful.columns import Columns
from handful.solvers import support
from handful.solvers.backward import Plan

Numbers = NDArray[np.float64]
# The share of a Gram matrix that must be left, or it is made anew: rounding stays far below.
_WORN = 0.1


def centred(table: Columns, weight: Numbers | None = None) -> Numbers:
    """The table in float64 about its columns' means, which the intercept makes up for."""
    values = table.gather().astype(np.float64, order="F")
    # twice: what rounding leaves of large means goes with the second
    values -= np.average(values, axis=0, weights=weight)
    values -= np.average(values, axis=0, weights=weight)
    return values


def eliminate_one_by_one(
    X: Numbers, signs: Numbers, bounds: Numbers, plan: Plan, n_jobs: int
) -> tuple[NDArray[np.intp], Numbers]:
    """The columns best first, and their scores, by single elimination.

    `X` is `centred`; `signs` and `bounds` have a row per machine, see `support.solve`.
    """
    left, kept = np.arange(X.shape[1]), plan.kept.copy()
    gone, scores = [], []
    while len(left):
        if kept[left].all():
            kept[:] = False
        Z = X[:, left]
        # the little that BLAS does here is not worth waiting for its threads
        with threadpool_limits(1, user_api="blas"):
            gram = Z @ Z.T
        columns, marks = np.ascontiguousarray(Z.T), kept[left].view(np.uint8)
        found, judged = _core.eliminate_machines(columns, gram, signs, bounds, marks, n_jobs)
        gone.append(left[found])
        scores.append(judged)
        left = np.delete(left, found)
    return np.concatenate(gone)[::-1], np.concatenate(scores)[::-1]


class LinearMachines:
    """Machines on the columns that are left, for any number that goes at a time.

    Parameters
    ----------
    X : ndarray
        As from `centred`.
    signs, bounds : ndarray of shape (n_machines, n_rows)
        See `support.solve`.
    n_jobs : int
    """

    def __init__(self, X: Numbers, signs: Numbers, bounds: Numbers, n_jobs: int = 1) -> None:
        self._table, self._signs, self._bounds, self._n_jobs = X, signs, bounds, n_jobs
        self._beta = np.zeros_like(signs)
        self._gram: Numbers | None = None
        self._fresh = 0.0  # the Gram matrix's trace when it was made

    def scores(self) -> Numbers:
        """Over several machines the root of the summed squares."""
        return np.linalg.norm(self.weights(), axis=0)

    def weights(self) -> Numbers:
        """One row per machine, one column per column that is left."""
        if self._gram is None:
            self._gram = self._table @ self._table.T
            self._fresh = float(np.trace(self._gram))
        self._beta = support.solve(self._gram, self._signs, self._bounds, self._beta, self._n_jobs)
        return self._beta @ self._table

    def keep(self, places: NDArray[np.intp]) -> None:
        table, self._table = self._table, self._table[:, places]
        if self._gram is None or 2 * len(places) <= table.shape[1]:
            # too far from the next machines for a start: most coefficients must grow at once
            self._gram, self._beta = None, np.zeros_like(self._beta)
            return
        lost = np.delete(table, places, axis=1)
        self._gram -= lost @ lost.T
        if np.trace(self._gram) < _WORN * self._fresh:
            self._gram = None
