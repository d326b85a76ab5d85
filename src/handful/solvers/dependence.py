"""How much the columns of a table tell about something discrete: for all of them in one pass."""

import numpy as np
from numpy.typing import NDArray

from handful.columns import group_indicator
from handful.solvers.questions import Questions


def dependence(questions: Questions, codes: NDArray, *, symmetrical: bool) -> NDArray[np.float64]:
    """Per column, the mutual information with `codes` in nats, from plain frequencies.

    Or the symmetrical uncertainty ``2 I / (H(column) + H(codes))``, from 0 to 1. NaN where a column
    is constant. Every code from 0 to the largest occurs.

    Examples
    --------
    >>> from handful.columns import Dense
    >>> from handful.solvers.questions import ask
    >>> table = Dense(np.array([[0, 7], [0, 9], [1, 7], [1, 9]]))
    >>> dependence(ask(table, 5), np.array([0, 0, 1, 1]), symmetrical=True).round(9).tolist()
    [1.0, 0.0]
    """
    n_rows, n_codes = len(codes), int(codes.max()) + 1
    entropy = times_log(n_rows)
    indicator = group_indicator(codes, n_codes)
    joint = _level_counts(questions, np.rint(questions.answers.weighted_sums(indicator)), indicator)
    starts = np.arange(questions.n_features) + np.searchsorted(
        questions.feature, np.arange(questions.n_features)
    )
    # sums of c log c over the levels of each column; H = log T - (1/T) sum c log c
    of_columns = np.add.reduceat(entropy[joint.sum(axis=0)], starts)
    of_pairs = np.add.reduceat(entropy[joint].sum(axis=0), starts)
    of_codes = entropy[np.bincount(codes)].sum()
    information = np.maximum(entropy[n_rows] + of_pairs - of_columns - of_codes, 0.0)
    if symmetrical:
        with np.errstate(invalid="ignore"):
            scaled = 2 * information / (2 * entropy[n_rows] - of_columns - of_codes)
    else:
        scaled = information / n_rows
    return np.where(questions.varying, scaled, np.nan)


def times_log(most: int) -> NDArray[np.float64]:
    """``c log c`` of every count up to the largest."""
    counts = np.arange(most + 1.0)
    return counts * np.log(np.maximum(counts, 1.0))


def _level_counts(questions: Questions, yes: NDArray, indicator: NDArray) -> NDArray[np.intp]:
    """How many rows of each code are at each level of each column, the columns one after another.

    The rows at a level are those that answer yes up to its question, without those that also do to
    the next; all rows do to the question before a column's first.
    """
    n_levels = len(questions) + questions.n_features
    reached = np.zeros((len(indicator), n_levels + 1), dtype=np.intp)
    first = np.ones(n_levels, dtype=bool)
    own = np.arange(len(questions)) + questions.feature + 1
    first[own] = False
    reached[:, own] = yes
    begins = np.flatnonzero(first)
    reached[:, begins] = indicator.sum(axis=1, keepdims=True)
    beyond = reached[:, 1:].copy()
    beyond[:, begins[1:] - 1] = 0
    return reached[:, :-1] - beyond
