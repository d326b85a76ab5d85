"""InformationSelector: columns that inform about the classes and do not repeat each other.

How many nats does a column tell about the class? Ranking by that alone (MIM) picks every copy of a
good column. CMIM asks what a column still tells when any ONE of the chosen columns is known
already, and takes the worst case: ``argmax_n min_l I(Y; X_n | X_l)``, the minimum starting at
``I(Y; X_n)``. A copy of a chosen column scores zero; a weak but new one is taken. The other
criteria of the family weigh what a column tells against what it shares with the chosen ones.

A minimum can only fall as columns are chosen, so an old score is an upper bound: only columns whose
bound is the largest are ever scored again, and the choice is still exactly that of scoring all of
them. A sum grows by one term a step: one pass over the columns. Columns are packed bits, sorted by
class: one AND and a population count per 64 rows give the joint counts of two columns.

References
----------
Fleuret, "Fast Binary Feature Selection with Conditional Mutual Information", JMLR 5, 2004. Brown,
Pocock, Zhao and Luján, "Conditional Likelihood Maximisation: A Unifying Framework for Information
Theoretic Feature Selection", JMLR 13, 2012. "jmim": Bennasar, Hicks and Setchi, "Feature selection
using Joint Mutual Information Maximisation", Expert Systems with Applications 42, 2015.

Examples
--------
>>> from handful import InformationSelector
>>> from handful.datasets import load_leukaemia
>>> leukaemia = load_leukaemia()
>>> selector = InformationSelector(n_features_to_select=3).fit(leukaemia.data, leukaemia.target)
>>> leukaemia.feature_names[selector.selection_order_].tolist()
['M27891_at', 'AFFX-PheX-M_at', 'AF009426_at']
"""

from math import sqrt
from typing import Any

import numpy as np

from handful import _core, checks
from handful.columns import Columns, Layout
from handful.path import Path
from handful.selector import Selector, weighted_fit
from handful.solvers.rounds import rank_by_information
from handful.target import Target


class InformationSelector(Selector):
    """Rank columns by the information they give about the classes.

    Parameters
    ----------
    criterion : str, default "cmim"
        The score of a column X beside the chosen columns Z; the first column is always the one with
        the largest I(Y; X).

        ===================  ================================================================
        ``"cmim"``           the least of I(Y; X) and all I(Y; X | Z)
        ``"mim"``            I(Y; X)
        ``"jmi"``            the sum of I(Y; X, Z)
        ``"jmim"``           the least of I(Y; X, Z)
        ``"disr"``           the sum of I(Y; X, Z) / H(Y, X, Z); 0 where that entropy is 0
        ``"mrmr"``           I(Y; X) less the mean of I(X; Z)
        ``"mrmr_quotient"``  I(Y; X) divided by the mean of I(X; Z); 0 / 0 is 0
        ``"cife"``           I(Y; X) less the sum of I(X; Z) - I(X; Z | Y)
        ``"icap"``           the same, terms below 0 left out
        ``"condred"``        I(Y; X) plus the sum of I(X; Z | Y)
        ===================  ================================================================
    n_features_to_select : int, float, "auto", None or stopping rule
        How many to keep, see `handful.stopping`.
    n_bins : int or "auto"
        Boolean columns are used as they are, and so are whole numbers with up to 64 distinct values
        (up to 16 where there are fewer than five rows to a value) and floats with up to 5. All
        others are cut into `n_bins` levels with about the same number of rows, at thresholds
        learned from the rows that are fitted; equal values always share a level. "auto" (default):
        from 3 to 5, the most for which the joint counts of two columns and the classes have at
        least 5 rows a cell on average, the usual rule for counts that are to be trusted.
    missing : {"error", "category"}
        What NaN means: "error" (default) refuses it; to "category" it is a level of its own, beside
        those of the values that are there.
    random_state : int, RandomState or None
        For a stopping rule that draws and has no seed of its own; the method itself draws nothing.
    n_jobs : int or None
        Threads of the compiled core; processes for the rounds, folds or resamples of a stopping
        rule.
    verbose : int
        1 draws a bar for those on a terminal.

    Attributes
    ----------
    n_evaluations_ : int
        How often a column was scored beside a chosen one; scoring every column at every step, as
        sums do, takes about ``n_features_in_ * (n_features_ - 1)`` ("mim" needs none).

    Notes
    -----
    Informations are in nats, from plain frequencies. For any number of classes. Weights count
    repeated rows; any positive number will do, at several times the cost. Constant columns are
    never chosen; once nothing informative is left to "cmim" and "mim" the path goes on in order of
    index with score 0, and ``stopping_.warning`` says from where on.

    Allocates a bit per row, column and level beyond the first (an eighth of a boolean table) and 50
    bytes per column. Shuffled rows, relabelled classes and (for levels) relabelled values leave the
    answer alone; permuting columns permutes it where there are no ties; a copy of a chosen column
    is worth nothing to "cmim"; float32 input is cut at the same rows.

    Examples
    --------
    >>> from handful.datasets import make_latent_signals
    >>> X, y, _ = make_latent_signals(500, 5_000, random_state=0)
    >>> selector = InformationSelector(n_features_to_select=20).fit(X, y)
    >>> selector.transform(X).shape
    (500, 20)
    >>> selector.n_evaluations_ < 0.05 * 5_000 * 19
    True
    """

    def __init__(
        self,
        criterion: str = "cmim",
        *,
        n_features_to_select: Any = "auto",
        n_bins: int | str = "auto",
        missing: str = "error",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.criterion = criterion
        self.n_features_to_select = n_features_to_select
        self.n_bins = n_bins
        self.missing = missing
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    fit = weighted_fit

    def _rank(
        self, table: Columns, target: Target, n: int | None, rng: np.random.Generator, n_jobs: int
    ) -> Path:
        checks.one_of("criterion", self.criterion, _core.criteria)
        checks.one_of("missing", self.missing, ("error", "category"))
        assert target.codes is not None
        n_bins = self._n_bins(target)
        layout = Layout.by_class(target.codes, target.n_classes, n_bins, n_jobs, target.weight)
        wanted = table.shape[1] if n is None else n
        features, scores, counted, n_informative = rank_by_information(
            table.planes(layout), self.criterion, wanted, table.n_probes, layout
        )
        return Path(
            features,
            scores,
            complete=n is None or len(features) < n,
            note="the other columns are constant",
            warning=_uninformative(n_informative, len(features)),
            n_decided=n_informative,
            fitted=counted,
        )

    def _n_bins(self, target: Target) -> int:
        if isinstance(self.n_bins, str):
            checks.one_of("n_bins", self.n_bins, ("auto",))
            n_rows = target.n_rows if target.weight is None else target.weight.sum()
            return min(5, max(3, int(sqrt(n_rows / (5 * target.n_classes)))))
        checks.whole("n_bins", self.n_bins, 2, 255)
        return self.n_bins

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "category"
        return tags


def _uninformative(n_informative: int, n_ranked: int) -> str | None:
    if n_informative == n_ranked:
        return None
    first = "column" if n_informative == 1 else f"{n_informative} columns"
    return (
        f"After the first {first} no other tells more about the classes; the "
        "following stand in order of index, with score 0."
    )
