"""How large a step may be, when the weights are at rest, and when they have collapsed.

A step moves the logarithm of a weight by the error of a subset that the feature was in, and that
error is mostly chance. What chance has added up, it never takes back: where its sum grows to about
one while nothing was learned, a few features win by lot and then are drawn again and again. So the
default step allows for a fixed amount of it over the whole run. In the geometry of factors a step
`size` adds, to the weight P of a feature, noise of variance ``size^2 spread^2 k P / batch`` per
step; on average over the features that are drawn, P is the sum of the squared weights. As they
concentrate, the step shrinks.
"""

import numpy as np
from numpy.typing import NDArray

from handful.solvers.weighting.settings import BY_FACTORS, Settings
from handful.solvers.weighting.state import State

# What chance may add to the logarithm of a weight, over `max_iter` steps.
_NOISE = 0.5
# A rise of the energy's moving average, over so many evaluations, by so many of its standard
# errors.
WINDOW = 1000
_RISE = 6.0
_BRAKE = 0.25


def step_sizes(settings: Settings, state: State, n: int) -> NDArray[np.float64]:
    """Of the next `n` steps: ``step_size / (step number + step_offset)``; one number without
    offset."""
    offset, size = settings.step_offset, settings.step_size
    if size is None:
        size = _default_size(settings, state) * (1.0 if offset is None else offset)
    size *= state.brake
    if offset is None:
        return np.full(n, size)
    return size / (state.n_steps + offset + np.arange(n, dtype=np.float64))


def _default_size(settings: Settings, state: State) -> float:
    weight = float((state.weights**2).sum())
    if settings.optimizer == "multiplicative":
        # a heavy feature is in every subset several times, and nothing takes away what all share
        weight += (settings.subset_size - 1) * float((state.weights**3).sum())
    # errors are multiples of 1 / sample_size: a spread below that is too good to be true
    spread = max(state.spread, 0.5 / settings.sample_size)
    drawn = settings.subset_size * settings.max_iter / settings.batch_size
    size = _NOISE / (spread * np.sqrt(drawn * weight))
    return float(size if settings.optimizer in BY_FACTORS else size * weight**2)


def default_sigma(settings: Settings, size: float, n_features: int) -> float:
    """So much that a weight drifts by a tenth of its first value over `max_iter` steps."""
    return 0.1 / (n_features * float(np.sqrt(size * settings.max_iter)))


def has_collapsed(state: State) -> bool:
    """Whether the energy has risen by more than chance explains since it was lowest."""
    if state.best is None:
        return False
    lowest, _, then = state.best
    error = state.spread * np.sqrt(1 / min(WINDOW, state.n_evaluations) + 1 / min(WINDOW, then))
    return bool(state.average > lowest + _RISE * error)


def take_back(state: State) -> None:
    """The weights as they were when the energy was lowest, and smaller steps from there."""
    if state.best is None:
        return
    state.average, weights, _ = state.best
    state.weights = weights.copy()
    state.brake *= _BRAKE
    state.n_undone += 1


def is_at_rest(settings: Settings, state: State) -> bool:
    """The paper's test: no weight differs by `tol` from what it was n / window steps ago.

    It is made at the steps n for which n - n / window is where it was made before: one old vector
    of weights is enough.
    """
    if settings.tol == 0 or state.n_steps < next_test(settings, state):
        return False
    moved = np.inf if state.past is None else np.abs(state.weights - state.past[1]).max()
    state.past = state.n_steps, state.weights
    state.n_quiet = state.n_quiet + 1 if moved < settings.tol else 0
    return state.n_quiet >= settings.patience


def next_test(settings: Settings, state: State) -> int:
    """The step n with ``n - n // window`` equal to that of the last test."""
    if state.past is None:
        return settings.window
    before = state.past[0]
    n = before * settings.window // (settings.window - 1)
    while n - n // settings.window < before:
        n += 1
    return max(n, before + 1)
