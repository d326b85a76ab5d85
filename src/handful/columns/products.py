"""Products: the products of a few variables as columns, made only where they are asked for.

A thousand variables have half a million products of two. Their inner products with a vector q are
those of the variables with the variables times q, one matrix product; so the columns themselves are
never needed, except for the few that are looked at.
"""

from collections.abc import Iterator
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.columns.base import BLOCK, Columns
from handful.columns.dense import Dense

# a ranking holds a few numbers for every column
MOST = 10**9


class Products(Columns):
    """All products of up to `degree` different variables; first the constant, the product of none.

    The order is by number of factors, then by the factors' indices, as in scikit-learn's
    ``PolynomialFeatures(interaction_only=True)``.

    Parameters
    ----------
    variables : ndarray of float, shape (n_rows, n_variables)
    degree : int
    names : sequence of str or None
        Of the variables.

    Examples
    --------
    >>> import numpy as np
    >>> table = Products(np.array([[2.0, 3.0, 5.0]]), 2)
    >>> table.gather().tolist()
    [[1.0, 2.0, 3.0, 5.0, 6.0, 10.0, 15.0]]
    >>> table.factors([4, 6]), table.label(4)
    ([(0, 1), (1, 2)], "'x0·x1'")
    """

    def __init__(self, variables: NDArray, degree: int, names: Any = None) -> None:
        n_rows, n_variables = variables.shape
        self._variables = variables
        self._degree = min(degree, n_variables)
        self._names = names
        sizes = [comb(n_variables, k) for k in range(self._degree + 1)]
        if sum(sizes) > MOST:
            raise ValueError(
                f"Products of up to {degree} of {n_variables} variables are {sum(sizes):.2g} "
                f"columns, more than {MOST:.2g}; lower the degree or choose among the variables "
                "first."
            )
        # for each number of factors how many products begin before each variable, and in all
        self._before = [
            np.array(
                [comb(n_variables, k) - comb(n_variables - i, k) for i in range(n_variables + 1)]
            )
            for k in range(self._degree + 1)
        ]
        self._start = np.cumsum([0, *sizes])
        self.shape = (n_rows, int(self._start[-1]))
        self.dtype = variables.dtype

    @property
    def native(self) -> NDArray:
        return self.gather()

    def gather(self, rows: Any = None, cols: Any = None) -> NDArray:
        variables = self._variables if rows is None else self._variables[rows]
        wanted = np.arange(self.shape[1])[slice(None) if cols is None else cols]
        answer = np.ones((len(variables), len(wanted)), self.dtype)
        for places, factors in self._by_size(wanted):
            for factor in factors:
                answer[:, places] *= variables[:, factor]
        return answer

    def take(self, cols: NDArray) -> Dense:
        names = np.array([self.name(j) for j in cols], dtype=object)
        return Dense(self.gather(None, cols), names)

    def rows(self, indices: NDArray) -> "Products":
        return Products(self._variables[indices], self._degree, self._names)

    def tdot(self, values: NDArray) -> NDArray:
        if values.ndim == 2:
            return np.column_stack([self.tdot(one) for one in values.T])
        return self._sums(self._variables, values.astype(self.work_dtype, copy=False))

    def squared_lengths(self, weight: NDArray | None = None) -> NDArray[np.float64]:
        weight = np.ones(self.shape[0]) if weight is None else weight
        return self._sums(self._variables.astype(np.float64) ** 2, weight)

    def _sums(self, variables: NDArray, weight: NDArray) -> NDArray:
        """The weighted sum over the rows of every product of `variables`.

        Each product of k is one of k - 1 times a later variable: a matrix product for many at once.
        """
        answer = np.empty(self.shape[1], weight.dtype)
        answer[0] = weight.sum()
        number = np.arange(variables.shape[1])
        for k in range(1, self._degree + 1):
            place = self._start[k]
            for first, last in self._shorter(k):
                factors = self._factors(np.arange(first, last), k - 1)
                weighted = np.repeat(weight[:, None], last - first, axis=1)
                for factor in factors:
                    weighted *= variables[:, factor]
                newest = factors[-1] if factors else np.array([-1])
                after = int(newest.min()) + 1
                sums = weighted.T @ variables[:, after:]
                found = sums[number[after:] > newest[:, None]]
                answer[place : place + len(found)] = found
                place += len(found)
        return answer

    def _shorter(self, k: int) -> Iterator[tuple[int, int]]:
        """The products of k - 1 variables from first to last, some at a time."""
        some = max(64, BLOCK // max(self._variables.shape))
        end = int(self._start[k] - self._start[k - 1])
        for first in range(0, end, some):
            yield first, min(first + some, end)

    def _by_size(self, cols: NDArray) -> Iterator[tuple[NDArray, list[NDArray]]]:
        """Which of the columns have so and so many factors, and the factors: first, second, ..."""
        size = np.searchsorted(self._start, cols, side="right") - 1
        for k in range(self._degree + 1):
            places = np.flatnonzero(size == k)
            yield places, self._factors(cols[places] - self._start[k], k)

    def _factors(self, rank: NDArray, k: int) -> list[NDArray]:
        """The factors of products of k, which are counted from the first of that size."""
        factors = []
        for left in range(k, 0, -1):
            before = self._before[left]
            # past the last variable none begins: `before` is flat there, and the search goes right
            factor = np.searchsorted(before, rank, side="right") - 1
            factors.append(factor)
            rank = rank - before[factor] + self._before[left - 1][factor + 1]
        return factors

    def factors(self, cols: Any) -> list[tuple[int, ...]]:
        """The variables of which each of these columns is the product."""
        cols = np.asarray(cols, dtype=np.intp)
        answer: list[tuple[int, ...]] = [()] * len(cols)
        for places, factors in self._by_size(cols):
            for place, *found in zip(places.tolist(), *(f.tolist() for f in factors), strict=True):
                answer[place] = tuple(found)
        return answer

    def name(self, j: int) -> str:
        """A column's name: those of its factors, joined by dots."""
        names = [
            f"x{i}" if self._names is None else str(self._names[i]) for i in self.factors([j])[0]
        ]
        return "·".join(names) or "1"

    def label(self, j: int) -> str:
        return repr(self.name(j))
