"""What a Gaussian kernel machine loses with each of its columns.

The squared length of the machine's normal is ``beta' K beta``; without column k, at the same
coefficients, it is ``beta' K_k beta``. The difference, with its sign, is criterion 10 of Ban and
Inoue. A kernel without a column is the kernel divided by that column's factor; the factors of all
columns and pairs of rows are computed once, and then one matrix product serves all machines and
columns.

References
----------
Ban and Inoue, "Feature Subset Selection by SVM Ensemble", IEEE Symposium Series on Computational
Intelligence, 2016. Guyon, Weston, Barnhill and Vapnik, "Gene selection for cancer classification
using support vector machines", Machine Learning 46, 2002.
"""

import numpy as np
from numpy.typing import NDArray

from handful.columns import Columns

Numbers = NDArray[np.float64]

# Factors held between steps, at most: 512 MB. Beyond, they are computed anew part by part.
_HELD = 1 << 26
# Numbers of a part: small enough to stay in the cache.
_PART = 1 << 18
# A kernel value below exp(-_FAR) cannot be divided by a factor that may be as small.
_FAR = 600.0


class Removal:
    """The kernel ``exp(-gamma |x - z|^2)`` on the rows of a table, and on fewer columns of it.

    Examples
    --------
    >>> from handful.columns import Dense
    >>> removal = Removal(Dense(np.array([[0.0, 0.0], [1.0, 2.0]])), 0.5)
    >>> kernel = removal.kernel()
    >>> kernel.round(4).tolist()
    [[1.0, 0.0821], [0.0821, 1.0]]
    >>> removal.lost(kernel, np.array([[1.0, -1.0]])).round(4).tolist()
    [[0.1065, 1.0489]]
    """

    def __init__(self, table: Columns, gamma: float) -> None:
        columns = np.empty((table.shape[1], table.shape[0]))
        for cols, block in table.blocks():
            columns[cols] = block.T
        columns -= columns.mean(axis=1)[:, None]
        columns *= np.sqrt(gamma)
        self._columns = columns
        self._pairs = np.triu_indices(table.shape[0], 1)
        held = len(self._pairs[0]) * len(columns) <= _HELD
        self._factors = _factors(columns, self._pairs) if held else None

    def keep(self, places: NDArray[np.intp]) -> None:
        """Go on with these of the columns only."""
        self._columns = self._columns[places]
        if self._factors is not None:
            self._factors = self._factors[places]

    def kernel(self) -> Numbers:
        """Of every pair of rows, on the columns that are left."""
        gram = self._columns.T @ self._columns
        squares = np.diag(gram)
        distances = np.maximum(squares[:, None] + squares - 2 * gram, 0.0)
        distances = np.maximum(distances, distances.T)
        np.fill_diagonal(distances, 0.0)
        return np.exp(-distances)

    def lost(self, kernel: Numbers, beta: Numbers) -> Numbers:
        """Of each machine and column, what its removal takes from ``beta' K beta``."""
        total = np.zeros((len(beta), len(self._columns)))
        n_pairs, width = len(self._pairs[0]), max(1, _PART // max(len(beta), len(self._columns)))
        for start in range(0, n_pairs, width):
            part = slice(start, start + width)
            rows, others = (index[part] for index in self._pairs)
            both = 2 * beta[:, rows] * beta[:, others]
            near = kernel[rows, others]
            far = near < np.exp(-_FAR)
            if self._factors is None:
                factors = _factors(self._columns, (rows, others))
            else:
                factors = self._factors[:, part]
            total -= (both * np.where(far, 0.0, near)) @ factors.T
            if far.any():
                total -= both[:, far] @ self._far(rows[far], others[far])
        return total

    def _far(self, rows: NDArray[np.intp], others: NDArray[np.intp]) -> Numbers:
        """What pairs of rows come near each other by, without each of the columns."""
        apart = (self._columns[:, rows] - self._columns[:, others]) ** 2
        return (np.exp(apart - apart.sum(axis=0)) * -np.expm1(-apart)).T


def _factors(columns: Numbers, pairs: tuple[NDArray[np.intp], NDArray[np.intp]]) -> Numbers:
    """Of each column and pair of rows, ``exp(difference^2) - 1``, kept finite."""
    answer = columns[:, pairs[0]]
    answer -= columns[:, pairs[1]]
    np.square(answer, out=answer)
    np.minimum(answer, _FAR, out=answer)
    return np.expm1(answer, out=answer)
