"""The greedy choice by information where the columns are on workers: in rounds of questions.

The core asks a column at a time, which over a network would take a round trip each. Here a round
asks all workers at once: first those with the most promising columns, whose best score then is the
floor for all others. A worker goes through its columns by falling bound and stops where none can
win, so that after two rounds the best column is known, and as few were counted as can be helped.
The choice is the core's, ties and all.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful import _core
from handful.columns import Layout, Planes
from handful.path import TIE, order_by_score

# Columns of the first round of a step.
_FIRST = 64
_GONE = -np.inf


def rank_by_information(
    planes: Any, criterion: str, n: int, n_probes: int, layout: Layout
) -> tuple[NDArray[np.intp], NDArray[np.float64], dict[str, int], int]:
    """Columns, scores, what was counted, and how many of the columns were informative.

    Of planes in memory by the core, of those on workers in rounds.
    """
    if isinstance(planes, Planes):
        columns, scores, n_evaluations, n_informative = _core.rank_by_information(
            planes, criterion, n, n_probes, layout.weight, layout.threads
        )
        return columns, scores, {"n_evaluations_": n_evaluations}, n_informative
    choice = _Choice(planes, criterion, n, n_probes)
    choice.run()
    counted = {"n_evaluations_": choice.n_evaluations, "n_round_trips_": planes.n_round_trips}
    return np.array(choice.columns), np.array(choice.scores), counted, choice.n_informative


class _Choice:
    """A choice under way: the twin of Greedy in information.hpp."""

    def __init__(self, shards: Any, criterion: str, n: int, n_probes: int) -> None:
        self._shards = shards
        self._criterion = criterion
        self._n = n
        self._n_probes = n_probes
        self._score = shards.relevances()
        self._n_varying = int(np.isfinite(self._score).sum())
        self.columns: list[int] = []
        self.scores: list[float] = []
        self.n_evaluations = 0
        self.n_informative = 0

    def run(self) -> None:
        if self._criterion == "mim":
            self._by_relevance()
        elif self._criterion in ("cmim", "jmim"):
            self._lazily()
        else:
            self._by_sums()
        if self._criterion in ("mim", "cmim", "jmim") and not any(s > 0 for s in self.scores):
            self.n_informative = 0

    def _take(self, j: int, score: float) -> bool:
        """Whether the choice goes on after this column."""
        self.columns.append(j)
        self.scores.append(score)
        return len(self.columns) < self._n and j >= self._n_probes

    def _take_the_rest(self) -> None:
        """Nothing that is left says anything more: by index, with score 0."""
        for j in np.flatnonzero(self._score != _GONE).tolist():
            if not self._take(j, 0.0):
                return

    def _by_relevance(self) -> None:
        informative = np.where(self._score > TIE, self._score, np.nan)
        for j in order_by_score(informative, self._n).tolist():
            self.n_informative += 1
            if not self._take(j, float(self._score[j])):
                return
            self._score[j] = _GONE
        self._take_the_rest()

    # ---- criteria that are a least: scores only fall, so old ones are bounds ----

    def _lazily(self) -> None:
        self._age = np.zeros(len(self._score), dtype=np.uint32)
        n_chosen = 0
        while True:
            winner = self._first_of_the_best(n_chosen)
            if winner is None:
                return
            score = float(self._score[winner])
            # beside the first column of jmim the others may still tell what they do not tell alone
            alone = self._criterion == "jmim" and n_chosen == 0
            if score <= TIE and not alone:
                return self._take_the_rest()
            self._score[winner] = _GONE
            self.n_informative += 1
            if not self._take(winner, score):
                return
            self._shards.choose(winner)
            n_chosen += 1
            if alone:
                self._start_over()

    def _start_over(self) -> None:
        """The least of jmim is over chosen columns alone: I(Y; A) was for the first choice only."""
        terms = self._shards.terms(self._criterion)
        self._score = np.where(self._score == _GONE, _GONE, terms)
        self._age[:] = 1
        self.n_evaluations += self._n_varying - 1

    def _first_of_the_best(self, n_chosen: int) -> int | None:
        """The column that scoring all of them would choose, None if none is left.

        Every column that could win or tie is brought up to date on the way.
        """
        stale = np.flatnonzero((self._age < n_chosen) & (self._score > TIE))
        floor, first = _GONE, len(stale) > _FIRST
        while len(stale):
            some = stale
            if first:
                some = stale[np.argpartition(-self._score[stale], _FIRST)[:_FIRST]]
            self.n_evaluations += self._shards.freshen(
                self._criterion, some, self._score, self._age, floor
            )
            first = False
            floor = self._floor(n_chosen)
            stale = stale[(self._age[stale] < n_chosen) & (self._score[stale] >= floor)]
        return _first_of_ties(self._score)

    def _floor(self, n_chosen: int) -> float:
        """Below this no column can win, or be tied with one that is."""
        current = np.where(self._age == n_chosen, self._score, _GONE)
        best = float(current.max())
        if best <= TIE:
            return TIE
        least = float(current[_tied(current)].min())
        return least - 2 * TIE * max(1.0, least)

    # ---- criteria that are a sum: every step adds the terms of the column just chosen ----

    def _by_sums(self) -> None:
        relevance, total = self._score, np.zeros(len(self._score))
        while True:
            winner = _first_of_ties(self._score)
            if winner is None:
                return
            score = float(self._score[winner])
            relevance[winner] = _GONE
            self.n_informative += 1
            if not self._take(winner, score):
                return
            self._shards.choose(winner)
            total += self._shards.terms(self._criterion)
            self.n_evaluations += self._n_varying - len(self.columns)
            self._score = _core.combined(self._criterion, relevance, total, len(self.columns))


def _tied(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """The columns tied with the best, directly or through others."""
    least = float(scores.max())
    if np.isinf(least):
        return np.flatnonzero(scores == least)
    tied = np.empty(0, dtype=np.intp)
    while True:
        found = np.flatnonzero(scores >= least - 2 * TIE * max(1.0, abs(least)))
        near = scores[found]
        gap = TIE * np.maximum(1.0, np.maximum(np.abs(near), abs(least)))
        found = found[least - near <= gap]
        if len(found) == len(tied):
            return found
        tied, least = found, float(scores[found].min())


def _first_of_ties(scores: NDArray[np.float64]) -> int | None:
    """What a scan from the lowest index chooses, None where no column is left."""
    if not len(scores) or scores.max() == _GONE:
        return None
    tied = _tied(scores)
    return int(tied[order_by_score(scores[tied], 1)[0]])
