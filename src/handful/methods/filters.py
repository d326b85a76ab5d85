"""FilterSelector: rank every column by a score of its own, without looking at the others.

The oldest idea and the fastest: how differently is a column distributed in the classes? Good as a
first look, as a prefilter and as the comparator that any other method has to beat. Its weakness is
that copies of a good column are all good.

This is also the shortest example of a method: parameters, the tasks it can do, and `_rank`.

References
----------
"fisher": Gadat and Younes, "A Stochastic Algorithm for Feature Selection in Pattern Recognition",
JMLR 8, 2007, section 5.2.5. "correlation": Golub et al., "Molecular classification of cancer",
Science 286, 1999; equation 13 of Ban and Inoue. "mutual_info": Kraskov, Stögbauer and Grassberger,
Physical Review E 69, 2004; Ross, PLoS ONE 9, 2014, as implemented in scikit-learn.

Examples
--------
>>> from handful import FilterSelector
>>> from handful.datasets import make_linear_separator
>>> X, y, relevant = make_linear_separator(random_state=3)
>>> FilterSelector(n_features_to_select=2).fit(X, y).get_support(indices=True).tolist()
[0, 1]
"""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

from handful import checks
from handful.columns import Columns
from handful.path import Path, order_by_score
from handful.selector import Selector, weighted_fit
from handful.solvers import scores
from handful.target import Target

_SCORES = ("fisher", "correlation", "f", "chi2", "mutual_info")


class _NotAMethod:
    """A parameter with the name of a method that scikit-learn looks for on every estimator.

    The value is kept under its name, for `get_params` and `clone`, but it is no attribute, so that
    nobody calls ``selector.score(X, y)``.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self._name] = value

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        raise AttributeError(f"use get_params()[{self._name!r}]")


class FilterSelector(Selector):
    """Rank columns by a score of each alone.

    Parameters
    ----------
    score : {"fisher", "correlation", "f", "chi2", "mutual_info"} or callable
        "fisher" (default, classes): distance of the class means for the spread inside classes.
        "correlation": Golub's signal to noise ratio, the largest over pairs of classes; for
        numbers the absolute correlation. "f": analysis of variance, or the F test of a straight
        line; its path knows the chance of a random column, so `AnalyticProbe` works. "chi2": for
        counts, classes only. "mutual_info": scikit-learn's nearest-neighbour estimate, exact counts
        for boolean columns. A callable takes ``(X, y)`` and returns a score per column (or a pair
        of scores and p-values), the larger the better, NaN for never.
    n_features_to_select : int, float, "auto", None or stopping rule
        How many to keep, see `handful.stopping`.
    task : {"auto", "classification", "regression"}
        "auto": continuous targets are regression.
    random_state : int, RandomState or None
        For "mutual_info", which breaks ties between rows at random.
    n_jobs : int or None
        Processes for the rounds, folds or resamples of a stopping rule.
    verbose : int
        1 draws a bar for those on a terminal.

    Notes
    -----
    Weights count repeated rows (not for "mutual_info" and callables). Allocates one block of
    columns and a few numbers per column and class; a callable or scikit-learn may copy more.
    Permuting columns permutes the answer; shuffled rows, relabelled classes and scaled columns
    (except for "chi2" and "mutual_info") leave it alone; integer weights equal repeated rows;
    float32 input is summed in float64.

    Examples
    --------
    >>> from handful.datasets import make_ternary
    >>> X, y, relevant = make_ternary(2000, random_state=0)
    >>> selector = FilterSelector("correlation", n_features_to_select=9).fit(X, y)
    >>> sorted(selector.selection_order_.tolist()) == relevant.tolist()
    True
    """

    _tasks = ("classification", "regression")
    score = _NotAMethod()

    def __init__(
        self,
        score: str | Callable[..., Any] = "fisher",
        *,
        n_features_to_select: Any = "auto",
        task: str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.score = score
        self.n_features_to_select = n_features_to_select
        self.task = task
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    fit = weighted_fit

    @property
    def _weighted_form(self) -> bool:
        return vars(self)["score"] in ("fisher", "correlation", "f", "chi2")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = vars(self)["score"] == "chi2"
        return tags

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with `deep` those of a stopping rule too."""
        params = {name: vars(self)[name] for name in sorted(signature(type(self)).parameters)}
        rule = params["n_features_to_select"]
        if deep and isinstance(rule, BaseEstimator):
            inner = rule.get_params().items()
            params |= {f"n_features_to_select__{name}": value for name, value in inner}
        return params

    def _rank(
        self, table: Columns, target: Target, n: int | None, rng: np.random.Generator, n_jobs: int
    ) -> Path:
        found, chance = self._score(table, target, rng)
        found = np.where(table.varying(), found, np.nan)
        order = order_by_score(found, n)
        return Path(
            order,
            found[order],
            None if chance is None else chance[order],
            complete=n is None or len(order) < n,
            note="the other columns are constant or have no score",
        )

    def _score(
        self, table: Columns, target: Target, rng: np.random.Generator
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        score = vars(self)["score"]
        if callable(score):
            return _called(score, table, target)
        checks.one_of("score", score, _SCORES)
        if score in ("fisher", "chi2") and target.task == "regression":
            raise ValueError(
                f"score={score!r} is for classes, and y holds numbers; use 'correlation', "
                "'f' or 'mutual_info', or say task='classification'."
            )
        if score == "f":
            return scores.f_statistic(table, target)
        if score == "mutual_info":
            return _mutual_info(table, target, rng), None
        by_correlation = scores.pearson if target.task == "regression" else scores.golub
        simple = {"fisher": scores.fisher, "chi2": scores.chi2, "correlation": by_correlation}
        return simple[score](table, target), None


def _refuse_weight(target: Target, what: str) -> None:
    if target.weight is not None:
        raise ValueError(f"{what} has no weighted form; fit without sample_weight.")


def _called(score: Callable[..., Any], table: Columns, target: Target) -> tuple:
    _refuse_weight(target, "A callable score")
    answer = score(table.native, target.original)
    found, chance = answer if isinstance(answer, tuple) else (answer, None)
    found = np.asarray(found, dtype=np.float64)
    if found.shape != (table.shape[1],):
        raise ValueError(
            f"The score function returned shape {found.shape}; one score for each of the "
            f"{table.shape[1]} columns is needed."
        )
    if chance is None:
        return found, None
    chance = np.asarray(chance, dtype=np.float64)
    if chance.shape != found.shape:
        raise ValueError(
            f"The score function returned scores of shape {found.shape} and p-values of shape "
            f"{chance.shape}; one p-value for each score is needed."
        )
    return found, chance


def _mutual_info(table: Columns, target: Target, rng: np.random.Generator) -> NDArray[np.float64]:
    _refuse_weight(target, "score='mutual_info'")
    regression = target.task == "regression"
    estimate = mutual_info_regression if regression else mutual_info_classif
    answer = np.empty(table.shape[1])
    for cols, block in table.blocks():
        answer[cols] = estimate(
            block,
            target.values if regression else target.codes,
            discrete_features=block.dtype == bool,
            random_state=int(rng.integers(2**31)),
        )
    return answer
