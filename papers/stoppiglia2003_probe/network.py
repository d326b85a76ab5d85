"""Section 6.1.3: the inputs, then the hidden neurons of a network, chosen by the random probe.

The output of a network is a linear model of its hidden neurons' outputs; so `GramSchmidt` can say
which of these are no better than a random one. Destructively: train a large network, drop such
neurons, train again, until all stay. Constructively: add a neuron, train, until one is dropped.

Training is least squares by Levenberg and Marquardt's method, from several random starts; the paper
used BFGS on the same error.
"""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares

from handful import GramSchmidt
from handful.datasets import make_neural_network
from handful.stopping import AnalyticProbe

RISK = 0.01
TRAINING = 2_000


class Network(NamedTuple):
    """Hidden neurons of hyperbolic tangents under a linear output."""

    inputs: np.ndarray  # (n_inputs + 1, n_hidden), the last row the thresholds
    output: np.ndarray  # (n_hidden + 1,), the last one the offset

    def hidden(self, X):
        return np.tanh(X @ self.inputs[:-1] + self.inputs[-1])

    def predict(self, X):
        return self.hidden(X) @ self.output[:-1] + self.output[-1]

    def error(self, X, y):
        return float(np.sqrt(np.mean((y - self.predict(X)) ** 2)))

    def only(self, neurons):
        return Network(self.inputs[:, neurons], np.append(self.output[neurons], self.output[-1]))


def random_network(n_inputs, n_hidden, X, rng):
    """Potentials of variance about 1 on these rows."""
    inputs = rng.standard_normal((n_inputs + 1, n_hidden)) / np.sqrt(n_inputs)
    inputs[:-1] /= X.std(axis=0)[:, None]
    return Network(inputs, 0.1 * rng.standard_normal(n_hidden + 1))


def train(start, X, y, evaluations=300):
    """Least squares from a start, by Levenberg-Marquardt with exact derivatives."""
    n_hidden = len(start.output) - 1
    size = start.inputs.size
    rows = np.column_stack([X, np.ones(len(X))])

    def unpack(parameters):
        return Network(parameters[:size].reshape(-1, n_hidden), parameters[size:])

    def residuals(parameters):
        return unpack(parameters).predict(X) - y

    def slopes(parameters):
        network = unpack(parameters)
        hidden = network.hidden(X)
        inner = (1 - hidden**2) * network.output[:-1]
        by_weight = rows[:, :, None] * inner[:, None, :]
        return np.hstack([by_weight.reshape(len(X), -1), hidden, np.ones((len(X), 1))])

    found = least_squares(
        residuals, np.concatenate([start.inputs.ravel(), start.output]), slopes,
        method="lm", max_nfev=evaluations, ftol=1e-14, xtol=1e-14, gtol=1e-14,
    )  # fmt: skip
    return unpack(found.x)


def relevant(candidates, y):
    """The columns that the probe keeps at the paper's kind of risk, best first."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*keeps no feature", UserWarning)
        return GramSchmidt(AnalyticProbe(RISK)).fit(candidates, y).selection_order_


def best_of(n_starts, n_hidden, X, y, rng):
    """The best network of several random starts."""
    starts = [random_network(X.shape[1], n_hidden, X, rng) for _ in range(n_starts)]
    return min((train(start, X, y) for start in starts), key=lambda network: network.error(X, y))


def shrink(network, X, y, judge):
    """Destructively: drop the neurons that lose to the probe on the judge's rows, train, repeat."""
    while len(network.output) > 2:
        kept = relevant(network.hidden(judge[0]), judge[1])
        if len(kept) in (0, len(network.output) - 1):
            break
        network = train(network.only(kept), X, y)
    return network


def grow(X, y, judge, rng, n_starts, most=10):
    """Constructively: one neuron more, until one of them loses to the probe."""
    network = best_of(n_starts, 1, X, y, rng)
    for n_hidden in range(2, most + 1):
        larger = best_of(n_starts, n_hidden, X, y, rng)
        if len(relevant(larger.hidden(judge[0]), judge[1])) < n_hidden:
            break
        network = larger
    return network


def one_network(potential, noise, seed, n_starts):
    """A draw of table 1: inputs kept, idle ones among them; hidden neurons found three ways."""
    X, y, true = make_neural_network(
        3 * TRAINING, potential_std=potential, noise_std=noise, random_state=seed
    )
    rows, test, unseen = (slice(i * TRAINING, (i + 1) * TRAINING) for i in range(3))
    inputs = relevant(X[rows], y[rows])
    rng = np.random.default_rng([2003, seed])
    # the neurons are asked of the true inputs: a missing one would be made up for by more neurons
    X = X[:, true]
    start = best_of(1, 10, X[rows], y[rows], rng)
    found = {
        "destructive, training rows": shrink(start, X[rows], y[rows], (X[rows], y[rows])),
        "destructive, unseen rows": shrink(start, X[rows], y[rows], (X[unseen], y[unseen])),
        "constructive, unseen rows": grow(X[rows], y[rows], (X[unseen], y[unseen]), rng, n_starts),
    }
    last = found["constructive, unseen rows"]
    return {
        "inputs": len(set(inputs) & set(true.tolist())),
        "idle": len(set(inputs) - set(true.tolist())),
        "hidden": {way: len(network.output) - 1 for way, network in found.items()},
        "training": last.error(X[rows], y[rows]),
        "test": last.error(X[test], y[test]),
    }
