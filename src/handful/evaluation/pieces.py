"""Pieces: one method in one fold, the unit of work that runs anywhere and is kept on disk.

Everything that looks at rows is made here, from the fold's training rows alone: the selector with
its thresholds and its own choice of size, and the classifiers with their scalers. Test rows are
only ever predicted.
"""

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
from handful.evaluation.hearing import hearing, one_line
from handful.evaluation.parts import Part, decides_itself, weight_name
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
    _recent: dict[int | None, "Rows"] = field(default_factory=dict, repr=False)

    def rows(self, fold: int | None) -> "Rows":
        """The rows of a fold; the last ones are kept, for the next method in the same fold."""
        found = self._recent.get(fold)
        if found is None:
            # first, so that the new rows may take the place of the old ones
            self._recent.clear()
            found = self._recent[fold] = Rows.of(self, fold)
        return found


@dataclass(frozen=True, eq=False)
class Rows:
    """What the methods share in a fold: the training rows, and what answers are measured by."""

    table: Columns
    y: NDArray
    weight: NDArray[np.float64] | None
    groups: NDArray | None
    measures: Measures

    @classmethod
    def of(cls, work: Work, fold: int | None) -> "Rows":
        y, weight = work.target.original, work.target.weight
        if fold is None:
            return cls(work.table, y, weight, work.groups, {})
        train, test = work.splits[fold]
        tested = None if weight is None else weight[test]
        return cls(
            work.table.rows(train),
            y[train],
            None if weight is None else weight[train],
            None if work.groups is None else work.groups[train],
            {name: _against(scorer, y[test], tested) for name, scorer in work.scorers.items()},
        )

    def inputs(self, estimator: Any) -> dict[str, Any]:
        """Weights and groups, under the names by which the estimator takes them."""
        found: dict[str, Any] = {}
        if self.weight is not None and (name := weight_name(estimator)) is not None:
            found[name] = self.weight
        if self.groups is not None and isinstance(estimator, Selector):
            found["groups"] = self.groups
        return found


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
    """Rank with one method, then score all classifiers at all sizes; inside `one_thread`."""
    return _Run(work, name, fold).piece()


class _Run:
    """One piece while it is being made."""

    def __init__(self, work: Work, name: str, fold: int | None) -> None:
        self.work, self.name, self.fold = work, name, fold
        self.warnings: list[str] = []
        self.failures: list[Failure] = []
        self.rows = work.rows(fold)
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
            table = self.rows.table
            table = table if isinstance(selector, Selector) else table.native
            selector.fit(table, self.rows.y, **self.rows.inputs(selector))
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
            score = partial(self._score, makers)
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

    def _score(self, makers: Makers, X_train: Any, X_test: Any) -> dict[str, dict[str, float]]:
        """Every metric of every classifier on one set of features."""
        return {name: self._score_one(name, make, X_train, X_test) for name, make in makers.items()}

    def _score_one(
        self, name: str, make: Callable[[], Any], X_train: Any, X_test: Any
    ) -> dict[str, float]:
        values = dict.fromkeys(self.work.scorers, nan)
        size = X_train.shape[1]
        start = perf_counter()
        try:
            fitted = make() if size else self._constant()
            fitted.fit(X_train, self.rows.y, **self.rows.inputs(fitted))
        except Exception as error:
            self._failed(error, name, size)
            return values
        finally:
            self.fit_seconds[name] += perf_counter() - start
            self.said_by(name)
        start = perf_counter()
        answers = Answers(fitted, X_test)
        for metric, measure in self.rows.measures.items():
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
        return part.maker(self.work.seed, self.fold, self.name, *more)

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
