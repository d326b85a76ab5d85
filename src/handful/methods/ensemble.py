"""StabilityEnsemble: columns that machines trained on different rows agree about.

Trained on other patients, a machine weighs other genes. What it learned from the task comes back in
every one of many such machines; what it learned from the accidents of its rows does not, however
large it is in one of them. So a column is judged by its weights, with their signs, in machines on
resampled rows: the mean for the spread. Where most columns are noise, the machines themselves are
unsteady; then the least stable columns are dropped, some at a time, and new machines are trained
without them.

References
----------
Ban and Inoue, "Feature Subset Selection by SVM Ensemble", IEEE Symposium Series on Computational
Intelligence, 2016. Breiman, "Bagging predictors", Machine Learning 24, 1996.

Examples
--------
>>> from handful import StabilityEnsemble
>>> from handful.datasets import load_leukaemia
>>> data = load_leukaemia()
>>> selector = StabilityEnsemble(n_features_to_select=3, n_resamples=100, random_state=0)
>>> selector = selector.fit(data.data, data.target)
>>> [str(data.feature_names[gene]) for gene in selector.selection_order_]
['M63138_at', 'X95735_at', 'X62654_rna1_at']
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import RidgeClassifier
from sklearn.svm import SVC

from handful import checks
from handful.columns import Columns
from handful.path import Path, order_by_score
from handful.selector import Selector, weighted_fit
from handful.solvers.backward import eliminate, plan_of
from handful.solvers.gram import centred_gram
from handful.solvers.kernel_criterion import GaussianKernel, scale_gamma
from handful.solvers.linear_svm import centred
from handful.solvers.resamples import (
    Moments,
    Resamples,
    draw,
    linear_stability,
    solve_ridge,
    stability,
)
from handful.solvers.support import intercepts, pairwise, solve
from handful.stopping import CrossValidated, Decision, Ranker, StoppingRule
from handful.target import Target
from handful.threads import one_thread

# Weights held at once, of all machines that are looked at together: 8 MB.
_CELLS = 1 << 20


class StabilityEnsemble(Selector):
    """Rank columns by how stable their weight is over machines on resampled rows.

    Parameters
    ----------
    estimator : {"svm", "ridge"}
        The machines: support vector machines, or ridge regression on -1 and 1.
    n_features_to_select : "paper", int, float, "auto", None or stopping rule
        How many to keep, see `handful.stopping`. "paper" (default): as many as do best in
        five-fold cross-validation along the ranking, under scikit-learn's machine of the same kind
        (whose gamma "scale" is its own, anew for every number of columns); with `eliminate` the
        columns left when the machines recognised most of the rows that they had not seen. None: all
        that can be ranked, but with `eliminate` again those.
    n_resamples : int
        How many machines. Between 20 and 100 little changes, says the paper, which takes 20.
    fraction : float
        Rows drawn for a machine, with replacement, as a share of all; the paper's 0.8.
    eliminate : float or None
        None: one ensemble ranks all columns. A share, such as the paper's 0.05: so many of the
        columns still there are dropped at a time, at least one, and new machines judge the others.
    patience : int or None
        With `eliminate`: dropping ends once the out-of-bag rate was below the best so many times in
        a row; the columns left are ranked by their last ensemble. None (default): never, so that
        every column is judged in company of those that are better.
    C : float
        The cost of an error of a support vector machine.
    alpha : float
        The penalty of ridge.
    kernel : {"linear", "rbf"}
        "rbf": ``exp(-gamma |x - z|^2)``, for "svm"; a column's weight is then what its removal
        takes from the squared length of the machine's normal, equation 10 of the paper, with sign.
    gamma : float or "scale"
        Of the rbf kernel. "scale": 1 over the sum of the columns' variances, found once for all
        columns.
    random_state : int, RandomState or None
        Who draws the resamples.
    n_jobs : int or None
        Threads that train machines; processes for the rounds, folds or resamples of a stopping
        rule.
    verbose : int
        1 draws a bar for those on a terminal.

    Attributes
    ----------
    stability_ : ndarray of shape (n_features,)
        Of each column the mean weight for its standard deviation, in the ensemble on all columns.
    out_of_bag_ : ndarray of shape (n_ensembles, 2)
        How many columns each ensemble saw, and its rate: of the rows that a machine has not seen,
        the share that it recognises, on average over machines.

    Notes
    -----
    The text's absolute value of a weight must not be taken before the mean, or a weight of changing
    sign would look stable. Several classes: a machine for each pair of classes and resample of its
    rows; a column's stability is its largest over pairs. Resamples without one of the classes are
    drawn anew; the same resamples serve all steps of an elimination. Constant columns have no
    stability and are not ranked.

    All machines share one matrix of rows by rows, and go in one call: rows are absent, or count as
    often as they were drawn. Sums run over parts of the machines, so that no more than 8 MB of
    weights are held.

    Rows are drawn with their `sample_weight`, which multiplies the cost of their errors. Permuting
    columns permutes the answer; relabelled classes and shifted columns leave it alone; float32
    input is computed in float64.

    Examples
    --------
    Two columns of 22, in clouds that no line separates:

    >>> from handful.datasets import make_nonlinear_toy
    >>> from sklearn.preprocessing import minmax_scale
    >>> X, y, relevant = make_nonlinear_toy(100, 22, random_state=0)
    >>> selector = StabilityEnsemble(
    ...     n_features_to_select=2, eliminate=0.05, kernel="rbf", C=100, gamma=1.0, random_state=0
    ... ).fit(minmax_scale(X), y)
    >>> sorted(selector.selection_order_.tolist()) == relevant.tolist()
    True
    """

    def __init__(
        self,
        estimator: str = "svm",
        *,
        n_features_to_select: Any = "paper",
        n_resamples: int = 20,
        fraction: float = 0.8,
        eliminate: float | None = None,
        patience: int | None = None,
        C: float = 1.0,
        alpha: float = 1.0,
        kernel: str = "linear",
        gamma: float | str = "scale",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.n_resamples = n_resamples
        self.fraction = fraction
        self.eliminate = eliminate
        self.patience = patience
        self.C = C
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    fit = weighted_fit

    @property
    def _weighted_form(self) -> bool:
        return False  # a row of weight 2 is drawn whole, and not as two rows

    def _rule(self, n_columns: int) -> StoppingRule:
        wanted = self.n_features_to_select
        as_printed = isinstance(wanted, str) and wanted == "paper"
        if self.eliminate is not None and (as_printed or wanted is None):
            return BestOutOfBag()
        if not as_printed:
            if isinstance(wanted, str):
                checks.one_of("n_features_to_select", wanted, ("paper", "auto"))
            return super()._rule(n_columns)
        model: Any = RidgeClassifier(self.alpha)
        if self.estimator == "svm":
            model = SVC(C=self.C, kernel=self.kernel, gamma=self.gamma)
        return CrossValidated(model, scoring="accuracy")

    def _rank(
        self, table: Columns, target: Target, n: int | None, rng: np.random.Generator, n_jobs: int
    ) -> Path:
        self._check()
        varying = np.flatnonzero(table.varying())
        note = "the other columns are constant"
        if not varying.size:
            return Path([], [], complete=True, note=note)  # type: ignore[arg-type]
        resamples = [
            draw(signs, self.n_resamples, self.fraction, rng) for signs in pairwise(target)
        ]
        used = table if len(varying) == table.shape[1] else table.take(varying)
        with one_thread():
            kernel = self._gaussian(used, target) if self.kernel == "rbf" else None
            ensemble = _Ensemble(self, used, kernel, target, resamples, n_jobs)
            if self.eliminate is None:
                found = ensemble.scores()
                order = order_by_score(found, n)
                scores = found[order]
            else:
                plan = plan_of(len(varying), self.eliminate)
                order, scores = eliminate(ensemble, plan)
        stability = np.full(table.shape[1], np.nan)
        stability[varying] = ensemble.first
        return Path(
            varying[order],
            scores,
            complete=len(order) == len(varying),
            note=note,
            fitted={"stability_": stability, "out_of_bag_": np.array(ensemble.rates)},
        )

    def _gaussian(self, table: Columns, target: Target) -> GaussianKernel:
        X, gamma = centred(table, target.weight), self.gamma
        return GaussianKernel(X, scale_gamma(X, target.weight) if isinstance(gamma, str) else gamma)

    def _check(self) -> None:
        checks.one_of("estimator", self.estimator, ("svm", "ridge"))
        checks.whole("n_resamples", self.n_resamples, 2)
        checks.real("fraction", self.fraction, 0, 1, closed="high")
        checks.real("C", self.C, 0)
        checks.real("alpha", self.alpha, 0)
        checks.one_of("kernel", self.kernel, ("linear", "rbf"))
        if isinstance(self.gamma, str):
            checks.one_of("gamma", self.gamma, ("scale",))
        else:
            checks.real("gamma", self.gamma, 0)
        if self.eliminate is not None:
            checks.real("eliminate", self.eliminate, 0, 1)
        if self.patience is not None:
            checks.whole("patience", self.patience)
            if self.eliminate is None:
                raise ValueError(
                    f"patience={self.patience} is for eliminations; give eliminate=0.05 or another "
                    "share, or leave patience at None."
                )
        if self.estimator == "ridge" and self.kernel != "linear":
            raise ValueError(f"kernel={self.kernel!r} is for estimator='svm'; ridge is linear.")


class _Ensemble:
    """The machines on all resamples, for the columns that are left."""

    def __init__(
        self,
        settings: StabilityEnsemble,
        table: Columns,
        gaussian: GaussianKernel | None,
        target: Target,
        resamples: list[Resamples],
        n_jobs: int,
    ) -> None:
        self._settings, self._n_jobs = settings, n_jobs
        self._table, self._gaussian, self._n_left = table, gaussian, table.shape[1]
        self._resamples, self._weight = resamples, target.weight
        self._starts: list[NDArray[np.float64] | None] = [None] * len(resamples)
        self._settled: NDArray[np.float64] | None = None
        self.first: NDArray[np.float64] | None = None
        self.rates: list[tuple[int, float]] = []

    def scores(self) -> NDArray[np.float64]:
        """The stability of the columns left: the largest over pairs of classes."""
        if self._settled is not None:
            return self._settled
        kernel = self._gaussian.gram if self._gaussian else centred_gram(self._table)
        found = np.zeros(self._n_left)
        rates = []
        for number, resamples in enumerate(self._resamples):
            beta, decisions = self._train(kernel, number)
            rates.append(resamples.recognised(decisions, self._weight))
            found = np.maximum(found, self._stability(beta))
        self.rates.append((len(found), float(np.mean(rates))))
        if self.first is None:
            self.first = found
        if self._out_of_patience():
            self._settled = found
        return found

    def keep(self, places: NDArray[np.intp]) -> None:
        if self._settled is not None:
            self._settled = self._settled[places]
            return
        self._n_left = len(places)
        if self._gaussian:
            self._gaussian.keep(places)
        else:
            self._table = self._table.take(places)

    def _train(
        self, kernel: NDArray[np.float64], number: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The machines of a pair of classes: coefficients and decisions, a row for each."""
        pair, settings = self._resamples[number], self._settings
        counts = pair.counts if self._weight is None else pair.counts * self._weight
        if settings.estimator == "ridge":
            beta, intercept = solve_ridge(kernel, pair.signs, counts, settings.alpha)
        else:
            bounds = settings.C * counts
            beta = solve(kernel, pair.signs, bounds, self._starts[number], self._n_jobs)
            intercept = intercepts(kernel, pair.signs, bounds, beta)
            self._starts[number] = beta
        return beta, beta @ kernel + intercept[:, None]

    def _stability(self, beta: NDArray[np.float64]) -> NDArray[np.float64]:
        some = max(1, _CELLS // self._n_left)
        if not self._gaussian:
            return linear_stability(self._table, beta, some)
        moments = Moments(self._n_left)
        for first in range(0, len(beta), some):
            moments.add(self._gaussian.margins(beta[first : first + some]))
        return stability(moments.mean, moments.deviation)

    def _out_of_patience(self) -> bool:
        patience = self._settings.patience
        rates = [rate for _, rate in self.rates]
        return patience is not None and len(rates) - 1 - _last_best(rates) >= patience


def _last_best(rates: list[float]) -> int:
    """The place of the best rate, the last among equals: that with the fewest columns."""
    known = np.nan_to_num(rates[::-1], nan=-1.0)
    return len(rates) - 1 - int(np.argmax(known))


class BestOutOfBag(StoppingRule):
    """The columns on which the machines recognised most of the rows that they had not seen."""

    draws_rows = False

    def choose(self, ranker: Ranker) -> Decision:
        path = ranker.path()
        seen = path.fitted.get("out_of_bag_", np.empty((0, 2)))
        sizes, rates = seen[::-1, 0].astype(np.intp), seen[::-1, 1]
        kept = int(seen[_last_best(seen[:, 1].tolist()), 0]) if len(seen) else 0
        return Decision(path, kept, {"sizes": sizes, "curve": rates})
