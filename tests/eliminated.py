"""Tables for tests of recursive elimination, and a judge of every step."""

import warnings

import numpy as np

from handful import RecursiveElimination

KINDS = ("normal", "duplicated", "collinear", "whole", "shifted")


def table(rng, kind, n_rows, n_columns):
    X = rng.standard_normal((n_rows, n_columns)) * 10 ** rng.uniform(-1, 1)
    few = max(1, n_columns // 2)
    if kind == "duplicated":
        return X[:, rng.integers(0, few, n_columns)]
    if kind == "collinear":  # of eighths, so that sums are exact
        X = np.round(8 * X) / 8
        return X[:, :few] @ rng.integers(-2, 3, (few, n_columns))
    return {"normal": X, "whole": np.round(2 * X), "shifted": X + rng.uniform(-5, 5, n_columns)}[
        kind
    ]


def fit(X, y, weight=None, **parameters):
    parameters = {"n_features_to_select": None, **parameters}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*could be ranked", UserWarning)
        weights = {} if weight is None else {"sample_weight": weight}
        return RecursiveElimination(**parameters).fit(X, y, **weights)


def judged_step_by_step(found, refit, n_steps=None, near=1e-8, noise=0.0):
    """Each column that went had the smallest score of a new fit, the highest index among ties.

    Scores below `noise` are rounding.
    """
    left = sorted(found.path_.features.tolist())
    steps = zip(found.path_.features[::-1].tolist(), found.path_.scores[::-1], strict=True)
    for column, score in list(steps)[:n_steps]:
        scores = refit(left)
        mine = scores[left.index(column)]
        least = scores.min()
        assert mine <= least * (1 + near) + noise
        ties = [j for j, s in zip(left, scores, strict=True) if s <= least * (1 + near / 100)]
        assert column >= max(ties) or least < noise
        np.testing.assert_allclose(score, mine, rtol=1e-6, atol=1e-12 * scores.max() + noise)
        left.remove(column)
