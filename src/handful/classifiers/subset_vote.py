"""SubsetVoteClassifier: classifiers on columns drawn by lot, and the majority decides.

A forest randomises which rows a tree sees; here the columns are drawn, by weights that were learned
for that purpose or by none. Each member is weak, and they err in different places. A classifier
that only tells two classes apart is asked of each class whether it is that one, by as many members
each, and the class with most votes wins.

References
----------
Gadat and Younes (2007), "A stochastic algorithm for feature selection in pattern recognition",
Journal of Machine Learning Research 8, sections 2.2 and 5.2.3.

Examples
--------
>>> from handful import OptimalFeatureWeighting, SubsetVoteClassifier
>>> from handful.datasets import make_ternary
>>> X, y, _ = make_ternary(1000, random_state=0)
>>> shared = {"base": "knn", "metric": "hamming", "subset_size": 10, "random_state": 0}
>>> learned = OptimalFeatureWeighting(max_iter=300, **shared).fit(X[:500], y[:500])
>>> votes = SubsetVoteClassifier(weights=learned.weights_, **shared).fit(X[:500], y[:500])
>>> uniform = SubsetVoteClassifier(**shared).fit(X[:500], y[:500])
>>> bool(votes.score(X[500:], y[500:]) > uniform.score(X[500:], y[500:]) + 0.1)
True
"""

from typing import Any, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from handful import checks, columns
from handful.classifiers.labels import classes
from handful.columns import Columns
from handful.solvers.weighting import check_base, default_subset_size
from handful.threads import one_thread


class Member(NamedTuple):
    """A fitted classifier.

    Attributes
    ----------
    columns : ndarray of int
        Those it looks at.
    model : estimator
    of : int
        The class it tells from all others, -1 where it knows all classes.
    """

    columns: NDArray[np.intp]
    model: Any
    of: int


class SubsetVoteClassifier(ClassifierMixin, BaseEstimator):
    """The majority vote of classifiers that each see columns drawn by given weights.

    Parameters
    ----------
    base : {"svm", "knn", "tree"} or classifier
        A member: a linear support vector machine (more than two classes: one against all), nearest
        neighbours, a classification tree, or any scikit-learn classifier.
    weights : array-like of shape (n_features,) or None
        How likely each column is to be drawn, such as ``OptimalFeatureWeighting.weights_``; they
        need not add up to 1. None: all alike.
    n_classifiers : int
        Members, for each class where they are asked one against all.
    subset_size : int or None
        Columns drawn for each, with replacement. None: twice the root of the number of columns, at
        most 100 and at most half of them.
    C : float
        Of the support vector machine.
    n_neighbors : int
        Of the nearest neighbours.
    metric : {"euclidean", "hamming"}
        Of the nearest neighbours.
    random_state : int, RandomState or None
        Who draws.
    n_jobs : int or None
        Processes that fit members.

    Attributes
    ----------
    members_ : list of Member
    classes_ : ndarray

    Notes
    -----
    A column that is drawn twice is looked at once. Of equally many votes the first class wins.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SubsetVoteClassifier("tree", random_state=0).fit(X, y)
    >>> len(model.members_), bool(model.score(X, y) > 0.9)
    (10, True)
    """

    def __init__(
        self,
        base: Any = "svm",
        *,
        weights: ArrayLike | None = None,
        n_classifiers: int = 10,
        subset_size: int | None = None,
        C: float = 1.0,
        n_neighbors: int = 3,
        metric: str = "euclidean",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.base = base
        self.weights = weights
        self.n_classifiers = n_classifiers
        self.subset_size = subset_size
        self.C = C
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Draw the columns and train the members.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
        """
        check_base(self.base, self.C, self.n_neighbors, self.metric)
        checks.whole("n_classifiers", self.n_classifiers)
        table = columns.open(self, X)
        target = classes(y, table.shape[0])
        codes, n_classes = target.class_codes, target.n_classes
        each = isinstance(self.base, str) and self.base == "svm" and n_classes > 2
        asked = [k for k in range(n_classes) for _ in range(self.n_classifiers)]
        asked = asked if each else [-1] * self.n_classifiers
        jobs = [
            (drawn, (codes == of).astype(np.int32) if each else codes, of)
            for drawn, of in zip(self._draws(table, len(asked)), asked, strict=True)
        ]
        model = self._model()
        if effective_n_jobs(self.n_jobs) == 1:
            self.members_ = [_fitted(table, model, *job) for job in jobs]
        else:
            work = (delayed(_fitted)(table, model, *job) for job in jobs)
            self.members_ = list(Parallel(n_jobs=self.n_jobs)(work))
        self.classes_ = np.asarray(target.classes)
        return self

    def _draws(self, table: Columns, n: int) -> list[NDArray[np.intp]]:
        """The columns of each member."""
        n_columns = table.shape[1]
        chance = np.ones(n_columns) if self.weights is None else np.asarray(self.weights, float)
        if chance.shape != (n_columns,) or not np.isfinite(chance).all() or (chance < 0).any():
            raise ValueError(
                f"weights has shape {chance.shape}; a finite number from 0 on for each of the "
                f"{n_columns} columns is needed."
            )
        if not chance.any():
            raise ValueError("weights is zero for every column; none can be drawn.")
        size = default_subset_size(n_columns) if self.subset_size is None else self.subset_size
        checks.whole("subset_size", size)
        seed = int(check_random_state(self.random_state).randint(2**31))
        drawn = np.random.default_rng(seed).choice(n_columns, (n, size), p=chance / chance.sum())
        return [np.unique(some) for some in drawn]

    def _model(self) -> Any:
        if self.base == "svm":
            return SVC(kernel="linear", C=self.C)
        if self.base == "knn":
            return KNeighborsClassifier(self.n_neighbors, metric=self.metric)
        if self.base == "tree":
            return DecisionTreeClassifier(random_state=0)
        return self.base

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Each class's share of the votes; all alike where no member knows a row."""
        check_is_fitted(self)
        table = columns.open(self, X, reset=False)
        votes = np.zeros((table.shape[0], len(self.classes_)))
        everyone = np.arange(len(votes))
        for seen, model, of in self.members_:
            said = model.predict(table.gather(None, seen))
            if of < 0:
                votes[everyone, said] += 1
            else:
                votes[:, of] += said
        votes[~votes.any(axis=1)] = 1
        return votes / votes.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> NDArray:
        """The class with the most votes."""
        check_is_fitted(self)
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _fitted(
    table: Columns, model: Any, drawn: NDArray[np.intp], codes: NDArray[np.int32], of: int
) -> Member:
    with one_thread():
        return Member(drawn, clone(model).fit(table.gather(None, drawn), codes), of)
