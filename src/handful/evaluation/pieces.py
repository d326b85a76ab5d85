"""Pieces: one method in one fold, the unit of work that runs anywhere and is kept on disk.

Everything that looks at rows is made here, from the fold's training rows alone: the selector with
its thresholds and its own choice of size, and the classifiers with their scalers. Test rows are
only ever predicted.
"""

import threading
import warnings
import zlib
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from inspect import Parameter, signature
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.pipeline import Pipeline
from threadpoolctl import ThreadpoolController

from handful.columns import Columns
from handful.evaluation.comparison import Failure, Ranking, Scores
from handful.selector import Selector
from handful.stopping import Answers, OwnScorer, Scorer, StoppingRule, over_sizes
from handful.target import Target

Split = tuple[NDArray[np.intp], NDArray[np.intp]]

_MAX_MESSAGE = 300


@dataclass(frozen=True, eq=False)
class Work:
    """All that the pieces of one comparison have in common.

    Attributes
    ----------
    selectors, classifiers : mapping of name to estimator
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
        Whether pieces run beside each other; what is inside one then takes one job.
    """

    selectors: Mapping[str, Any]
    classifiers: Mapping[str, Any]
    scorers: Mapping[str, Scorer]
    table: Columns
    target: Target
    groups: NDArray | None
    splits: list[Split]
    sizes: list[int] | None
    seed: int
    shared: bool


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


def decides_itself(selector: Any, sizes: list[int] | None) -> bool:
    """Whether a selector is left to its own number of features."""
    if sizes is None or not isinstance(selector, Selector):
        return True
    return isinstance(selector.n_features_to_select, StoppingRule)


def run_piece(work: Work, name: str, fold: int | None) -> Piece:
    """Rank with one method, then score all classifiers at all sizes."""
    with one_thread():
        return _Run(work, name, fold).piece()


def one_thread() -> Any:
    """A context in which BLAS and OpenMP compute in one thread.

    So folds side by side do not fight for the processors, and the last bits of a result do not
    depend on how many there are.
    """
    return _thread_pools().limit(limits=1)


@cache
def _thread_pools() -> ThreadpoolController:
    """Looked for once per process: that takes longer than many a fit."""
    return ThreadpoolController()


