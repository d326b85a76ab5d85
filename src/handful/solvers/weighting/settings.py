"""Settings: the parameters of a run, checked, with every default settled."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handful import checks
from handful.target import Target

OPTIMIZERS = ("riemannian", "euclidean", "diffusion", "exact", "multiplicative")
# Steps by factors: their noise counts relative to a weight. The others add and subtract.
BY_FACTORS = ("riemannian", "multiplicative")
BASES = ("svm", "knn", "tree")
METRICS = ("euclidean", "hamming")
ERRORS = ("plain", "balanced")
# Ways of drawing k of F features, F^k: more are not enumerated.
MOST_TUPLES = 1_000_000


@dataclass(frozen=True)
class Settings:
    """What a run is told."""

    optimizer: str
    subset_size: int
    sample_size: int
    batch_size: int
    step_size: float | None
    step_offset: float | None
    sigma: float | None
    max_iter: int
    tol: float
    window: int
    patience: int
    baseline: bool


def check(parameters: Mapping[str, Any]) -> None:
    """Refuse what is out of range; the parameters are those of `OptimalFeatureWeighting`."""
    given = parameters
    checks.one_of("optimizer", given["optimizer"], OPTIMIZERS)
    checks.one_of("error", given["error"], ERRORS)
    check_base(given["base"], given["C"], given["n_neighbors"], given["metric"])
    for name in ("batch_size", "max_iter", "patience"):
        checks.whole(name, given[name])
    checks.whole("window", given["window"], 2)
    checks.real("tol", given["tol"], 0, closed="low")
    for name in ("subset_size", "sample_size"):
        if given[name] is not None:
            checks.whole(name, given[name])
    for name in ("step_size", "step_offset"):
        if given[name] is not None:
            checks.real(name, given[name], 0)
    for name in ("sigma", "prefilter"):
        if given[name] is not None:
            checks.real(name, given[name], 0, closed="low")
    if given["clip"] and given["optimizer"] != "euclidean":
        raise ValueError(
            f"clip=True is for optimizer='euclidean'; {given['optimizer']!r} never leaves the "
            "simplex."
        )


def check_base(base: Any, C: float, n_neighbors: int, metric: str) -> None:
    """Refuse what is not one of the named classifiers and no classifier either."""
    if isinstance(base, str):
        checks.one_of("base", base, BASES)
    elif not hasattr(base, "fit") or not hasattr(base, "predict"):
        raise TypeError(f"base must be one of {BASES} or a classifier, not {base!r}.")
    checks.real("C", C, 0)
    checks.whole("n_neighbors", n_neighbors)
    checks.one_of("metric", metric, METRICS)


def settings_of(parameters: Mapping[str, Any], n_rows: int, n_features: int) -> Settings:
    """The defaults settled for a table of so many rows and features."""
    given = parameters
    k = given["subset_size"]
    k = default_subset_size(n_features) if k is None else int(k)
    if given["optimizer"] == "exact" and n_features**k > MOST_TUPLES:
        raise ValueError(
            f"optimizer='exact' looks at all n_features**subset_size draws, and {n_features}**{k} "
            f"is more than {MOST_TUPLES:,}; draw fewer columns, prefilter, or use 'riemannian'."
        )
    size, baseline = given["sample_size"], given["baseline"]
    clipped = given["optimizer"] == "diffusion" or given["clip"]
    return Settings(
        optimizer="clipped" if given["clip"] else given["optimizer"],
        subset_size=k,
        sample_size=min(n_rows, 100) if size is None else int(size),
        batch_size=int(given["batch_size"]),
        step_size=given["step_size"],
        step_offset=given["step_offset"],
        sigma=given["sigma"],
        max_iter=int(given["max_iter"]),
        tol=float(given["tol"]),
        window=int(given["window"]),
        patience=int(given["patience"]),
        baseline=not clipped if baseline is None else bool(baseline),
    )


def default_subset_size(n_features: int) -> int:
    """Twice the root, at most 100 and at most half of them.

    Examples
    --------
    >>> [default_subset_size(n) for n in (4, 54, 3859)]
    [2, 15, 100]
    """
    return max(1, min(100, n_features // 2, ceil(2 * sqrt(n_features))))


def tasks_of(tasks: ArrayLike | None, target: Target) -> list[NDArray[np.int32]]:
    """The classes of the rows by y, and by each further task.

    Examples
    --------
    >>> from handful.target import encode
    >>> target = encode([0, 1, 2], tasks=("classification",))
    >>> [codes.tolist() for codes in tasks_of(["a", "b", "b"], target)]
    [[0, 1, 2], [0, 1, 1]]
    """
    codes = [target.class_codes]
    if tasks is None:
        return codes
    labels = np.asarray(tasks)
    if labels.ndim not in (1, 2) or len(labels) != target.n_rows:
        raise ValueError(
            f"tasks has shape {labels.shape}; a row of labels for each of the {target.n_rows} rows "
            "is needed. Rules and comparisons that leave out rows cannot be used with tasks."
        )
    for task in labels.reshape(target.n_rows, -1).T:
        names, code = np.unique(task, return_inverse=True)
        if len(names) < 2:
            raise ValueError(f"A task puts all rows into one class ({names.tolist()[0]!r}).")
        codes.append(code.astype(np.int32).ravel())
    return codes
