"""BoostedStumps: the columns that AdaBoost votes with.

Boosting builds a vote of weak classifiers, each taken because it is right where the ones before it
were wrong. When every weak classifier is a question about one column, the columns it takes are a
selection: few, and each there for rows that the others do not settle. That is also its danger: a
row with a wrong label is never settled, and soon the columns are chosen for it alone. A soft margin
lets such rows go.

References
----------
Freund and Schapire, "Experiments with a new boosting algorithm", ICML 1996, with single columns as
in Fleuret, JMLR 5, 2004, sections 2.5.5 and 3.4. Soft margins: Rätsch, Onoda and Müller,
"Regularizing AdaBoost", NIPS 1998. More than two classes: Zhu, Zou, Rosset and Hastie, "Multi-class
AdaBoost", Statistics and Its Interface 2, 2009.

Examples
--------
>>> from handful import BoostedStumps
>>> from handful.datasets import make_latent_signals
>>> X, y, _ = make_latent_signals(300, 2_000, random_state=0)
>>> BoostedStumps(n_features_to_select=20).fit_transform(X, y).shape
(300, 20)
"""

from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful import checks
from handful.columns import Columns
from handful.path import Path, order_by_score
from handful.selector import Selector, weighted_fit
from handful.solvers.boosting import Boosting
from handful.solvers.questions import ask
from handful.target import Target


class BoostedStumps(Selector):
    """Rank columns in the order in which boosting takes them.

    Parameters
    ----------
    softness : float
        0 (default): AdaBoost. Above: the constant C of AdaBoost_reg, which lets rows go that are
        hard for long. A row's weight is about one over the number of rows, and the margin C times
        that; with C as large as the number of rows nothing is left to learn after one column.
    max_rounds : int
        Boosting may take a column again and again; it ends after so many rounds.
    n_bins : int
        Columns with more distinct values are cut into so many levels with about as many rows each;
        a stump asks whether a row is above one of the cuts.
    n_features_to_select : int, float, "auto", None or stopping rule
        How many to keep, see `handful.stopping`.
    random_state : int, RandomState or None
        For a stopping rule that draws and has no seed of its own; the method itself draws nothing.
    n_jobs : int or None
        Processes for the rounds, folds or resamples of a stopping rule.
    verbose : int
        1 draws a bar for those on a terminal.

    See Also
    --------
    handful.classifiers.BoostedStumpsClassifier : The vote itself.

    Notes
    -----
    For any number of classes. A stump may say either of two classes to yes and the other to no, so
    that every column stands for its opposite too. A column's score is its edge in the round in
    which it was first taken: the mean margin of its stump under that round's weights, 0 for a
    guess. Once boosting has ended the others follow by their edge under its last weights, and
    ``stopping_.warning`` says from where on.

    With `softness` C every round minimises ``sum_i exp(-(1/2) sum_r b_r (m_ri + C w_ri))`` over its
    own vote b_r, m_ri being the margin of row i in round r (1 where its stump is right) and w_ri
    the row's weight.

    Costs a pass over the table per round, about 50 ms for 500 x 43,904 booleans. Allocates some
    numbers per column, and a bit for every cell and cut of a table that is not boolean. Shuffled
    rows, relabelled classes and rescaled columns leave the answer alone; integer weights equal
    repeated rows, which boosting starts from; permuting columns permutes it where there are no
    ties; of duplicated columns the first is taken; float32 input is cut at the same rows.

    Examples
    --------
    >>> from handful.datasets import load_leukaemia
    >>> data = load_leukaemia()
    >>> selector = BoostedStumps(n_features_to_select=3).fit(data.data, data.target)
    >>> selector.stopping_.warning is None
    True
    """

    def __init__(
        self,
        softness: float = 0.0,
        *,
        max_rounds: int = 500,
        n_bins: int = 8,
        n_features_to_select: Any = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.softness = softness
        self.max_rounds = max_rounds
        self.n_bins = n_bins
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    fit = weighted_fit

    def _rank(
        self, table: Columns, target: Target, n: int | None, rng: np.random.Generator, n_jobs: int
    ) -> Path:
        checks.real("softness", self.softness, 0.0, closed="low")
        checks.whole("max_rounds", self.max_rounds)
        checks.whole("n_bins", self.n_bins, 2, 255)
        questions = ask(table, self.n_bins, target.weight)
        wanted = table.shape[1] if n is None else n
        boosting = Boosting(questions, target.class_codes, target.n_classes, self.softness)
        taken: dict[int, float] = {}
        for stump in islice(boosting, self.max_rounds):
            feature = int(questions.feature[stump.question])
            taken.setdefault(feature, stump.edge)
            if len(taken) == wanted or feature < table.n_probes:
                return _path(list(taken), list(taken.values()), complete=n is None)
        edges = questions.best(boosting.edges()[0])
        edges[list(taken)] = np.nan
        others = order_by_score(edges, wanted - len(taken))
        features = [*taken, *others.tolist()]
        path_scores = [*taken.values(), *edges[others].tolist()]
        complete = n is None or len(features) < n
        return _path(features, path_scores, complete=complete, warning=_ended(taken, others))


def _path(features: list[int], edges: list[float], **more: Any) -> Path:
    order, scores = np.array(features, dtype=np.intp), np.array(edges)
    return Path(order, scores, note="the other columns are constant", **more)


def _ended(taken: dict[int, float], others: NDArray) -> str | None:
    if not len(others):
        return None
    columns = f"{len(taken)} column{'' if len(taken) == 1 else 's'}"
    return (
        f"Boosting ended with {columns}; the others follow by how well each does alone on the rows "
        "as they weighed then."
    )
