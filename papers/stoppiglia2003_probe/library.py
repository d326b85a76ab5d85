"""Section 5: kernels or wavelets chosen from a library, trained, and chosen again.

Such a network is linear in the outputs of its units. So a library of units with fixed places and
widths is a table, and the random probe says which of them matter; these are then trained, places
and widths with the rest, and asked again, until all of them beat the probe.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares

from handful import GramSchmidt
from handful.stopping import AnalyticProbe

RULE = AnalyticProbe(0.01, probes="all")
NOISE = 0.05


class Units(NamedTuple):
    """Bumps around places: Gaussians, or Mexican hats, which are wavelets."""

    places: np.ndarray  # (n_units, n_inputs)
    widths: np.ndarray  # (n_units,)
    wavelets: bool

    def outputs(self, X):
        squares = ((X[:, None, :] - self.places) ** 2).sum(axis=2) / self.widths**2
        return np.exp(-squares / 2) * (1 - squares if self.wavelets else 1)

    def only(self, chosen):
        return Units(self.places[chosen], self.widths[chosen], self.wavelets)


class Problem(NamedTuple):
    """Rows to learn from and to test with, the units behind them, and the library."""

    learn: tuple[np.ndarray, np.ndarray]
    test: tuple[np.ndarray, np.ndarray]
    true: Units
    library: Units


def kernels(rng):
    """Three Gaussians in the plane; one of each of three widths around each of 200 rows."""
    places = rng.uniform(-2, 2, (3, 2))
    true = Units(places, rng.uniform(0.4, 1.2, 3), False)
    learn = rng.uniform(-2, 2, (200, 2))
    widths = np.repeat([0.4, 0.7, 1.2], len(learn))
    library = Units(np.tile(learn, (3, 1)), widths, False)
    return _problem(true, library, learn, rng.uniform(-2, 2, (200, 2)), rng)


def wavelets(rng):
    """Three hats on a line; dilations by powers of two, each moved by half of its own width."""
    true = Units(rng.uniform(0, 1, (3, 1)), 2.0 ** -rng.uniform(2, 5, 3), True)
    dilations = 2.0 ** -np.arange(1, 7)
    grids = [np.arange(0, 1 + width / 2, width / 2) for width in dilations]
    widths = np.repeat(dilations, [len(grid) for grid in grids])
    library = Units(np.concatenate(grids)[:, None], widths, True)
    return _problem(true, library, rng.uniform(0, 1, (256, 1)), rng.uniform(0, 1, (256, 1)), rng)


def _problem(true, library, learn, test, rng):
    heights = rng.choice([-1, 1], 3) * rng.uniform(0.5, 1.5, 3)
    rows = [
        (X, true.outputs(X) @ heights + NOISE * rng.standard_normal(len(X))) for X in (learn, test)
    ]
    return Problem(*rows, true, library)


def fitted(units, X, y):
    """The output weights, with a constant, by least squares."""
    return np.linalg.lstsq(_with_constant(units.outputs(X)), y)[0]


def error(units, learn, test):
    """Root mean square error on the test rows."""
    predicted = _with_constant(units.outputs(test[0])) @ fitted(units, *learn)
    return float(np.sqrt(np.mean((predicted - test[1]) ** 2)))


def _with_constant(outputs):
    return np.column_stack([outputs, np.ones(len(outputs))])


def train(units, library, X, y):
    """Places and widths by least squares, within the library's; the weights follow from them."""

    def unpack(parameters):
        places, widths = np.split(parameters, [units.places.size])
        return Units(places.reshape(units.places.shape), np.exp(widths), units.wavelets)

    def residuals(parameters):
        moved = unpack(parameters)
        return _with_constant(moved.outputs(X)) @ fitted(moved, X, y) - y

    n_units = len(units.widths)
    limits = [
        np.append(np.tile(side(library.places, axis=0), n_units),
                  np.full(n_units, np.log(side(library.widths))))
        for side in (np.min, np.max)
    ]  # fmt: skip
    start = np.clip(np.append(units.places, np.log(units.widths)), *limits)
    return unpack(least_squares(residuals, start, bounds=limits, max_nfev=100).x)


def choose(units, X, y):
    """Those that beat the probe."""
    return units.only(GramSchmidt(RULE).fit(units.outputs(X), y).selection_order_)


def one_library(make, seed):
    """How many units are taken from the library and left in the end, and the test errors."""
    problem = make(np.random.default_rng([2003, seed]))
    first = units = choose(problem.library, *problem.learn)
    rounds = 0
    while len(units.widths):
        rounds += 1
        trained = train(units, problem.library, *problem.learn)
        units = choose(trained, *problem.learn)
        if len(units.widths) == len(trained.widths):
            break
    last = units if len(units.widths) else first
    return {
        "library": len(problem.library.widths),
        "chosen": len(first.widths),
        "kept": len(last.widths),
        "rounds": rounds,
        "error of chosen": error(first, problem.learn, problem.test),
        "error of kept": error(last, problem.learn, problem.test),
        "error of true": error(problem.true, problem.learn, problem.test),
    }
