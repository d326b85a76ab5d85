"""FastCorrelationFilter: good columns, without those that a better one already stands for.

A column may go when another is better at predicting the classes AND is closer to it than the
classes are: whatever it says, the better one says. Columns are looked at from the most relevant
down; each that is still there stays for good and removes all that it stands for. So a column is
compared with the few that stay, never with all others, and every comparison with one of them is a
single pass over the table.

References
----------
Yu and Liu, "Feature Selection for High-Dimensional Data: A Fast Correlation-Based Filter Solution",
ICML 2003. On plain mutual information: Fleuret, JMLR 5, 2004, section 2.5.4.

Examples
--------
>>> from handful import FastCorrelationFilter
>>> from handful.datasets import load_leukaemia
>>> leukaemia = load_leukaemia()
>>> selector = FastCorrelationFilter(n_features_to_select=3).fit(leukaemia.data, leukaemia.target)
>>> leukaemia.feature_names[selector.selection_order_].tolist()
['M16038_at', 'M27891_at', 'M81933_at']
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful import checks
from handful.columns import Columns
from handful.path import TIE, Path, order_by_score
from handful.selector import Selector, weighted_fit
from handful.solvers.dependence import dependence
from handful.solvers.questions import Questions, ask
from handful.target import Target


class FastCorrelationFilter(Selector):
    """Rank columns by relevance, those that a better one stands for last.

    Parameters
    ----------
    measure : {"symmetrical_uncertainty", "mutual_info"}
        How close two columns, or a column and the classes, are. "symmetrical_uncertainty"
        (default, Yu and Liu): information for the mean of the two entropies, so that columns with
        many levels gain nothing. "mutual_info": information in nats, as in Fleuret's comparison.
    delta : float
        Columns less relevant than this are never ranked.
    redundant : {"last", "never"}
        What becomes of columns that a better one stands for. "last" (default): they follow after
        all others, in order of relevance, so that any number can be had. "never": they are not
        ranked; with ``n_features_to_select=None`` this is the answer of Yu and Liu.
    n_features_to_select : int, float, "auto", None or stopping rule
        How many to keep, see `handful.stopping`.
    n_bins : int
        Columns with more distinct values are cut into so many levels with about as many rows each,
        at thresholds learned from the rows that are fitted.
    random_state : int, RandomState or None
        For a stopping rule that draws and has no seed of its own; the method itself draws nothing.
    n_jobs : int or None
        Processes for the rounds, folds or resamples of a stopping rule.
    verbose : int
        1 draws a bar for those on a terminal.

    Notes
    -----
    For any number of classes. Scores are relevances, from plain frequencies. Costs one pass over
    the table for every column that stays, over what is left of it; a copy of at most half a table
    of booleans, or a bit for every cell and cut of another, is held. ``stopping_.warning`` says
    where the redundant columns begin. Shuffled rows, relabelled classes and rescaled columns leave
    the answer alone; integer weights equal repeated rows; permuting columns permutes it where there
    are no ties; a duplicated column is redundant; float32 input is cut at the same rows.

    Examples
    --------
    >>> from handful.datasets import make_latent_signals
    >>> X, y, _ = make_latent_signals(500, 5_000, random_state=0)
    >>> strict = FastCorrelationFilter(redundant="never", delta=0.01, n_features_to_select=None)
    >>> strict.fit(X, y).n_features_
    146
    """

    def __init__(
        self,
        measure: str = "symmetrical_uncertainty",
        *,
        delta: float = 0.0,
        redundant: str = "last",
        n_features_to_select: Any = "auto",
        n_bins: int = 5,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.measure = measure
        self.delta = delta
        self.redundant = redundant
        self.n_features_to_select = n_features_to_select
        self.n_bins = n_bins
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    fit = weighted_fit

    def _rank(
        self, table: Columns, target: Target, n: int | None, rng: np.random.Generator, n_jobs: int
    ) -> Path:
        checks.one_of("measure", self.measure, ("symmetrical_uncertainty", "mutual_info"))
        checks.real("delta", self.delta, 0.0, closed="low")
        checks.one_of("redundant", self.redundant, ("last", "never"))
        checks.whole("n_bins", self.n_bins, 2, 255)
        questions = ask(table, self.n_bins, target.weight)
        relevance = self._closeness(questions, target.class_codes)
        order = order_by_score(np.where(relevance >= self.delta - TIE, relevance, np.nan))
        wanted = table.shape[1] if n is None else n
        features = staying = self._staying(questions, relevance, order, wanted, table.n_probes)
        if self.redundant == "last":
            others = order[~np.isin(order, staying)]
            features = np.concatenate([staying, others[: wanted - len(staying)]])
        return Path(
            features,
            relevance[features],
            complete=n is None or len(features) < n,
            note=self._note(),
            warning=_redundant(len(staying), len(features)),
        )

    def _staying(
        self,
        questions: Questions,
        relevance: NDArray,
        order: NDArray[np.intp],
        wanted: int,
        n_probes: int,
    ) -> NDArray[np.intp]:
        """The first of the columns for which no better one stands, or up to the first probe."""
        found: list[int] = []
        held, place = questions, np.arange(questions.n_features)
        while len(order) and len(found) < wanted:
            newest, order = int(order[0]), order[1:]
            found.append(newest)
            if newest < n_probes:
                break
            if 2 * len(order) < held.n_features:
                left = np.sort(order)
                held = questions.about(left)
                place[left] = np.arange(len(left))
            if len(order):
                closeness = self._closeness(held, questions.levels(newest))[place[order]]
                own = relevance[order]
                order = order[closeness < own - TIE * np.maximum(1.0, own)]
        return np.array(found, dtype=np.intp)

    def _closeness(self, questions: Questions, codes: NDArray) -> NDArray[np.float64]:
        symmetrical = self.measure == "symmetrical_uncertainty"
        return dependence(questions, codes, symmetrical=symmetrical)

    def _note(self) -> str:
        reasons = ["constant"]
        if self.delta:
            reasons.append("less relevant than delta")
        if self.redundant == "never":
            reasons.append("redundant beside a better one (redundant='last' ranks these too)")
        *most, last = reasons
        return f"the other columns are {', '.join(most)}{' or ' if most else ''}{last}"


def _redundant(n_staying: int, n_ranked: int) -> str | None:
    if n_staying == n_ranked:
        return None
    return (
        f"The first {n_staying} columns stand for all others, which follow in order of relevance."
    )
