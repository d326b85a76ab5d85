"""Pieces: one method in one fold, the unit of work that runs anywhere and is kept on disk.

Everything that looks at rows is made here, from the fold's training rows alone: the selector with
its thresholds and its own choice of size, and the classifiers with their scalers. Test rows are
only ever predicted.
"""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from math import nan
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier, DummyRegressor

from handful.columns import Columns
from handful.evaluation.comparison import Failure, Ranking, Scores
from handful.evaluation.parts import (
    Part,
    decides_itself,
    hearing,
    one_line,
    one_thread,
    weight_name,
)
from handful.selector import Selector
from handful.stopping import Answers, OwnScorer, Scorer, over_sizes
from handful.target import Target

Split = tuple[NDArray[np.intp], NDArray[np.intp]]
Makers = dict[str, Callable[[], Any]]
Measures = dict[str, Callable[[Answers], float]]


@dataclass(frozen=True, eq=False)
class Work:
    """All that the pieces of one comparison have in common.

    Attributes
    ----------
    selectors, classifiers : mapping of name to Part
    scorers : mapping of name to scorer
    table : Columns
    target : Target
        With the sample weights, where there are any.
    groups : ndarray or None
    splits : list of (train, test)
    sizes : list of int or None
        None: every selector decides by itself.
    seed : int
    shared : bool
        Whether pieces run beside each other.
    """

    selectors: Mapping[str, Part]
    classifiers: Mapping[str, Part]
    scorers: Mapping[str, Scorer]
    table: Columns
    target: Target
    groups: NDArray | None
    splits: list[Split]
    sizes: list[int] | None
    seed: int
    shared: bool
    _recent: dict[int, Columns] = field(default_factory=dict, repr=False)

    def train_table(self, fold: int | None) -> Columns:
        """The rows to learn from; the last ones are kept, for the next method in the same fold."""
        if fold is None:
            return self.table
        table = self._recent.get(fold)
        if table is None:
            table = self.table.rows(self.splits[fold][0])
            self._recent.clear()
            self._recent[fold] = table
        return table


@dataclass(frozen=True)
class Seconds:
    """How long the ranking took, and for each classifier fitting, and predicting with metrics."""

    rank: float = 0.0
    fit: dict[str, float] = field(default_factory=dict)
    score: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Piece:
    """What one method did in one fold (None: on all rows); no `ranking` where it failed."""

    method: str
    fold: int | None
    ranking: Ranking | None
    scores: list[Scores]
    failures: list[Failure]
    warnings: list[str]
    seconds: Seconds


def run_piece(work: Work, name: str, fold: int | None) -> Piece:
    """Rank with one method, then score all classifiers at all sizes."""
    with one_thread():
        return _Run(work, name, fold).piece()


