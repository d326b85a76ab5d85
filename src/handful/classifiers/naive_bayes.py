"""BooleanNaiveBayes: every true column speaks for itself, and the training errors set the bar.

Columns are taken as independent within a class, so that each adds the logarithm of how much more
often it is true in one class than in the other. That sum ranks rows well even where columns are not
independent; but as a probability it is far off, and with it the bar between the classes. So the bar
is put where the training rows show the fewest errors, or the smallest balanced error.

References
----------
Fleuret, "Fast Binary Feature Selection with Conditional Mutual Information", JMLR 5, 2004, sections
3.1.2 and 4.1.

Examples
--------
>>> from sklearn.pipeline import make_pipeline
>>> from handful import InformationSelector
>>> from handful.datasets import make_latent_signals
>>> X, y, _ = make_latent_signals(800, 2_000, random_state=0)
>>> model = make_pipeline(InformationSelector(n_features_to_select=50), BooleanNaiveBayes())
>>> bool(model.fit(X[:400], y[:400]).score(X[400:], y[400:]) > 0.75)
True
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from handful import checks, columns
from handful.classifiers.labels import costs, two_classes
from handful.columns import Columns, group_indicator
from handful.path import TIE


class BooleanNaiveBayes(ClassifierMixin, BaseEstimator):
    """Naive Bayes for two classes and boolean columns, with a bias tuned on the training rows.

    Parameters
    ----------
    error : {"plain", "balanced"}
        Which training error the bias makes smallest. "balanced": the mean of both classes' errors.
    smoothing : float
        To each class so many rows are added in which columns are true as often as in all rows
        together; so a column that is never true in one class speaks strongly, but not infinitely,
        and one that is as frequent in both says nothing.
    threshold : float
        Numbers above it are true.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        What each true column adds; 0 for constant columns.
    intercept_ : float
        The bias: rows whose sum with it is positive are of the second class.
    classes_ : ndarray of shape (2,)

    Notes
    -----
    Fitted from the counts of true rows per column and class, in one pass; the bias takes a second.
    Among biases that make as few errors it is the one nearest to that of the model itself, halfway
    between two rows. Weights count repeated rows.

    Examples
    --------
    >>> X = np.array([[1, 0], [1, 1], [0, 1], [0, 0]], dtype=bool)
    >>> BooleanNaiveBayes().fit(X, ["yes", "yes", "no", "no"]).predict(X).tolist()
    ['yes', 'yes', 'no', 'no']
    """

    def __init__(
        self, *, error: str = "plain", smoothing: float = 1.0, threshold: float = 0.0
    ) -> None:
        self.error = error
        self.smoothing = smoothing
        self.threshold = threshold

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count, then set the bias.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
            A row of weight 2 counts as two equal rows.
        """
        checks.real("smoothing", self.smoothing, 0.0)
        checks.real("threshold", self.threshold, -np.inf)
        table = columns.open(self, X)
        weight = columns.as_weight(sample_weight, table.shape[0])
        if weight is not None and not weight.all():
            kept = np.flatnonzero(weight)
            table, y, weight = table.rows(kept), np.asarray(y)[kept], weight[kept]
        target = two_classes(y, table.shape[0], weight)
        indicator = group_indicator(target.class_codes, 2, weight)
        total = indicator.sum(axis=1)
        true = np.empty((2, table.shape[1]))
        for cols, block in table.blocks():
            true[:, cols] = indicator @ (block > self.threshold)
        self.coef_, own = _model(true, total, self.smoothing)
        self.intercept_ = 0.0
        if self.error == "plain":
            own += float(np.log(total[1] / total[0]))
        cost = np.where(target.class_codes == 1, 1.0, -1.0) * costs(target, self.error)
        self.intercept_ = tuned_bias(self._sums(table), cost, own)
        self.classes_ = np.asarray(target.classes)
        return self

    def _sums(self, table: Columns) -> NDArray[np.float64]:
        answer = np.full(table.shape[0], float(self.intercept_))
        for cols, block in table.blocks():
            answer += (block > self.threshold) @ self.coef_[cols]
        return answer

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The sum of what the true columns of each row add, and the bias; above 0: second class."""
        check_is_fitted(self)
        return self._sums(columns.open(self, X, reset=False))

    def predict(self, X: Any) -> NDArray:
        """The class of each row."""
        second = self.decision_function(X) > 0
        return self.classes_[second.astype(np.intp)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # on numbers of which all are on one side of the threshold there is nothing to learn
        tags.classifier_tags.poor_score = True
        tags.input_tags.sparse = True
        return tags


def _model(true: NDArray, total: NDArray, smoothing: float) -> tuple[NDArray[np.float64], float]:
    """The log odds ratio of each column, and what a row without a true column has in all."""
    share = true.sum(axis=0) / total.sum()
    true = true + smoothing * share
    false = (total + smoothing)[:, None] - true
    varying = (share > 0) & (share < 1)
    log_true, log_false = (
        np.log(counts[1, varying] / counts[0, varying]) for counts in (true, false)
    )
    coefficients = np.zeros(len(share))
    coefficients[varying] = log_true - log_false
    of_classes = np.log((total[0] + smoothing) / (total[1] + smoothing))
    return coefficients, float((log_false + of_classes).sum())


def tuned_bias(sums: NDArray, cost: NDArray, own: float) -> float:
    """What to add to the sums so that those above 0 are wrong least; of several the nearest to own.

    `cost` is what a wrong answer costs: positive for rows whose sum should be above 0, negative for
    the others.

    Examples
    --------
    >>> tuned_bias(np.array([1.0, 2.0, 4.0]), np.array([-1.0, 1.0, 1.0]), own=0.0)
    -1.5
    """
    order = np.argsort(sums, kind="stable")
    sums, cost = sums[order], cost[order]
    errors = np.concatenate([[0.0], np.cumsum(cost)]) - cost[cost < 0].sum()
    ends = np.concatenate([[sums[0] - 2], sums, [sums[-1] + 2]])
    # equal sums, as rounding leaves them, are never parted
    apart = np.diff(ends) > 1e-9 * np.maximum(1.0, np.abs(ends[1:]))
    fewest = apart & (errors <= errors[apart].min() + TIE)
    biases = -(ends[:-1] + ends[1:])[fewest] / 2
    return float(biases[np.argmin(np.abs(biases - own))])
