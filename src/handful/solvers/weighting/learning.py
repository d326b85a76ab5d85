"""The run: stretches of steps in the compiled core, and between them a look at how it goes."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from handful import _core
from handful.solvers.weighting.judges import Judge
from handful.solvers.weighting.settings import Settings
from handful.solvers.weighting.state import State
from handful.solvers.weighting.steps import (
    WINDOW,
    default_sigma,
    has_collapsed,
    is_at_rest,
    next_test,
    step_sizes,
    take_back,
)

# Subsets judged before the first step, to know the mean of the errors and their spread.
_PILOT = 200
# Steps between two looks; more where a look at all the weights would take as long as the steps.
_STRETCH, _FEATURES_PER_STEP = 25, 1000
# Numbers drawn at a time.
_NUMBERS = 1 << 22
# After so many steps without a look all weights of the Riemannian optimizer are brought up to date.
_LAG = 1024
# A run that had to be taken back so often goes nowhere.
_MOST_UNDONE = 12


class _Chance(NamedTuple):
    uniforms: NDArray[np.float64]
    rows: NDArray[np.int32]
    noise: NDArray[np.float64] | None


def learn(judge: Judge, settings: Settings, state: State) -> Iterator[State]:
    """Steps up to the run's end; yields the state after every stretch."""
    if not state.n_evaluations:
        _look_around(judge, settings, state)
    while not state.stopped:
        # built anew, so that a run depends on its state alone, wherever it was broken off
        weights = _build(settings, state)
        n = _stretch(settings, state)
        sizes = step_sizes(settings, state, n)
        chance = _chance(judge, settings, state, n)
        errors, done = judge.learn(weights, *chance, sizes, _baseline(settings, state))
        _take_in(settings, state, weights.values(), errors, done)
        state.note(
            iteration=state.n_steps,
            energy=float(errors.mean()) if done else float("nan"),
            average=state.average,
            entropy=state.entropy,
            step=float(sizes[0]),
        )
        if done < n:
            state.stopped = "simplex"
        elif has_collapsed(state):
            take_back(state)
            state.stopped = "collapse" if state.n_undone >= _MOST_UNDONE else ""
        elif is_at_rest(settings, state):
            state.stopped = "tol"
        if not state.stopped and state.n_steps >= state.end:
            state.stopped = "max_iter"
        yield state


def _build(settings: Settings, state: State) -> _core.Weights:
    sigma = settings.sigma
    if sigma is None:
        size = float(step_sizes(settings, state, 1)[0])
        sigma = default_sigma(settings, size, len(state.weights))
    return _core.build_weights(settings.optimizer, state.weights, sigma, _LAG)


def _baseline(settings: Settings, state: State) -> float | None:
    """What errors are compared with: nothing, their mean in the past, or (None) each other.

    While the energy falls its mean in the past is too high. Both projections take that away. The
    multiplicative optimizer has none, and a feature that is drawn often would grow for that alone.
    """
    if not settings.baseline:
        return 0.0
    if settings.optimizer == "multiplicative" and settings.batch_size > 1:
        return None
    return state.average


def _stretch(settings: Settings, state: State) -> int:
    n_features = len(state.weights)
    n = max(_STRETCH, n_features // _FEATURES_PER_STEP)
    drawn = settings.batch_size * (settings.subset_size + 2 * settings.sample_size)
    if settings.optimizer == "diffusion":
        drawn += n_features
    n = min(n, max(1, _NUMBERS // drawn), state.end - state.n_steps)
    return min(n, next_test(settings, state) - state.n_steps) if settings.tol else n


def _chance(judge: Judge, settings: Settings, state: State, n: int) -> _Chance:
    """Uniform numbers for features, rows with replacement, and the noise of the diffusion."""
    rng, shape = state.rng, (n, settings.batch_size)
    uniforms = rng.random((*shape, settings.subset_size))
    rows = rng.integers(judge.n_rows, size=(*shape, 2, settings.sample_size), dtype=np.int32)
    diffuses = settings.optimizer == "diffusion"
    noise = rng.standard_normal((n, len(state.weights))) if diffuses else None
    return _Chance(uniforms, rows, noise)


def _look_around(judge: Judge, settings: Settings, state: State) -> None:
    """Errors of subsets under the first weights."""
    n = max(2, _PILOT // settings.batch_size)
    chance = _chance(judge, settings, state, n)
    drawn = _core.build_weights("multiplicative", state.weights, 0.0, 1)
    subsets = drawn.draw(chance.uniforms.ravel()).reshape(-1, settings.subset_size)
    errors = judge.judge(subsets, chance.rows.reshape(len(subsets), 2, -1))
    state.average, state.spread = float(errors.mean()), float(errors.std())
    state.n_evaluations = len(errors)
    state.best = state.average, state.weights, state.n_evaluations


def _take_in(
    settings: Settings, state: State, weights: NDArray, errors: NDArray, done: int
) -> None:
    state.weights = weights
    state.n_steps += done
    if not done:
        return
    state.n_evaluations += len(errors)
    new = min(1.0, len(errors) / min(WINDOW, state.n_evaluations))
    off = float(((errors - state.average) ** 2).mean())
    state.spread = float(np.sqrt((1 - new) * state.spread**2 + new * off))
    state.average += new * (float(errors.mean()) - state.average)
    if state.best is None or state.average < state.best[0]:
        state.best = state.average, weights, state.n_evaluations
