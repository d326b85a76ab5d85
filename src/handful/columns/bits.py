"""Bits: a boolean table at one bit a cell, an eighth of a NumPy array of bool."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handful.columns.base import Columns


class Bits(Columns):
    """A boolean table whose columns hold eight rows to the byte.

    Examples
    --------
    >>> import numpy as np
    >>> table = Bits.packed(np.eye(3, dtype=bool))
    >>> table.shape, table.column(1).tolist()
    ((3, 3), [0.0, 1.0, 0.0])
    """

    def __init__(
        self, packed: NDArray[np.uint8], n_rows: int, names: NDArray | None = None
    ) -> None:
        """`packed` has a row for every eight rows of the table, the first of them lowest."""
        self._packed = packed
        self.shape = (n_rows, packed.shape[1])
        self.dtype = np.dtype(bool)
        self.names = names

    @classmethod
    def packed(cls, array: ArrayLike, names: NDArray | None = None) -> Self:
        """The packed form of an array of booleans."""
        array = np.asarray(array, dtype=bool)
        return cls(np.packbits(array, axis=0, bitorder="little"), len(array), names)

    @property
    def nbytes(self) -> int:
        """The memory that the cells take."""
        return self._packed.nbytes

    @property
    def native(self) -> NDArray[np.bool_]:
        return self.gather()

    def gather(self, rows: Any = None, cols: Any = None) -> NDArray[np.bool_]:
        some = self._packed if cols is None else self._packed[:, cols]
        cells = np.unpackbits(some, axis=0, count=self.shape[0], bitorder="little").view(bool)
        return cells if rows is None else cells[rows]

    def take(self, cols: NDArray) -> "Bits":
        names = None if self.names is None else self.names[cols]
        return Bits(self._packed[:, cols], self.shape[0], names)

    def rows(self, indices: NDArray) -> "Bits":
        n_rows = len(np.arange(self.shape[0])[indices])
        packed = np.empty((-(-n_rows // 8), self.shape[1]), np.uint8)
        for cols, block in self.blocks():
            packed[:, cols] = np.packbits(block[indices], axis=0, bitorder="little")
        return Bits(packed, n_rows, self.names)
