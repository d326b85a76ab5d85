"""Questions: any table as columns of yes and no, such as: is column 7 at least 2.5?

A boolean table asks its own columns. Of any other table each column is cut: at every step between
its distinct values where they are few, else into bins with about as many rows; the question belongs
to the upper side of a cut. The answers are kept at one bit each.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from handful.columns import Bits, Columns


class Questions(NamedTuple):
    """What is asked of a table's columns, and the answers.

    Attributes
    ----------
    answers : Columns
        A column of 0 and 1 for each question.
    feature : ndarray of int
        The table's column that each is about, never falling.
    threshold : ndarray of float
        From where on the answer is yes; the questions about one column rise.
    n_features : int
        Columns of the table.
    varying : ndarray of bool
        Which columns of the table are not constant.
    weight : ndarray of float or None
        As how many equal rows each row counts.
    """

    answers: Columns
    feature: NDArray[np.intp]
    threshold: NDArray[np.float64]
    n_features: int
    varying: NDArray[np.bool_]
    weight: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.feature)

    def answer(self, question: int) -> NDArray[np.bool_]:
        """Row by row."""
        return self.answers.column(question) > 0.5

    def about(self, features: NDArray) -> "Questions":
        """The questions about some columns, given by rising index, which are numbered anew."""
        wanted = np.zeros(self.n_features, dtype=bool)
        wanted[features] = True
        kept = np.flatnonzero(wanted[self.feature])
        return Questions(
            self.answers.take(kept),
            np.searchsorted(features, self.feature[kept]),
            self.threshold[kept],
            len(features),
            self.varying[features],
            self.weight,
        )

    def levels(self, feature: int) -> NDArray[np.intp]:
        """Row by row, how many of the questions about a column it answers with yes."""
        first, last = np.searchsorted(self.feature, [feature, feature + 1]).tolist()
        return self.answers.gather(None, slice(first, last)).astype(bool).sum(axis=1)

    def best(self, scores: NDArray) -> NDArray:
        """Per column of the table the largest score of its questions, NaN where it is constant."""
        answer = np.full(self.n_features, np.nan)
        asked, starts = np.unique(self.feature, return_index=True)
        if asked.size:
            answer[asked] = np.maximum.reduceat(scores, starts)
        return np.where(self.varying, answer, np.nan)


def ask(table: Columns, n_bins: int, weight: NDArray | None = None) -> Questions:
    """The questions about a table whose columns have up to `n_bins` levels.

    A row of weight 2 counts as two equal rows.

    Examples
    --------
    >>> from handful.columns import Dense
    >>> questions = ask(Dense(np.array([[3.0, 1.0], [5.0, 1.0], [9.0, 1.0]])), n_bins=4)
    >>> questions.feature.tolist(), questions.threshold.tolist()
    ([0, 0], [4.0, 7.0])
    >>> questions.levels(0).tolist(), questions.varying.tolist()
    ([0, 1, 2], [True, False])
    """
    n_rows, n_columns = table.shape
    if _is_boolean(table):
        half = np.full(n_columns, 0.5)
        return Questions(table, np.arange(n_columns), half, n_columns, table.varying(), weight)
    features, thresholds, answers = [], [], []
    for cols, block in table.blocks():
        feature, threshold = _cuts(block, n_bins, weight)
        features.append(feature + cols.start)
        thresholds.append(threshold)
        answers.append(np.packbits(block[:, feature] >= threshold, axis=0, bitorder="little"))
    return Questions(
        Bits(np.hstack(answers), n_rows),
        np.concatenate(features),
        np.concatenate(thresholds),
        n_columns,
        table.varying(),
        weight,
    )


def _is_boolean(table: Columns) -> bool:
    """Whether every cell is 0 or 1, whatever the type; from sums, so that sparse stays sparse."""
    if table.dtype == bool:
        return True
    lowest, highest = table.extremes()
    if (lowest < 0).any() or (highest > 1).any():
        return False
    if table.dtype.kind != "f":
        return True
    # between 0 and 1 a square is below its root, except at both ends
    ones = table.weighted_sums(np.ones(table.shape[0]))
    return bool((table.squared_lengths() == ones).all())


def _cuts(
    block: NDArray, n_bins: int, weight: NDArray | None
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Of the columns of a block, where to cut: the columns, and halfway between two values.

    A bin ends between different values, nearest to where ``(n - 1) k / n_bins`` (rounded up) rows
    are below; on a tie at the lower place.
    """
    if weight is None:
        ordered, n_rows = np.sort(block, axis=0), len(block)
        below = np.broadcast_to(np.arange(1.0, n_rows)[:, None], (n_rows - 1, block.shape[1]))
    else:
        order, n_rows = np.argsort(block, axis=0), weight.sum()
        ordered = np.take_along_axis(block, order, axis=0)
        below = np.cumsum(weight[order[:-1]], axis=0)
    steps = ordered[1:] != ordered[:-1]
    many = steps.sum(axis=0) >= n_bins
    cuts = steps & ~many
    # rows below each place where a bin may end
    ends = np.where(steps[:, many], below[:, many], np.inf)
    for k in range(1, n_bins):
        nearest = np.abs(ends - np.ceil((n_rows - 1) * k / n_bins)).argmin(axis=0)
        cuts[nearest, np.flatnonzero(many)] = True
    feature, row = np.nonzero(cuts.T)
    low, high = (ordered[row + up, feature].astype(np.float64) for up in (0, 1))
    middle = low + (high - low) / 2
    return feature, np.where(middle > low, middle, high)
