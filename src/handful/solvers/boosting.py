"""Boosting with single questions: the stump that does best on the rows that others got wrong.

Every round takes the question that, with a class for yes and another for no, is right on most of
the rows' weight; then rows that it gets wrong weigh more. For two classes this is AdaBoost over all
boolean columns and their opposites (Freund and Schapire 1996), for more classes SAMME (Zhu, Zou,
Rosset and Hastie, "Multi-class AdaBoost", Statistics and Its Interface 2, 2009).

With `softness` C above 0 it is AdaBoost_reg (Rätsch, Onoda and Müller, "Regularizing AdaBoost",
NIPS 1998). A row that has weighed much for long is likely to be an outlier; its margin counts as
larger than it is by C times the weight it had in the rounds so far, each round counting by its
vote. So the loss is ``sum_i exp(-(1/2) sum_r b_r (m_ri + C w_ri))``, with votes b_r, margins m_ri
(1 where stump r is right on row i, ``-1 / (K - 1)`` where it is wrong) and weights w_ri of sum 1; a
round minimises it over its own vote, by a line search. The next weights are the rows' shares of the
loss, so that each earlier round counts once; multiplying the last weights by the whole sum so far,
as some programs do, would count it again in every round.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from handful.columns import group_indicator
from handful.path import TIE, order_by_score
from handful.solvers.questions import Questions


class Stump(NamedTuple):
    """A question, the classes it says, and how much it counts in the vote.

    `edge` is the mean margin under the round's weights, from 0 (no better than a guess) to 1.
    """

    question: int
    yes: int
    no: int
    vote: float
    edge: float


class Boosting:
    """An iterator over stumps, which ends when no stump helps or one alone makes no error.

    Attributes
    ----------
    weights : ndarray of float
        Of the rows, of sum 1: those that the next stump will see.

    Examples
    --------
    >>> from handful.columns import Dense
    >>> from handful.solvers.questions import ask
    >>> table = Dense(np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]], dtype=bool))
    >>> stump = next(Boosting(ask(table, 5), np.array([0, 0, 1, 0]), 2))
    >>> stump.question, stump.yes, stump.no, round(stump.vote, 4), stump.edge
    (0, 0, 1, 1.0986, 0.5)
    """

    def __init__(
        self, questions: Questions, codes: NDArray, n_classes: int, softness: float = 0.0
    ) -> None:
        self._questions = questions
        self._codes = codes
        self._n_classes = n_classes
        self._softness = softness
        # of each row, twice what is in the exponential loss
        self._margin = np.zeros(len(codes))
        # a row of weight 2 is two rows, each with half of what the row weighs
        self._copies = np.ones(len(codes)) if questions.weight is None else questions.weight
        self.weights = self._copies / self._copies.sum()
        self._n_rounds = 0

    def __iter__(self) -> Iterator[Stump]:
        return self

    def __next__(self) -> Stump:
        edges, yes, no = self.edges()
        edges[~self._questions.varying[self._questions.feature]] = np.nan
        best = order_by_score(edges, 1)
        if not best.size or self._n_rounds < 0:
            raise StopIteration
        question = int(best[0])
        edge, said = float(edges[question]), (int(yes[question]), int(no[question]))
        right = np.where(self._questions.answer(question), *said) == self._codes
        slack = self._softness * self.weights / self._copies
        margin = np.where(right, 1.0, -1 / (self._n_classes - 1)) + slack
        vote = self._vote(margin)
        if vote is None and self._n_rounds:
            raise StopIteration
        if vote is None:
            # nothing is left to correct, and the vote has no other member
            self._n_rounds, vote = -1, 1.0
            return Stump(question, *said, vote, edge)
        if vote == 0:
            raise StopIteration
        self._n_rounds += 1
        self._margin += vote * margin
        weights = self._copies * np.exp((self._margin.min() - self._margin) / 2)
        self.weights = weights / weights.sum()
        return Stump(question, *said, vote, edge)

    def edges(self) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
        """Per question the mean margin under the weights, and the classes of yes and of no."""
        indicator = group_indicator(self._codes, self._n_classes, self.weights)
        yes = self._questions.answers.weighted_sums(indicator)
        no = indicator.sum(axis=1, keepdims=True) - yes
        (yes_1, yes_2), (said_1, said_2) = _two_heaviest(yes)
        (no_1, no_2), (opposed_1, opposed_2) = _two_heaviest(no)
        # where both sides are mostly of one class, one of them says its second class
        both = said_1 == opposed_1
        yields = both & (yes_2 + no_1 > yes_1 + no_2)
        answer_yes = np.where(yields, said_2, said_1)
        answer_no = np.where(both & ~yields, opposed_2, opposed_1)
        right = np.where(yields, yes_2, yes_1) + np.where(both & ~yields, no_2, no_1)
        return right - (1 - right) / (self._n_classes - 1), answer_yes, answer_no

    def _vote(self, margin: NDArray) -> float | None:
        """Where the loss is least; 0 where it only grows, None where it only falls."""

        def slope(vote: float) -> float:
            return float(self.weights @ (margin * np.exp(-vote / 2 * (margin - margin.min()))))

        if slope(0.0) <= TIE:
            return 0.0
        if margin.min() >= 0:
            return None
        high = 1.0
        while slope(high) > 0:
            high *= 2
        return float(brentq(slope, 0.0, high, xtol=1e-15))


def _two_heaviest(weights: NDArray) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Of each question the two largest weights of a class, and these classes; the first on ties."""
    classes = np.argsort(-weights, axis=0, kind="stable")[:2]
    return np.take_along_axis(weights, classes, axis=0), classes
