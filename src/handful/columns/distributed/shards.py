"""Planes on the workers: packed there once, and asked by the driver of a choice.

A shard has all rows of some columns, a bit a cell and level, so that the joint counts of two of its
columns need no other worker. From a collection in many chunks of rows, each chunk sends its levels
in as few bits as they need; only these are put together.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful import _core
from handful.columns.distributed import cuts
from handful.columns.distributed.run import ask, compute, delayed, keep, keep_one
from handful.columns.planes import Layout, Planes, pack_dense

# Shards of a table whose bits are all in this process, for as many threads.
HERE = 8
# Columns whose bits are unpacked together, on the way from chunks to planes.
_TOGETHER = 256


class Part:
    """Some columns as planes; what counts in them is made where they are asked, and not sent."""

    def __init__(self, planes: Planes, weight: NDArray[np.float64] | None) -> None:
        self.planes = planes
        self.weight = weight

    def __getstate__(self) -> dict[str, Any]:
        return {"planes": self.planes, "weight": self.weight}

    def __sizeof__(self) -> int:
        return self.planes.nbytes

    @cached_property
    def shard(self) -> _core.Shard:
        return _core.Shard(self.planes, self.weight)


class Shards:
    """The columns of a table, on workers: what `handful.solvers.rounds` asks.

    Attributes
    ----------
    n_round_trips : int
        How often the driver asked the workers and waited for all that it asked.
    """

    def __init__(
        self, parts: Sequence[Any], widths: Sequence[int], weight: NDArray[np.float64] | None
    ) -> None:
        self._parts = list(parts)
        self._weight = weight
        self._widths = list(widths)
        self._starts = np.cumsum([0, *widths])
        self._chosen: list[Any] = []
        self.n_round_trips = 0

    def __len__(self) -> int:
        return int(self._starts[-1])

    def __add__(self, other: "Shards") -> "Shards":
        """Tables of the same rows side by side."""
        return Shards(self._parts + other._parts, self._widths + other._widths, self._weight)

    def __radd__(self, planes: Planes) -> "Shards":
        """The same with columns before them that are here, of the same rows."""
        part = keep_one(Part, planes, self._weight)
        return Shards([part, *self._parts], [len(planes), *self._widths], self._weight)

    def relevances(self) -> NDArray[np.float64]:
        """I(Y; X) of each column, minus infinity where it is constant."""
        return np.concatenate(self._ask(_relevances, [(part,) for part in self._parts]))

    def choose(self, j: int) -> None:
        """Count beside this column from now on: its shard sends it to all others."""
        place = int(np.searchsorted(self._starts, j, side="right")) - 1
        inside = j - int(self._starts[place])
        self._chosen.append(keep_one(_chosen, self._parts[place], inside))

    def terms(self, criterion: str) -> NDArray[np.float64]:
        """The term of every column beside the one chosen last."""
        last = self._chosen[-1]
        return np.concatenate(self._ask(_terms, [(part, criterion, last) for part in self._parts]))

    def freshen(
        self, criterion: str, columns: NDArray[np.intp], bound: NDArray, age: NDArray, floor: float
    ) -> int:
        """Bring bounds (and ages) of these columns up to date, in place, unless they fall below.

        A bound is left where it is below `floor`, or below one that is up to date. Returns how
        often a column was counted beside a chosen one.
        """
        columns = columns[np.argsort(-bound[columns], kind="stable")]
        owner = np.searchsorted(self._starts, columns, side="right") - 1
        asked = [(place, columns[owner == place]) for place in np.unique(owner).tolist()]
        given = [
            (
                self._parts[place],
                criterion,
                some - self._starts[place],
                bound[some],
                age[some],
                self._chosen,
                floor,
            )
            for place, some in asked
        ]
        evaluations = 0
        for (_, some), answer in zip(asked, self._ask(_freshen, given), strict=True):
            bound[some], age[some], n = answer
            evaluations += n
        return evaluations

    def _ask(self, work: Callable[..., Any], each: list[tuple[Any, ...]]) -> list[Any]:
        self.n_round_trips += 1
        return ask(work, each)


def _relevances(part: Part) -> NDArray[np.float64]:
    return part.shard.relevances()


def _chosen(part: Part, j: int) -> _core.ChosenColumn:
    return part.shard.chosen(j)


def _terms(part: Part, criterion: str, chosen: _core.ChosenColumn) -> NDArray[np.float64]:
    return part.shard.terms(criterion, chosen)


def _freshen(
    part: Part,
    criterion: str,
    columns: NDArray,
    bound: NDArray,
    age: NDArray,
    chosen: list[_core.ChosenColumn],
    floor: float,
) -> tuple[NDArray, NDArray, int]:
    columns = columns.astype(np.int64, copy=False)
    return part.shard.freshen(criterion, columns, bound, age, chosen, floor)


# ---- from chunks to shards ----


def from_chunks(
    chunks: NDArray, heights: Sequence[int], widths: Sequence[int], layout: Layout, dtype: np.dtype
) -> Shards:
    """Shards of a grid of chunks; one row of chunks is packed as it is."""
    shared = delayed(layout, traverse=False)
    if len(heights) == 1:
        parts = [delayed(_pack)(chunk, shared) for chunk in chunks[0]]
        return _kept(parts, widths, layout)
    parts, shard_widths = [], []
    for column, cut in enumerate(_thresholds(chunks, layout, dtype)):
        split = _splits(widths[column], sum(widths))
        shared_cut = delayed(cut, traverse=False)
        pieces: list[Any] = [
            delayed(_pieces, nout=len(split))(chunk, shared_cut, split)
            for chunk in chunks[:, column]
        ]
        for number in range(len(split)):
            some = [piece[number] for piece in pieces]
            parts.append(delayed(_join)(some, heights, shared, split[number]))
        shard_widths += split
    return _kept(parts, shard_widths, layout)


def _kept(tasks: Sequence[Any], widths: Sequence[int], layout: Layout) -> Shards:
    """The parts, packed; a few where all are here, since each has some numbers for every row."""
    parts = keep(tasks)
    if not all(isinstance(part, Part) for part in parts):
        return Shards(parts, widths, layout.weight)
    groups = [group for group in np.array_split(np.arange(len(parts)), HERE) if len(group)]
    few = [Part(_core.join([parts[i].planes for i in group]), layout.weight) for group in groups]
    return Shards(few, [len(part.planes) for part in few], layout.weight)


def _thresholds(chunks: NDArray, layout: Layout, dtype: np.dtype) -> list[NDArray | None]:
    """Of each column of chunks; None for boolean ones.

    Three passes, each on its own: chunks that two passes share would wait in memory for the second.
    """
    if dtype.kind == "b":
        return [None] * chunks.shape[1]
    most = layout.most_distinct(dtype)
    first = [[delayed(cuts.summarise)(chunk, most) for chunk in column] for column in chunks.T]
    brackets = compute([delayed(cuts.bracket)(parts, most, layout.n_bins) for parts in first])
    known = [delayed(found, traverse=False) for found in brackets]
    second = [
        [delayed(cuts.inside)(chunk, found) for chunk in column]
        for column, found in zip(chunks.T, known, strict=True)
    ]
    pairs = zip(known, second, strict=True)
    return compute([delayed(cuts.thresholds)(found, parts) for found, parts in pairs])


def _splits(width: int, n_columns: int) -> list[int]:
    """The widths of the shards of a column of chunks: enough of them to keep workers busy."""
    n = min(-(-16 * width // n_columns), -(-width // 64))
    return np.diff(np.linspace(0, width, n + 1).astype(int)).tolist()


def _pack(chunk: NDArray, layout: Layout) -> Part:
    return Part(pack_dense(_narrow(chunk), layout), layout.weight)


def _narrow(chunk: NDArray) -> NDArray:
    """Whole numbers in a byte each where they fit: their levels are counted, not sorted."""
    if chunk.dtype.kind not in "iu" or chunk.dtype.itemsize == 1 or not chunk.size:
        return chunk
    fits = np.iinfo(np.int8).min <= chunk.min() and chunk.max() <= np.iinfo(np.int8).max
    return chunk.astype(np.int8) if fits else chunk


def _pieces(chunk: NDArray, cut: NDArray | None, widths: Sequence[int]) -> list[NDArray[np.uint8]]:
    """A chunk's levels as binary digits, eight rows to the byte: (digits, bytes, columns)."""
    if cut is None:
        levels, n_digits = chunk.view(np.uint8), 1
    else:
        levels = np.zeros(chunk.shape, np.uint8)
        for threshold in cut:
            levels += chunk > threshold
        n_digits = max(1, len(cut).bit_length())
    digits = [
        np.packbits(levels & np.uint8(1 << digit), axis=0, bitorder="little")
        for digit in range(n_digits)
    ]
    return np.split(np.array(digits), np.cumsum(widths)[:-1], axis=2)


def _join(
    pieces: Sequence[NDArray[np.uint8]], heights: Sequence[int], layout: Layout, width: int
) -> Part:
    """The pieces of all chunks of some columns as planes."""
    parts = []
    for first in range(0, width, _TOGETHER):
        some = slice(first, first + _TOGETHER)
        levels = np.concatenate(
            [
                _levels(piece[:, :, some], height)
                for piece, height in zip(pieces, heights, strict=True)
            ]
        )
        boolean = levels.view(bool) if len(pieces[0]) == 1 else levels
        # cut already: every value is a level
        parts.append(
            _core.pack_dense(boolean, layout.order, layout.ends, None, 255, 255, layout.threads)
        )
    return Part(_core.join(parts), layout.weight)


def _levels(piece: NDArray[np.uint8], height: int) -> NDArray[np.uint8]:
    levels = np.zeros((height, piece.shape[2]), np.uint8)
    for digit, packed in enumerate(piece):
        bits = np.unpackbits(packed, axis=0, count=height, bitorder="little")
        levels |= bits << np.uint8(digit)
    return levels
