"""The one curve of a score against the number of features, and the rule that reads it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful import checks
from handful.columns import Columns
from handful.stopping.base import Decision, Ranker, StoppingRule
from handful.stopping.folds import Split, split_rows
from handful.stopping.scoring import Scorer, resolve_scorer


@dataclass(frozen=True, eq=False)
class SizeCurve:
    """A score, the larger the better, for each number of features and each fold.

    Attributes
    ----------
    sizes : ndarray of int, ascending
    scores : ndarray of shape (n_folds, n_sizes)
    """

    sizes: NDArray[np.intp]
    scores: NDArray[np.float64]

    @property
    def mean(self) -> NDArray[np.float64]:
        return self.scores.mean(axis=0)

    @property
    def standard_error(self) -> NDArray[np.float64]:
        """Of the mean over folds; 0 where there is only one fold."""
        n_folds = len(self.scores)
        if n_folds < 2:
            return np.zeros(len(self.sizes))
        return self.scores.std(axis=0, ddof=1) / np.sqrt(n_folds)

    def best(self, rule: str = "best") -> int:
        """The size with the best mean, the smallest among equals; or, with the rule
        "one_standard_error", the smallest whose mean is within one standard error of that.

        Examples
        --------
        >>> curve = SizeCurve(np.array([1, 2, 5]), np.array([[0.7, 0.8, 0.9], [0.7, 0.9, 0.82]]))
        >>> curve.best(), curve.best("one_standard_error")
        (5, 2)
        """
        checks.one_of("rule", rule, ("best", "one_standard_error"))
        mean = self.mean
        # means that differ by rounding are equal
        top = mean.max() - 1e-12 * max(1.0, abs(mean.max()))
        if rule == "one_standard_error":
            top -= self.standard_error[int(np.argmax(mean >= top))]
        return int(self.sizes[int(np.argmax(mean >= top))])


def size_curve(
    ranker: Ranker,
    estimator: Any,
    scorer: Scorer,
    sizes: NDArray[np.intp],
    splits: Sequence[Split],
) -> SizeCurve:
    """Score `estimator` on the first features of rankings made inside each training part.

    One ranking per split serves all sizes; a size beyond the end of a fold's path takes the whole
    path. Estimator and scorer see the original y.
    """
    jobs = [(number, *split, estimator, scorer, sizes) for number, split in enumerate(splits)]
    return SizeCurve(np.asarray(sizes), np.array(ranker.each(_fold, jobs, "folds")))


def _fold(ranker: Ranker, job: tuple) -> list[float]:
    number, train, test, estimator, scorer, sizes = job
    inner = ranker.rows(train, number)
    if inner.target.n_classes == 1:
        raise ValueError(
            f"The training rows of fold {number} hold 1 class only "
            f"({inner.target.original.tolist()[0]!r}); use folds that leave every class in, such "
            "as StratifiedKFold or cv as a number."
        )
    features = inner.path(int(sizes[-1])).features
    y_train, y_test = ranker.target.original[train], ranker.target.original[test]
    if not len(features):
        raise ValueError(
            f"In fold {number} no feature could be ranked (all are constant on its training "
            "rows); use fewer folds."
        )

    def score(X_train: Any, X_test: Any) -> float:
        return float(scorer(clone(estimator).fit(X_train, y_train), X_test, y_test))

    return over_sizes(ranker.table, features, sizes, (train, test), score)


def over_sizes(
    table: Columns,
    features: NDArray[np.intp],
    sizes: Iterable[int],
    split: Split,
    score: Callable[[Any, Any], Any],
) -> list[Any]:
    """``score(X_train, X_test)`` on the first features of a ranking, for every size.

    A size beyond the end of the ranking takes all of it. Arrays are read-only: what one model wrote
    into its input, the next one would see.
    """
    reached = [min(int(size), len(features)) for size in sizes]
    chosen = table.take(features[: max(reached)])
    train, test = (_read_only(chosen.rows(rows).native) for rows in split)
    found = {size: score(train[:, :size], test[:, :size]) for size in dict.fromkeys(reached)}
    return [found[size] for size in reached]


def _read_only(native: Any) -> Any:
    if isinstance(native, np.ndarray):
        native = native.view()
        native.flags.writeable = False
    return native


def usual_sizes(n_features: int) -> NDArray[np.intp]:
    """1, 2, 3, 5, 7, 10, 15, 20, 30, ... up to the number of features or 200.

    Examples
    --------
    >>> usual_sizes(12).tolist()
    [1, 2, 3, 5, 7, 10, 12]
    """
    most = min(n_features, 200)
    steps = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200)
    return np.array([*(size for size in steps if size < most), most])


class CrossValidated(StoppingRule):
    """Keep as many features as give a model the best cross-validated score.

    Parameters
    ----------
    estimator : scikit-learn estimator or None
        What is scored. None: logistic regression for classes, ridge regression for numbers, on
        columns scaled to unit variance.
    sizes : sequence of int or None
        Numbers of features to try. None: 1, 2, 3, 5, 7, 10, 15, ... up to 200.
    cv : int, splitter or iterable
        As in scikit-learn; splitters that need groups get the `groups` given to ``fit``.
    scoring : str or callable or None
        "balanced_error", a scikit-learn name, or a callable. None: balanced error for classes, R²
        for numbers.
    rule : {"best", "one_standard_error"}
        The best mean; or the fewest features within one standard error of it (Breiman et al.
        1984), which is about as good and easier to live with.

    Notes
    -----
    Rankings, thresholds and models see the training rows of each fold only. The chosen size is
    fitted to these rows: for an honest estimate of the error cross-validate the whole selector.
    Sample weights count in the rankings, not in models and scores.

    Examples
    --------
    >>> from handful import FilterSelector
    >>> from handful.datasets import make_linear_separator
    >>> X, y, relevant = make_linear_separator(400, 40, random_state=3)
    >>> rule = CrossValidated(rule="one_standard_error")
    >>> FilterSelector(n_features_to_select=rule).fit(X, y).n_features_
    2
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        sizes: Sequence[int] | None = None,
        cv: Any = 5,
        scoring: Any = None,
        rule: str = "best",
    ) -> None:
        self.estimator = estimator
        self.sizes = sizes
        self.cv = cv
        self.scoring = scoring
        self.rule = rule

    def choose(self, ranker: Ranker) -> Decision:
        checks.one_of("rule", self.rule, ("best", "one_standard_error"))
        sizes = self._sizes(ranker.table.shape[1])
        classes = ranker.target.task == "classification"
        estimator = self.estimator
        if estimator is None:
            model = LogisticRegression(max_iter=1000) if classes else Ridge()
            estimator = make_pipeline(StandardScaler(with_mean=False), model)
        scoring = self.scoring or ("balanced_error" if classes else "r2")
        name, scorer = resolve_scorer(scoring, estimator)
        splits = split_rows(self.cv, ranker.target, ranker.groups)
        curve = size_curve(ranker, estimator, scorer, sizes, splits)
        if np.isnan(curve.scores).any():
            fold, column = np.argwhere(np.isnan(curve.scores))[0].tolist()
            raise ValueError(
                f"scoring={name!r} gave NaN in fold {fold} with {sizes[column]} features; use "
                "larger folds or another score."
            )
        path = ranker.path(curve.best(self.rule))
        why = {
            "scoring": name,
            "choice": self.rule,
            "sizes": curve.sizes,
            "curve": curve.mean,
            "standard_error": curve.standard_error,
            "fold_scores": curve.scores,
        }
        return Decision(path, min(curve.best(self.rule), len(path)), why)

    def _sizes(self, n_features: int) -> NDArray[np.intp]:
        if self.sizes is None:
            return usual_sizes(n_features)
        for size in self.sizes:
            checks.whole("sizes", size)
        if not len(self.sizes) or max(self.sizes) > n_features:
            raise ValueError(
                f"sizes={list(self.sizes)} must hold numbers from 1 to n_features={n_features}."
            )
        return np.unique(np.asarray(self.sizes, dtype=np.intp))
