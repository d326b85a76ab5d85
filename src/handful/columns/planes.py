"""Planes: columns cut into few levels, as bits with the rows sorted by class.

This is what information criteria count in: one AND and a population count per 64 rows give the
joint counts of two columns in all classes at once. The compiled core packs and keeps the bits.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from handful import _core
from handful._core import Planes

__all__ = ["Layout", "Planes", "joined", "pack_dense", "pack_sparse"]

# Whole numbers are levels up to MOST_LEVELS distinct values; where there are more than FEW_LEVELS
# and fewer than five rows to a value, they are measurements.
MOST_LEVELS, FEW_LEVELS = 64, 16
# Floats are levels up to this number of distinct values.
FEW_FLOATS = 5


@dataclass(frozen=True, eq=False)
class Layout:
    """Which row stands where, and how columns become levels.

    Attributes
    ----------
    order : ndarray of int32
        The row at each position; the rows of a class stand next to each other.
    ends : list of int
        The position after the last one of each class.
    n_bins : int
        Columns with too many distinct values to be levels are cut into so many bins, each with
        about the same number of rows.
    threads : int
    weight : ndarray of float64 or None
        By position: how many equal rows each row stands for.
    """

    order: NDArray[np.int32]
    ends: list[int]
    n_bins: int
    threads: int = 1
    weight: NDArray[np.float64] | None = None

    @classmethod
    def by_class(
        cls,
        codes: NDArray,
        n_classes: int,
        n_bins: int,
        threads: int = 1,
        weight: NDArray[np.float64] | None = None,
    ) -> Self:
        """The rows of each class in their own order; `weight` is by row.

        Examples
        --------
        >>> layout = Layout.by_class(np.array([1, 0, 1]), 2, n_bins=5)
        >>> layout.order.tolist(), layout.ends
        ([1, 0, 2], [1, 3])
        """
        order = np.argsort(codes, kind="stable").astype(np.int32)
        ends = np.cumsum(np.bincount(codes, minlength=n_classes)).tolist()
        return cls(order, ends, n_bins, threads, None if weight is None else weight[order])

    def after(self, rows: NDArray) -> Self:
        """The same for the table from which this one's table takes its row i at ``rows[i]``."""
        return replace(self, order=rows[self.order].astype(np.int32))

    def most_distinct(self, dtype: np.dtype) -> int:
        """Up to how many distinct values of this type are levels as they are."""
        if dtype.kind == "f":
            return max(FEW_FLOATS, self.n_bins)
        n_rows = len(self.order) if self.weight is None else self.weight.sum()
        return min(MOST_LEVELS, max(FEW_LEVELS, int(n_rows / 5)))


def pack_dense(array: NDArray, layout: Layout) -> Planes:
    """The columns of an array of booleans, integers or floats."""
    most = layout.most_distinct(array.dtype)
    return _core.pack_dense(
        array, layout.order, layout.ends, layout.weight, layout.n_bins, most, layout.threads
    )


def pack_sparse(matrix: Any, layout: Layout) -> Planes:
    """The columns of a CSC array that stores neither zeros nor an entry twice."""
    most = layout.most_distinct(matrix.dtype)
    index = np.result_type(matrix.indices, matrix.indptr)
    return _core.pack_sparse(
        matrix.data,
        matrix.indices.astype(index, copy=False),
        matrix.indptr.astype(index, copy=False),
        layout.order,
        layout.ends,
        layout.weight,
        layout.n_bins,
        most,
        layout.threads,
    )


def joined(parts: Iterable[Any]) -> Any:
    """Tables of the same rows side by side."""
    parts = list(parts)
    if all(isinstance(part, Planes) for part in parts):
        return _core.join(parts)
    return reduce(add, parts)  # one of them is on workers, and knows how to stand beside others
