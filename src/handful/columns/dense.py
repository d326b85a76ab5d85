"""Dense: a NumPy array, in whatever type and order it came; never copied whole."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful import _core, threads
from handful.columns.base import Columns, sums_of_squares
from handful.columns.planes import Layout, Planes, pack_dense

# Bytes that no cache holds: to read such a table takes as long as to multiply it by eight vectors.
LARGE = 1 << 25


class Dense(Columns):
    """A table held as a two-dimensional NumPy array.

    Examples
    --------
    >>> import numpy as np
    >>> Dense(np.eye(3)).tdot(np.array([1.0, 2.0, 3.0])).tolist()
    [1.0, 2.0, 3.0]
    """

    def __init__(self, array: NDArray, names: NDArray | None = None) -> None:
        self._array = array
        self.shape = array.shape
        self.dtype = array.dtype
        self.names = names

    @property
    def native(self) -> NDArray:
        return self._array

    def gather(self, rows: Any = None, cols: Any = None) -> NDArray:
        if rows is None:
            return self._array if cols is None else self._array[:, cols]
        if cols is None:
            return self._array[rows]
        if isinstance(rows, slice) or isinstance(cols, slice):
            return self._array[rows, cols]
        return self._array[np.ix_(rows, cols)]

    def take(self, cols: NDArray) -> "Dense":
        return Dense(self._array[:, cols], None if self.names is None else self.names[cols])

    def rows(self, indices: NDArray) -> "Dense":
        return Dense(self._array[indices], self.names)

    def dot(self, weights: NDArray) -> NDArray:
        if self.dtype != self.work_dtype:
            return super().dot(weights)
        return self._array @ weights.astype(self.work_dtype, copy=False)

    def tdot(self, values: NDArray) -> NDArray:
        if self.dtype != self.work_dtype:
            return super().tdot(values)
        values = values.astype(self.work_dtype, copy=False)
        if values.ndim == 2 and values.shape[1] > 1 and self.pass_width > 1:
            return self._in_passes(values)
        return self._array.T @ values

    @property
    def pass_width(self) -> int:
        return _core.n_vectors if self._array.nbytes >= LARGE and self._is_lined_up else 1

    @property
    def _is_lined_up(self) -> bool:
        """Whether the core can read it in one pass: floats in rows or columns without gaps."""
        return self.dtype.kind == "f" and self._array.itemsize in self._array.strides

    def _in_passes(self, values: NDArray) -> NDArray:
        """`tdot` with several vectors, a few in each pass over the table."""
        parts = []
        for first in range(0, values.shape[1], _core.n_vectors):
            some = values.T[first : first + _core.n_vectors]
            vectors = np.zeros((_core.n_vectors, self.shape[0]), self.dtype)
            vectors[: len(some)] = some
            found = _core.products(self._array, vectors, threads.in_use())
            parts.append(found.reshape(len(vectors), -1)[: len(some)])
        answer = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return answer.T.astype(self.dtype, copy=False)

    def squared_lengths(self, weight: NDArray | None = None) -> NDArray[np.float64]:
        if not self._is_lined_up:
            return sums_of_squares(self._array, weight)
        weight = np.ones(self.shape[0]) if weight is None else weight
        n_threads = threads.in_use() if self._array.nbytes >= LARGE else 1
        return _core.squared_lengths(self._array, weight, n_threads)

    def row_gram(self) -> NDArray[np.float64]:
        if self.dtype != np.float64:
            return super().row_gram()
        return self._array @ self._array.T

    def planes(self, layout: Layout) -> Planes:
        return pack_dense(self._array, layout)
