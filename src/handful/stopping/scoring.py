"""Scoring: the one place where the name of a score becomes something that scores a model."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import check_scoring, get_scorer_names

from handful import checks
from handful.metrics import accuracy, area_under_curve, error_shares

Scorer = Callable[..., float]


class OwnScorer:
    """A measure of handful as a scorer: called like scikit-learn's, the larger the better.

    Attributes
    ----------
    against : callable
        ``against(y, sample_weight)`` looks at the truth once and gives a function of `Answers`: the
        measure in its own sense, in which an error is positive.
    larger_is_better : bool

    Notes
    -----
    scikit-learn's scorers take several times as long as many a model needs for a few dozen rows,
    and cannot share a look at the truth, or one prediction, between several models or measures.
    """

    def __init__(
        self, against: Callable[[NDArray, Any], "Measure"], larger_is_better: bool
    ) -> None:
        self.against, self.larger_is_better = against, larger_is_better

    def __call__(self, estimator: Any, X: Any, y: NDArray, sample_weight: Any = None) -> float:
        value = self.against(np.asarray(y), sample_weight)(Answers(estimator, X))
        return value if self.larger_is_better else -value


class Answers:
    """What a fitted model says about some rows, asked once however many measures need it."""

    def __init__(self, estimator: Any, X: Any) -> None:
        self.estimator, self.X = estimator, X
        self._labels: Any = None
        self._scores: Any = None

    @property
    def labels(self) -> NDArray:
        if self._labels is None:
            self._labels = self.estimator.predict(self.X)
        return self._labels

    @property
    def scores(self) -> NDArray:
        if self._scores is None:
            ask = getattr(self.estimator, "decision_function", None)
            ask = ask or getattr(self.estimator, "predict_proba", None)
            if ask is None:
                raise TypeError(
                    f"{type(self.estimator).__name__} has neither decision_function nor "
                    "predict_proba, which 'auc' needs; use 'balanced_error'."
                )
            self._scores = ask(self.X)
        return self._scores


Measure = Callable[[Answers], float]


def _balanced_error(y: NDArray, sample_weight: Any) -> Measure:
    shares = error_shares(y, sample_weight)

    def measure(answers: Answers) -> float:
        labels = answers.labels
        if np.shape(labels) != y.shape:
            raise ValueError(f"predict gives the shape {np.shape(labels)} for {y.shape} rows.")
        return float(shares @ (labels != y))

    return measure


def _accuracy(y: NDArray, sample_weight: Any) -> Measure:
    return lambda answers: accuracy(y, answers.labels, sample_weight=sample_weight)


def _area(y: NDArray, sample_weight: Any) -> Measure:
    if y.ndim != 1:
        raise ValueError(f"y has shape {y.shape}; 'auc' takes one label per row.")

    def measure(answers: Answers) -> float:
        scores = answers.scores
        classes = answers.estimator.classes_
        return area_under_curve(y, scores, classes=classes, sample_weight=sample_weight)

    return measure


_OWN = {
    "balanced_error": OwnScorer(_balanced_error, False),
    "accuracy": OwnScorer(_accuracy, True),
    "auc": OwnScorer(_area, True),
}


def resolve_scorer(scoring: Any, estimator: Any = None) -> tuple[str, Scorer]:
    """A name and a scorer (the larger the better).

    `scoring` is one of handful's measures ("balanced_error", "accuracy", or "auc", which also takes
    several classes), a scikit-learn name, or a callable ``(estimator, X, y) -> float``.

    Examples
    --------
    >>> resolve_scorer("balanced_error")[0], resolve_scorer("f1_macro")[0]
    ('balanced_error', 'f1_macro')
    >>> resolve_scorer("acuracy")
    Traceback (most recent call last):
    ValueError: There is no score 'acuracy'; did you mean 'accuracy'?
    """
    if not isinstance(scoring, str):
        if not callable(scoring):
            raise TypeError(f"A score is a name or a callable (estimator, X, y), not {scoring!r}.")
        return getattr(scoring, "__name__", str(scoring)), check_scoring(estimator, scoring=scoring)
    if scoring in _OWN:
        return scoring, _OWN[scoring]
    names = get_scorer_names()
    if scoring in names:
        return scoring, check_scoring(estimator, scoring=scoring)
    raise checks.unknown("score", scoring, dict.fromkeys([*_OWN, *names]))