class _Run:
    """One piece while it is being made."""

    def __init__(self, work: Work, name: str, fold: int | None) -> None:
        self.work, self.name, self.fold = work, name, fold
        self.warnings: list[str] = []
        self.failures: list[Failure] = []
        self.fit_seconds = dict.fromkeys(work.classifiers, 0.0)
        self.score_seconds = dict.fromkeys(work.classifiers, 0.0)

    def piece(self) -> Piece:
        work = self.work
        start = perf_counter()
        ranking = self._rank()
        rank_seconds = perf_counter() - start
        scores = [] if self.fold is None else self._scores(ranking, work.splits[self.fold])
        seconds = Seconds(rank_seconds, self.fit_seconds, self.score_seconds)
        return Piece(
            self.name,
            self.fold,
            ranking,
            scores,
            self.failures,
            list(dict.fromkeys(self.warnings)),
            seconds,
        )

    def _rank(self) -> Ranking | None:
        work = self.work
        rows = np.arange(work.target.n_rows)
        if self.fold is not None:
            rows = work.splits[self.fold][0]
        given = work.selectors[self.name]
        try:
            with heard(self.name, self.warnings):
                selector = self._prepared(given)
                if not decides_itself(given, work.sizes):
                    selector.set_params(n_features_to_select=max(work.sizes or ()))
                train = work.table.rows(rows)
                table = train if isinstance(selector, Selector) else train.native
                selector.fit(table, work.target.original[rows], **self._fit_inputs(selector, rows))
        except Exception as error:
            self._failed(error)
            return None
        order = getattr(selector, "selection_order_", None)
        order = selector.get_support(indices=True) if order is None else order
        stopping: Mapping[str, Any] = getattr(selector, "stopping_", {})
        return Ranking(self.name, self.fold, np.asarray(order).tolist(), stopping.get("warning"))

    def _scores(self, ranking: Ranking | None, split: Split) -> list[Scores]:
        work = self.work
        sizes = work.sizes
        if decides_itself(work.selectors[self.name], sizes):
            sizes = None if ranking is None else [len(ranking.indices)]
        if sizes is None:
            return []
        if ranking is None:
            nothing = dict.fromkeys(work.scorers, float("nan"))
            found = [dict.fromkeys(work.classifiers, nothing)] * len(sizes)
        else:
            models = {
                name: self._prepared(work.classifiers[name], name) for name in work.classifiers
            }
            features = np.array(ranking.indices, dtype=np.intp)
            measure = partial(self._measure, models)
            found = over_sizes(work.table, features, sizes, split, measure)
        return [
            Scores(
                self.name,
                classifier,
                self.fold or 0,
                sizes,
                {metric: [at[classifier][metric] for at in found] for metric in work.scorers},
            )
            for classifier in work.classifiers
        ]

    def _measure(self, models: dict[str, Any], X_train: Any, X_test: Any) -> dict[str, dict]:
        """Every metric of every classifier on one set of features."""
        return {name: self._measure_one(name, models[name], X_train, X_test) for name in models}

    def _measure_one(self, name: str, model: Any, X_train: Any, X_test: Any) -> dict[str, float]:
        train, test = self.work.splits[self.fold or 0]
        values = dict.fromkeys(self.work.scorers, float("nan"))
        size = X_train.shape[1]
        start = perf_counter()
        try:
            with heard(name, self.warnings):
                fitted = self._without_features() if size == 0 else clone(model)
                y_train = self.work.target.original[train]
                fitted.fit(X_train, y_train, **self._fit_inputs(fitted, train))
        except Exception as error:
            self._failed(error, name, size)
            return values
        finally:
            self.fit_seconds[name] += perf_counter() - start
        start = perf_counter()
        with heard(name, self.warnings):
            answers = Answers(fitted, X_test)
            for metric, scorer in self.work.scorers.items():
                try:
                    values[metric] = float(self._value(scorer, answers, X_test, test))
                except Exception as error:
                    self._failed(error, name, size)
        self.score_seconds[name] += perf_counter() - start
        return values

    def _value(self, scorer: Scorer, answers: Answers, X_test: Any, test: NDArray) -> float:
        target = self.work.target
        y_test = target.original[test]
        weight = None if target.weight is None else target.weight[test]
        if isinstance(scorer, OwnScorer):
            return scorer.value(answers, y_test, weight)
        if weight is not None and "sample_weight" in signature(scorer).parameters:
            return scorer(answers.estimator, X_test, y_test, sample_weight=weight)
        return scorer(answers.estimator, X_test, y_test)

    def _without_features(self) -> Any:
        """What can be said without looking: the most frequent class, or the mean."""
        if self.work.target.task == "regression":
            return DummyRegressor()
        return DummyClassifier(strategy="prior")

    def _prepared(self, estimator: Any, *more: str) -> Any:
        """A clone that draws from this piece's own seed and, beside others, takes one job."""
        estimator = clone(estimator)
        given = estimator.get_params(deep=True)
        unseeded = [
            key
            for key, value in given.items()
            if value is None and key.rpartition("__")[2] == "random_state"
        ]
        if unseeded:
            # by name, so that one more method does not change what the others draw
            words = [zlib.crc32(word.encode()) for word in (self.name, *more)]
            number = 0 if self.fold is None else self.fold + 1
            sequence = np.random.SeedSequence([self.work.seed, number, *words])
            seeds = sequence.generate_state(len(unseeded)) >> 1
            estimator.set_params(**dict(zip(unseeded, seeds.tolist(), strict=True)))
        if given.get("task") == "auto":
            estimator.set_params(task=self.work.target.task)
        if self.work.shared:
            jobs = [key for key in given if key.rpartition("__")[2] == "n_jobs"]
            estimator.set_params(**dict.fromkeys(jobs, 1))
        return estimator

    def _fit_inputs(self, estimator: Any, rows: NDArray) -> dict[str, Any]:
        """Weights and groups, under the names by which the estimator takes them."""
        weight, groups = self.work.target.weight, self.work.groups
        inputs = {}
        if weight is not None and (name := weight_name(estimator)) is not None:
            inputs[name] = weight[rows]
        if groups is not None and isinstance(estimator, Selector):
            inputs["groups"] = groups[rows]
        return inputs

    def _failed(self, error: Exception, classifier: str | None = None, size: Any = None) -> None:
        message = _one_line(f"{type(error).__name__}: {error}")
        failure = Failure(self.name, classifier, self.fold, size, message)
        if failure not in self.failures:
            self.failures.append(failure)


def weight_name(estimator: Any) -> str | None:
    """The name by which an estimator's `fit` takes sample weights, or None."""
    if isinstance(estimator, Pipeline):
        step, last = estimator.steps[-1]
        inner = weight_name(last)
        return None if inner is None else f"{step}__{inner}"
    takes: Mapping[str, Parameter] = signature(estimator.fit).parameters
    # a selector under a rule that draws rows hides the name from scikit-learn's checks
    hidden = isinstance(estimator, Selector) and "weights" in takes
    return "sample_weight" if "sample_weight" in takes or hidden else None


@contextmanager
def heard(who: str, into: list[str]) -> Generator[None]:
    """Note warnings instead of showing them, once for each text.

    Warnings belong to the whole process: threads beside the main one leave them as they are.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    into.extend(_one_line(f"{who}: {warning.message}") for warning in caught)


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_MESSAGE else line[: _MAX_MESSAGE - 3] + "..."
