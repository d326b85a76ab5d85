"""The promise of EmpiricalProbe, kept: noise is rarely taken for signal, and signal is found.

A new method joins by one line in `SELECTORS`.
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import clone

from handful import FilterSelector, InformationSelector
from handful.stopping import EmpiricalProbe

SELECTORS = [
    FilterSelector(),
    InformationSelector(),
]
RISK = 0.05


def columns_of(kind: str, rng: np.random.Generator, shape: tuple[int, int]) -> NDArray:
    """Columns that are continuous, or binary with half or a twentieth of ones."""
    if kind == "continuous":
        return rng.standard_normal(shape)
    return rng.random(shape) < (0.5 if kind == "balanced binary" else 0.05)


def kept(selector, X, y, seed, **parameters) -> NDArray[np.intp]:
    rule = EmpiricalProbe(RISK, n_rounds=19, random_state=seed, **parameters)
    return clone(selector).set_params(n_features_to_select=rule).fit(X, y).selection_order_


@pytest.mark.filterwarnings("ignore:.*keeps no feature:UserWarning")
@pytest.mark.parametrize("columns", ["continuous", "balanced binary", "sparse binary"])
@pytest.mark.parametrize("selector", SELECTORS, ids=lambda selector: type(selector).__name__)
def test_noise_is_kept_in_no_more_runs_than_the_risk(selector, columns):
    n_runs, n_fooled = 500, 0
    for seed in range(n_runs):
        rng = np.random.default_rng([seed, 60])
        X, y = columns_of(columns, rng, (60, 300)), rng.permutation(np.arange(60) % 2)
        n_fooled += len(kept(selector, X, y, seed)) > 0
    # the share of runs is not above the risk by more than chance explains
    assert stats.binomtest(n_fooled, n_runs, RISK, alternative="greater").pvalue > 0.01


@pytest.mark.parametrize(("kind", "n_runs"), [("permuted", 200), ("gaussian", 40)])
@pytest.mark.parametrize("selector", SELECTORS, ids=lambda selector: type(selector).__name__)
def test_five_strong_features_come_back(selector, kind, n_runs):
    n_found = 0
    for seed in range(n_runs):
        rng = np.random.default_rng([seed, 500])
        X = rng.standard_normal((500, 300))
        planted = rng.choice(300, 5, replace=False)
        # all five are needed: none makes another superfluous
        y = X[:, planted].sum(axis=1) > 0
        n_found += set(planted) <= set(kept(selector, X, y, seed, kind=kind))
    assert n_found >= 0.95 * n_runs
