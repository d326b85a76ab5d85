"""RecursiveElimination: fit, drop the weakest column, fit again, until one is left.

A linear model gives every column a weight, and the column with the smallest is the one that the
model misses least. Once it is gone, columns that said the same take over its weight: so copies of
one signal do not shield each other, as they do when all columns are judged by one model. That takes
a fit per column; here each follows from the last one, and the ranking is still that of fits from
scratch.

References
----------
Guyon, Weston, Barnhill and Vapnik (2002), "Gene selection for cancer classification using support
vector machines", Machine Learning 46. Li and Yang (2005), "Using recursive classification to
discover predictive features", ACM Symposium on Applied Computing: ridge regression and Rocchio.

Examples
--------
>>> from handful import RecursiveElimination
>>> from handful.datasets import load_leukaemia
>>> data = load_leukaemia()
>>> selector = RecursiveElimination(n_features_to_select=3).fit(data.data, data.target)
>>> [str(data.feature_names[gene]) for gene in selector.selection_order_]
['X95735_at', 'M19507_at', 'M28130_rna1_s_at']
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import clone

from handful import checks, columns
from handful.columns import Columns
from handful.path import Path
from handful.selector import Selector, weighted_fit
from handful.solvers import linear_svm, ridge, support
from handful.solvers.backward import Plan, eliminate, plan_of
from handful.solvers.constraints import group_numbers, kept_indices, nearest_size
from handful.solvers.fitted import Fitted
from handful.solvers.kernel_criterion import GaussianKernel, KernelMachines, scale_gamma
from handful.solvers.rocchio import Rocchio
from handful.solvers.sparse_ridge import JointRidge, TargetRidges, rank_targets
from handful.stopping import Decision
from handful.target import Target

_NAMED = ("ridge", "svm", "rocchio")
# Cells of a sparse table that ridge writes out, 160 MB: its fits are exact to the last digits.
_CELLS = 20_000_000


class RecursiveElimination(Selector):
    """Rank columns by dropping the one that a fitted model weighs least, again and again.

    Parameters
    ----------
    estimator : {"ridge", "svm", "rocchio"} or estimator
        The model. "ridge" (default): least squares with a penalty, for numbers and for classes as
        -1 and 1. "svm": a support vector machine, for classes; more than two: each against the
        rest. "rocchio": the difference of the class centroids. Any scikit-learn estimator with
        ``coef_`` or ``feature_importances_`` works too, at the price of its own fits.
    n_features_to_select : int, float, "auto", None or stopping rule
        How many to keep, see `handful.stopping`. The ranking goes down to one column in any case.
    step : int or float
        How many columns go at a time. A fraction is of the columns still there, at least one.
    recursive : bool
        False: all columns are ranked by the first model.
    alpha : float, "gcv" or "cv"
        The penalty of ridge. Named: chosen anew for every fit among 25 values, by generalised or by
        five-fold cross-validation.
    C : float
        The svm's price of a row on the wrong side of its margin. `alpha`, `C`, `gamma` and
        `rocchio_b` may be set for other estimators too, as in a search over several; they do
        nothing there. All else that an estimator does not have is refused.
    kernel : {"linear", "rbf"}
        Of the svm. "rbf": columns are ranked by `kernel_criterion`.
    gamma : float or "scale"
        Of the rbf kernel ``exp(-gamma |x - z|^2)``. "scale": 1 over the sum of the columns'
        variances, scikit-learn's default for columns with mean 0; it stays while columns go.
    kernel_criterion : {"margin", "derivative"}
        By how much the squared margin changes without the column, the other coefficients kept, or
        how fast it changes with the column's cells: see `handful.solvers.kernel_criterion`.
    class_weight : None, "balanced" or dict
        What `C` is multiplied with for each class of the svm. "balanced": the same for each class
        as a whole. Not for several labels per row.
    rocchio_b : float
        The weight of the negative centroid against the positive one.
    importance_getter : str or callable
        For an estimator: "auto", an attribute such as ``"named_steps.model.coef_"``, or a function
        of the fitted estimator. Of several rows the root of the summed squares counts.
    feature_groups : array-like of shape (n_features,), optional
        A label per column: columns with the same one go together, judged by the root of their
        summed squares. Groups are kept whole: as many as fit into `n_features_to_select`, with a
        warning where that is fewer columns, but at least the best one.
    keep : array-like, optional
        Columns that are never dropped before others: indices, names or a mask. All of them are
        kept, with a warning where `n_features_to_select` asks for fewer, save constant ones.
    task : {"auto", "classification", "regression"}
        "auto": continuous targets are regression.
    n_jobs : int or None
        Threads of the elimination; processes for the rounds, folds or resamples of a stopping rule.
    verbose : int
        1 draws a bar for those on a terminal.

    Attributes
    ----------
    alphas_ : ndarray of shape (n_steps,)
        Ridge: alpha of the model in which each column of the path was judged.
    gamma_ : float
        Svm with kernel="rbf": gamma.

    Notes
    -----
    With ``step=1`` the `ranking_` is that of scikit-learn's ``RFE`` around ``Ridge(alpha)``, for
    classes ``RidgeClassifier(alpha)``, for two classes ``SVC(kernel="linear", C=C, tol=1e-10)``
    as far as its kernel in float32 goes, going on below `n_features_to_select` down to one column.
    A fraction is of the columns still there, RFE's of all columns.

    The score of a path's step is the column's weight in the model that dropped it, over several
    targets or classes the root of the summed squares; with the rbf kernel the absolute value of its
    criterion, summed over the classes. Scores within 1e-8 of the smallest are ties, and among ties
    the highest index goes.

    One column at a time, ridge updates the inverse among rows by one rank and looks only at the few
    columns that can be the weakest; with no more columns than rows it rotates a triangular factor.
    Allocates two copies of the table in float64, and a matrix of rows by rows. A sparse table of
    more than 20 million cells that loses several columns at a time stays sparse: its equations are
    solved by conjugate gradients, to a relative residual of 1e-8. The svm starts from its last
    solution each time and sees the rows through their inner products, a matrix of rows by rows; the
    rbf kernel keeps a number per pair of support vectors and column, 256 MB at most.

    Weights count repeated rows (for the named models, save ridge with ``alpha="cv"``). Permuting
    columns permutes the answer; shuffled rows, relabelled classes and shifted columns leave it
    alone; float32 input is computed in float64.

    Examples
    --------
    >>> from handful.datasets import make_linear_separator
    >>> X, y, relevant = make_linear_separator(random_state=3)
    >>> selector = RecursiveElimination(n_features_to_select=2).fit(X, y)
    >>> sorted(selector.selection_order_.tolist()) == relevant.tolist()
    True
    """

    _tasks = ("classification", "regression")
    _several_targets = True

    def __init__(
        self,
        estimator: Any = "ridge",
        *,
        n_features_to_select: Any = "auto",
        step: int | float = 1,
        recursive: bool = True,
        alpha: float | str = 1.0,
        C: float = 1.0,
        kernel: str = "linear",
        gamma: float | str = "scale",
        kernel_criterion: str = "margin",
        class_weight: str | Mapping[Any, float] | None = None,
        rocchio_b: float = 1.0,
        importance_getter: str | Callable[[Any], ArrayLike] = "auto",
        feature_groups: ArrayLike | None = None,
        keep: ArrayLike | None = None,
        task: str = "auto",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.step = step
        self.recursive = recursive
        self.alpha = alpha
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.kernel_criterion = kernel_criterion
        self.class_weight = class_weight
        self.rocchio_b = rocchio_b
        self.importance_getter = importance_getter
        self.feature_groups = feature_groups
        self.keep = keep
        self.task = task
        self.n_jobs = n_jobs
        self.verbose = verbose

    fit = weighted_fit

    @property
    def _weighted_form(self) -> bool:
        if isinstance(self.estimator, str):
            return self.estimator != "ridge" or self.alpha != "cv"
        return False

    def _rank(
        self, table: Columns, target: Target, n: int | None, rng: np.random.Generator, n_jobs: int
    ) -> Path:
        self._check(target)
        varying = np.flatnonzero(table.varying())
        note = _note(table, varying)
        if not varying.size:
            return Path([], [], complete=True, note=note)  # type: ignore[arg-type]
        plan = self._plan(table).of(varying)
        features, scores, fitted = self._eliminate(table, varying, target, plan, n_jobs)
        # all of it, whatever `n`: the best are known last
        return Path(varying[features], scores, complete=True, note=note, fitted=fitted)

    def rank_each(self, X: Any, Y: Any) -> list[Path]:
        """A path for every column of Y: what a fit to that column alone would have as `path_`.

        For ridge on a large sparse table (see the notes) all of them share their products, which
        is several times faster than as many fits.

        Parameters
        ----------
        X : array, data frame, sparse matrix or table of handful's own
        Y : array-like or sparse matrix of shape (n_rows, n_targets)

        Examples
        --------
        >>> X, Y = np.eye(6)[:, :4], np.eye(6, dtype=int)[:, :2]
        >>> [path.features[0].item() for path in RecursiveElimination().rank_each(X, Y)]
        [0, 1]
        """
        labels = Y.toarray() if issparse(Y) else np.asarray(Y)
        if labels.ndim != 2:
            raise ValueError(f"Y has shape {labels.shape}; it needs a column per target.")
        alone = clone(self).set_params(n_features_to_select=None)
        found = alone._rank_together(columns.open(alone, X), labels)
        return [
            found[number] if number in found else alone.fit(X, y).path_
            for number, y in enumerate(labels.T)
        ]

    def _rank_together(self, table: Columns, labels: NDArray) -> dict[int, Path]:
        """Of ridge on a large sparse table the paths of the targets that are one column of numbers.

        Those of three and more classes are several columns, which lose the same ones of the table.
        """
        plan = self._plan(table)
        named = isinstance(self.estimator, str) and self.estimator == "ridge"
        plain, varying = named and plan.groups is None, np.flatnonzero(table.varying())
        if plan.kept.any() or not (plain and varying.size and self._by_products(table, plan)):
            return {}
        targets = [self._aligned(table, y, None, None)[1] for y in labels.T]
        values = {k: one for k, one in enumerate(t.columns() for t in targets) if one.shape[1] == 1}
        if not values:
            return {}
        self._check(targets[0])
        joint = Target("regression", labels, None, None, np.hstack(list(values.values())))
        n_jobs = effective_n_jobs(self.n_jobs)
        models = TargetRidges(table.take(varying), joint, float(self.alpha), n_jobs)
        fitted = {"alphas_": np.full(len(varying), float(self.alpha))}
        note = _note(table, varying)
        paths = [
            Path(varying[features], scores, complete=True, note=note, fitted=fitted)
            for features, scores in rank_targets(models, plan)
        ]
        return dict(zip(values, paths, strict=True))

    def _check(self, target: Target) -> None:
        self._check_estimator()
        if not isinstance(self.recursive, bool | np.bool_):
            raise TypeError(f"recursive must be True or False, not {self.recursive!r}.")
        if isinstance(self.alpha, str):
            checks.one_of("alpha", self.alpha, ("gcv", "cv"))
        else:
            checks.real("alpha", self.alpha, 0)
        checks.real("rocchio_b", self.rocchio_b, 0, closed="low")
        checks.real("C", self.C, 0)
        checks.one_of("kernel", self.kernel, ("linear", "rbf"))
        checks.one_of("kernel_criterion", self.kernel_criterion, ("margin", "derivative"))
        if isinstance(self.gamma, str):
            checks.one_of("gamma", self.gamma, ("scale",))
        else:
            checks.real("gamma", self.gamma, 0)
        named = isinstance(self.estimator, str)
        if named and self.estimator != "ridge" and target.task == "regression":
            raise ValueError(
                f"estimator={self.estimator!r} is for classes, and y holds numbers; use 'ridge', "
                "or say task='classification'."
            )
        self._refuse_unused()

    def _check_estimator(self) -> None:
        own, named = self.estimator, isinstance(self.estimator, str)
        if named:
            checks.one_of("estimator", own, _NAMED)
        elif isinstance(own, type) or not hasattr(own, "fit"):
            raise TypeError(
                f"estimator={own!r} is not an estimator; use 'ridge', 'svm', 'rocchio' or an "
                "instance such as LogisticRegression()."
            )
        if not (callable(self.importance_getter) or isinstance(self.importance_getter, str)):
            raise TypeError(
                "importance_getter must be 'auto', the name of an attribute or a function, not "
                f"{self.importance_getter!r}."
            )

    def _refuse_unused(self) -> None:
        """Raise where something was said that the estimator would not hear."""
        named = isinstance(self.estimator, str)
        machine = named and self.estimator == "svm"
        gaussian = machine and self.kernel == "rbf"
        for name, unused, applies, where in (
            ("kernel", "linear", machine, "estimator='svm'"),
            ("class_weight", None, machine, "estimator='svm'"),
            ("kernel_criterion", "margin", gaussian, "estimator='svm' with kernel='rbf'"),
            ("importance_getter", "auto", not named, "an estimator of scikit-learn"),
        ):
            value = getattr(self, name)
            if not applies and not (value is unused or value == unused):
                raise ValueError(
                    f"{name}={value!r} is for {where}; leave it at {unused!r}, or change the "
                    "estimator."
                )

    def _eliminate(
        self, table: Columns, varying: NDArray, target: Target, plan: Plan, n_jobs: int
    ) -> tuple[NDArray, NDArray, dict[str, Any]]:
        if not isinstance(self.estimator, str):
            model = Fitted(self.estimator, self.importance_getter, table, varying, target)
            return *eliminate(model, plan), {}
        if len(varying) < table.shape[1]:
            table = table.take(varying)
        if self.estimator == "rocchio":
            return *eliminate(Rocchio(table, target, self.rocchio_b), plan), {}
        if self.estimator == "svm":
            return self._by_machines(table, target, plan, n_jobs)
        if self._by_products(table, plan):
            model = JointRidge(TargetRidges(table, target, float(self.alpha), n_jobs))
            return *eliminate(model, plan), {"alphas_": _by_place(model.alphas)}
        X, Y = ridge.centred(table, target)
        if plan.one_by_one and not isinstance(self.alpha, str):
            found = ridge.eliminate_one_by_one(X, Y, self.alpha, plan, target.weight, n_jobs)
            return *found, {"alphas_": np.full(len(varying), float(self.alpha))}
        total = float(len(X) if target.weight is None else target.weight.sum())
        fold = ridge.folds_of(target)
        model = ridge.Ridge(X, Y, self.alpha, total=total, fold=fold, weight=target.weight)
        found = eliminate(model, plan)
        return *found, {"alphas_": _by_place(model.alphas)}

    def _by_machines(
        self, table: Columns, target: Target, plan: Plan, n_jobs: int
    ) -> tuple[NDArray, NDArray, dict[str, Any]]:
        signs, X = support.one_versus_rest(target), linear_svm.centred(table, target.weight)
        bounds = support.bounds_of(target, signs, self.C, self.class_weight)
        if self.kernel == "rbf":
            gamma = self.gamma
            if isinstance(gamma, str):
                gamma = scale_gamma(X, target.weight)
            model = KernelMachines(
                GaussianKernel(X, gamma), signs, bounds, self.kernel_criterion, n_jobs
            )
            return *eliminate(model, plan), {"gamma_": gamma}
        if plan.one_by_one:
            return *linear_svm.eliminate_one_by_one(X, signs, bounds, plan, n_jobs), {}
        return *eliminate(linear_svm.LinearMachines(X, signs, bounds, n_jobs), plan), {}

    def _by_products(self, table: Columns, plan: Plan) -> bool:
        """Whether the table is sparse, and so large that it had better not be written out."""
        large = issparse(table.native) and table.shape[0] * table.shape[1] > _CELLS
        return large and not plan.one_by_one and not isinstance(self.alpha, str)

    def _plan(self, table: Columns) -> Plan:
        groups, kept = self.feature_groups, np.zeros(table.shape[1], dtype=bool)
        kept[table.n_probes + self._kept_indices()] = True
        if groups is not None:
            groups = group_numbers(groups, self.n_features_in_, table.n_probes)
        return plan_of(len(kept), self.step, recursive=self.recursive, groups=groups, kept=kept)

    def _kept_indices(self) -> NDArray[np.intp]:
        names = list(getattr(self, "feature_names_in_", []))
        return kept_indices(self.keep, self.n_features_in_, names)

    def _allowed(self, decision: Decision) -> Decision:
        """Whole groups, and all columns that must be kept."""
        path, kept = decision.path, self._kept_indices()
        n, note = nearest_size(path, decision.n_features, self.feature_groups, kept)
        missing = np.setdiff1d(kept, path.features)
        if path.complete and missing.size:
            message = f"`keep` names constant columns, which are not kept: {missing.tolist()}."
            warnings.warn(message, UserWarning, stacklevel=4)
        return Decision(replace(path, note=note), n, decision.why)


def _note(table: Columns, varying: NDArray[np.intp]) -> str:
    return "the other columns are constant" if len(varying) < table.shape[1] else ""


def _by_place(fits: list[tuple[int, float]]) -> NDArray[np.float64]:
    """The alpha of the fit in which each place of the path was judged."""
    answer = np.empty(fits[0][0])
    for n_left, alpha in fits:
        answer[:n_left] = alpha
    return answer
