"""What the experiments share: the methods, errors by size, and how numbers are shown."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier

from handful import FilterSelector, OptimalFeatureWeighting, RecursiveElimination, ZeroNorm

SEEDS = 5
MOST_ROWS = 1000


class Labelled(NamedTuple):
    """Some rows and their classes."""

    X: Any
    y: np.ndarray


def weighting(seed: int, **settings: Any) -> OptimalFeatureWeighting:
    """OFW that ranks every column."""
    return OptimalFeatureWeighting(n_features_to_select=None, random_state=seed, **settings)


def rankings(learn: Labelled, seed: int, step: int | float = 1) -> dict[str, np.ndarray]:
    """All columns by the paper's other methods; RFE and L0 by a linear SVM, as there."""
    rows = few_rows(learn, seed)
    some = Labelled(learn.X[rows], learn.y[rows])
    elimination = RecursiveElimination("svm", n_features_to_select=None, step=step)
    return {
        "Fisher": order(FilterSelector("fisher", n_features_to_select=None), learn),
        "RFE": order(elimination, some),
        "L0": order(ZeroNorm(n_features_to_select=None), some),
    }


def few_rows(rows: Labelled, seed: int) -> np.ndarray:
    """At most so many, drawn by lot, for what takes all pairs of rows."""
    n_rows = len(rows.y)
    if n_rows <= MOST_ROWS:
        return np.arange(n_rows)
    return np.random.default_rng([seed, 2007]).choice(n_rows, MOST_ROWS, replace=False)


def order(selector: Any, learn: Labelled) -> np.ndarray:
    """All columns, best first."""
    return selector.fit(*learn).path_.features


def errors(
    columns: Iterable[np.ndarray], model: Any, learn: Labelled, test: Labelled
) -> np.ndarray:
    """The model's test error in percent on each of several selections."""
    return np.array([_error(model, chosen, learn, test) for chosen in columns])


def _error(model: Any, chosen: np.ndarray, learn: Labelled, test: Labelled) -> float:
    # in the table's order: nearest neighbours and trees break ties as they would there
    chosen = np.sort(chosen)
    answer = clone(model).fit(learn.X[:, chosen], learn.y).predict(test.X[:, chosen])
    return 100 * float(np.mean(answer != test.y))


def forest_error(n_trees: int, seed: int, learn: Labelled, test: Labelled) -> float:
    """Breiman's random forest on all columns, in percent."""
    model = RandomForestClassifier(n_trees, random_state=seed)
    return float(errors([np.arange(learn.X.shape[1])], model, learn, test)[0])


def spread(values: Iterable[float], digits: int = 2, unit: str = "") -> str:
    """Mean and standard deviation; of a single number the number."""
    numbers = np.asarray(list(values), dtype=float)
    if len(numbers) == 1:
        return f"{numbers[0]:.{digits}f}{unit}"
    return f"{numbers.mean():.{digits}f} ± {numbers.std(ddof=1):.{digits}f}{unit}"


def printed(numbers: Mapping[str, Any], key: Any) -> str:
    """What the paper prints under a name, nothing where it prints nothing."""
    return str(numbers.get(str(key), ""))


def effective(weights: np.ndarray) -> float:
    """How many equally weighted columns have the weights' entropy."""
    positive = weights[weights > 0]
    return float(np.exp(-np.sum(positive * np.log(positive))))
