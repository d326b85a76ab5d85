"""Distributed: a Dask collection, asked chunk by chunk where the chunks are.

A chunk answers as an array in memory does; what it answers is added up on the workers, chunks in
their own order, and only sums travel. The first question looks at every cell as well: NaN is
found there, and so are the extremes, so that checking a table costs no pass of its own.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.columns.base import Columns
from handful.columns.dense import Dense
from handful.columns.distributed.run import check_cells, compute, delayed
from handful.columns.distributed.shards import from_chunks
from handful.columns.planes import Layout

# Up to this many bytes a table is simply loaded where a method needs all of it.
LOADED = 1 << 28


class Distributed(Columns):
    """A table held as a Dask array with known chunks.

    Parameters
    ----------
    array : dask.array.Array
    names : ndarray of str or None
    places : sequence of str or None
        How messages name each chunk of rows.
    allow_nan : bool
    digest : str or None
        Stands for the content in a record.

    Examples
    --------
    >>> import dask.array as da
    >>> table = Distributed(da.eye(4, chunks=2))
    >>> table.tdot(np.array([1.0, 2.0, 3.0, 4.0])).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """

    def __init__(
        self,
        array: Any,
        names: NDArray | None = None,
        places: Sequence[str] | None = None,
        *,
        allow_nan: bool = False,
        digest: str | None = None,
    ) -> None:
        self.shape = array.shape
        self.dtype = array.dtype
        self.names = names
        self.digest = digest
        self._places = places
        self._allow_nan = allow_nan
        # an empty partition has nothing to say
        rows, columns = (np.flatnonzero(sizes).tolist() or [0] for sizes in array.chunks)
        self._numbers = rows
        self._array = array.blocks[rows].blocks[:, columns]
        self._heights, self._widths = self._array.chunks
        self._chunks = self._array.to_delayed()
        self._row_ends = np.cumsum([0, *self._heights])
        self._column_ends = np.cumsum([0, *self._widths])

    @property
    def native(self) -> Any:
        if self.dtype.itemsize * self.shape[0] * self.shape[1] <= LOADED:
            return self.gather()
        raise ValueError(
            "X is a Dask collection, and this method, with these parameters, needs the whole "
            "table in memory at once. Load it with X.compute() where it fits, or use "
            "InformationSelector, FilterSelector (a score with a name) or GramSchmidt."
        )

    def gather(self, rows: Any = None, cols: Any = None) -> NDArray:
        array = self._array
        if cols is not None:
            array = array[:, cols]
        if rows is not None:
            array = array[rows]
        return np.asarray(compute([array])[0])

    def take(self, cols: NDArray) -> "Columns":
        names = None if self.names is None else self.names[cols]
        return self._like(self._array[:, cols], names)

    def rows(self, indices: NDArray) -> "Distributed":
        return self._like(self._array[indices], self.names)

    def _like(self, array: Any, names: NDArray | None) -> "Distributed":
        return Distributed(array, names, allow_nan=self._allow_nan)

    def blocks(self, width: int | None = None) -> Iterator[tuple[slice, NDArray]]:
        yield from super().blocks(width or max(self.block_width, min(self._widths)))

    # ---- questions that are sums over chunks ----

    def dot(self, weights: NDArray) -> NDArray:
        parts = self._each(self._chunks, _dot, None, self._by_column(weights))
        answers = self._merged(_total, parts)
        return np.concatenate(compute(answers))

    def tdot(self, values: NDArray) -> NDArray:
        return np.concatenate(self._answers(_tdot, self._by_row(values)))

    def squared_lengths(self, weight: NDArray | None = None) -> NDArray[np.float64]:
        by_row = None if weight is None else self._by_row(weight)
        return np.concatenate(self._answers(_squared_lengths, by_row))

    def weighted_sums(self, weights: NDArray, centre: NDArray | None = None) -> NDArray[np.float64]:
        by_column = None if centre is None else self._by_column(centre)
        sums = self._answers(_weighted_sums, self._by_row(weights.T), by_column)
        return np.concatenate(sums, axis=-1)

    def group_moments(
        self, codes: NDArray, n_groups: int, weight: NDArray | None = None
    ) -> tuple[NDArray, NDArray, NDArray]:
        weights = np.ones(len(codes)) if weight is None else weight
        total = np.bincount(codes, weights, minlength=n_groups)
        pairs = [(codes[rows], None if weight is None else weight[rows]) for rows in self._slices]
        by_row = [delayed(pair, traverse=False) for pair in pairs]
        merged = self._answers(_group_moments, by_row, merge=_merge_moments)
        means, squares = (np.concatenate(part, axis=1) for part in zip(*merged, strict=True))
        return total, means, squares

    def row_gram(self) -> NDArray[np.float64]:
        width = max(1, min(self._widths))
        whole = self._array.rechunk({0: -1, 1: width}).to_delayed()[0]
        parts = [delayed(_row_gram)(chunk) for chunk in whole]
        return compute([delayed(_total)(parts)])[0]

    def _find_extremes(self) -> tuple[NDArray, NDArray]:
        self._answers(_nothing)
        assert self._extremes is not None  # the first pass found them
        return self._extremes

    def planes(self, layout: Layout) -> Any:
        # cuts with weights, or beside missing values, are found where the whole column is
        simple = layout.weight is None and not (self._allow_nan and self.dtype.kind == "f")
        if len(self._heights) > 1 and self.dtype.kind != "b" and not simple:
            whole = self._array.rechunk({0: -1})
            return Distributed(whole, self.names, allow_nan=self._allow_nan).planes(layout)
        chunks = self._checked() if self._extremes is None else self._chunks
        return from_chunks(chunks, self._heights, self._widths, layout, self.dtype)

    # ---- how chunks are asked ----

    @property
    def _slices(self) -> list[slice]:
        return [slice(*ends) for ends in zip(self._row_ends[:-1], self._row_ends[1:], strict=True)]

    def _by_row(self, values: NDArray) -> list[Any]:
        """The values of each chunk's rows, sent once for all chunks beside each other."""
        return [delayed(values[rows], traverse=False) for rows in self._slices]

    def _by_column(self, values: NDArray) -> list[Any]:
        ends = zip(self._column_ends[:-1], self._column_ends[1:], strict=True)
        return [delayed(values[slice(*pair)], traverse=False) for pair in ends]

    def _each(
        self, chunks: NDArray, ask: Callable[..., Any], by_row: Any = None, by_column: Any = None
    ) -> list[list[Any]]:
        """``ask(chunk, rows' values, columns' values)`` as a task for each chunk."""
        rows = [None] * len(self._heights) if by_row is None else by_row
        columns = [None] * len(self._widths) if by_column is None else by_column
        return [
            [delayed(ask)(chunk, row, column) for chunk, column in zip(line, columns, strict=True)]
            for line, row in zip(chunks, rows, strict=True)
        ]

    def _merged(self, merge: Callable[..., Any], lines: Any) -> list[Any]:
        return [delayed(merge)(line) for line in lines]

    def _answers(
        self,
        ask: Callable[..., Any],
        by_row: Any = None,
        by_column: Any = None,
        *,
        merge: Callable[..., Any] | None = None,
    ) -> list[Any]:
        """Of each column of chunks, what its chunks answered together; the first time with a look.

        `merge` takes the answers of chunks from top to bottom.
        """
        merge = _total if merge is None else merge
        known = self._extremes is not None
        chunks = self._chunks if known else self._checked()
        lines = np.array(self._each(chunks, ask, by_row, by_column), dtype=object)
        answers = self._merged(merge, lines.T.tolist())
        if known:
            return compute(answers)
        looks = [delayed(_look)(chunk) for chunk in chunks.ravel()]
        looks = np.array(looks, dtype=object).reshape(chunks.shape)
        looks = self._merged(_merge_extremes, looks.T.tolist())
        found = compute([*answers, *looks])
        lowest, highest = zip(*found[len(answers) :], strict=True)
        self._extremes = np.concatenate(lowest), np.concatenate(highest)
        return found[: len(answers)]

    def _checked(self) -> NDArray:
        """The chunks, whose cells are checked as they come."""
        checked = np.empty(self._chunks.shape, dtype=object)
        ends = zip(self._column_ends[:-1], self._column_ends[1:], strict=True)
        labels = [delayed([self.label(j) for j in range(*pair)], traverse=False) for pair in ends]
        for (row, column), chunk in np.ndenumerate(self._chunks):
            where = labels[column], self._place(row), self._allow_nan
            checked[row, column] = delayed(_checked)(chunk, *where)
        return checked

    def _place(self, row: int) -> str:
        number = self._numbers[row]
        return f"row chunk {number}" if self._places is None else self._places[number]


