"""What a stopping rule is given, what it answers, and the rules that are a plain number."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from handful.columns import Columns
from handful.path import Path
from handful.progress import track
from handful.target import Target
from handful.threads import one_thread

Rank = Callable[[Columns, Target, int | None, np.random.Generator, int], Path]


@dataclass(frozen=True, eq=False)
class Ranker:
    """A method, its table and its target: what a rule asks for rankings.

    Attributes
    ----------
    rank : callable (table, target, n, rng, n_jobs) -> Path
        The method. `n` is how much of the path is needed, None for all of it.
    seed : int
        Every ranking draws from a generator of its own, made from this number.
    groups : ndarray or None
        For splitters that keep the rows of a group together.
    """

    rank: Rank
    table: Columns
    target: Target
    seed: int = 0
    n_jobs: int | None = None
    groups: NDArray | None = None
    verbose: int = 0

    def path(self, n: int | None = None) -> Path:
        """The ranking of the whole table, the same however much of it is asked for."""
        rng = np.random.default_rng(self.seed)
        return self.rank(self.table, self.target, n, rng, effective_n_jobs(self.n_jobs))

    def rows(self, indices: NDArray, number: int) -> "Ranker":
        """The same method on some of the rows, with randomness of its own for each `number`."""
        return self.on(self.table.rows(indices), self.target.rows(indices), number)

    def on(self, table: Columns, target: Target, number: int) -> "Ranker":
        """The same method on another table, with randomness of its own for each `number`."""
        seed = int(np.random.SeedSequence([self.seed, number]).generate_state(1)[0])
        return replace(self, table=table, target=target, seed=seed)

    def each(self, work: Callable[..., Any], items: Sequence[Any], label: str) -> list[Any]:
        """``work(ranker, item)`` for every item, in order of the items, through joblib.

        Where the items share out the jobs, the rankings inside take one each. Linear algebra
        computes in one thread.
        """
        if effective_n_jobs(self.n_jobs) == 1:
            found = (_in_one_thread(work, self, item) for item in items)
        else:
            alone = replace(self, n_jobs=1, verbose=0)
            found = Parallel(n_jobs=self.n_jobs, return_as="generator")(
                delayed(_in_one_thread)(work, alone, item) for item in items
            )
        return list(track(found, label, length=len(items), verbose=self.verbose))


def _in_one_thread(work: Callable[..., Any], ranker: Ranker, item: Any) -> Any:
    with one_thread():
        return work(ranker, item)


@dataclass(frozen=True, eq=False)
class Decision:
    """What a rule answers: the path, how much of it to keep, and why."""

    path: Path
    n_features: int
    why: dict[str, Any] = field(default_factory=dict)


class StoppingRule(BaseEstimator, ABC):
    """Says how many features of a ranking to keep; parameters as in any scikit-learn estimator."""

    # Whether it asks for rankings of shuffled, left out or chosen rows.
    draws_rows = True
    # What is said of the features where none is kept.
    why_none = "none is better than chance by it"

    @abstractmethod
    def choose(self, ranker: Ranker) -> Decision:
        """Ask for rankings, then decide."""

    def _seed(self, ranker: Ranker) -> int:
        """For a rule with a `random_state`; where that is None, the selector's own decides."""
        random_state = self.get_params(deep=False)["random_state"]
        if random_state is None:
            return ranker.seed
        return int(check_random_state(random_state).randint(2**31))


class Fixed(StoppingRule):
    """Keep a number that was settled beforehand; None keeps everything that can be ranked."""

    draws_rows = False

    def __init__(self, n_features: int | None) -> None:
        self.n_features = n_features

    def choose(self, ranker: Ranker) -> Decision:
        path = ranker.path(self.n_features)
        wanted = len(path) if self.n_features is None else self.n_features
        return Decision(path, min(wanted, len(path)), {"asked": self.n_features})


def resolve(n_features_to_select: Any, n_features: int) -> StoppingRule:
    """The rule that a selector's ``n_features_to_select`` stands for.

    Examples
    --------
    >>> resolve(0.25, 40).n_features, resolve("auto", 40).n_features
    (10, 10)
    """
    wanted = n_features_to_select
    if isinstance(wanted, StoppingRule):
        return wanted
    if wanted is None:
        return Fixed(None)
    if isinstance(wanted, str) and wanted == "auto":
        return Fixed(min(10, n_features))
    if isinstance(wanted, Integral) and not isinstance(wanted, bool):
        if not 1 <= int(wanted) <= n_features:
            raise ValueError(
                f"n_features_to_select={wanted} is out of range: this table has n_features="
                f"{n_features}; use a number from 1 to {n_features}, a fraction in (0, 1), "
                "'auto' or None."
            )
        return Fixed(int(wanted))
    if isinstance(wanted, Real) and not isinstance(wanted, bool):
        fraction = float(wanted)
        if not 0 < fraction < 1:
            raise ValueError(
                f"n_features_to_select={wanted} is out of range: a fraction lies in (0, 1); for "
                "a number of features give an int, for all of them None."
            )
        return Fixed(max(1, int(fraction * n_features)))
    if isinstance(wanted, str):
        raise ValueError(f"n_features_to_select={wanted!r} is not known; did you mean 'auto'?")
    raise TypeError(
        f"n_features_to_select must be an int, a fraction, 'auto', None or a rule from "
        f"handful.stopping, not {wanted!r}."
    )
