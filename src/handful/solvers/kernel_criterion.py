"""What each column adds to the margin of support vector machines with a Gaussian kernel.

``K_ij = exp(-gamma |x_i - x_j|^2)`` is a product of one factor per column, so the kernel without
column k is K divided by that column's factor: no kernel is computed anew. For machines with the
coefficients ``b = y alpha`` the margin criterion of column k is

    D_k = sum_ij b_i b_j (K_ij - K_ij without k)
        = sum_ij b_i b_j K_ij (1 - exp(gamma (x_ik - x_jk)^2))

with its sign (Ban and Inoue, equation 10: the root printed there does not exist where it is
negative). What stands in brackets does not change while columns and machines come and go: it is
kept for the pairs of rows that some machine gave coefficients to, and a step of elimination is one
product with the weights of the pairs.

The derivative criterion is the gradient of ``|w|^2`` by the cells of column k, its absolute values
summed over the rows. (Equation 11 as printed, a plain sum, is 0 for every column: what row i does
to row j and what j does to i cancel.) For a linear kernel it is proportional to the weight, as the
paper says.

References
----------
Rakotomamonjy (2003), "Variable selection using SVM-based criteria", Journal of Machine Learning
Research 3. Sindhwani, Bhattacharyya and Rakshit (2001), "Information theoretic feature crediting in
multiclass support vector machines", SIAM Conference on Data Mining. Ban and Inoue, "Feature subset
selection by SVM ensemble".

Examples
--------
>>> kernel = GaussianKernel(np.array([[0.0, 1.0], [1.0, 1.0], [3.0, 1.0]]), gamma=0.5)
>>> kernel.margins(np.array([[1.0, -1.0, 0.0]])).round(4).tolist()
[[0.7869, 0.0]]
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from handful.solvers import support

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]
# Bytes of brackets that are kept; those of further pairs of rows are computed each time.
_KEPT = 1 << 28
# Cells, and weights of pairs, that are made at a time: they stay in the cache.
_BLOCK = 1 << 16
_WEIGHTS = 1 << 16
# Rows so far apart that the brackets might overflow, as a multiple of 1 / gamma.
_FAR = 600.0
# The share of the squared distances below which they are summed anew: rounding stays far below.
_WORN = 0.1


def scale_gamma(X: Numbers, weight: Numbers | None = None) -> float:
    """1 over the sum of the columns' variances: rows are then 2 apart on average.

    `X` is about its columns' means, which are of rows that count by `weight`.

    Examples
    --------
    >>> scale_gamma(np.array([[-1.0, 2.0], [1.0, -2.0]]))
    0.2
    """
    return 1 / float(np.average(X**2, axis=0, weights=weight).sum())


class GaussianKernel:
    """The kernel of a table's rows, which loses columns, and what columns add to machines.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        In float64; about the columns' means it has the most digits.
    gamma : float

    Attributes
    ----------
    gram : ndarray of shape (n_rows, n_rows)

    Examples
    --------
    >>> kernel = GaussianKernel(np.array([[0.0, 5.0], [1.0, 7.0]]), 1.0)
    >>> kernel.keep(np.array([0]))
    >>> kernel.gram.round(4).tolist()
    [[1.0, 0.3679], [0.3679, 1.0]]
    """

    def __init__(self, X: Numbers, gamma: float) -> None:
        self._table, self._gamma = X, gamma
        n_rows, n_columns = X.shape
        room = min(n_rows * (n_rows - 1) // 2, _KEPT // (8 * n_columns))
        self._brackets = np.zeros((room, n_columns))
        self._pairs = np.empty((2, room), dtype=np.intp)  # the two rows of each
        self._known = np.tri(n_rows, dtype=bool)  # a pair is named by rising index
        self._n_pairs = 0
        # where the columns that are left stand among those of the brackets
        self._columns = np.arange(n_columns)
        self._measure()

    @property
    def _some(self) -> int:
        """As many pairs as are looked at together where a number per column is made of them."""
        return max(16, _BLOCK // self._brackets.shape[1])

    @property
    def n_columns(self) -> int:
        """How many columns are left."""
        return self._table.shape[1]

    def keep(self, places: Places) -> None:
        """Go on with these of the columns; `places` rises."""
        gone = np.delete(self._table, places, axis=1)
        self._table, self._columns = self._table[:, places], self._columns[places]
        few = 16 * gone.shape[1] < len(self._table)  # else one product is faster
        lost = len(gone) * np.square(gone).sum() - np.square(gone.sum(axis=0)).sum()
        self._left -= 2 * float(lost)
        if few and self._left > _WORN * self._fresh:
            for column in gone.T:
                np.subtract.outer(column, column, out=self.gram)
                self._distance -= np.square(self.gram, out=self.gram)
            self._update()
        else:
            self._measure()
        if 4 * len(places) < 3 * self._brackets.shape[1]:
            self._hold(np.arange(self._n_pairs))

    def _measure(self) -> None:
        products = self._table @ self._table.T
        squares = np.diag(products)
        self._distance = np.maximum(squares[:, None] + squares - 2 * products, 0.0)
        np.fill_diagonal(self._distance, 0.0)
        # the sum of the distances now, and what is left of it as columns go
        self._fresh = self._left = float(self._distance.sum())
        self.gram = np.empty_like(products)
        self._update()

    def _update(self) -> None:
        np.exp(np.multiply(self._distance, -self._gamma, out=self.gram), out=self.gram)

    def margins(self, beta: Numbers) -> Numbers:
        """The margin criterion with its sign, a row per machine and a column per column.

        `beta` has a row of coefficients per machine, see `support.solve`.
        """
        others = self._remember(beta)
        answer = np.zeros((len(beta), self._brackets.shape[1]))
        for some in _blocks(self._n_pairs, max(16, _WEIGHTS // len(beta))):
            first, second = self._pairs[:, some]
            weights = beta[:, first] * beta[:, second] * self.gram[first, second]
            answer += weights @ self._brackets[some]
        answer = answer[:, self._columns]
        for some in _blocks(others.shape[1], self._some):
            first, second = others[:, some]
            answer += (beta[:, first] * beta[:, second]) @ self._differences(first, second)
        return 2 * answer

    def derivatives(self, beta: Numbers) -> Numbers:
        """The derivative criterion, likewise."""
        answer = np.empty((len(beta), self._table.shape[1]))
        for machine, mine in enumerate(beta):
            rows = np.flatnonzero(mine)
            part = self._table[rows]
            weights = mine[rows, None] * mine[rows] * self.gram[np.ix_(rows, rows)]
            slopes = weights.sum(axis=1)[:, None] * part - weights @ part
            answer[machine] = np.abs(slopes).sum(axis=0)
        return 4 * self._gamma * answer

    def _remember(self, beta: Numbers) -> Places:
        """Makes the brackets of pairs that matter to a machine; the pairs that have none."""
        rows = np.flatnonzero(beta.any(axis=0))
        first, second = self._pairs[:, : self._n_pairs]
        matter = np.zeros(len(self._table), dtype=bool)
        matter[rows] = True
        used = np.flatnonzero(matter[first] & matter[second])
        if 3 * len(used) < 2 * self._n_pairs:
            self._hold(used)
        new = np.argwhere(~self._known[np.ix_(rows, rows)]).T
        new = rows[new]
        near = self._gamma * self._distance[new[0], new[1]] <= _FAR
        taken = np.flatnonzero(near)[: len(self._brackets) - self._n_pairs]
        for some in _blocks(len(taken), self._some):
            self._take(new[:, taken[some]])
        return np.delete(new, taken, axis=1)

    def _take(self, pairs: Places) -> None:
        first, second = pairs
        places = slice(self._n_pairs, self._n_pairs + len(first))
        apart = self._table[first] - self._table[second]
        self._brackets[places, self._columns] = -np.expm1(self._gamma * apart**2)
        self._pairs[:, places] = pairs
        self._known[first, second] = True
        self._n_pairs = places.stop

    def _hold(self, places: Places) -> None:
        """Go on with these of the brackets, and without the columns that are gone."""
        dropped = np.delete(self._pairs[:, : self._n_pairs], places, axis=1)
        self._known[dropped[0], dropped[1]] = False
        held = self._brackets[places][:, self._columns]
        self._brackets = np.zeros((len(self._brackets), len(self._columns)))
        self._brackets[: len(held)] = held
        self._pairs[:, : len(held)] = self._pairs[:, places]
        self._columns, self._n_pairs = np.arange(len(self._columns)), len(held)

    def _differences(self, first: Places, second: Places) -> Numbers:
        """``K - K without k`` itself, which never overflows."""
        exponents = self._gamma * (self._table[first] - self._table[second]) ** 2
        distance = self._gamma * self._distance[first, second]
        return np.exp(exponents - distance[:, None]) * np.expm1(-exponents)


class KernelMachines:
    """Machines with a Gaussian kernel on the columns that are left.

    Parameters
    ----------
    kernel : GaussianKernel
    signs, bounds : ndarray of shape (n_machines, n_rows)
        See `support.solve`.
    criterion : {"margin", "derivative"}
    n_jobs : int
    """

    def __init__(
        self,
        kernel: GaussianKernel,
        signs: Numbers,
        bounds: Numbers,
        criterion: str = "margin",
        n_jobs: int = 1,
    ) -> None:
        self._kernel, self._signs, self._bounds, self._n_jobs = kernel, signs, bounds, n_jobs
        self._criterion = {"margin": kernel.margins, "derivative": kernel.derivatives}[criterion]
        self._beta = np.zeros_like(signs)

    def scores(self) -> Numbers:
        """The criterion's absolute value, summed over the machines."""
        gram = self._kernel.gram
        self._beta = support.solve(gram, self._signs, self._bounds, self._beta, self._n_jobs)
        return np.abs(self._criterion(self._beta)).sum(axis=0)

    def keep(self, places: Places) -> None:
        if 2 * len(places) <= self._kernel.n_columns:
            self._beta = np.zeros_like(self._beta)  # far from the next machines: no start for them
        self._kernel.keep(places)


def _blocks(n: int, size: int) -> Iterator[slice]:
    return (slice(start, min(start + size, n)) for start in range(0, n, size))
