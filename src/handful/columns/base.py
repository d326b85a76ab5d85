"""Columns: how a method looks at a table.

A method asks a few questions (`dot`, `tdot`, `row_gram`, `weighted_sums`, `squared_lengths`,
`group_moments`, `extremes`, `varying`, `planes`, `column`, `gather`, `take`, `rows`, `blocks`) and
is written once; each kind of table answers the ones it can. This base class answers all of them
from two: `blocks` and `gather`. A kind that knows a faster way overrides the question.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.columns.planes import Layout, Planes, joined, pack_dense

# Elements of a block: small enough to stay in the cache with a temporary or two beside it.
BLOCK = 1 << 18


class Columns(ABC):
    """A table of `shape` (rows, columns), asked by column."""

    shape: tuple[int, int]
    dtype: np.dtype
    names: NDArray | None = None
    # Stands for the content of a table that is too large to be read for a hash of it.
    digest: str | None = None
    # How many of the first columns are random probes: a ranking may end once it has chosen one.
    n_probes: int = 0
    _extremes: tuple[NDArray, NDArray] | None = None

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
    def pass_width(self) -> int:
        """With how many vectors `tdot` may multiply for little more than the price of one."""
        return 1

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

    def weighted_sums(self, weights: NDArray, centre: NDArray | None = None) -> NDArray[np.float64]:
        """``weights @ (table - centre)``, summed in float64 whatever the table's type.

        `weights` has a number per row, or rows of such numbers; `centre` a number per column.
        """
        answer = np.empty((*weights.shape[:-1], self.shape[1]))
        for cols, block in self.blocks():
            block = block.astype(np.float64, copy=False)
            answer[..., cols] = weights @ (block if centre is None else block - centre[cols])
        return answer

    def squared_lengths(self, weight: NDArray | None = None) -> NDArray[np.float64]:
        """The weighted sum of each column's squares, in float64 whatever the table's type."""
        answer = np.empty(self.shape[1])
        for cols, block in self.blocks():
            answer[cols] = sums_of_squares(block, weight)
        return answer

    def group_moments(
        self, codes: NDArray, n_groups: int, weight: NDArray | None = None
    ) -> tuple[NDArray, NDArray, NDArray]:
        """Weight per group, and per group and column the mean and the sum of squared deviations.

        `codes` numbers each row's group; no group is empty. The deviations are taken from the
        group's own mean, in a second look at the block, so large means cost no digits.
        """
        groups = [np.flatnonzero(codes == group) for group in range(n_groups)]
        weights = [np.ones(len(rows)) if weight is None else weight[rows] for rows in groups]
        total = np.array([share.sum() for share in weights])
        means = np.empty((n_groups, self.shape[1]))
        squares = np.empty((n_groups, self.shape[1]))
        for cols, block in self.blocks():
            if weight is None and block.dtype == bool:
                means[:, cols], squares[:, cols] = _moments_of_bits(block, codes, total)
                continue
            for group, (rows, share) in enumerate(zip(groups, weights, strict=True)):
                found = _moments(block[rows].astype(np.float64, copy=False), share, total[group])
                means[group, cols], squares[group, cols] = found
        return total, means, squares

    def extremes(self) -> tuple[NDArray, NDArray]:
        """The smallest and the largest value of each column, in the table's own type."""
        if self._extremes is None:
            self._extremes = self._find_extremes()
        return self._extremes

    def _find_extremes(self) -> tuple[NDArray, NDArray]:
        lowest, highest = np.empty((2, self.shape[1]), self.dtype)
        for cols, block in self.blocks():
            block.min(axis=0, out=lowest[cols])
            block.max(axis=0, out=highest[cols])
        return lowest, highest

    def varying(self) -> NDArray[np.bool_]:
        """Which columns are not constant."""
        lowest, highest = self.extremes()
        return lowest != highest

    def planes(self, layout: Layout) -> Planes:
        """The columns cut into few levels, as bits with the rows sorted by class."""
        return joined(pack_dense(block, layout) for _, block in self.blocks())

    def label(self, j: int) -> str:
        """How messages name column `j`."""
        return f"{j}" if self.names is None else f"{self.names[j]!r}"


def sums_of_squares(block: NDArray, weight: NDArray | None) -> NDArray[np.float64]:
    """Of each column, in float64 and without a copy of the block."""
    if weight is None:
        return np.einsum("ij,ij->j", block, block, dtype=np.float64)
    return np.einsum("i,ij,ij->j", weight, block, block, dtype=np.float64)


def group_indicator(codes: NDArray, n_groups: int, weight: NDArray | None = None) -> NDArray:
    """A row per group with the weights of its members and 0 elsewhere."""
    indicator = np.zeros((n_groups, len(codes)))
    indicator[codes, np.arange(len(codes))] = 1.0 if weight is None else weight
    return indicator


def _moments(values: NDArray, share: NDArray, total: float) -> tuple[NDArray, NDArray]:
    """Means and sums of squared deviations of columns whose memory may be overwritten."""
    mean = share @ values / total
    values -= mean
    # what rounding left in the mean, found again in the deviations
    rest = share @ values / total
    np.square(values, out=values)
    return mean + rest, about_the_mean(share @ values, rest, total, len(share))


def _moments_of_bits(block: NDArray, codes: NDArray, total: NDArray) -> tuple[NDArray, NDArray]:
    """Means and sums of squared deviations of True and False, from counts, which are exact."""
    # up to 2^24 ones, float32 counts them exactly and in half the time
    exact = np.float32 if len(codes) <= 1 << 24 else np.float64
    indicator = group_indicator(codes, len(total)).astype(exact)
    ones = (indicator @ block.astype(exact)).astype(np.float64)
    size = total[:, None]
    return ones / size, ones * (size - ones) / size


def about_the_mean(squares: NDArray, rest: NDArray, total: Any, n_rows: Any) -> NDArray[np.float64]:
    """Sums of squared deviations from the mean, given those from a mean that is off by `rest`.

    0 where all that is left is what rounding may leave of equal values.
    """
    answer = squares - total * rest**2
    noise = 4 * n_rows * np.finfo(np.float64).eps * squares
    return np.where(answer <= noise, 0.0, answer)
