"""The exact gradient: every subset there is, each judged once.

The energy is a polynomial of the weights: the sum over all ways of drawing k features of the chance
of that draw times the error of the subset. With the errors at hand it is minimised without any
further noise. The order of a draw does not matter, so each multiset is judged once and counts as
often as it has orders.
"""

from collections.abc import Iterator
from itertools import chain, combinations_with_replacement
from math import comb, factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from handful.solvers.weighting.judges import Judge
from handful.solvers.weighting.settings import Settings
from handful.solvers.weighting.state import State
from handful.solvers.weighting.steps import is_at_rest, step_sizes

# By default a step moves the logarithm of a weight by at most so much to begin with.
_FIRST = 0.5


class Energy(NamedTuple):
    """The energy of every point of the simplex.

    Attributes
    ----------
    subsets : ndarray of int, shape (n_subsets, k)
    orders : ndarray of float
        In how many orders each can be drawn.
    errors : ndarray of float
        Of each subset.
    """

    subsets: NDArray[np.int64]
    orders: NDArray[np.float64]
    errors: NDArray[np.float64]

    def at(self, weights: NDArray) -> tuple[float, NDArray[np.float64]]:
        """The energy and its gradient by the logarithms of the weights.

        Examples
        --------
        >>> energy = Energy(*multisets(2, 1), errors=np.array([0.1, 0.3]))
        >>> value, gradient = energy.at(np.array([0.5, 0.5]))
        >>> round(value, 12), gradient.round(12).tolist()
        (0.2, [0.05, 0.15])
        """
        parts = weights[self.subsets].prod(axis=1) * self.orders * self.errors
        k = self.subsets.shape[1]
        by_feature = np.bincount(self.subsets.ravel(), np.repeat(parts, k), len(weights))
        return float(parts.sum()), by_feature.astype(np.float64)


def multisets(n_features: int, k: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """All of size `k`, and in how many orders each can be drawn.

    Examples
    --------
    >>> subsets, orders = multisets(2, 2)
    >>> subsets.tolist(), orders.tolist()
    ([[0, 0], [0, 1], [1, 1]], [1.0, 2.0, 1.0])
    """
    n = comb(n_features + k - 1, k)
    drawn = chain.from_iterable(combinations_with_replacement(range(n_features), k))
    subsets = np.fromiter(drawn, np.int64, n * k).reshape(n, k)
    # k! by the factorial of each run of equal features
    orders, run = np.full(n, float(factorial(k))), np.ones(n)
    for i in range(1, k):
        run = np.where(subsets[:, i] == subsets[:, i - 1], run + 1, 1)
        orders /= run
    return subsets, orders


def projected(gradient: NDArray, weights: NDArray) -> NDArray[np.float64]:
    """On the logarithms of points of the simplex: without the part along the weights themselves."""
    return gradient - weights * (gradient @ weights / (weights @ weights))


def moved(weights: NDArray, gradient: NDArray, size: float) -> NDArray[np.float64]:
    """Equation 12: a step against the projected gradient by factors, then normalised."""
    exponent = -size * projected(gradient, weights)
    grown = weights * np.exp(exponent - exponent.max())
    return grown / grown.sum()


def learn_exactly(judge: Judge, settings: Settings, state: State) -> Iterator[State]:
    """Steps down the energy itself; by default as long as it takes for it not to rise."""
    energy = _judged(judge, settings, state)
    value, gradient = energy.at(state.weights)
    size = None if settings.step_size is not None else _FIRST / np.abs(gradient).max(initial=1e-300)
    while not state.stopped:
        taken = float(step_sizes(settings, state, 1)[0]) if size is None else size
        weights = moved(state.weights, gradient, taken)
        new, slope = energy.at(weights)
        while size is not None and new > value and taken > 1e-12:
            taken /= 2
            weights = moved(state.weights, gradient, taken)
            new, slope = energy.at(weights)
        size = None if size is None else 2 * taken
        state.weights, value, gradient = weights, new, slope
        state.n_steps += 1
        state.average = value
        state.note(
            iteration=state.n_steps, energy=value, average=value, entropy=state.entropy, step=taken
        )
        if is_at_rest(settings, state):
            state.stopped = "tol"
        elif state.n_steps >= state.end:
            state.stopped = "max_iter"
        yield state


def _judged(judge: Judge, settings: Settings, state: State) -> Energy:
    """Each subset on the same draws of rows, `batch_size` of them."""
    subsets, orders = multisets(len(state.weights), settings.subset_size)
    shape = (settings.batch_size, 2, settings.sample_size)
    draws = state.rng.integers(judge.n_rows, size=shape, dtype=np.int32)
    errors = np.zeros(len(subsets))
    for rows in draws:
        for start in range(0, len(subsets), 4096):
            some = subsets[start : start + 4096]
            repeated = np.repeat(rows[None], len(some), axis=0)
            errors[start : start + 4096] += judge.judge(some, repeated) / len(draws)
    state.n_evaluations += len(subsets) * len(draws)
    return Energy(subsets, orders, errors)
