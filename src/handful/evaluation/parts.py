"""Parts: selectors and classifiers as a comparison uses them, each piece with copies of its own."""

import copy
import threading
import warnings
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
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
    """A selector or a classifier as it was given, and what is needed to make copies of it.

    `plain` are its parameters where all of them are plain values. Otherwise `ready` is copied: a
    copy of what was never fitted is as good as a clone. Both are many times as quick as `clone`,
    which takes a good part of the time in which a small model learns.
    """

    given: Any
    ready: Any
    plain: dict[str, Any] | None
    unseeded: tuple[str, ...]

    @classmethod
    def of(cls, given: Any, task: str, *, shared: bool, size: int | None = None) -> "Part":
        """`task` is for selectors that would guess it; `shared` work is one job for each.

        `size`: how many features a selector is to rank.
        """
        ready = clone(given)
        parameters = ready.get_params(deep=True)
        settings: dict[str, Any] = {}
        if parameters.get("task") == "auto":
            settings["task"] = task
        if size is not None:
            settings["n_features_to_select"] = size
        if shared:
            jobs = [key for key in parameters if key.rpartition("__")[2] == "n_jobs"]
            settings |= dict.fromkeys(jobs, 1)
        ready.set_params(**settings)
        unseeded = tuple(
            key
            for key, value in parameters.items()
            if value is None and key.rpartition("__")[2] == "random_state"
        )
        own = ready.get_params(deep=False)
        plain = own if all(type(value) in _PLAIN for value in own.values()) else None
        return cls(given, ready, plain, unseeded)

    def maker(self, *seed: int) -> Callable[[], Any]:
        """What makes unfitted copies that all draw from a seed of their own."""
        seeds = {}
        if self.unseeded:
            drawn = np.random.SeedSequence(seed).generate_state(len(self.unseeded)) >> 1
            seeds = dict(zip(self.unseeded, drawn.tolist(), strict=True))
        if self.plain is not None:
            return partial(type(self.ready), **(self.plain | seeds))
        prototype = copy.deepcopy(self.ready)
        prototype.set_params(**seeds)
        return partial(copy.deepcopy, prototype)


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
def hearing(into: list[str]) -> Generator[Callable[[str], None]]:
    """Note warnings instead of showing them.

    Gives a function that takes a name and notes what was said since it was last called as said by
    that one. Warnings belong to the whole process: threads beside the main one leave them alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda who: None
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")

        def said_by(who: str) -> None:
            if caught:
                into.extend(one_line(f"{who}: {warning.message}") for warning in caught)
                caught.clear()

        yield said_by


def one_line(text: str) -> str:
    """The text on one line, cut where it is very long."""
    line = " ".join(text.split())
    return line if len(line) <= _MAX_MESSAGE else line[: _MAX_MESSAGE - 3] + "..."
