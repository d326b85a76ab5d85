"""Columns: how a method looks at a table.

A method asks a few questions (`dot`, `tdot`, `row_gram`, `group_moments`, `varying`, `column`,
`gather`, `take`, `rows`, `blocks`) and is written once; each kind of table answers the ones it can.
This base class answers all of them from two: `blocks` and `gather`. A kind that knows a faster way
overrides the question.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Elements of a block: small enough to stay in the cache with a temporary or two beside it.
BLOCK = 1 << 18


class Columns(ABC):
    """A table of `shape` (rows, columns), asked by column."""

    shape: tuple[int, int]
    dtype: np.dtype
    names: NDArray | None = None
    # How many of the first columns are random probes: a ranking may end once it has chosen one.
    n_probes: int = 0

    @property
    @abstractmethod
    def native(self) -> Any:
        """The table as the array or sparse matrix that a scikit-learn estimator takes."""

    @abstractmethod
    def gather(self, rows: Any = None, cols: Any = None) -> NDArray:
        """A dense block of the table, in the table's own type; None means all."""

    @abstractmethod
    def take(self, cols: NDArray) -> "Columns":
        """The table of these columns, in this order."""

    @abstractmethod
    def rows(self, indices: NDArray) -> "Columns":
        """The table of these rows, in this order."""

    def blocks(self, width: int | None = None) -> Iterator[tuple[slice, NDArray]]:
        """The columns' places and a dense block of them, from left to right."""
        width = width or self.block_width
        for start in range(0, self.shape[1], width):
            cols = slice(start, min(start + width, self.shape[1]))
            yield cols, self.gather(None, cols)

    @property
    def block_width(self) -> int:
        return max(16, BLOCK // max(1, self.shape[0]))

    @property
    def work_dtype(self) -> np.dtype:
        """What sums come back in: float32 for a float32 table, float64 for all others."""
        return self.dtype if self.dtype == np.float32 else np.dtype(np.float64)

    def column(self, j: int) -> NDArray[np.float64]:
        """One column as float64."""
        return self.gather(None, slice(j, j + 1))[:, 0].astype(np.float64)

    def dot(self, weights: NDArray) -> NDArray:
        """The table times a vector or a matrix with one row per column."""
        total = np.zeros((self.shape[0], *weights.shape[1:]), self.work_dtype)
        for cols, block in self.blocks():
            total += block.astype(self.work_dtype, copy=False) @ weights[cols]
        return total

    def tdot(self, values: NDArray) -> NDArray:
        """The transposed table times a vector or a matrix with one row per row."""
        answer = np.empty((self.shape[1], *values.shape[1:]), self.work_dtype)
        values = values.astype(self.work_dtype, copy=False)
        for cols, block in self.blocks():
            answer[cols] = block.astype(self.work_dtype, copy=False).T @ values
        return answer

    def row_gram(self) -> NDArray[np.float64]:
        """The inner products of the rows, in float64."""
        gram = np.zeros((self.shape[0], self.shape[0]))
        for _, block in self.blocks(max(256, self.block_width)):
            block = block.astype(np.float64, copy=False)
            gram += block @ block.T
        return gram

    def group_moments(
        self, codes: NDArray, n_groups: int, weight: NDArray | None = None
    ) -> tuple[NDArray, NDArray, NDArray]:
        """Weight per group, and per group and column the mean and the sum of squared deviations.

        `codes` numbers each row's group. The deviations are taken from the group's own mean, in a
        second look at the block, so large means cost no digits.
        """
        indicator = group_indicator(codes, n_groups, weight)
        total = indicator.sum(axis=1)
        means = np.empty((n_groups, self.shape[1]))
        squares = np.empty((n_groups, self.shape[1]))
        for cols, block in self.blocks():
            block = block.astype(np.float64, copy=False)
            means[:, cols] = (indicator @ block) / total[:, None]
            deviations = block - means[codes, cols]
            squares[:, cols] = indicator @ deviations**2
        return total, means, without_rounding(squares, total, means)

    def varying(self) -> NDArray[np.bool_]:
        """Which columns are not constant."""
        answer = np.empty(self.shape[1], dtype=bool)
        for cols, block in self.blocks():
            answer[cols] = block.min(axis=0) != block.max(axis=0)
        return answer

    def label(self, j: int) -> str:
        """How messages name column `j`."""
        return f"{j}" if self.names is None else f"{self.names[j]!r}"


def group_indicator(codes: NDArray, n_groups: int, weight: NDArray | None = None) -> NDArray:
    """A row per group with the weights of its members and 0 elsewhere."""
    indicator = np.zeros((n_groups, len(codes)))
    indicator[codes, np.arange(len(codes))] = 1.0 if weight is None else weight
    return indicator


def without_rounding(squares: NDArray, total: NDArray, means: NDArray) -> NDArray[np.float64]:
    """Sums of squared deviations, with 0 where all that is left is the rounding of the mean."""
    floor = total[:, None] * (4 * np.finfo(np.float64).eps * means) ** 2
    return np.where(squares <= floor, 0.0, squares)
