"""Target: what a method is told about y. Classes are encoded here, once, for the methods alone."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d

from handful import checks

_TASKS = ("classification", "regression")


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
    def class_codes(self) -> NDArray[np.int32]:
        """`codes`, where a method for classes trusts them to be there."""
        if self.codes is None:
            raise ValueError("codes are for one label per row.")
        return self.codes

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
    checks.one_of("task", task, ("auto", *_TASKS))
    original = _plain(y)
    kind = type_of_target(original, input_name="y")
    n_outputs = original.shape[1] if original.ndim == 2 else 1
    if n_outputs > 1 and not several:
        raise ValueError(
            f"y has {n_outputs} columns (shape {original.shape}); this method takes one target: "
            "fit a selector for each."
        )
    if n_outputs == 1:
        original = column_or_1d(original, warn=True)
    if task == "auto":
        task = "regression" if kind.startswith("continuous") else "classification"
    if task not in tasks:
        raise ValueError(
            f"Unknown label type: {kind}. This method is for {tasks[0]}, and y asks for {task}; "
            "FilterSelector does both."
        )
    if task == "regression":
        return _numbers(original, weight)
    if kind.startswith("continuous"):
        raise ValueError(
            f"Unknown label type: {kind}. Classes are labels or whole numbers; cut the values into "
            "classes, or use a method for regression."
        )
    if n_outputs > 1:
        return _labels(original, kind, weight)
    target = _classes(original, weight)
    if target.n_classes < 2:
        only = original.tolist()[0]
        raise ValueError(f"y holds 1 class only ({only!r}); at least two are needed to tell apart.")
    return target


def _plain(y: Any) -> NDArray:
    """y as an array of numbers, booleans or text without gaps."""
    y = np.asarray(y)
    if y.dtype.kind == "O":
        missing = [value is None or value != value for value in y.ravel()]
        _refuse_gaps("NaN", np.reshape(missing, y.shape))
        if all(isinstance(value, Real) for value in y.ravel()):
            y = np.array(y.tolist())
        elif not all(isinstance(value, str) for value in y.ravel()):
            raise ValueError(
                "Unknown label type: unknown. y must hold numbers only or text only; found "
                f"{', '.join(sorted({type(value).__name__ for value in y.ravel()}))}."
            )
    if y.dtype.kind not in "biufOU":
        raise ValueError(
            f"Unknown label type: y holds values of type {y.dtype}; turn them into numbers or text."
        )
    if y.dtype.kind == "f":
        _refuse_gaps("NaN", np.isnan(y))
        _refuse_gaps("infinity or a value too large for dtype('float64')", np.isinf(y))
    return y


def _refuse_gaps(what: str, gaps: NDArray[np.bool_]) -> None:
    if gaps.any():
        row = int(np.argwhere(gaps)[0, 0])
        raise ValueError(f"Input y contains {what}. The first is at row {row}; drop such rows.")


def _numbers(original: NDArray, weight: NDArray[np.float64] | None) -> Target:
    if original.dtype.kind not in "biuf":
        first = original.ravel().tolist()[0]
        raise ValueError(f"y holds text (first {first!r}); regression needs numbers.")
    values = original.astype(np.float64)
    _refuse_constant(values)
    return Target("regression", original, None, None, values, weight)


def _refuse_constant(values: NDArray[np.float64]) -> None:
    constant = np.flatnonzero(np.atleast_1d((values == values[0]).all(axis=0)))
    if constant.size:
        which = "" if values.ndim == 1 else f" column {constant[0]}"
        value = values.reshape(len(values), -1)[0, constant[0]]
        raise ValueError(f"The target{which} is constant ({value:g}); nothing to learn.")


def _classes(original: NDArray, weight: NDArray[np.float64] | None) -> Target:
    classes, codes = np.unique(original, return_inverse=True)
    codes = codes.astype(np.int32).reshape(-1)
    values = (2 * codes - 1 if len(classes) == 2 else codes).astype(np.float64)
    return Target("classification", original, codes, classes, values, weight)


def _labels(original: NDArray, kind: str, weight: NDArray[np.float64] | None) -> Target:
    if kind != "multilabel-indicator":
        raise ValueError(f"y is {kind}; several targets of classes must be a 0/1 indicator matrix.")
    values = np.where(original > 0, 1.0, -1.0)
    _refuse_constant(values)
    return Target("classification", original, None, None, values, weight)
