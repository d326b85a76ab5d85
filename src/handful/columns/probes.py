"""Random features beside the real ones: what the empirical probe lets a method rank.

The probes stand FIRST. Forward, the lowest index wins a tie; backward, the highest goes first: so
both ways a tie between a feature and a probe counts for the probe.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from handful.columns.base import BLOCK, Columns
from handful.columns.dense import Dense
from handful.columns.planes import Layout, Planes, joined


class Permuted(Columns):
    """A table with its rows in another order, made only where it is asked for.

    All columns are shuffled together, so each keeps its distribution and all keep their
    correlations; only the link to the target is cut.
    """

    def __init__(self, table: Columns, order: NDArray[np.intp]) -> None:
        self.table = table
        self.order = order
        self.shape = table.shape
        self.dtype = table.dtype

    @property
    def native(self) -> Any:
        return self.table.rows(self.order).native

    def gather(self, rows: Any = None, cols: Any = None) -> NDArray:
        return self.table.gather(self.order if rows is None else self.order[rows], cols)

    def take(self, cols: NDArray) -> "Permuted":
        return Permuted(self.table.take(cols), self.order)

    def rows(self, indices: NDArray) -> Columns:
        return self.table.rows(self.order[indices])

    def blocks(self, width: int | None = None) -> Iterator[tuple[slice, NDArray]]:
        for cols, block in self.table.blocks(width):
            yield cols, block[self.order]

    def column(self, j: int) -> NDArray[np.float64]:
        return self.table.column(j)[self.order]

    def dot(self, weights: NDArray) -> NDArray:
        return self.table.dot(weights)[self.order]

    def tdot(self, values: NDArray) -> NDArray:
        return self.table.tdot(self._back(values))

    def row_gram(self) -> NDArray[np.float64]:
        return self.table.row_gram()[np.ix_(self.order, self.order)]

    def group_moments(
        self, codes: NDArray, n_groups: int, weight: NDArray | None = None
    ) -> tuple[NDArray, NDArray, NDArray]:
        weight = None if weight is None else self._back(weight)
        return self.table.group_moments(self._back(codes), n_groups, weight)

    def weighted_sums(self, weights: NDArray, centre: NDArray | None = None) -> NDArray[np.float64]:
        return self.table.weighted_sums(self._back(weights.T).T, centre)

    def _find_extremes(self) -> tuple[NDArray, NDArray]:
        return self.table.extremes()

    def planes(self, layout: Layout) -> Planes:
        return self.table.planes(layout.after(self.order))

    def _back(self, values: NDArray) -> NDArray:
        """What each row of the table itself gets when row i of the shuffle gets values[i]."""
        answer = np.empty_like(values)
        answer[self.order] = values
        return answer


class GaussianProbes(Columns):
    """Independent standard normal columns, drawn from their seed part by part when looked at.

    Parts that fit into one block together are kept; the others are drawn again each time.
    """

    _WIDTH = 64

    def __init__(self, n_rows: int, n_columns: int, seed: int) -> None:
        self.shape = (n_rows, n_columns)
        self.dtype = np.dtype(np.float64)
        self._seed = seed
        self._kept: dict[int, NDArray[np.float64]] = {}

    @property
    def native(self) -> NDArray:
        return self.gather()

    def gather(self, rows: Any = None, cols: Any = None) -> NDArray:
        wanted = np.arange(self.shape[1])[slice(None) if cols is None else cols]
        answer = np.empty((self.shape[0], len(wanted)))
        for number in np.unique(wanted // self._WIDTH).tolist():
            here = np.flatnonzero(wanted // self._WIDTH == number)
            answer[:, here] = self._draw(number)[:, wanted[here] - number * self._WIDTH]
        return answer if rows is None else answer[rows]

    def _draw(self, number: int) -> NDArray[np.float64]:
        if number in self._kept:
            return self._kept[number]
        rng = np.random.default_rng([self._seed, number])
        part = rng.standard_normal((self.shape[0], self._WIDTH))
        if (len(self._kept) + 1) * part.size <= BLOCK:
            self._kept[number] = part
        return part

    def varying(self) -> NDArray[np.bool_]:
        return np.ones(self.shape[1], dtype=bool)

    def take(self, cols: NDArray) -> Columns:
        return Dense(self.gather(None, cols))

    def rows(self, indices: NDArray) -> Columns:
        return Dense(self.gather(indices))


class Probed(Columns):
    """Two tables side by side: the probes, then the features."""

    def __init__(self, probes: Columns, table: Columns) -> None:
        self.probes = probes
        self.table = table
        self.n_probes = probes.shape[1]
        self.shape = (table.shape[0], self.n_probes + table.shape[1])
        self.dtype = np.result_type(probes.dtype, table.dtype)

    @property
    def native(self) -> Any:
        left, right = self.probes.native, self.table.native
        if sparse.issparse(left) or sparse.issparse(right):
            return sparse.hstack([left, right], format="csr")
        return np.hstack([left, right])

    def gather(self, rows: Any = None, cols: Any = None) -> NDArray:
        wanted = np.arange(self.shape[1])[slice(None) if cols is None else cols]
        left = wanted < self.n_probes
        if left.all():
            return self.probes.gather(rows, wanted)
        if not left.any():
            return self.table.gather(rows, wanted - self.n_probes)
        real = self.table.gather(rows, wanted[~left] - self.n_probes)
        answer = np.empty((real.shape[0], len(wanted)), self.dtype)
        answer[:, ~left] = real
        answer[:, left] = self.probes.gather(rows, wanted[left])
        return answer

    def take(self, cols: NDArray) -> "Columns":
        return Dense(self.gather(None, cols))

    def rows(self, indices: NDArray) -> "Probed":
        return Probed(self.probes.rows(indices), self.table.rows(indices))

    def blocks(self, width: int | None = None) -> Iterator[tuple[slice, NDArray]]:
        yield from self.probes.blocks(width)
        for cols, block in self.table.blocks(width):
            yield slice(cols.start + self.n_probes, cols.stop + self.n_probes), block

    def column(self, j: int) -> NDArray[np.float64]:
        return self.probes.column(j) if j < self.n_probes else self.table.column(j - self.n_probes)

    def dot(self, weights: NDArray) -> NDArray:
        return self.probes.dot(weights[: self.n_probes]) + self.table.dot(weights[self.n_probes :])

    def tdot(self, values: NDArray) -> NDArray:
        return np.concatenate([self.probes.tdot(values), self.table.tdot(values)])

    def row_gram(self) -> NDArray[np.float64]:
        return self.probes.row_gram() + self.table.row_gram()

    def group_moments(
        self, codes: NDArray, n_groups: int, weight: NDArray | None = None
    ) -> tuple[NDArray, NDArray, NDArray]:
        total, *left = self.probes.group_moments(codes, n_groups, weight)
        _, *right = self.table.group_moments(codes, n_groups, weight)
        means, squares = (np.hstack(pair) for pair in zip(left, right, strict=True))
        return total, means, squares

    def weighted_sums(self, weights: NDArray, centre: NDArray | None = None) -> NDArray[np.float64]:
        left, right = (None, None) if centre is None else np.split(centre, [self.n_probes])
        parts = self.probes.weighted_sums(weights, left), self.table.weighted_sums(weights, right)
        return np.concatenate(parts, axis=-1)

    def _find_extremes(self) -> tuple[NDArray, NDArray]:
        pairs = zip(self.probes.extremes(), self.table.extremes(), strict=True)
        lowest, highest = (np.concatenate(pair) for pair in pairs)
        return lowest, highest

    def varying(self) -> NDArray[np.bool_]:
        return np.concatenate([self.probes.varying(), self.table.varying()])

    def label(self, j: int) -> str:
        return f"of probe {j}" if j < self.n_probes else self.table.label(j - self.n_probes)

    def planes(self, layout: Layout) -> Planes:
        return joined([self.probes.planes(layout), self.table.planes(layout)])
