"""How much the columns of a table tell about something discrete: for all of them in one pass."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

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
    indicator = group_indicator(codes, int(codes.max()) + 1, questions.weight)
    yes, of_code = questions.answers.weighted_sums(indicator), indicator.sum(axis=1)
    if questions.weight is None:
        yes, of_code = whole(yes), whole(of_code)
    joint = _level_counts(questions, yes, of_code)
    starts = np.arange(questions.n_features) + np.searchsorted(
        questions.feature, np.arange(questions.n_features)
    )
    # sums of c log c over the levels of each column; H = log T - (1/T) sum c log c
    of_columns = np.add.reduceat(times_log(joint.sum(axis=0)), starts)
    of_pairs = np.add.reduceat(times_log(joint).sum(axis=0), starts)
    n_rows, of_codes = of_code.sum(), times_log(of_code).sum()
    of_all = times_log(n_rows)
    information = np.maximum(of_all + of_pairs - of_columns - of_codes, 0.0)
    if symmetrical:
        with np.errstate(invalid="ignore"):
            scaled = 2 * information / (2 * of_all - of_columns - of_codes)
    else:
        scaled = information / n_rows
    return np.where(questions.varying, scaled, np.nan)


def whole(counts: NDArray) -> NDArray[np.intp]:
    """Counts that a sum of ones gave."""
    return np.rint(counts).astype(np.intp)


def times_log(counts: Any) -> NDArray[np.float64]:
    """``c log c`` of every count, or sum of weights; of whole numbers from a list, in less time."""
    if counts.dtype.kind == "f":
        counts = np.maximum(counts, 0.0)  # rounding may leave less than nothing
        return xlogy(counts, counts)
    every = np.arange(counts.max(initial=0) + 1.0)
    return xlogy(every, every)[counts]


def _level_counts(questions: Questions, yes: NDArray, of_code: NDArray) -> NDArray:
    """How many rows of each code are at each level of each column, the columns one after another.

    The rows at a level are those that answer yes up to its question, without those that also do to
    the next; all rows do to the question before a column's first.
    """
    n_levels = len(questions) + questions.n_features
    reached = np.zeros((len(of_code), n_levels + 1), dtype=yes.dtype)
    first = np.ones(n_levels, dtype=bool)
    own = np.arange(len(questions)) + questions.feature + 1
    first[own] = False
    reached[:, own] = yes
    begins = np.flatnonzero(first)
    reached[:, begins] = of_code[:, None]
    beyond = reached[:, 1:].copy()
    beyond[:, begins[1:] - 1] = 0
    return reached[:, :-1] - beyond
