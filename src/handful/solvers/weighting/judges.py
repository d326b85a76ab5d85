"""Judges: the error of a classifier that learns from a few rows and columns, by one of two ways.

The compiled core has a linear support vector machine, nearest neighbours and a classification tree.
Any other classifier is fitted by itself, through joblib.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from handful import _core
from handful.columns import Columns, Sparse
from handful.threads import one_thread

# Up to so many cells, a table is copied so that the cells of a column lie side by side.
_CELLS_COPIED = 1 << 26
# Of the support vector machine: libsvm's own default.
_TOLERANCE = 1e-3


class Judge(ABC):
    """The error of subsets of features; features are numbered as in `columns`."""

    n_rows: int

    @abstractmethod
    def judge(self, subsets: NDArray[np.int64], rows: NDArray[np.int32]) -> NDArray[np.float64]:
        """The error of each subset; `rows` are (n_subsets, 2, n_drawn), to learn from and to
        test."""

    @abstractmethod
    def learn(
        self,
        weights: _core.Weights,
        uniforms: NDArray[np.float64],
        rows: NDArray[np.int32],
        noise: NDArray[np.float64] | None,
        sizes: NDArray[np.float64],
        baseline: float | None,
    ) -> tuple[NDArray[np.float64], int]:
        """So many steps as there are sizes: errors, and how many were made.

        Errors are compared with `baseline`, or with those of the other subsets of the step.
        """


def judge_of(
    table: Columns,
    columns: NDArray[np.intp],
    tasks: Sequence[NDArray[np.int32]],
    parameters: Mapping[str, Any],
    n_jobs: int,
) -> Judge:
    """The judge for columns of a table, and the classes of its rows in each task."""
    base, balanced = parameters["base"], parameters["error"] == "balanced"
    if not isinstance(base, str):
        return Fitted(table, columns, tasks, base, balanced, n_jobs)
    cells, places = _side_by_side(table, columns)
    codes = np.ascontiguousarray(tasks, dtype=np.int32)
    trial = _core.Trial(
        cells,
        places,
        codes,
        [int(code.max()) + 1 for code in codes],
        parameters["metric"] if base == "knn" else base,
        parameters["C"],
        _TOLERANCE,
        parameters["n_neighbors"],
        balanced,
    )
    return Compiled(trial, table.shape[0], n_jobs)


def _side_by_side(table: Columns, columns: NDArray[np.intp]) -> tuple[Any, NDArray[np.int64]]:
    """The table as the core reads it fastest, and where each of the columns is in it."""
    if isinstance(table, Sparse):
        return table.by_column, columns.astype(np.int64)
    n_rows = table.shape[0]
    if n_rows * len(columns) > _CELLS_COPIED:
        native = table.native
        cells = native.tocsc() if sparse.issparse(native) else native
        return cells, columns.astype(np.int64)
    cells = np.empty((n_rows, len(columns)), order="F")
    width = table.block_width
    for start in range(0, len(columns), width):
        cells[:, start : start + width] = table.gather(None, columns[start : start + width])
    return cells, np.arange(len(columns))


class Compiled(Judge):
    """One of the core's own machines."""

    def __init__(self, trial: _core.Trial, n_rows: int, n_jobs: int) -> None:
        self._trial, self.n_rows, self._n_jobs = trial, n_rows, n_jobs

    def judge(self, subsets: NDArray[np.int64], rows: NDArray[np.int32]) -> NDArray[np.float64]:
        return self._trial.judge(subsets, rows[None], self._n_jobs)

    def learn(
        self,
        weights: _core.Weights,
        uniforms: NDArray[np.float64],
        rows: NDArray[np.int32],
        noise: NDArray[np.float64] | None,
        sizes: NDArray[np.float64],
        baseline: float | None,
    ) -> tuple[NDArray[np.float64], int]:
        noise = None if noise is None else noise.ravel()
        return weights.learn(self._trial, uniforms, rows, noise, sizes, baseline, self._n_jobs)


class Fitted(Judge):
    """A scikit-learn classifier, cloned and fitted for each subset."""

    def __init__(
        self,
        table: Columns,
        columns: NDArray[np.intp],
        tasks: Sequence[NDArray[np.int32]],
        classifier: Any,
        balanced: bool,
        n_jobs: int,
    ) -> None:
        self._table, self._columns, self._tasks = table, columns, tasks
        self._classifier, self._balanced, self._n_jobs = classifier, balanced, n_jobs
        self.n_rows = table.shape[0]

    def judge(self, subsets: NDArray[np.int64], rows: NDArray[np.int32]) -> NDArray[np.float64]:
        work = [
            delayed(_error)(self._classifier, *self._cells(subset, drawn), codes, self._balanced)
            for subset, drawn in zip(subsets, rows, strict=True)
            for codes in [[task[drawn] for task in self._tasks]]
        ]
        if self._n_jobs == 1:
            return np.array([call(*given) for call, given, _ in work])
        return np.array(Parallel(n_jobs=self._n_jobs)(work))

    def _cells(self, subset: NDArray, rows: NDArray) -> list[NDArray]:
        columns = self._columns[np.unique(subset)]
        return [self._table.gather(some.astype(np.intp), columns) for some in rows]

    def learn(
        self,
        weights: _core.Weights,
        uniforms: NDArray[np.float64],
        rows: NDArray[np.int32],
        noise: NDArray[np.float64] | None,
        sizes: NDArray[np.float64],
        baseline: float | None,
    ) -> tuple[NDArray[np.float64], int]:
        n_subsets, subset_size = uniforms.shape[1:]
        errors = np.empty((len(sizes), n_subsets))
        for n, size in enumerate(sizes.tolist()):
            drawn = weights.draw(uniforms[n].ravel()).reshape(n_subsets, subset_size)
            errors[n] = self.judge(drawn, rows[n])
            past = (errors[n].sum() - errors[n]) / (n_subsets - 1) if baseline is None else baseline
            lost = np.repeat((errors[n] - past) / n_subsets, subset_size)
            features, place = np.unique(drawn, return_inverse=True)
            gradient = np.bincount(place.ravel(), lost).astype(np.float64)
            if not weights.step(features, gradient, size, None if noise is None else noise[n]):
                return errors[:n].ravel(), n
        return errors.ravel(), len(sizes)


def _error(
    classifier: Any, learn: NDArray, test: NDArray, codes: list[NDArray], balanced: bool
) -> float:
    """The mean over tasks of the share of wrong answers."""
    with one_thread():
        return float(
            np.mean(
                [_error_of(classifier, learn, test, code[0], code[1], balanced) for code in codes]
            )
        )


def _error_of(
    classifier: Any, learn: NDArray, test: NDArray, label: NDArray, truth: NDArray, balanced: bool
) -> float:
    if (label == label[0]).all():
        wrong = truth != label[0]
    else:
        wrong = clone(classifier).fit(learn, label).predict(test) != truth
    if not balanced:
        return float(wrong.mean())
    return float(np.mean([wrong[truth == code].mean() for code in np.unique(truth)]))
