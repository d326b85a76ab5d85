"""SCut: one threshold per category, tuned where a category's own errors show.

In text categorization a document has several labels, most categories are rare, and a classifier
that says yes above zero says it far too seldom for the rare ones. SCut moves every category's
threshold to where its F1 is best on documents that its scores were not fitted to.

References
----------
Yang (2001), A study of thresholding strategies for text categorization, SIGIR. Lewis, Yang, Rose
and Li (2004), RCV1: a new benchmark collection for text categorization research, JMLR 5. Li and
Yang (2005) use it with two folds, each category's documents spread evenly over both.

Examples
--------
>>> from sklearn.datasets import make_multilabel_classification
>>> from sklearn.linear_model import RidgeClassifier
>>> from sklearn.metrics import f1_score
>>> X, Y = make_multilabel_classification(400, n_classes=8, n_labels=1, random_state=0)
>>> tuned = SCut(RidgeClassifier()).fit(X[:200], Y[:200])
>>> round(float(f1_score(Y[200:], tuned.predict(X[200:]), average="macro")), 2)
0.56
"""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from handful import checks


class SCut(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier of two classes for every category, each with a threshold of its own.

    Parameters
    ----------
    estimator : classifier
        With ``decision_function`` or ``predict_proba``.
    cv : int
        Folds for the scores that thresholds are tuned on, stratified for every category. A
        category with fewer members (or others) than folds keeps the classifier's own threshold.
    fallback : float from 0 to 1
        The F1 below which a tuned threshold is not trusted and the highest score taken instead
        (Lewis et al.'s SCutFBR.1). A rare category whose members cannot be told from others is
        otherwise given to many documents. 0: always trusted, which is plain SCut.

    Attributes
    ----------
    thresholds_ : ndarray of shape (n_categories,)
    estimators_ : list
        One fitted classifier per category; None where all rows of the training set agree.
    classes_ : ndarray
        0, 1, ... n_categories - 1.

    Notes
    -----
    A category's threshold lies halfway between the lowest score that is accepted and the next
    one; of several with the same F1 it is the highest.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, Y = np.arange(20.0)[:, None], np.arange(20)[:, None] >= [10, 15]
    >>> SCut(LogisticRegression()).fit(X, Y).predict(X[[3, 12, 18]]).tolist()
    [[0, 0], [1, 0], [1, 1]]
    """

    def __init__(self, estimator: Any, *, cv: int = 2, fallback: float = 0.0) -> None:
        self.estimator = estimator
        self.cv = cv
        self.fallback = fallback

    def fit(self, X: Any, y: Any) -> Self:
        """Fit a classifier and tune a threshold for every category.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_rows, n_columns)
        y : 0/1 array or sparse matrix of shape (n_rows, n_categories)
        """
        checks.whole("cv", self.cv, 2)
        checks.real("fallback", self.fallback, 0, 1, closed="both")
        y = y.toarray() if issparse(y) else np.asarray(y)
        if type_of_target(y) != "multilabel-indicator":
            raise ValueError(
                f"SCut needs a 0/1 matrix with a column per category, not y of shape {y.shape}. "
                "For one label per row use sklearn's TunedThresholdClassifierCV."
            )
        fitted = [self._fit_one(X, column) for column in (y > 0).astype(np.intp).T]
        self.estimators_ = [estimator for estimator, _ in fitted]
        self.thresholds_ = np.array([threshold for _, threshold in fitted])
        self.classes_ = np.arange(y.shape[1])
        return self

    def _fit_one(self, X: Any, member: NDArray[np.intp]) -> tuple[Any, float]:
        n_members = int(member.sum())
        if n_members in (0, len(member)):
            return None, 0.5 - n_members
        fitted = clone(self.estimator).fit(X, member)
        method = "decision_function" if hasattr(fitted, "decision_function") else "predict_proba"
        if min(n_members, len(member) - n_members) < self.cv:
            return fitted, 0.0 if method == "decision_function" else 0.5
        folds = StratifiedKFold(self.cv)
        scores = cross_val_predict(self.estimator, X, member, cv=folds, method=method)
        scores = scores[:, 1] if scores.ndim > 1 else scores
        return fitted, best_threshold(scores, member, self.fallback)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores above each category's threshold: positive where the category is given."""
        check_is_fitted(self)
        answers = np.zeros((X.shape[0], len(self.estimators_)))
        for column, estimator in zip(answers.T, self.estimators_, strict=True):
            if estimator is not None:
                ask = getattr(estimator, "decision_function", None)
                column[:] = estimator.predict_proba(X)[:, 1] if ask is None else ask(X)
        return answers - self.thresholds_

    def predict(self, X: Any) -> NDArray[np.intp]:
        """A 0/1 matrix with a column per category."""
        return (self.decision_function(X) >= 0).astype(np.intp)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        return tags


def best_threshold(scores: ArrayLike, member: ArrayLike, fallback: float = 0.0) -> float:
    """The threshold with the best F1: members are to reach it, others are not.

    Where that F1 is below `fallback`, the highest score.

    Examples
    --------
    >>> best_threshold([0.1, 0.4, 0.5, 0.9], [0, 0, 1, 1])
    0.45
    """
    scores, member = np.asarray(scores, dtype=np.float64), np.asarray(member, dtype=bool)
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    right = np.cumsum(member[order])
    f1 = 2 * right / (np.arange(1, len(ranked) + 1) + right[-1])
    # rows of one score are accepted together
    last = np.append(ranked[:-1] > ranked[1:], True)
    accepted = int(np.argmax(np.where(last, f1, -1.0)))
    if f1[accepted] < fallback:
        return float(ranked[0])
    below = ranked[min(accepted + 1, len(ranked) - 1)]
    return float((ranked[accepted] + below) / 2)
