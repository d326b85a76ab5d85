"""Selector: the base of every method. A method ranks; all the rest is here.

``fit`` opens the table, encodes the target, hands a ranker to the stopping rule and exposes what
the rule decided through the scikit-learn interface. To write a method, subclass `Selector`, state
the tasks it can do and implement `_rank`; ``methods/filters.py`` is the shortest example.
"""

import warnings
from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import check_is_fitted

from handful import columns
from handful.columns import Columns
from handful.path import Path
from handful.stopping import Decision, Ranker, StoppingRule, resolve
from handful.stopping.base import Fixed
from handful.target import Target, encode


class Selector(SelectorMixin, BaseEstimator):
    """What every selector of handful is and has.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features,)
        The kept columns.
    n_features_ : int
        How many are kept.
    selection_order_ : ndarray
        Indices of the kept columns, best first.
    ranking_ : ndarray of int
        Per column, 1 is best; columns that were never ranked share the number after the last.
    scores_ : ndarray of float
        Per column, its score on the path; NaN off the path.
    path_ : Path
        The ranking as far as it was needed.
    stopping_ : Bunch
        Why it stopped there: the rule, its curve, and a warning where a model evidently cannot
        learn the task.
    classes_ : ndarray
        For classification.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        As in scikit-learn.
    """

    # What a method can do; those that can do both take a parameter `task`.
    _tasks: tuple[str, ...] = ("classification",)
    _several_targets = False
    n_features_to_select: Any = "auto"

    @property
    def _weighted_form(self) -> bool:
        """For the methods with `weighted_fit`: whether they have one, parametrised as they are."""
        return True

    @abstractmethod
    def _rank(
        self, table: Columns, target: Target, n: int | None, rng: np.random.Generator, n_jobs: int
    ) -> Path:
        """The first `n` steps of the method's path, or all of them; more where they come unasked.

        The table is checked, the target encoded; constant columns must not be chosen. Where
        ``table.n_probes`` is not 0 the path may end with the first probe on it.
        """

    def fit(self, X: Any, y: Any, *, groups: Any = None) -> Self:
        """Rank the columns of X and keep the ones that the stopping rule says.

        Parameters
        ----------
        X : array, data frame, sparse matrix or table of handful's own
        y : array-like of shape (n_rows,)
        groups : array-like of shape (n_rows,), optional
            For the splitter of `CrossValidated`.
        """
        return self._fit(X, y, groups=groups)

    def _fit(self, X: Any, y: Any, *, sample_weight: Any = None, groups: Any = None) -> Self:
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        y = y.toarray() if issparse(y) else np.asarray(y)
        if hasattr(self, "classes_"):
            del self.classes_  # of an earlier fit
        table = columns.open(self, X)
        rule = self._rule(table.shape[1])
        table, target, groups = self._aligned(table, y, sample_weight, groups)
        if target.classes is not None:
            self.classes_ = target.classes
        ranker = Ranker(
            self._rank,
            table,
            target,
            seed=int(check_random_state(getattr(self, "random_state", 0)).randint(2**31)),
            n_jobs=getattr(self, "n_jobs", None),
            groups=groups,
            verbose=getattr(self, "verbose", 0),
        )
        self._settle(rule, self._allowed(rule.choose(ranker)))
        return self

    def _rule(self, n_columns: int) -> StoppingRule:
        """What says how many of so many columns are kept."""
        return resolve(self.n_features_to_select, n_columns)

    def _aligned(
        self, table: Columns, y: Any, sample_weight: Any, groups: Any
    ) -> tuple[Columns, Target, NDArray | None]:
        """Table, target and groups row by row, without the rows that weigh nothing."""
        n_rows = table.shape[0]
        for name, values in (("y", y), ("groups", groups)):
            length = n_rows if values is None else len(np.atleast_1d(values))
            if length != n_rows:
                raise ValueError(
                    f"X has {n_rows} rows and {name} has {length}: inconsistent numbers of "
                    "samples; give one value per row."
                )
        weight = columns.as_weight(sample_weight, n_rows)
        groups = None if groups is None else np.asarray(groups)
        if weight is not None and not weight.all():
            kept = np.flatnonzero(weight)
            table, y, weight = table.rows(kept), y[kept], weight[kept]
            groups = None if groups is None else groups[kept]
        target = encode(
            y,
            tasks=self._tasks,
            task=getattr(self, "task", "auto"),
            several=self._several_targets,
            weight=weight,
        )
        return table, target, groups

    def _allowed(self, decision: Decision) -> Decision:
        """The nearest decision that the method can follow."""
        return decision

    def _settle(self, rule: StoppingRule, decision: Decision) -> None:
        path, n_columns = decision.path, self.n_features_in_
        if hasattr(self, "path_"):
            for name in self.path_.fitted.keys() - path.fitted.keys():
                self.__dict__.pop(name, None)
        self.path_ = path
        self.n_features_ = decision.n_features
        self.selection_order_ = path.features[: decision.n_features]
        self.support_ = np.zeros(n_columns, dtype=bool)
        self.support_[self.selection_order_] = True
        self.ranking_ = np.full(n_columns, len(path) + 1)
        self.ranking_[path.features] = np.arange(1, len(path) + 1)
        self.scores_ = np.full(n_columns, np.nan)
        self.scores_[path.features] = path.scores
        self.stopping_ = Bunch(
            rule=type(rule).__name__,
            n_features=decision.n_features,
            warning=path.warning,
            **decision.why,
        )
        for name, value in path.fitted.items():
            setattr(self, name, value)
        self._warn_of_few(rule)

    def _warn_of_few(self, rule: StoppingRule) -> None:
        kept = self.n_features_
        note = self.path_.note or "no further column can be ranked"
        if isinstance(rule, Fixed) and rule.n_features and kept != rule.n_features:
            asked = "1 feature was" if rule.n_features == 1 else f"{rule.n_features} features were"
            message = f"{asked} asked for and {kept} are kept: {note}."
        elif kept == 0 and not len(self.path_):
            message = f"No feature is kept, since none could be ranked: {note}."
        elif kept == 0:
            message = f"{type(rule).__name__} keeps no feature: {rule.why_none}."
        else:
            return
        warnings.warn(message, UserWarning, stacklevel=5)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Any) -> Any:
        """The kept columns, in the table's own order.

        Parameters
        ----------
        X : array, data frame, sparse matrix or table of handful's own
            The last comes back as the array or sparse matrix that the next step can take; a Dask
            collection as a collection, of which nothing is computed.
        """
        check_is_fitted(self)
        if columns.is_dask(X):
            from handful.columns.distributed import kept_columns

            return kept_columns(self, X, np.flatnonzero(self.support_))
        table = columns.open(self, X, reset=False)
        if isinstance(X, Columns):
            return table.take(np.flatnonzero(self.support_)).native
        # cells were checked above, and fit has warned if nothing is kept
        with config_context(assume_finite=True):
            if self.n_features_:
                return super().transform(X)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "No features were selected", UserWarning)
                return super().transform(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = self._several_targets
        tags.input_tags.sparse = True
        return tags


class _WeightedFit:
    """A `fit` with sample_weight, for the methods that have a weighted form.

    Weights count repeated rows. Under a rule that draws rows (probes, folds, resamples) a row is
    drawn whole, with its weight, and not copy by copy. scikit-learn's checks go by the signature:
    there sample_weight is a named parameter only where a weight of 2 equals two rows.
    """

    def __get__(self, selector: Any, owner: type | None = None) -> Any:
        if selector is None:
            return _fit_weighted
        rule = selector.n_features_to_select
        draws = isinstance(rule, StoppingRule) and rule.draws_rows
        named = selector._weighted_form and not draws
        return (_fit_weighted if named else _fit_unnamed).__get__(selector, owner)


def _fit_weighted(
    self: Any, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None
) -> Any:
    """Rank the columns of X and keep the ones that the stopping rule says.

    Parameters
    ----------
    X : array, data frame, sparse matrix or table of handful's own
    y : array-like of shape (n_rows,)
    sample_weight : array-like of shape (n_rows,), optional
        A row of weight 2 counts as two equal rows.
    groups : array-like of shape (n_rows,), optional
        For the splitter of `CrossValidated`.
    """
    return self._fit(X, y, sample_weight=sample_weight, groups=groups)


def _fit_unnamed(self: Any, X: Any, y: Any, *, groups: Any = None, **weights: Any) -> Any:
    return self._fit(X, y, groups=groups, **weights)


_fit_unnamed.__doc__ = _fit_weighted.__doc__
weighted_fit: Any = _WeightedFit()
