"""Folds: which rows to learn from and which to test on, checked once for everyone who splits."""

import copy
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupKFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    check_cv,
)

from handful.target import Target

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def split_rows(
    cv: Any, target: Target, groups: NDArray | None = None, seed: int | None = None
) -> list[Split]:
    """The rows to learn from and to test on, for every fold.

    Parameters
    ----------
    cv : int, str, splitter or iterable of (train, test)
        An int as in scikit-learn: that many folds, every class spread over all of them, rows in
        their own order. A text, "5" or "5x4": 5 folds of shuffled rows, in 4 rounds. With `groups`
        both keep the rows of a group together.
    target : Target
    groups : ndarray, optional
    seed : int, optional
        Shuffles, and is given to splitters that shuffle without a random_state of their own.

    Examples
    --------
    >>> import numpy as np
    >>> from handful.target import encode
    >>> target = encode(np.array([0, 1, 0, 1]), tasks=("classification",))
    >>> [(train.tolist(), test.tolist()) for train, test in split_rows(2, target)]
    [([2, 3], [0, 1]), ([0, 1], [2, 3])]
    """
    splitter = _splitter(cv, target, groups, seed)
    splits = list(splitter.split(np.arange(target.n_rows), target.original, groups))
    if not splits:
        raise ValueError(f"cv={cv!r} gives no fold; at least one is needed.")
    return [
        _checked(number, train, test, target.n_rows) for number, (train, test) in enumerate(splits)
    ]


def refuse_shared_groups(splits: list[Split], groups: NDArray) -> None:
    """Raise where rows of one group stand on both sides of a fold: such a test is no test."""
    for number, (train, test) in enumerate(splits):
        shared = np.intersect1d(groups[train], groups[test])
        if len(shared):
            raise ValueError(
                f"Fold {number} learns from and tests on rows of the group "
                f"{shared.tolist()[0]!r}. Use a splitter that keeps groups together, such as "
                "GroupKFold or StratifiedGroupKFold, or give cv as a number."
            )


def _splitter(cv: Any, target: Target, groups: NDArray | None, seed: int | None) -> Any:
    classes = target.codes is not None
    if isinstance(cv, str):
        n_folds, n_rounds = _parse(cv)
        _refuse_too_many(n_folds, target)
        if groups is not None:
            return _Rounds(n_folds, n_rounds, classes, seed)
        repeated = RepeatedStratifiedKFold if classes else RepeatedKFold
        return repeated(n_splits=n_folds, n_repeats=n_rounds, random_state=seed)
    if isinstance(cv, int) and not isinstance(cv, bool):
        if cv < 2:
            raise ValueError(f"cv={cv} is out of range; at least 2 folds are needed.")
        _refuse_too_many(cv, target)
        if groups is not None:
            return StratifiedGroupKFold(cv) if classes else GroupKFold(cv)
    splitter = check_cv(cv, target.original, classifier=classes)
    if seed is not None and getattr(splitter, "random_state", 0) is None:
        splitter = copy.deepcopy(splitter)
        splitter.random_state = seed
    return splitter


def _parse(cv: str) -> tuple[int, int]:
    found = re.fullmatch(r"\s*(\d+)\s*(?:[x×]\s*(\d+)\s*)?", cv)
    n_folds, n_rounds = (int(found[1]), int(found[2] or 1)) if found else (0, 0)
    if n_folds < 2 or n_rounds < 1:
        raise ValueError(f"cv={cv!r} is not known; use '5' for 5 folds or '5x4' for 4 times 5.")
    return n_folds, n_rounds


class _Rounds:
    """Several rounds of group folds, since scikit-learn has no repeated splitter for groups."""

    def __init__(self, n_folds: int, n_rounds: int, classes: bool, seed: int | None) -> None:
        self._kind = StratifiedGroupKFold if classes else GroupKFold
        self._n_folds, self._n_rounds, self._seed = n_folds, n_rounds, seed

    def split(self, X: Any, y: Any, groups: Any) -> Any:
        rng = np.random.RandomState(self._seed)
        for _ in range(self._n_rounds):
            shuffled: Any = {"shuffle": True, "random_state": int(rng.randint(2**31 - 1))}
            yield from self._kind(self._n_folds, **shuffled).split(X, y, groups)


def _checked(number: int, train: Any, test: Any, n_rows: int) -> Split:
    parts = []
    for name, rows in (("training", train), ("test", test)):
        rows = np.asarray(rows)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp)
        if not len(rows):
            raise ValueError(f"Fold {number} has no {name} rows.")
        if rows.min() < 0 or rows.max() >= n_rows:
            wrong = int(rows.max() if rows.max() >= n_rows else rows.min())
            raise ValueError(
                f"Fold {number} names the {name} row {wrong}; there are rows 0 to {n_rows - 1}."
            )
        parts.append(rows)
    shared = np.intersect1d(*parts)
    if len(shared):
        raise ValueError(
            f"Fold {number} learns from and tests on the same {len(shared)} row(s), first "
            f"{int(shared[0])}; the two parts must not share any."
        )
    return parts[0], parts[1]


def _refuse_too_many(n_folds: int, target: Target) -> None:
    if n_folds > target.n_rows:
        raise ValueError(f"cv={n_folds} folds need as many rows; there are {target.n_rows}.")
    if target.codes is None or target.classes is None:
        return
    counts = np.bincount(target.codes)
    rarest = int(np.argmin(counts))
    if counts[rarest] < n_folds:
        raise ValueError(
            f"cv={n_folds} folds need {n_folds} rows of every class; class "
            f"{target.classes.tolist()[rarest]!r} has {counts[rarest]}. Use fewer folds."
        )