# ---- what a chunk answers ----


def _dot(chunk: NDArray, _: None, weights: NDArray) -> NDArray:
    return Dense(chunk).dot(weights)


def _tdot(chunk: NDArray, values: NDArray, _: None) -> NDArray:
    return Dense(chunk).tdot(values)


def _squared_lengths(chunk: NDArray, weight: NDArray | None, _: None) -> NDArray:
    return Dense(chunk).squared_lengths(weight)


def _weighted_sums(chunk: NDArray, weights: NDArray, centre: NDArray | None) -> NDArray:
    return Dense(chunk).weighted_sums(weights.T, centre)


def _row_gram(chunk: NDArray) -> NDArray:
    return Dense(chunk).row_gram()


def _nothing(chunk: NDArray, _: None, __: None) -> int:
    return 0


def _look(chunk: NDArray) -> tuple[NDArray, NDArray]:
    return Dense(chunk).extremes()


def _checked(chunk: NDArray, labels: Sequence[str], place: str, allow_nan: bool) -> NDArray:
    check_cells(chunk, labels, place, allow_nan=allow_nan)
    return chunk


def _group_moments(
    chunk: NDArray, rows: tuple[NDArray, NDArray | None], _: None
) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Of the groups that have rows here: which, their weight, means and squared deviations."""
    codes, weight = rows
    groups, here = np.unique(codes, return_inverse=True)
    return groups, *Dense(chunk).group_moments(here.astype(np.int32), len(groups), weight)


# ---- how answers are put together ----


def _total(parts: Sequence[Any]) -> Any:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _merge_extremes(parts: Sequence[tuple[NDArray, NDArray]]) -> tuple[NDArray, NDArray]:
    lowest, highest = zip(*parts, strict=True)
    return np.min(lowest, axis=0), np.max(highest, axis=0)


def _merge_moments(parts: Sequence[tuple[NDArray, NDArray, NDArray, NDArray]]) -> Any:
    """Means and squared deviations of every group from those of its parts (Chan et al., 1983)."""
    n_groups = 1 + max(int(groups.max()) for groups, *_ in parts)
    n_columns = parts[0][2].shape[1]
    total = np.zeros(n_groups)
    means, squares = np.zeros((2, n_groups, n_columns))
    for groups, weight, mean, square in parts:
        before, share = total[groups], weight / (total[groups] + weight)
        gap = mean - means[groups]
        squares[groups] += square + gap**2 * (before * share)[:, None]
        means[groups] += gap * share[:, None]
        total[groups] += weight
    return means, squares
