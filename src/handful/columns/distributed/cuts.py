"""Where columns in many chunks of rows are cut: the very thresholds of one chunk, in two passes.

The first pass sorts each chunk and keeps, of every column, some evenly spaced values and up to a
few distinct ones. From the positions of the spaced values follow two of them between which a
quantile must lie, however the rows are split. The second pass counts what is below the lower one
and brings what is between: with it the quantile and its neighbour are known, not estimated.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Spaced values of each column and chunk: two neighbours have 1 / POINTS of the chunk between them,
# so the second pass brings about twice that share of the table for each cut.
POINTS = 257


class Summary(NamedTuple):
    """What the first pass keeps of a chunk; arrays have a column for each of the chunk's."""

    n_rows: int
    distinct: NDArray  # the lowest distinct values, one more than may be levels; the last repeats
    spaced: NDArray
    position: NDArray[np.intp]  # of the spaced values among the chunk's sorted ones


class Brackets(NamedTuple):
    """Between which values the quantiles lie."""

    n_rows: int
    distinct: NDArray
    few: NDArray[np.bool_]  # columns whose values are their levels
    low: NDArray  # (n_cuts, n_columns)
    high: NDArray
    unbounded: NDArray[np.bool_]  # where nothing is known to lie below


class Inside(NamedTuple):
    """What the second pass finds in a chunk: rows below each bracket, and the values inside."""

    below: NDArray[np.intp]
    place: NDArray[np.intp]  # cut * n_columns + column
    value: NDArray
    rows: NDArray[np.intp]


def summarise(block: NDArray, most: int) -> Summary:
    """The first pass over a chunk with rows; `most` values may be levels."""
    ordered = np.sort(block, axis=0)
    position = np.unique(np.linspace(0, len(ordered) - 1, POINTS).round().astype(np.intp))
    return Summary(len(ordered), _distinct(ordered, most + 1), ordered[position], position)


def _distinct(ordered: NDArray, n: int) -> NDArray:
    """The lowest `n` distinct values of sorted columns; where there are fewer the last repeats."""
    new = np.ones(ordered.shape[::-1], dtype=bool)
    new[:, 1:] = (ordered[1:] != ordered[:-1]).T
    column, row = np.nonzero(new)
    begin = np.searchsorted(column, np.arange(ordered.shape[1]))
    ordinal = np.arange(len(column)) - begin[column]
    found = np.repeat(ordered[-1:], n, axis=0)
    low = ordinal < n
    found[ordinal[low], column[low]] = ordered[row[low], column[low]]
    return found


def bracket(parts: Sequence[Summary], most: int, n_bins: int) -> Brackets:
    """What follows from all chunks of some columns."""
    n_rows = sum(part.n_rows for part in parts)
    lowest = np.sort(np.concatenate([part.distinct for part in parts]), axis=0)
    distinct = _distinct(lowest, most + 1)
    few = distinct[-1] == distinct[-2]
    values = np.concatenate([part.spaced for part in parts])
    # How many rows are at least, and at most, not above a spaced value? Each adds what lies between
    # it and the one before, or after it.
    least = np.concatenate([np.diff(part.position, prepend=-1) for part in parts])
    most_rows = [np.diff(part.position, append=part.n_rows) for part in parts]
    order = np.argsort(values, axis=0, kind="stable")
    values = np.take_along_axis(values, order, axis=0)
    at_least = np.cumsum(least[order], axis=0)
    at_most = np.cumsum(np.concatenate(most_rows)[order], axis=0)
    # among equal values only the last one knows of all of them
    at_most[:-1][values[:-1] == values[1:]] = n_rows + 1
    low, high, unbounded = [], [], []
    for target in targets(n_rows, n_bins):
        lower = (at_most <= target) * np.arange(1, len(values) + 1)[:, None]
        best = lower.max(axis=0)
        upper = (at_least >= target + 1).argmax(axis=0)
        low.append(np.take_along_axis(values, np.maximum(best - 1, 0)[None], axis=0)[0])
        high.append(np.take_along_axis(values, upper[None], axis=0)[0])
        unbounded.append(best == 0)
    return Brackets(n_rows, distinct, few, np.array(low), np.array(high), np.array(unbounded))


def targets(n_rows: int, n_bins: int) -> list[int]:
    """Rows below each cut, ties aside: as in levels.hpp."""
    return [int(np.ceil((n_rows - 1) * k / n_bins)) for k in range(1, n_bins)]


def inside(block: NDArray, brackets: Brackets) -> Inside:
    """The second pass over a chunk."""
    n_columns = block.shape[1]
    below, places, values = [], [], []
    for cut, (low, high, unbounded) in enumerate(zip(*brackets[3:], strict=True)):
        under = (block < low) & ~unbounded
        below.append(under.sum(axis=0))
        column, row = np.nonzero((~under & (block <= high) & ~brackets.few).T)
        places.append(cut * n_columns + column)
        values.append(block[row, column])
    place, value, rows = _runs(np.concatenate(places), np.concatenate(values))
    return Inside(np.array(below), place, value, rows)


def _runs(
    place: NDArray, value: NDArray, rows: NDArray | None = None
) -> tuple[NDArray, NDArray, NDArray]:
    """Each value of each place once, ascending, with how many rows have it."""
    order = np.lexsort((value, place))
    place, value = place[order], value[order]
    new = np.ones(len(place), dtype=bool)
    new[1:] = (place[1:] != place[:-1]) | (value[1:] != value[:-1])
    begin = np.flatnonzero(new)
    counted = np.ones(len(place), dtype=np.intp) if rows is None else rows[order]
    total = np.add.reduceat(counted, begin) if len(begin) else counted
    return place[begin], value[begin], total


def thresholds(brackets: Brackets, parts: Sequence[Inside]) -> NDArray:
    """Of each column, ascending; a value's level is how many it is above.

    Columns with fewer thresholds have the largest number of the type at the end, which none is
    above.
    """
    n_cuts, n_columns = brackets.low.shape
    place = np.concatenate([part.place for part in parts])
    value = np.concatenate([part.value for part in parts])
    place, value, rows = _runs(place, value, np.concatenate([part.rows for part in parts]))
    begin = np.searchsorted(place, np.arange(n_cuts * n_columns))
    before = np.concatenate([[0], np.cumsum(rows)])
    below = np.sum([part.below for part in parts], axis=0)
    found = np.full((max(n_cuts, len(brackets.distinct) - 1), n_columns), _never_above(value.dtype))
    cut = np.flatnonzero(~brackets.few)
    for k, target in enumerate(targets(brackets.n_rows, n_cuts + 1)):
        first = begin[k * n_columns + cut]
        under = before[first] - below[k, cut]
        run = np.searchsorted(before, target + under, side="right") - 1
        low, high = before[run] - under, before[run + 1] - under
        higher = high - target < target - low
        higher = np.where((low == 0) | (high == brackets.n_rows), low == 0, higher)
        found[k, cut] = value[np.where(higher, run, run - 1)]
    levels = brackets.distinct[:-1, brackets.few]
    is_level = levels < brackets.distinct[-1, brackets.few]
    found[: len(levels), brackets.few] = np.where(is_level, levels, _never_above(value.dtype))
    again = np.zeros(found.shape, dtype=bool)
    again[1:] = found[1:] <= np.maximum.accumulate(found, axis=0)[:-1]
    found[again] = _never_above(value.dtype)
    found.sort(axis=0)
    return found[: (found != _never_above(value.dtype)).sum(axis=0).max(initial=1)]


def _never_above(dtype: np.dtype) -> float | int:
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max
