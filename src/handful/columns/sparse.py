"""Sparse: a SciPy CSR or CSC table; questions cost what its stored entries cost."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.columns.base import Columns, about_the_mean, group_indicator
from handful.columns.planes import Layout, Planes, pack_sparse


class Sparse(Columns):
    """A table held as a SciPy CSR or CSC array; stored zeros and absent entries are the same.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csc_array
    >>> Sparse(csc_array(np.eye(3))).varying().tolist()
    [True, True, True]
    """

    def __init__(self, matrix: Any, names: NDArray | None = None) -> None:
        self._matrix = matrix
        self.shape = matrix.shape
        self.dtype = matrix.dtype
        self.names = names

    @property
    def native(self) -> Any:
        return self._matrix

    @property
    def by_column(self) -> Any:
        """The same table as CSC, without stored zeros; the first call converts where it must."""
        if not hasattr(self, "_csc"):
            matrix = self._matrix.tocsc()
            if not matrix.has_canonical_format:
                matrix = matrix.copy() if matrix is self._matrix else matrix
                matrix.sum_duplicates()
            if np.count_nonzero(matrix.data) < matrix.nnz:
                matrix = matrix.copy() if matrix is self._matrix else matrix
                matrix.eliminate_zeros()
            self._csc = matrix
        return self._csc

    def gather(self, rows: Any = None, cols: Any = None) -> NDArray:
        block = self._matrix if rows is None else self._matrix[rows]
        block = block if cols is None else self._columns(block, cols)
        return block.toarray()

    def _columns(self, block: Any, cols: Any) -> Any:
        return (self.by_column if block is self._matrix else block)[:, cols]

    def take(self, cols: NDArray) -> "Sparse":
        return Sparse(self._matrix[:, cols], None if self.names is None else self.names[cols])

    def rows(self, indices: NDArray) -> "Sparse":
        return Sparse(self._matrix[indices], self.names)

    def _floating(self, matrix: Any) -> Any:
        return matrix.astype(self.work_dtype, copy=False)

    def dot(self, weights: NDArray) -> NDArray:
        return self._floating(self._matrix) @ weights.astype(self.work_dtype, copy=False)

    def tdot(self, values: NDArray) -> NDArray:
        return self._floating(self._matrix).T @ values.astype(self.work_dtype, copy=False)

    def row_gram(self) -> NDArray[np.float64]:
        matrix = self._matrix.astype(np.float64, copy=False)
        return (matrix @ matrix.T).toarray()

    def squared_lengths(self, weight: NDArray | None = None) -> NDArray[np.float64]:
        weight = np.ones(self.shape[0]) if weight is None else weight
        return self.by_column.astype(np.float64).power(2).T @ weight

    def group_moments(
        self, codes: NDArray, n_groups: int, weight: NDArray | None = None
    ) -> tuple[NDArray, NDArray, NDArray]:
        indicator = group_indicator(codes, n_groups, weight)
        total = indicator.sum(axis=1)
        matrix = self.by_column.astype(np.float64, copy=False)
        means = (matrix.T @ indicator.T).T / total[:, None]
        # present entries deviate one by one; the absent zeros of a group all deviate by its mean
        column = np.repeat(np.arange(self.shape[1]), np.diff(matrix.indptr))
        cell = column + codes[matrix.indices].astype(np.int64) * self.shape[1]
        share = np.ones(matrix.nnz) if weight is None else weight[matrix.indices]
        deviations = matrix.data - means.ravel()[cell]

        def per_cell(values: NDArray) -> NDArray[np.float64]:
            sums = np.bincount(cell, values, minlength=means.size)
            return sums.astype(np.float64, copy=False).reshape(means.shape)

        size = np.bincount(codes, minlength=n_groups)[:, None]
        present = per_cell(np.ones(len(cell)))
        stored = present if weight is None else per_cell(share)
        absent = np.where(present == size, 0.0, total[:, None] - stored)
        rest = (per_cell(share * deviations) - absent * means) / total[:, None]
        squares = per_cell(share * deviations**2) + absent * means**2
        return total, means + rest, about_the_mean(squares, rest, total[:, None], size)

    def weighted_sums(self, weights: NDArray, centre: NDArray | None = None) -> NDArray[np.float64]:
        sums: NDArray = (self._matrix.astype(np.float64, copy=False).T @ weights.T).T
        return sums if centre is None else sums - weights.sum(axis=-1)[..., None] * centre

    def _find_extremes(self) -> tuple[NDArray, NDArray]:
        matrix = self.by_column
        lowest, highest = np.zeros((2, self.shape[1]), self.dtype)
        filled = np.flatnonzero(np.diff(matrix.indptr))
        if filled.size:
            # columns without entries aside, each part of `data` begins where the last one ends
            starts = matrix.indptr[filled]
            lowest[filled] = np.minimum.reduceat(matrix.data, starts)
            highest[filled] = np.maximum.reduceat(matrix.data, starts)
        gaps = np.diff(matrix.indptr) < self.shape[0]
        return np.where(gaps & (lowest > 0), 0, lowest), np.where(gaps & (highest < 0), 0, highest)

    def planes(self, layout: Layout) -> Planes:
        return pack_sparse(self.by_column, layout)
