"""BoostedStumpsClassifier: the vote of questions about single columns, by AdaBoost.

Each member asks one column and counts by how much it helped with the rows that those before it got
wrong. It selects columns and combines them at once: what `handful.BoostedStumps` selects, this
votes with.

References
----------
Freund and Schapire, "Experiments with a new boosting algorithm", ICML 1996, as in Fleuret, JMLR 5,
2004, section 3.4. Soft margins: Rätsch, Onoda and Müller, "Regularizing AdaBoost", NIPS 1998.

Examples
--------
>>> from handful.datasets import make_latent_signals
>>> X, y, _ = make_latent_signals(800, 2_000, random_state=0)
>>> model = BoostedStumpsClassifier(50).fit(X[:400], y[:400])
>>> bool(model.score(X[400:], y[400:]) > 0.7)
True
"""

from itertools import islice
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from handful import checks, columns
from handful.classifiers.labels import classes
from handful.solvers.boosting import Boosting
from handful.solvers.questions import ask


class BoostedStumpsClassifier(ClassifierMixin, BaseEstimator):
    """AdaBoost over single columns and their opposites; for any number of classes.

    Parameters
    ----------
    n_rounds : int
        Members of the vote; fewer where boosting ends by itself.
    softness : float
        0 (default): AdaBoost. Above: the constant C of AdaBoost_reg, which lets rows go that are
        hard for long; at most about the number of rows makes sense.
    n_bins : int
        Columns with more distinct values are cut into so many levels with about as many rows each;
        a member asks whether a row is above one of the cuts.

    Attributes
    ----------
    features_ : ndarray of int, shape (n_members,)
        The column each member asks about.
    thresholds_ : ndarray of float, shape (n_members,)
        Values from there on are a yes.
    yes_, no_ : ndarray of int, shape (n_members,)
        The class each member says, as a place in `classes_`.
    votes_ : ndarray of float, shape (n_members,)
        How much each counts.
    classes_ : ndarray

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), ["low", "low", "high", "high"]
    >>> model = BoostedStumpsClassifier().fit(X, y)
    >>> model.thresholds_.tolist(), model.predict([[2.4], [9.0]]).tolist()
    ([2.5], ['low', 'high'])
    """

    def __init__(self, n_rounds: int = 50, *, softness: float = 0.0, n_bins: int = 8) -> None:
        self.n_rounds = n_rounds
        self.softness = softness
        self.n_bins = n_bins

    def fit(self, X: Any, y: Any) -> Self:
        """Boost.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
        """
        checks.whole("n_rounds", self.n_rounds)
        checks.real("softness", self.softness, 0.0, closed="low")
        checks.whole("n_bins", self.n_bins, 2, 255)
        table = columns.open(self, X)
        target = classes(y, table.shape[0])
        questions = ask(table, self.n_bins)
        rounds = Boosting(questions, target.class_codes, target.n_classes, self.softness)
        stumps = list(islice(rounds, self.n_rounds))
        asked = np.array([stump.question for stump in stumps], dtype=np.intp)
        self.features_ = questions.feature[asked]
        self.thresholds_ = questions.threshold[asked]
        self.yes_ = np.array([stump.yes for stump in stumps], dtype=np.intp)
        self.no_ = np.array([stump.no for stump in stumps], dtype=np.intp)
        self.votes_ = np.array([stump.vote for stump in stumps], dtype=np.float64)
        self.classes_ = np.asarray(target.classes)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Each class's share of the votes; of two, by how much the second leads."""
        check_is_fitted(self)
        table = columns.open(self, X, reset=False)
        answers = table.gather(None, self.features_) >= self.thresholds_
        said = np.where(answers, self.yes_, self.no_)
        votes = self.votes_ / max(self.votes_.sum(), 1e-300)
        shares = [(said == k) @ votes for k in range(len(self.classes_))]
        if len(shares) == 2:
            return shares[1] - shares[0]
        return np.column_stack(shares)

    def predict(self, X: Any) -> NDArray:
        """The class with the most votes."""
        votes = self.decision_function(X)
        if votes.ndim == 1:
            return self.classes_[(votes > 0).astype(np.intp)]
        return self.classes_[np.argmax(votes, axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
