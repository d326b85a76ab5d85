"""ZeroNorm: a linear machine that is asked again and again to do with less.

To find the fewest columns that separate the classes is hopeless for more than a few. This comes
near: train a linear support vector machine, multiply every column by its weight, train again. What
mattered little then costs more to use, so it matters less; most columns vanish within some ten
rounds, and those that stay have weights that no longer change.

References
----------
Weston, Elisseeff, Schölkopf and Tipping, "Use of the zero-norm with linear models and kernel
methods", JMLR 3, 2003. A comparator of Gadat and Younes, "A Stochastic Algorithm for Feature
Selection in Pattern Recognition", JMLR 8, 2007.

Examples
--------
>>> from handful import ZeroNorm
>>> from handful.datasets import make_linear_separator
>>> X, y, relevant = make_linear_separator(random_state=3)
>>> ZeroNorm(n_features_to_select=2).fit(X, y).get_support(indices=True).tolist()
[0, 1]
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful import checks
from handful.columns import Columns
from handful.path import Path, order_by_score
from handful.selector import Selector, weighted_fit
from handful.solvers.gram import scaled_gram
from handful.solvers.support import bounds_of, one_versus_rest, solve
from handful.target import Target
from handful.threads import one_thread

# A column is left out once it is so small beside the largest: the next rounds would square that.
# Much less, and it would no longer matter to the machine enough for its weight to be known.
_NOTHING = 1e-4
# Sums of the rows that are no more than this share of their terms' lengths are rounding.
_ROUNDING = 1e-10
_NO_MACHINE = (
    "No linear machine tells the classes apart: all weights are 0, and columns are in the table's "
    "order."
)


class ZeroNorm(Selector):
    """Rank columns by what is left of them once a linear machine has rescaled them to the end.

    Parameters
    ----------
    n_features_to_select : int, float, "auto", None or stopping rule
        How many to keep, see `handful.stopping`.
    C : float
        The cost of an error, as in any support vector machine: where classes overlap, a large one
        keeps columns that get single rows right. The paper's machine allows no errors.
    max_iter : int
        The most rounds.
    tol : float
        It ends once no factor changes by more than this share of the largest.
    n_jobs : int or None
        Threads, one for each class where there are several; processes for the rounds, folds or
        resamples of a stopping rule.
    verbose : int
        1 draws a bar for those on a terminal.

    Attributes
    ----------
    n_iter_ : int
        How many machines were trained.

    Notes
    -----
    `scores_` are the absolute weights of the last machine, 0 for columns that it does without.
    Those are ranked all the same, by the round after which they were left out (below 1e-4 of the
    largest, as lengths of rescaled columns) and by their weights in that, so that any number can be
    kept. Several classes: a machine for each against the rest; a column is multiplied by the sum of
    its absolute weights. A copy of a column shares its fate. Columns should be on comparable
    scales.

    After each round all factors are multiplied by one number, so that rows keep their length. This
    changes nothing for a machine without errors; one that may buy errors for C would buy ever more,
    until no column is left.

    Allocates blocks of the table and a matrix of rows by rows. Weights count repeated rows.
    Permuting columns permutes the answer; shuffled rows, relabelled classes and shifted columns
    leave it alone; float32 input is computed in float64.

    Examples
    --------
    Four columns of 7,129 tell all rows apart:

    >>> from handful.datasets import load_leukaemia
    >>> data = load_leukaemia()
    >>> selector = ZeroNorm(n_features_to_select=6).fit(data.data, data.target)
    >>> selector.scores_[selector.selection_order_].round(6).tolist()
    [0.000241, 0.000196, 0.000122, 7.3e-05, 0.0, 0.0]
    """

    def __init__(
        self,
        *,
        n_features_to_select: Any = "auto",
        C: float = 1.0,
        max_iter: int = 100,
        tol: float = 1e-3,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.verbose = verbose

    fit = weighted_fit

    def _rank(
        self, table: Columns, target: Target, n: int | None, rng: np.random.Generator, n_jobs: int
    ) -> Path:
        checks.real("C", self.C, 0)
        checks.whole("max_iter", self.max_iter)
        checks.real("tol", self.tol, 0, closed="low")
        varying = np.flatnonzero(table.varying())
        note = "the other columns are constant"
        if not varying.size:
            return Path([], [], complete=True, note=note)  # type: ignore[arg-type]
        used = table if len(varying) == table.shape[1] else table.take(varying)
        with one_thread():
            order, weights, n_iter = self._rescale(used, target, n_jobs)
        warning = None if weights.any() else _NO_MACHINE
        if warning:
            warnings.warn(warning, UserWarning, stacklevel=2)
        return Path(
            varying[order[:n]],
            weights[order[:n]],
            complete=n is None or n >= len(order),
            note=note,
            warning=warning,
            n_decided=0 if warning else None,
            fitted={"n_iter_": n_iter},
        )

    def _rescale(
        self, table: Columns, target: Target, n_jobs: int
    ) -> tuple[NDArray[np.intp], NDArray[np.float64], int]:
        """The columns best first, the last machine's absolute weights, and how many rounds."""
        signs = one_versus_rest(target)
        bounds = bounds_of(target, signs, self.C)
        everyone = np.zeros(target.n_rows, dtype=np.int32)
        means, spread = (part[0] for part in table.group_moments(everyone, 1, target.weight)[1:])
        total, factors, live = spread.sum(), np.ones(len(spread)), np.arange(len(spread))
        gone: list[NDArray[np.intp]] = []
        beta, weights, number = None, factors, 0
        while number < self.max_iter:
            number += 1
            beta = solve(scaled_gram(table, factors), signs, bounds, beta, n_jobs)
            sums = np.abs(table.weighted_sums(beta, means))
            if (sums <= _ROUNDING * np.outer(np.linalg.norm(beta, axis=1), np.sqrt(spread))).all():
                weights = np.zeros(len(live))
                break
            weights = factors**2 * sums.sum(axis=0)
            # rows as long as before: else C would weigh less and less, and the last column vanish
            before, factors = factors, weights * np.sqrt(total / (weights**2 @ spread))
            shares = factors * np.sqrt(spread)
            change = np.abs(factors - before) * np.sqrt(spread)
            stays = shares > _NOTHING * shares.max()
            ranked = order_by_score(weights / weights.max())
            gone.append(live[ranked[~stays[ranked]]])
            live, means, spread = live[stays], means[stays], spread[stays]
            weights, factors = weights[stays], factors[stays]
            table = table.take(np.flatnonzero(stays))
            if change.max() <= self.tol * shares.max():
                break
        order = np.concatenate([live[order_by_score(weights)], *gone[::-1]])
        answer = np.zeros(len(order))
        answer[live] = weights
        return order, answer, number
