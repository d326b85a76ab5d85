"""A method of a few lines, for testing rules alone: the largest difference of two class means."""

import numpy as np
import oracles
from numpy.typing import NDArray

from handful.columns import Dense
from handful.path import Path
from handful.stopping import Ranker
from handful.target import encode


def mean_difference(X: NDArray, y: NDArray) -> list[int]:
    """The order of all columns; of a target of numbers its upper half is one class."""
    upper = y == np.unique(y)[1] if len(np.unique(y)) == 2 else y > np.median(y)
    scores = np.abs(X[upper].mean(axis=0) - X[~upper].mean(axis=0))
    return oracles.order_by_score(np.where(np.ptp(X, axis=0) > 0, scores, np.nan))


def rank(table, target, n, rng, n_jobs) -> Path:
    """`mean_difference` as a ranker calls a method."""
    order = mean_difference(table.gather(), target.original)[:n]
    complete = n is None or len(order) < n
    return Path(order, -np.arange(len(order)), complete=complete)


def ranker_of(X, y, *, seed=0, n_jobs=None, groups=None, rank=rank) -> Ranker:
    """A ranker for an array."""
    target = encode(np.asarray(y), tasks=("classification", "regression"))
    return Ranker(rank, Dense(X), target, seed=seed, n_jobs=n_jobs, groups=groups)


def problem(n_rows=40, n_columns=12, n_relevant=3, seed=0, shift=1.5):
    """Two classes that differ in the first columns."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_rows) % 2)
    X = rng.standard_normal((n_rows, n_columns))
    X[:, :n_relevant] += shift * y[:, None]
    return X, y
