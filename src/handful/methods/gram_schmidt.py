"""GramSchmidt: the column that best explains the target, then the best at what that one leaves.

At each step the column is chosen that makes the smallest angle with the target; then its direction
is taken out of the target and of all other columns. So a column that repeats chosen ones has
nothing left to offer, and the path is that of the best linear model that grows by one column at a
time. Under a random column the angle's distribution is known, which tells for each step the chance
that chance alone would have done as well: with `handful.stopping.AnalyticProbe` the path stops
there by itself. Where no linear model can learn the target, as with exclusive-or, the leave-one-out
errors show it and `stopping_` says so.

References
----------
Stoppiglia, Dreyfus, Dubois and Oussar (2003), "Ranking a Random Feature for Variable and Feature
Selection", Journal of Machine Learning Research 3. Chen, Billings and Luo (1989), "Orthogonal
least squares methods and their application to non-linear system identification", International
Journal of Control 50.

Examples
--------
>>> from handful import GramSchmidt
>>> from handful.datasets import make_linear_process
>>> from handful.stopping import AnalyticProbe
>>> X, y, relevant = make_linear_process(30, random_state=1)
>>> selector = GramSchmidt(n_features_to_select=AnalyticProbe(0.1)).fit(X, y)
>>> selector.selection_order_.tolist(), relevant.tolist()
([3, 0, 2, 4, 1], [0, 1, 2, 3, 4])
"""

from collections.abc import Iterator
from itertools import combinations, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv
from sklearn.utils.validation import check_is_fitted

from handful import checks
from handful.columns import Columns
from handful.path import Path
from handful.selector import Selector, weighted_fit
from handful.solvers.orthogonal import Basis, LeastSquares, Step, Walk, chance_of_probe
from handful.target import Target


