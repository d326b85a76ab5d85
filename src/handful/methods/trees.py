"""TreeFrequency: columns that decision trees ask about first, counted over many trees.

A tree asks at every node the question that tells most about the classes of the rows that got there.
So a column counts that is informative by itself, at the top, and one that is informative about some
of the rows only, further down. One tree is a matter of luck; here each of many is shown a random
half of the columns, and a column's score is the number of nodes in the first layers that ask about
it.

References
----------
Fleuret, "Fast Binary Feature Selection with Conditional Mutual Information", JMLR 5, 2004, section
2.5.3; after Ratanamahatana and Gunopulos, "Feature selection for the naive Bayesian classifier
using decision trees", Applied Artificial Intelligence 17, 2003. Gain ratio: Quinlan, "C4.5:
Programs for Machine Learning", 1993.

Examples
--------
>>> from handful import TreeFrequency
>>> from handful.datasets import load_leukaemia
>>> leukaemia = load_leukaemia()
>>> selector = TreeFrequency(n_features_to_select=3, random_state=0)
>>> selector.fit(leukaemia.data, leukaemia.target)
TreeFrequency(n_features_to_select=3, random_state=0)
>>> leukaemia.feature_names[selector.selection_order_].tolist()
['M27891_at', 'AFFX-HUMTFRR/M11507_5_at', 'M31166_at']
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from handful import checks
from handful.columns import Columns, group_indicator
from handful.path import TIE, Path, order_by_score
from handful.selector import Selector, weighted_fit
from handful.solvers.dependence import times_log, whole
from handful.solvers.questions import Questions, ask
from handful.target import Target

# Numbers held at once while many nodes are asked everything: 32 MB.
_CELLS = 1 << 22


class TreeFrequency(Selector):
    """Rank columns by how often the first layers of randomised trees ask about them.

    Parameters
    ----------
    n_trees : int
        As many as in the paper, 50.
    fraction : float
        The share of the columns that a tree may ask about, drawn anew for each; the paper's half.
    n_layers : int
        How deep the trees are grown and their nodes counted; the paper's five.
    min_rows : int
        No question is asked that has fewer rows, by their weights, on one of its sides; C4.5's two.
    n_bins : int
        Columns with more distinct values are cut into so many levels with about as many rows each;
        a question is whether a row is above one of the cuts.
    n_features_to_select : int, float, "auto", None or stopping rule
        How many to keep, see `handful.stopping`.
    random_state : int, RandomState or None
        Who draws the columns.
    n_jobs : int or None
        Threads of the matrix products; processes for the rounds, folds or resamples of a stopping
        rule.
    verbose : int
        1 draws a bar for those on a terminal.

    Notes
    -----
    For any number of classes. A node asks the question with the largest gain ratio among those that
    gain at least as much as the average; nodes of one class are not asked. Of columns counted
    equally often those come first that were asked in larger nodes. Columns that no tree asks about
    are not ranked.

    All trees grow together, layer by layer, in a pass over the table for some 40 nodes at a time on
    40,000 columns; about 100 MB are allocated, and a bit for every cell and cut of a table that is
    not boolean. Shuffled rows, relabelled classes and rescaled columns leave the answer alone,
    integer weights equal repeated rows, and float32 input is cut at the same rows.

    Examples
    --------
    >>> from handful.datasets import make_latent_signals
    >>> X, y, _ = make_latent_signals(300, 2_000, random_state=0)
    >>> selector = TreeFrequency(random_state=0, n_features_to_select=20).fit(X, y)
    >>> int(selector.scores_[selector.selection_order_[0]]) > 10
    True
    """

    def __init__(
        self,
        n_trees: int = 50,
        *,
        fraction: float = 0.5,
        n_layers: int = 5,
        min_rows: int = 2,
        n_bins: int = 8,
        n_features_to_select: Any = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.fraction = fraction
        self.n_layers = n_layers
        self.min_rows = min_rows
        self.n_bins = n_bins
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    fit = weighted_fit

    def _rank(
        self, table: Columns, target: Target, n: int | None, rng: np.random.Generator, n_jobs: int
    ) -> Path:
        self._check()
        questions = ask(table, self.n_bins, target.weight)
        shown = max(1, int(self.fraction * table.shape[1]))
        draws = [rng.permutation(table.shape[1])[:shown] for _ in range(self.n_trees)]
        # many small products: more threads than asked for would mostly wait for each other
        with threadpool_limits(n_jobs, user_api="blas"):
            times, rows = self._grow(questions, target, draws)
        # larger nodes first among the equally frequent: a share below one breaks the ties
        n_rows = target.n_rows if target.weight is None else target.weight.sum()
        share = rows / (1.0 + times * n_rows)
        order = order_by_score(np.where(times > 0, times + share, np.nan), n)
        return Path(
            order,
            times[order],
            complete=n is None or len(order) < n,
            note=f"the other columns are constant or not asked about in the first {self.n_layers} "
            f"layers of {self.n_trees} trees",
        )

    def _check(self) -> None:
        checks.whole("n_trees", self.n_trees)
        checks.real("fraction", self.fraction, 0.0, 1.0, closed="high")
        checks.whole("n_layers", self.n_layers)
        checks.whole("min_rows", self.min_rows)
        checks.whole("n_bins", self.n_bins, 2, 255)

    def _grow(
        self, questions: Questions, target: Target, draws: list[NDArray]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Per column, how many nodes ask about it and how many rows came to these nodes."""
        times, rows = np.zeros((2, questions.n_features))
        everyone = np.ones(target.n_rows, dtype=bool)
        layer = [(tree, everyone) for tree in range(len(draws))]
        classes = group_indicator(target.class_codes, target.n_classes, target.weight)
        allowed = _allowed(questions, draws)
        answers: dict[int, NDArray[np.bool_]] = {}
        for _ in range(self.n_layers):
            layer = [node for node in layer if np.count_nonzero(classes @ node[1]) > 1]
            following = []
            some = max(1, _CELLS // (len(classes) * max(1, len(questions))))
            for first in range(0, len(layer), some):
                nodes = layer[first : first + some]
                asked = _best_questions(questions, classes, nodes, allowed, self.min_rows)
                for (tree, here), question in zip(nodes, asked, strict=True):
                    if question is None:
                        continue
                    if question not in answers:
                        answers[question] = questions.answer(question)
                    yes = answers[question]
                    times[questions.feature[question]] += 1
                    rows[questions.feature[question]] += (classes @ here).sum()
                    following += [(tree, here & yes), (tree, here & ~yes)]
            layer = following
        return times, rows


def _allowed(questions: Questions, draws: list[NDArray]) -> NDArray[np.bool_]:
    """Per tree and question."""
    shown = np.zeros((len(draws), questions.n_features), dtype=bool)
    for tree, features in enumerate(draws):
        shown[tree, features] = True
    return shown[:, questions.feature]


def _best_questions(
    questions: Questions,
    classes: NDArray,
    nodes: list[tuple[int, NDArray[np.bool_]]],
    allowed: NDArray[np.bool_],
    min_rows: int,
) -> list[int | None]:
    """The question of each node, None where none has anything to tell."""
    here = np.array([classes * rows for _, rows in nodes])
    counts = questions.answers.weighted_sums(here.reshape(-1, here.shape[2]))
    counts, of_class = counts.reshape(*here.shape[:2], -1), here.sum(axis=2)
    if questions.weight is None:
        counts, of_class = whole(counts), whole(of_class)
    return [
        best_question(yes, total, allowed[tree], min_rows)
        for (tree, _), yes, total in zip(nodes, counts, of_class, strict=True)
    ]


def best_question(yes: NDArray, total: NDArray, allowed: NDArray, min_rows: int) -> int | None:
    """The largest gain ratio among questions that gain at least as much as the average.

    `yes` counts the rows of each class that answer yes to each question, `total` all of each class.

    Examples
    --------
    >>> best_question(np.array([[1, 2, 4], [4, 0, 4]]), np.array([4, 4]), np.full(3, True), 1)
    0
    """
    size, n_yes = total.sum(), yes.sum(axis=0)
    usable = allowed & (n_yes >= min_rows) & (size - n_yes >= min_rows)
    asked = np.flatnonzero(usable)
    if not asked.size:
        return None
    yes, n_yes = yes[:, asked], n_yes[asked]
    of_all, sides = times_log(size), times_log(n_yes) + times_log(size - n_yes)
    within = sides - (times_log(yes) + times_log(total[:, None] - yes)).sum(axis=0)
    gain = (of_all - times_log(total).sum() - within) / size
    if gain.max() <= TIE:
        return None
    ratio = gain * size / (of_all - sides)
    ratio = np.where(gain >= gain.mean() - TIE, ratio, np.nan)
    return int(asked[order_by_score(ratio, 1)[0]])
