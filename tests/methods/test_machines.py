"""RecursiveElimination by support vector machines: the ranking of machines trained from scratch."""

import numpy as np
import pytest
from eliminated import KINDS, fit, judged_step_by_step, table
from oracles_machines import machine_weights


def problem(seed, n_classes=2):
    """A table of sixteenths, the sums of which are exact, and the classes of its rows."""
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.integers(2 + n_classes, 10)), int(rng.integers(1, 9))
    X = table(rng, KINDS[seed % len(KINDS)], n_rows, n_columns)
    X = np.round(16 * np.clip(X, -16, 16)) / 16
    if seed % 4 == 3:  # duplicated rows, of either class
        X = X[rng.integers(0, max(2, n_rows // 2), n_rows)]
    y = np.append(np.arange(n_classes), rng.integers(0, n_classes, n_rows - n_classes))
    return X, y, 2.0 ** rng.integers(-12, 13)


def refit(X, y, bounds):
    """The scores of machines trained on some columns, each class against the rest."""
    classes = np.unique(y)
    signs = [np.where(y == k, 1.0, -1.0) for k in (classes if len(classes) > 2 else classes[1:])]

    def scores(left):
        weights = [machine_weights(X[:, left], s, bounds) for s in signs]
        return np.linalg.norm(weights, axis=0)

    return scores


def rounding(X, bounds):
    """What rounding may leave of weights that cancel."""
    return 1e-14 * np.abs(X).max() * bounds.sum()


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_column_that_an_exact_machine_weighs_least_goes(part, n_classes):
    for seed in range(40 * part, 40 * part + (40 if n_classes == 2 else 10)):
        X, y, C = problem(seed, n_classes)
        weight = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
        weight = weight if seed % 3 == 0 else None
        found = fit(X, y, weight, estimator="svm", C=C)
        bounds = np.full(len(y), C) if weight is None else C * weight
        judged_step_by_step(found, refit(X, y, bounds), noise=rounding(X, bounds))