class GramSchmidt(Selector):
    """Rank columns by orthogonal forward selection, for numbers and for classes.

    Parameters
    ----------
    n_features_to_select : int, float, "auto", None or stopping rule
        How many to keep, see `handful.stopping`. `AnalyticProbe` costs nothing here: the path knows
        the chance of a random column at each step.
    multiclass : {"joint", "pairwise"}
        For three classes and more. "joint" (default): one path; a column's score is the share of
        it that lies in the space of all class indicators, which is what one linear model for all
        classes gains. "pairwise": a path for each pair of classes, as the paper does, merged by
        taking the first of every pair, then the second, pairs in class order; a column's score and
        chance are those in the first pair that brought it. Takes a copy of each pair's rows.
    fit_intercept : bool
        Whether columns and target are taken about their means.
    task : {"auto", "classification", "regression"}
        "auto": continuous targets are regression.
    n_jobs : int or None
        Processes for the rounds, folds or resamples of a stopping rule.
    verbose : int
        1 draws a bar for those on a terminal.

    Attributes
    ----------
    coef_path_ : ndarray of shape (n_steps, n_features) or (n_steps, n_features, n_targets)
        Least-squares coefficients of the model of each size, 0 for columns beyond the size. Two
        classes are -1 and 1; of more, each is a target with 1 for its rows and -1 for all others.
        Made when asked for.
    loo_errors_ : ndarray of shape (n_steps + 1,)
        Mean squared error of each row predicted from all others, the intercept alone first; exact,
        without refits. Infinite where a row cannot be left out.
    f_statistics_ : ndarray of shape (n_steps,)
        Fisher's statistic for adding each step's column to those before it (appendix B of the
        paper); its p-value is ``path_.chance``.

    Notes
    -----
    Costs one pass over the table per step, and over a large dense table far fewer, as a pass also
    serves columns that are likely to be chosen next; allocates some numbers per column and one
    row-long vector per step, and never a copy of the table. Columns that are mixtures of chosen
    ones are not ranked, nor is anything once the target is explained exactly: then the path is
    complete, and says so. Scores are squared cosines between what is left of the column and of the
    target.

    Weights count repeated rows, for the chances too. Permuting columns permutes the answer;
    duplicated columns are ranked once, the lowest index; shuffled rows, relabelled classes and
    scaled columns (shifted ones too, with an intercept) leave it alone; integer weights equal
    repeated rows; float32 input is multiplied in float32, and decisions that this cannot make are
    made in float64.

    Examples
    --------
    >>> from handful.datasets import load_leukaemia
    >>> data = load_leukaemia()
    >>> selector = GramSchmidt(n_features_to_select=3).fit(data.data, data.target)
    >>> [str(data.feature_names[gene]) for gene in selector.selection_order_]
    ['U50136_rna1_at', 'Y00339_s_at', 'D90097_at']
    """

    _tasks = ("classification", "regression")
    _several_targets = True

    def __init__(
        self,
        n_features_to_select: Any = "auto",
        *,
        multiclass: str = "joint",
        fit_intercept: bool = True,
        task: str = "auto",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.multiclass = multiclass
        self.fit_intercept = fit_intercept
        self.task = task
        self.n_jobs = n_jobs
        self.verbose = verbose

    fit = weighted_fit

    @property
    def coef_path_(self) -> NDArray[np.float64]:
        n_steps, model = self._model_of_path()
        features = model.features[:n_steps]
        coefficients = model.squares.coefficients()[:n_steps, :n_steps]
        whole = np.zeros((n_steps, self.n_features_in_, coefficients.shape[2]))
        whole[:, features] = coefficients
        return whole[:, :, 0] if coefficients.shape[2] == 1 else whole

    @property
    def loo_errors_(self) -> NDArray[np.float64]:
        n_steps, model = self._model_of_path()
        return np.array(model.squares.loo_errors[: n_steps + 1])

    @property
    def f_statistics_(self) -> NDArray[np.float64]:
        n_steps, model = self._model_of_path()
        return model.f_statistics[:n_steps]

    def _model_of_path(self) -> tuple[int, "_Model"]:
        """The linear model, and how many of its columns the path shows.

        A rule may cut the path short; one that reorders it leaves the model as it was.
        """
        check_is_fitted(self)
        model, kept = self._model, self.path_.features
        same = np.array_equal(model.features[: len(kept)], kept)
        return len(kept) if same else len(model.features), model

    def _rank(
        self, table: Columns, target: Target, n: int | None, rng: np.random.Generator, n_jobs: int
    ) -> Path:
        checks.one_of("multiclass", self.multiclass, ("joint", "pairwise"))
        joint = self.multiclass == "joint" or target.n_classes < 3
        trials, squares, note = (self._joint if joint else self._pairwise)(table, target, n)
        features = np.array([trial.feature for trial in trials], dtype=np.intp)
        found = np.array([trial[1:] for trial in trials]).reshape(-1, 3)
        n_targets = np.linalg.matrix_rank(target.columns() - target.columns().mean(axis=0))
        model = _Model(features, squares, found[:, 2])
        return Path(
            features,
            found[:, 0],
            found[:, 1],
            complete=n is None or len(features) < n,
            note=note,
            warning=_doubt(np.array(squares.loo_errors), _total(target), table.shape[1], n_targets),
            fitted={"_model": model},
        )

    def _joint(
        self, table: Columns, target: Target, n: int | None
    ) -> tuple[list["_Trial"], LeastSquares, str]:
        walk = Walk(table, target.columns(), target.weight, self.fit_intercept)
        squares = LeastSquares(walk.basis, target.columns())
        trials = []
        for number, step in enumerate(islice(walk, n), 1):
            squares.add(step.vector, step.along)
            trials.append(_trial(step, self._freedom(target, number)))
            if step.feature < table.n_probes:
                break
        if walk.explained:
            return trials, squares, "the chosen columns explain the target exactly"
        return trials, squares, "the other columns are constant or mixtures of the chosen ones"

    def _pairwise(
        self, table: Columns, target: Target, n: int | None
    ) -> tuple[list["_Trial"], LeastSquares, str]:
        assert target.codes is not None
        waiting = [
            self._pair(table, target, np.flatnonzero(np.isin(target.codes, pair)))
            for pair in combinations(range(target.n_classes), 2)
        ]
        found: dict[int, _Trial] = {}
        while waiting and (n is None or len(found) < n):
            pair = waiting.pop(0)
            trial = next(pair, None)
            if trial is None:
                continue
            waiting.append(pair)
            found.setdefault(trial.feature, trial)
            if trial.feature < table.n_probes:
                break
        basis = Basis(target.weight, table.shape[0], self.fit_intercept)
        squares = LeastSquares(basis, target.columns())
        for feature in found:
            squares.add(*basis.extend(table, feature))
        return list(found.values()), squares, "no pair of classes can rank another column"

    def _pair(self, table: Columns, target: Target, rows: NDArray[np.intp]) -> Iterator["_Trial"]:
        """The path of two classes, a step each time one is asked for."""
        part = target.rows(rows)
        walk = Walk(table.rows(rows), part.columns(), part.weight, self.fit_intercept)
        for number, step in enumerate(walk, 1):
            yield _trial(step, self._freedom(part, number))

    def _freedom(self, target: Target, number: int) -> float:
        """Dimensions in which the column of this step was compared with the target."""
        return _total(target) - number + (0 if self.fit_intercept else 1)


class _Trial(NamedTuple):
    """A step as a statistician sees it."""

    feature: int
    share: float
    chance: float
    f_statistic: float


class _Model(NamedTuple):
    """The linear models behind a ranking, and how much each step improved on the last."""

    features: NDArray[np.intp]
    squares: LeastSquares
    f_statistics: NDArray[np.float64]


def _trial(step: Step, freedom: float) -> _Trial:
    chance = chance_of_probe(step.share, step.rest, freedom, step.n_targets)
    above, ratio = freedom - step.n_targets, np.nan
    if above > 0:
        explained = step.share / step.n_targets
        ratio = explained / (step.rest / above) if step.rest else np.inf
    return _Trial(step.feature, step.share, chance, ratio)


def _total(target: Target) -> float:
    return float(target.n_rows if target.weight is None else target.weight.sum())


def _doubt(loo: NDArray, total: float, n_columns: int, n_targets: int) -> str | None:
    """A warning where the leave-one-out errors show that no linear model learns the target.

    The best of many random columns brings the error down too. At each step the best of as many as
    there are columns explains at most a known share of what is left in 95 % of cases; a path that
    never comes below the errors of that learns nothing that chance does not.
    """
    steps = np.arange(1, len(loo))
    steps = steps[total - steps > n_targets]
    if not steps.size:
        return None
    chance = -np.expm1(np.log(0.95) / np.maximum(n_columns - steps + 1, 1))
    rest = betaincinv((total - steps - n_targets) / 2, n_targets / 2, chance)
    by_luck = np.cumprod(1 - (1 - rest) / n_targets) * ((total - 1) / (total - 1 - steps)) ** 2
    if (loo[steps] < loo[0] * np.minimum(by_luck, 1)).any():
        return None
    return (
        "A linear model evidently cannot learn this target, so the selection should not be "
        f"trusted: leave-one-out error {loo[steps].min():.3g} at best, {loo[0]:.3g} without any "
        "column, and as many random columns do as well. Products of columns "
        "(handful.features.Monomials) or kernels may be what is missing."
    )