class _Run:
    """One piece while it is being made."""

    def __init__(self, work: Work, name: str, fold: int | None) -> None:
        self.work, self.name, self.fold = work, name, fold
        self.warnings: list[str] = []
        self.failures: list[Failure] = []
        self.train = np.arange(work.target.n_rows) if fold is None else work.splits[fold][0]
        self.y_train = work.target.original[self.train]
        self.fit_seconds = dict.fromkeys(work.classifiers, 0.0)
        self.score_seconds = dict.fromkeys(work.classifiers, 0.0)

    def piece(self) -> Piece:
        start = perf_counter()
        with hearing(self.warnings) as self.said_by:
            ranking = self._rank()
            rank_seconds = perf_counter() - start
            scores = [] if self.fold is None else self._scores(ranking, self.fold)
        return Piece(
            self.name,
            self.fold,
            ranking,
            scores,
            self.failures,
            list(dict.fromkeys(self.warnings)),
            Seconds(rank_seconds, self.fit_seconds, self.score_seconds),
        )

    def _rank(self) -> Ranking | None:
        try:
            selector = self._maker(self.work.selectors[self.name])()
            train = self.work.train_table(self.fold)
            table = train if isinstance(selector, Selector) else train.native
            selector.fit(table, self.y_train, **self._fit_inputs(selector))
        except Exception as error:
            self._failed(error)
            return None
        finally:
            self.said_by(self.name)
        order = getattr(selector, "selection_order_", None)
        order = selector.get_support(indices=True) if order is None else order
        stopping: Mapping[str, Any] = getattr(selector, "stopping_", {})
        return Ranking(self.name, self.fold, np.asarray(order).tolist(), stopping.get("warning"))

    def _scores(self, ranking: Ranking | None, fold: int) -> list[Scores]:
        work, sizes = self.work, self.work.sizes
        if decides_itself(work.selectors[self.name].given, sizes):
            sizes = None if ranking is None else [len(ranking.indices)]
        if sizes is None:
            return []
        if ranking is None:
            nothing = dict.fromkeys(work.scorers, nan)
            found = [dict.fromkeys(work.classifiers, nothing)] * len(sizes)
        else:
            makers = {name: self._maker(part, name) for name, part in work.classifiers.items()}
            score = partial(self._score, makers, self._measures(work.splits[fold][1]))
            features = np.array(ranking.indices, dtype=np.intp)
            found = over_sizes(work.table, features, sizes, work.splits[fold], score)
        return [
            Scores(
                self.name,
                classifier,
                fold,
                sizes,
                {metric: [at[classifier][metric] for at in found] for metric in work.scorers},
            )
            for classifier in work.classifiers
        ]

    def _measures(self, test: NDArray[np.intp]) -> Measures:
        """Every metric as a function of what a model says about the test rows."""
        target = self.work.target
        weight = None if target.weight is None else target.weight[test]
        y = target.original[test]
        return {name: _against(scorer, y, weight) for name, scorer in self.work.scorers.items()}

    def _score(
        self, makers: Makers, measures: Measures, X_train: Any, X_test: Any
    ) -> dict[str, dict[str, float]]:
        """Every metric of every classifier on one set of features."""
        return {
            name: self._score_one(name, make, measures, X_train, X_test)
            for name, make in makers.items()
        }

    def _score_one(
        self, name: str, make: Callable[[], Any], measures: Measures, X_train: Any, X_test: Any
    ) -> dict[str, float]:
        values = dict.fromkeys(measures, nan)
        size = X_train.shape[1]
        start = perf_counter()
        try:
            fitted = make() if size else self._constant()
            fitted.fit(X_train, self.y_train, **self._fit_inputs(fitted))
        except Exception as error:
            self._failed(error, name, size)
            return values
        finally:
            self.fit_seconds[name] += perf_counter() - start
            self.said_by(name)
        start = perf_counter()
        answers = Answers(fitted, X_test)
        for metric, measure in measures.items():
            try:
                values[metric] = float(measure(answers))
            except Exception as error:
                self._failed(error, name, size)
        self.score_seconds[name] += perf_counter() - start
        self.said_by(name)
        return values

    def _constant(self) -> Any:
        """What can be said without looking: the most frequent class, or the mean."""
        if self.work.target.task == "regression":
            return DummyRegressor()
        return DummyClassifier(strategy="prior")

    def _maker(self, part: Part, *more: str) -> Callable[[], Any]:
        # by name, so that one more method does not change what the others draw
        words = [zlib.crc32(word.encode()) for word in (self.name, *more)]
        return part.maker(self.work.seed, 0 if self.fold is None else self.fold + 1, *words)

    def _fit_inputs(self, estimator: Any) -> dict[str, Any]:
        """Weights and groups, under the names by which the estimator takes them."""
        weight, groups = self.work.target.weight, self.work.groups
        inputs: dict[str, Any] = {}
        if weight is not None and (name := weight_name(estimator)) is not None:
            inputs[name] = weight[self.train]
        if groups is not None and isinstance(estimator, Selector):
            inputs["groups"] = groups[self.train]
        return inputs

    def _failed(self, error: Exception, classifier: str | None = None, size: Any = None) -> None:
        message = one_line(f"{type(error).__name__}: {error}")
        failure = Failure(self.name, classifier, self.fold, size, message)
        if failure not in self.failures:
            self.failures.append(failure)


def _against(scorer: Scorer, y: NDArray, weight: NDArray | None) -> Callable[[Answers], float]:
    if isinstance(scorer, OwnScorer):
        return scorer.against(y, weight)
    weighted = weight is not None and "sample_weight" in signature(scorer).parameters
    named = {"sample_weight": weight} if weighted else {}
    return lambda answers: scorer(answers.estimator, answers.X, y, **named)
