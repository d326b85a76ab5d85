"""Section 5.1.2: the four lengths of Fisher's irises under CART."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from beside import Labelled, errors, order, spread, weighting
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from handful import FilterSelector

N_TRAIN = 100  # of 150
N_STEPS = 2_000
NAMES = ("sepal length", "sepal width", "petal length", "petal width")


def weights(learn: Labelled, seed: int, optimizer: str, n_steps: int) -> np.ndarray:
    selector = weighting(
        seed,
        optimizer=optimizer,
        base="tree",
        subset_size=2,
        sample_size=N_TRAIN,
        max_iter=n_steps,
    )
    return selector.fit(*learn).weights_


def split(seed: int) -> tuple[Labelled, Labelled]:
    X, y = load_iris(return_X_y=True)
    parts = train_test_split(X, y, train_size=N_TRAIN, random_state=seed)
    return Labelled(parts[0], parts[2]), Labelled(parts[1], parts[3])


def figures_10_to_12(
    said: dict[str, Any], n_splits: int, n_steps: int
) -> Iterator[tuple[str, ...]]:
    """Weights of the four lengths, and CART's test error with the two heaviest, over splits."""
    found: dict[str, list[tuple[np.ndarray, float]]] = {}
    everything = []
    for seed in range(n_splits):
        learn, test = split(seed)
        tree = DecisionTreeClassifier(random_state=seed)
        for optimizer in ("euclidean", "diffusion", "riemannian"):
            learnt = weights(learn, seed, optimizer, n_steps)
            heaviest = [np.argsort(-learnt, kind="stable")[:2]]
            error = float(errors(heaviest, tree, learn, test)[0])
            found.setdefault(optimizer, []).append((learnt, error))
        best = order(FilterSelector("fisher"), learn)[:2]
        chosen = np.isin(np.arange(4), best) / 2
        found.setdefault("Fisher", []).append((chosen, float(errors([best], tree, learn, test)[0])))
        everything += list(errors([np.arange(4)], tree, learn, test))
    yield (
        "*printed*",
        *(str(said["weights"].get(name, "")) for name in NAMES),
        str(said["two_features"]),
    )
    for name, runs in found.items():
        shares = 100 * np.array([share for share, _ in runs])
        cells = (spread(column, 0) for column in shares.T) if name != "Fisher" else ("",) * 4
        yield name, *cells, spread(error for _, error in runs)
    yield "all four", "", "", "", "", f"{spread(everything)} (printed: {said['all_features']})"
