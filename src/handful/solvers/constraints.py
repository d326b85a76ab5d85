"""What a caller says about columns: which of them go together, and which must stay."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handful import checks
from handful.path import Path


def group_numbers(labels: ArrayLike, n_columns: int, n_probes: int) -> NDArray[np.intp]:
    """A number per column of the table; probes go with the groups that they shuffle.

    Examples
    --------
    >>> group_numbers(["b", "a", "b"], 3, 0).tolist(), group_numbers([4, 7], 2, 2).tolist()
    ([1, 0, 1], [2, 3, 0, 1])
    """
    labels = np.asarray(labels)
    if labels.shape != (n_columns,):
        raise ValueError(
            f"feature_groups has shape {labels.shape}; one label for each of the "
            f"{n_columns} columns is needed."
        )
    numbers = np.unique(labels, return_inverse=True)[1]
    alone = numbers.max() + 1
    probes = numbers if n_probes == len(numbers) else np.arange(n_probes)
    return np.concatenate([alone + probes, numbers]) if n_probes else numbers


def kept_indices(given: Any, n_columns: int, names: list[str]) -> NDArray[np.intp]:
    """The columns that must stay, given by indices, names or a mask.

    Examples
    --------
    >>> kept_indices(["c", "a"], 3, ["a", "b", "c"]).tolist()
    [0, 2]
    """
    keep = np.asarray([] if given is None else given)
    if keep.ndim != 1:
        raise ValueError(f"keep={given!r} must be a list of indices or names, or a mask.")
    if keep.dtype == bool and len(keep) == n_columns:
        return np.flatnonzero(keep)
    if keep.dtype.kind in "UO":
        for name in keep.tolist():
            if name not in names:
                raise checks.unknown("column", str(name), map(str, names))
        return np.unique([names.index(name) for name in keep.tolist()]).astype(np.intp)
    if keep.size and (keep.dtype.kind not in "iu" or keep.min() < 0 or keep.max() >= n_columns):
        raise ValueError(
            f"keep={given!r} does not name columns; use indices from 0 to {n_columns - 1}, names, "
            f"or a mask of {n_columns} truth values."
        )
    return np.unique(keep).astype(np.intp)


def nearest_size(
    path: Path, n: int, labels: ArrayLike | None, kept: NDArray[np.intp]
) -> tuple[int, str]:
    """How many of a path to keep so that groups are whole and `kept` is in it; and why so many.

    Groups give fewer than `n` columns where they can, yet no fewer than the best group has.

    Examples
    --------
    >>> path, nobody = Path([4, 3, 1, 0, 2], np.ones(5)), np.empty(0, dtype=np.intp)
    >>> [nearest_size(path, n, [1, 1, 1, 2, 2], nobody)[0] for n in (0, 1, 4, 5)]
    [0, 2, 2, 5]
    >>> nearest_size(path, 1, None, np.array([1, 4]))
    (3, '`keep` names 2 columns')
    """
    note = path.note
    if labels is not None and 0 < n < len(path):
        numbers = np.unique(labels, return_inverse=True)[1][path.features]
        ends = np.append(np.flatnonzero(np.diff(numbers)) + 1, len(path))
        if n not in ends:
            note = f"groups are kept whole, and the best one has {_counted(ends[0])}"
            n = int(ends[max(0, np.searchsorted(ends, n) - 1)])
    places = np.flatnonzero(np.isin(path.features, kept))
    if places.size and n <= places[-1]:
        return int(places[-1]) + 1, f"`keep` names {_counted(len(kept))}"
    return n, note


def _counted(n: int) -> str:
    return "1 column" if n == 1 else f"{n} columns"
