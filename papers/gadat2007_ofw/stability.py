"""Section 6.1: how alike are subsets chosen on bootstrap samples, by OFW and others."""

from collections.abc import Iterator

import numpy as np
from beside import Labelled, order, rankings
from leukaemia import genes, learner
from sklearn.ensemble import RandomForestClassifier

from handful import InformationSelector, RecursiveElimination
from handful.evaluation import hamming_distance, stability_index

SIZES = (20, 100)


def orders(sample: Labelled, seed: int, n_steps: int) -> dict[str, np.ndarray]:
    """The genes by every method, best first."""
    trees = RandomForestClassifier(100, random_state=seed)
    forest = RecursiveElimination(trees, n_features_to_select=None, recursive=False)
    cmim = InformationSelector(n_features_to_select=max(SIZES))
    return {
        "OFW": order(learner(seed, n_steps), sample),
        **rankings(sample, seed),
        "random forest": order(forest, sample),
        "CMIM": order(cmim, sample),
    }


def section_61(n_resamples: int, n_steps: int) -> Iterator[tuple[str, ...]]:
    """The stability index with its interval, and Hamming's distance, at two sizes."""
    rows = genes()
    masks: dict[str, dict[int, list[np.ndarray]]] = {}
    for seed in range(n_resamples):
        drawn = np.random.default_rng([seed, 61]).integers(len(rows.y), size=len(rows.y))
        sample = Labelled(rows.X[drawn], rows.y[drawn])
        for name, best in orders(sample, seed, n_steps).items():
            for size in SIZES:
                chosen = np.zeros(rows.X.shape[1], dtype=bool)
                chosen[best[:size]] = True
                masks.setdefault(name, {}).setdefault(size, []).append(chosen)
    for name, by_size in masks.items():
        cells = []
        for size in SIZES:
            index = stability_index(by_size[size])
            cells.append(f"{index:.3f} ({index.lower:.3f}–{index.upper:.3f})")
            cells.append(f"{hamming_distance(by_size[size]):.1f} of {2 * size}")
        yield name, *cells
