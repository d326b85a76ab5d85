"""Target: what a method is told about y. Classes are encoded here, once, for the methods alone."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_array, column_or_1d


@dataclass(frozen=True, eq=False)
class Target:
    """An encoded target.

    Attributes
    ----------
    task : {"classification", "regression"}
    original : ndarray
        y as it was given: what estimators, scorers and splitters of the user see.
    codes : ndarray of int32 or None
        0 .. n_classes - 1 for classes, None for regression and for several labels per row.
    classes : ndarray or None
    values : ndarray of float64
        Regression: y itself. Classes: see `columns`.
    weight : ndarray of float64 or None
        One positive weight per row.
    """

    task: str
    original: NDArray
    codes: NDArray[np.int32] | None
    classes: NDArray | None
    values: NDArray[np.float64]
    weight: NDArray[np.float64] | None = None

    @property
    def n_rows(self) -> int:
        return len(self.original)

    @property
    def n_classes(self) -> int:
        return 0 if self.classes is None else len(self.classes)

    @property
    def signs(self) -> NDArray[np.float64]:
        """-1 and 1 for two classes, the second class being 1."""
        if self.n_classes != 2:
            raise ValueError(f"signs are for two classes, not {self.n_classes}.")
        return self.values

    def columns(self) -> NDArray[np.float64]:
        """The target as float columns (n_rows, n_targets).

        Regression: y. Two classes: -1 and 1. More classes: a column per class, 1 for its members
        and -1 for all others. Several labels per row: the same for each label.
        """
        if self.codes is not None and self.n_classes > 2:
            return np.where(self.codes[:, None] == np.arange(self.n_classes), 1.0, -1.0)
        return self.values.reshape(self.n_rows, -1)

    def rows(self, indices: NDArray) -> "Target":
        """The target of these rows; classes that are no longer there are forgotten."""
        weight = None if self.weight is None else self.weight[indices]
        original = self.original[indices]
        if self.codes is not None:
            return _classes(original, weight)
        return Target(self.task, original, None, None, self.values[indices], weight)


def encode(
    y: Any,
    *,
    tasks: tuple[str, ...],
    task: str = "auto",
    several: bool = False,
    weight: NDArray[np.float64] | None = None,
) -> Target:
    """Check y and encode it.

    Continuous targets are regression, everything else classes, unless `task` says otherwise.
    `tasks` are those the method can do; `several` allows more than one target column.
    """
    kind = type_of_target(y, input_name="y")
    n_outputs = np.shape(y)[1] if np.ndim(y) == 2 else 1
    if n_outputs > 1 and not several:
        raise ValueError(
            f"y has {n_outputs} columns (shape {np.shape(y)}); this method takes one target. "
            "GramSchmidt and RecursiveElimination take several."
        )
    if task == "auto":
        task = "regression" if kind.startswith("continuous") else "classification"
    if task not in tasks:
        raise ValueError(
            f"Unknown label type: {kind}. This method is for {tasks[0]}, and y asks for {task}. "
            "GramSchmidt, FilterSelector and RecursiveElimination do regression."
        )
    if task == "regression":
        return _numbers(y, weight)
    if kind.startswith("continuous"):
        raise ValueError(f"Unknown label type: {kind}. Classes must be labels or whole numbers.")
    if kind == "unknown":
        raise ValueError("Unknown label type: unknown. y mixes types that cannot be compared.")
    if n_outputs > 1:
        return _labels(y, kind, weight)
    target = _classes(column_or_1d(y, warn=True), weight)
    if target.n_classes < 2:
        raise ValueError(
            f"y holds 1 class only ({target.original[0]!r}); at least two are needed to tell apart."
        )
    return target


def _numbers(y: Any, weight: NDArray[np.float64] | None) -> Target:
    original = np.asarray(y)
    if original.dtype.kind in "US" or (
        original.dtype.kind == "O" and any(isinstance(value, str) for value in original.ravel())
    ):
        raise ValueError(f"y holds text (first {original.ravel()[0]!r}); regression needs numbers.")
    if original.ndim == 2 and original.shape[1] == 1:
        original = column_or_1d(original, warn=True)
    values = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    values = values.reshape(original.shape)
    constant = np.atleast_1d((values == values[0]).all(axis=0))
    if constant.any():
        which = "" if values.ndim == 1 else f" column {int(np.flatnonzero(constant)[0])}"
        raise ValueError(f"The target{which} is constant ({values.ravel()[0]}); nothing to learn.")
    return Target("regression", original, None, None, values, weight)


def _classes(original: NDArray, weight: NDArray[np.float64] | None) -> Target:
    classes, codes = np.unique(original, return_inverse=True)
    codes = codes.astype(np.int32).reshape(-1)
    values = (2 * codes - 1 if len(classes) == 2 else codes).astype(np.float64)
    return Target("classification", original, codes, classes, values, weight)


def _labels(y: Any, kind: str, weight: NDArray[np.float64] | None) -> Target:
    if kind != "multilabel-indicator":
        raise ValueError(f"y is {kind}; several targets of classes must be a 0/1 indicator matrix.")
    original = np.asarray(y.todense()) if hasattr(y, "todense") else np.asarray(y)
    values = np.where(original > 0, 1.0, -1.0)
    return Target("classification", original, None, None, values, weight)
