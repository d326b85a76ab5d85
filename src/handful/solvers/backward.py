"""Backward elimination: what every method that drops its weakest columns shares.

A model answers for the columns it still has; the loop here drops the weakest of them, one at a
time, some at a time or a share, alone or in groups, and sets columns aside that must stay.
"""

from dataclasses import dataclass
from heapq import heappop, heappush
from numbers import Integral, Real
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handful import checks

# As in cpp/weakest.hpp: a score within so much of the smallest is as small, relatively or within
# rounding of the largest.
NEAR, ROUNDING = 1e-8, 1e-15


class Model(Protocol):
    """A fitted model that can lose columns."""

    def scores(self) -> NDArray[np.float64]:
        """How much each of the columns left matters, in their order."""
        ...

    def keep(self, places: NDArray[np.intp]) -> None:
        """Go on with these of the columns left only; `places` rises."""
        ...


@dataclass(frozen=True, eq=False)
class Plan:
    """What goes when.

    Attributes
    ----------
    groups : ndarray of int or None
        Of each column: columns of one number go together. None: each alone.
    kept : ndarray of bool
        Columns that go only when all others have gone.
    step : int or float
        How many groups go at a time; below 1, the share of those still there.
    recursive : bool
        False: everything goes by the scores of the first model.
    """

    groups: NDArray[np.intp] | None
    kept: NDArray[np.bool_]
    step: int | float = 1
    recursive: bool = True

    @property
    def one_by_one(self) -> bool:
        """Single columns, each after a new fit."""
        return self.recursive and self.step == 1 and self.groups is None

    def of(self, columns: NDArray[np.intp]) -> "Plan":
        """The plan for some of the columns."""
        groups = None if self.groups is None else self.groups[columns]
        return Plan(groups, self.kept[columns], self.step, self.recursive)

    def number(self, n_left: int) -> int:
        """How many groups go when so many are left."""
        if not self.recursive:
            return n_left
        return max(1, int(self.step * n_left)) if self.step < 1 else int(self.step)


def plan_of(
    n_columns: int,
    step: int | float,
    *,
    recursive: bool = True,
    groups: NDArray[np.intp] | None = None,
    kept: NDArray[np.bool_] | None = None,
) -> Plan:
    """A plan whose step has been checked."""
    if isinstance(step, Real) and not isinstance(step, Integral):
        if not 0 < step < 1:
            raise ValueError(
                f"step={step} must be a whole number of columns, or a fraction in (0, 1)."
            )
        step = float(step)
    else:
        checks.whole("step", step)
    kept = np.zeros(n_columns, dtype=bool) if kept is None else kept
    return Plan(groups, kept, step, recursive)


def weakest_first(scores: NDArray[np.float64], n: int | None = None) -> NDArray[np.intp]:
    """The places of the `n` smallest scores, as if the weakest were dropped again and again.

    Among ties the last one is the weakest. A tie is a score within ``NEAR`` of the smallest.

    Examples
    --------
    >>> weakest_first(np.array([2.0, 1.0, 3.0, 1.0 + 1e-12, 2.0])).tolist()
    [3, 1, 4, 0, 2]
    """
    n = len(scores) if n is None else n
    order = np.lexsort((-np.arange(len(scores)), scores))
    ranked = scores[order]
    reach = ranked + NEAR * ranked + ROUNDING * ranked[-1]
    # equal scores are settled; chains of scores that nearly equal the next are scanned
    linked = ranked[1:] <= reach[:-1]
    for start, end in _runs(linked & (np.diff(ranked) > 0), linked):
        if start >= n:
            break
        order[start:end] = _scan(order[start:end], scores, reach[start:end])
    return order[:n]


def _runs(inexact: NDArray[np.bool_], linked: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Chains of linked scores in which some link is not between equals."""
    ends = np.flatnonzero(~np.append(linked, False)) + 1
    chains = np.unique(np.searchsorted(ends, np.flatnonzero(inexact), side="right"))
    return [(int(ends[c - 1]) if c else 0, int(ends[c])) for c in chains.tolist()]


def _scan(chain: NDArray, scores: NDArray, reach: NDArray) -> list[int]:
    """A chain by rising score, and up to where each one's ties reach."""
    places, ranked, limits = chain.tolist(), scores[chain].tolist(), reach.tolist()
    tied: list[tuple[int, int]] = []  # a heap, the last place on top
    picked, gone, lowest, ahead = [], [False] * len(places), 0, 0
    while len(picked) < len(places):
        while gone[lowest]:
            lowest += 1
        while ahead < len(places) and ranked[ahead] <= limits[lowest]:
            heappush(tied, (-places[ahead], ahead))
            ahead += 1
        place, at = heappop(tied)
        picked.append(-place)
        gone[at] = True
    return picked


def eliminate(model: Model, plan: Plan) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """All columns best first, the last to go being the best, and each one's score as it went.

    A group's score is the root of its columns' summed squares; its columns go weakest first.
    """
    left = np.arange(len(plan.kept))
    gone: list[NDArray[np.intp]] = []
    scores: list[NDArray[np.float64]] = []
    while len(left):
        found = model.scores()
        places, judged = _going(found, plan.of(left))
        gone.append(left[places])
        scores.append(judged)
        staying = np.delete(np.arange(len(left)), places)
        left = left[staying]
        if len(left):
            model.keep(staying)
    return np.concatenate(gone)[::-1], np.concatenate(scores)[::-1]


def _going(scores: NDArray, plan: Plan) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Places of the columns that go now, the weakest first, and the scores they are judged by."""
    n = len(scores)
    number = np.arange(n) if plan.groups is None else np.unique(plan.groups, return_inverse=True)[1]
    judged = scores
    if plan.groups is not None:
        judged = np.sqrt(np.bincount(number, scores**2))[number]
    # a group stays where one of its columns does
    stays = np.bincount(number, plan.kept) > 0
    places: list[NDArray[np.intp]] = []
    for candidates in (~stays, stays):
        if not candidates.any() or (places and plan.recursive):
            continue
        mine = np.flatnonzero(candidates[number])
        order = mine[weakest_first(judged[mine])]
        order = order if plan.groups is None else _gathered(order, number, scores)
        _, first = np.unique(number[order], return_index=True)
        ends = np.append(np.sort(first)[1:], len(order))
        places.append(order[: ends[min(plan.number(len(ends)), len(ends)) - 1]])
    chosen = np.concatenate(places)
    return chosen, judged[chosen]


def _gathered(order: NDArray, number: NDArray, scores: NDArray) -> NDArray[np.intp]:
    """The columns group by group, groups as they first come in `order`."""
    _, first = np.unique(number[order], return_index=True)
    groups = number[order][np.sort(first)]
    members = [np.flatnonzero(number == group) for group in groups]
    return np.concatenate([own[weakest_first(scores[own])] for own in members])
