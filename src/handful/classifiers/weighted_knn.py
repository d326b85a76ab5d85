"""WeightedKNN: the nearest rows vote, and the votes of a rare class may count for more.

Where one row in fifty is of a class, the nearest rows hardly ever hold a majority of it. Weighting
its votes cures that. How many neighbours vote, and with which weight, is settled by
cross-validation on the training rows, for the plain or the balanced error.

References
----------
Fleuret, "Fast Binary Feature Selection with Conditional Mutual Information", JMLR 5, 2004, section
3.2.

Examples
--------
>>> from handful.datasets import make_latent_signals
>>> X, y, _ = make_latent_signals(600, 40, n_positives=60, random_state=0)
>>> model = WeightedKNN(error="balanced").fit(X, y)
>>> model.alpha_ > 0.5
True
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from handful import checks, columns
from handful.classifiers.labels import costs, two_classes
from handful.columns import Columns
from handful.path import TIE
from handful.target import Target

# Held at once.
_DISTANCES = 1 << 22


class WeightedKNN(ClassifierMixin, BaseEstimator):
    """Nearest neighbours for two classes with weighted votes, both tuned by cross-validation.

    Parameters
    ----------
    n_neighbors : int or sequence of int
        How many rows vote; of several the best. More than there are rows are left out.
    alpha : float or sequence of float
        What a vote for the second class counts, between 0 and 1; one for the first counts
        ``1 - alpha``. Of several the best.
    error : {"plain", "balanced"}
        Which error they make smallest. "balanced": the mean of both classes' errors.
    cv : int
        Folds, stratified; no more than the smaller class has rows.

    Attributes
    ----------
    n_neighbors_ : int
    alpha_ : float
    cv_errors_ : ndarray of shape (n_numbers, n_weights)
        The cross-validated error of every combination.
    classes_ : ndarray of shape (2,)

    Notes
    -----
    Distances are Euclidean, which for booleans order rows as the number of columns that differ
    does; of rows as far away, and among booleans there are many, the first count. One search for
    neighbours per fold serves all combinations; it looks at all pairs of rows, a block at a time.
    Of combinations with the same error the one whose votes are most nearly equal is taken, then the
    one with fewer neighbours.

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 1], [1, 1], [1, 0]] * 3)
    >>> WeightedKNN(n_neighbors=3, alpha=0.5).fit(X, X[:, 0]).predict([[1, 1]]).tolist()
    [1]
    """

    def __init__(
        self,
        n_neighbors: Any = (1, 3, 5, 7, 9, 15, 25),
        alpha: Any = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98),
        *,
        error: str = "plain",
        cv: int = 5,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.error = error
        self.cv = cv

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows and settle who votes, and with which weight.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
        """
        numbers, alphas = self._candidates()
        table = columns.open(self, X)
        target = two_classes(y, table.shape[0])
        cost = costs(target, self.error)
        rows = _floating(table)
        folds = self._folds(target)
        least = min(len(train) for train, _ in folds)
        numbers = numbers[numbers <= least] if (numbers <= least).any() else np.array([least])
        self.cv_errors_ = np.zeros((len(numbers), len(alphas)))
        for train, test in folds:
            nearest = _nearest(rows[train], rows[test], int(numbers.max()))
            votes = np.cumsum(target.class_codes[train][nearest], axis=1)[:, numbers - 1]
            second = _lead(votes[:, :, None], numbers[:, None], alphas) > 0
            wrong = second != (target.class_codes[test] == 1)[:, None, None]
            self.cv_errors_ += np.tensordot(cost[test], wrong, axes=1)
        best = np.argwhere(self.cv_errors_ <= self.cv_errors_.min() + TIE)
        number, alpha = min(best, key=lambda at: (abs(alphas[at[1]] - 0.5), numbers[at[0]]))
        self.n_neighbors_, self.alpha_ = int(numbers[number]), float(alphas[alpha])
        self._rows, self._codes = rows, target.class_codes
        self.classes_ = np.asarray(target.classes)
        return self

    def _candidates(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        numbers = np.atleast_1d(np.asarray(self.n_neighbors, dtype=object))
        alphas = np.atleast_1d(np.asarray(self.alpha, dtype=object))
        for number in numbers:
            checks.whole("n_neighbors", number)
        for alpha in alphas:
            checks.real("alpha", alpha, 0.0, 1.0, closed="both")
        checks.whole("cv", self.cv, 2)
        return numbers.astype(np.intp), alphas.astype(np.float64)

    def _folds(self, target: Target) -> list[tuple[NDArray, NDArray]]:
        smallest = int(np.bincount(target.class_codes).min())
        if smallest < 2:
            raise ValueError(
                "One class has 1 row only; cross-validation needs at least two of each class."
            )
        folds = StratifiedKFold(min(self.cv, smallest))
        return list(folds.split(np.empty((target.n_rows, 0)), target.class_codes))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The weighted votes for the second class less those for the first, for each neighbour."""
        check_is_fitted(self)
        rows = _floating(columns.open(self, X, reset=False))
        votes = self._codes[_nearest(self._rows, rows, self.n_neighbors_)].sum(axis=1)
        return _lead(votes, self.n_neighbors_, self.alpha_) / self.n_neighbors_

    def predict(self, X: Any) -> NDArray:
        """The class of each row."""
        second = self.decision_function(X) > 0
        return self.classes_[second.astype(np.intp)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags


def _floating(table: Columns) -> Any:
    return table.native.astype(np.float64)


def _nearest(rows: Any, asked: Any, number: int) -> NDArray[np.intp]:
    """For each asked row its nearest ones, of equal distances the first."""
    some = max(1, _DISTANCES // rows.shape[0])
    parts = [
        np.argsort(euclidean_distances(asked[start : start + some], rows), axis=1, kind="stable")
        for start in range(0, asked.shape[0], some)
    ]
    return np.concatenate([part[:, :number] for part in parts])


def _lead(votes: NDArray, number: Any, alpha: Any) -> NDArray[np.float64]:
    """By how much the second class leads; a tie is exactly 0."""
    lead = alpha * votes - (1 - alpha) * (number - votes)
    return np.where(np.abs(lead) <= TIE * number, 0.0, lead)
