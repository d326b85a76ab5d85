"""Which kernels, which wavelets, how many hidden neurons? The same selector answers all three.

A radial basis function network, a wavelet network and the last layer of a neural network are linear
in the outputs of their units. So the units are columns, and the random probe says where those that
matter end (Stoppiglia et al. 2003, section 5).
"""

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neural_network import MLPRegressor

from handful import GramSchmidt
from handful.stopping import AnalyticProbe

rng = np.random.default_rng(0)
probe = AnalyticProbe(0.05, probes="all")

# Kernels: Gaussians of three widths around every row, 600 candidates for 200 rows.
X = rng.uniform(-2, 2, (400, 2))
height = np.exp(-((X - 1) ** 2).sum(axis=1)) - np.exp(-2 * ((X + 1) ** 2).sum(axis=1))
y = height + 0.05 * rng.standard_normal(400)
learn, test = slice(0, 200), slice(200, None)
distances = euclidean_distances(X, X[learn])
library = np.hstack([np.exp(-((distances / width) ** 2)) for width in (0.5, 1.0, 2.0)])
kernels = GramSchmidt(probe).fit(library[learn], y[learn])
chosen = kernels.transform(library)
model = LinearRegression().fit(chosen[learn], y[learn])
error = np.sqrt(np.mean((model.predict(chosen[test]) - y[test]) ** 2))
print(f"{kernels.n_features_} of {library.shape[1]} kernels, test error {error:.3f} (noise 0.05)")
for j in kernels.selection_order_:
    print(f"  centre {X[j % 200].round(2)}, width {(0.5, 1.0, 2.0)[j // 200]}")

# Wavelets: Mexican hats of seven dilations along a line, for a signal with one sharp corner.
t = np.linspace(0, 1, 256)
signal = np.abs(t - 0.3) + 0.01 * rng.standard_normal(256)
dilations = [2.0**-k for k in range(1, 8)]
library = np.column_stack(
    [
        (1 - u**2) * np.exp(-(u**2) / 2)
        for dilation in dilations
        for u in ((t - place) / dilation for place in np.arange(0, 1 + dilation / 2, dilation / 2))
    ]
)
wavelets = GramSchmidt(probe).fit(library, signal)
left = 1 - np.prod(1 - wavelets.path_.scores[: wavelets.n_features_])
print(f"{wavelets.n_features_} of {library.shape[1]} wavelets explain {100 * left:.1f} %")


# Hidden neurons: candidates are the outputs of a trained network's hidden layer.
def train(n_hidden):
    network = MLPRegressor(
        hidden_layer_sizes=(n_hidden,),
        activation="tanh",
        solver="lbfgs",
        tol=1e-3,
        max_iter=2000,
        random_state=0,
    )
    return network.fit(X[learn], y[learn])


def relevant(network):
    hidden = np.tanh(X[learn] @ network.coefs_[0] + network.intercepts_[0])
    return GramSchmidt(probe).fit(hidden, y[learn]).n_features_


def test_error(network):
    return np.sqrt(np.mean((network.predict(X[test]) - y[test]) ** 2))


# Destructively: drop what loses to the probe, train again, until every neuron stays.
network = train(12)
while (kept := relevant(network)) < (size := len(network.coefs_[1])):
    print(f"{size} hidden neurons (test error {test_error(network):.3f}): {kept} beat the probe")
    network = train(kept)
print(f"{kept} hidden neurons (test error {test_error(network):.3f}): all beat the probe")

# Constructively: one neuron more, until one does not.
grown = train(1)
for size in range(2, 13):
    larger = train(size)
    if relevant(larger) < size:
        break
    grown = larger
print(f"grown to {len(grown.coefs_[1])} hidden neurons (test error {test_error(grown):.3f})")
