"""Scoring: the one place where the name of a score becomes something that scores a model."""

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray
from sklearn.metrics import check_scoring, get_scorer_names

from handful import checks
from handful.metrics import accuracy, area_under_curve, balanced_error

Scorer = Callable[..., float]


class OwnScorer:
    """A measure of handful as a scorer: called like scikit-learn's, the larger the better.

    Attributes
    ----------
    measure : callable
        ``measure(y, answers, sample_weight=None)`` in its own sense, where errors are positive;
        with `needs` "scores" also ``classes``.
    needs : {"labels", "scores"}
        What the measure is about: predicted labels, or scores per row and class.
    larger_is_better : bool

    Notes
    -----
    scikit-learn's scorers take several times as long as many a model needs for a few dozen rows,
    and cannot share one prediction between several measures.
    """

    def __init__(self, measure: Callable[..., float], needs: str, larger_is_better: bool) -> None:
        self.measure, self.needs, self.larger_is_better = measure, needs, larger_is_better

    def __call__(self, estimator: Any, X: Any, y: NDArray, sample_weight: Any = None) -> float:
        value = self.value(Answers(estimator, X), y, sample_weight)
        return value if self.larger_is_better else -value

    def value(self, answers: "Answers", y: NDArray, sample_weight: Any = None) -> float:
        """The measure in its own sense."""
        if self.needs == "labels":
            return self.measure(y, answers.labels, sample_weight=sample_weight)
        scores = answers.scores
        classes = answers.estimator.classes_
        return self.measure(y, scores, classes=classes, sample_weight=sample_weight)


class Answers:
    """What a fitted model says about some rows, asked once however many measures need it."""

    def __init__(self, estimator: Any, X: Any) -> None:
        self.estimator, self._X = estimator, X
        self._labels: Any = None
        self._scores: Any = None

    @property
    def labels(self) -> NDArray:
        if self._labels is None:
            self._labels = self.estimator.predict(self._X)
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
            self._scores = ask(self._X)
        return self._scores


_OWN = {
    "balanced_error": OwnScorer(balanced_error, "labels", False),
    "accuracy": OwnScorer(accuracy, "labels", True),
    "auc": OwnScorer(area_under_curve, "scores", True),
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
    raise checks.unknown("score", scoring, [*_OWN, *names])
