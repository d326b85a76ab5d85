"""Parts: selectors and classifiers as a comparison uses them, each piece with copies of its own."""

import copy
import threading
import warnings
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from inspect import Parameter, signature
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from threadpoolctl import ThreadpoolController

from handful.selector import Selector
from handful.stopping import StoppingRule

_PLAIN = (type(None), bool, int, float, str)
_MAX_MESSAGE = 300


@dataclass(frozen=True, eq=False)
class Part:
    """A selector or a classifier as it was given, and a clone that is ready to be copied.

    A copy of what was never fitted is as good as a clone, and many times as quick: `clone` takes a
    good part of the time in which a small model learns. `flat` says that all parameters are plain
    values, so that the copy need not be deep.
    """

    given: Any
    ready: Any
    unseeded: tuple[str, ...]
    flat: bool

    @classmethod
    def of(cls, given: Any, task: str, *, shared: bool, size: int | None = None) -> "Part":
        """`task` is for selectors that would guess it; `shared` work is one job for each.

        `size`: how many features a selector is to rank.
        """
        ready = clone(given)
        parameters = ready.get_params(deep=True)
        if parameters.get("task") == "auto":
            ready.set_params(task=task)
        if size is not None:
            ready.set_params(n_features_to_select=size)
        if shared:
            jobs = [key for key in parameters if key.rpartition("__")[2] == "n_jobs"]
            ready.set_params(**dict.fromkeys(jobs, 1))
        unseeded = tuple(
            key
            for key, value in parameters.items()
            if value is None and key.rpartition("__")[2] == "random_state"
        )
        return cls(given, ready, unseeded, all(type(one) in _PLAIN for one in vars(ready).values()))

    def copied(self, prototype: Any) -> Any:
        """A copy of what `fresh` gave, before that is fitted."""
        return copy.copy(prototype) if self.flat else copy.deepcopy(prototype)

    def fresh(self, *seed: int) -> Any:
        """A copy that draws from a seed of its own."""
        answer = self.copied(self.ready)
        if self.unseeded:
            drawn = np.random.SeedSequence(seed).generate_state(len(self.unseeded)) >> 1
            answer.set_params(**dict(zip(self.unseeded, drawn.tolist(), strict=True)))
        return answer


def decides_itself(selector: Any, sizes: list[int] | None) -> bool:
    """Whether a selector is left to its own number of features."""
    if sizes is None or not isinstance(selector, Selector):
        return True
    return isinstance(selector.n_features_to_select, StoppingRule)


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
    into.extend(one_line(f"{who}: {warning.message}") for warning in caught)


def one_line(text: str) -> str:
    """The text on one line, cut where it is very long."""
    line = " ".join(text.split())
    return line if len(line) <= _MAX_MESSAGE else line[: _MAX_MESSAGE - 3] + "..."
