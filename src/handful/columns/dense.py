"""Dense: a NumPy array, in whatever type and order it came; never copied whole."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.columns.base import Columns, sums_of_squares
from handful.columns.planes import Layout, Planes, pack_dense


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
        return self._array.T @ values.astype(self.work_dtype, copy=False)

    def squared_lengths(self, weight: NDArray | None = None) -> NDArray[np.float64]:
        return sums_of_squares(self._array, weight)

    def row_gram(self) -> NDArray[np.float64]:
        if self.dtype != np.float64:
            return super().row_gram()
        return self._array @ self._array.T

    def planes(self, layout: Layout) -> Planes:
        return pack_dense(self._array, layout)
