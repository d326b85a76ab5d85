"""Parts: selectors and classifiers as a comparison uses them, each piece with copies of its own."""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from inspect import Parameter, signature
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from handful.selector import Selector
from handful.stopping import StoppingRule

_PLAIN = (type(None), bool, int, float, str)


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

    def maker(self, *place: Any) -> Callable[[], Any]:
        """What makes unfitted copies, all with the seeds of this place in the comparison."""
        seeds = {key: seed_of(*place, key) for key in self.unseeded}
        if self.plain is not None:
            return partial(type(self.ready), **(self.plain | seeds))
        prototype = copy.deepcopy(self.ready)
        prototype.set_params(**seeds)
        return partial(copy.deepcopy, prototype)


def seed_of(*place: Any) -> int:
    """A seed that depends on names and numbers alone, whatever else there is to draw for.

    Examples
    --------
    >>> seed_of(0, "cmim", 3), seed_of(0, "cmim", 4)
    (1831039766, 1045724639)
    """
    digest = blake2b(repr(place).encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") >> 1


def decides_itself(selector: Any, sizes: list[int] | None) -> bool:
    """Whether a selector is left to its own number of features."""
    if sizes is None or not isinstance(selector, Selector):
        return True
    return isinstance(selector.n_features_to_select, StoppingRule)


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
