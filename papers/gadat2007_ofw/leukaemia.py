"""Section 5.2.4: two kinds of leukaemia, 72 samples, the 3,859 genes that vary."""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from beside import Labelled, errors, forest_error, order, rankings, spread, weighting
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from handful.datasets import load_leukaemia

MOST = 16_000
SUBSET = 100  # k
SAMPLE = 60  # T
N_STEPS = 2_000  # of eight subsets
SIZES = (5, 10, 15, 20, 25, 50, 100)
TREES = (10, 30, 100)
MODEL = SVC(kernel="linear", C=1.0)


def genes(*, logarithms: bool = True) -> Labelled:
    """Deb and Reddy (2003): values cut at 20 and 16,000, genes that span a factor 5 and 500.

    As standardised logarithms, or as shares of 16,000: the paper does not say what its SVM saw.
    """
    X, y = load_leukaemia(split="all", return_X_y=True)
    X = np.clip(X, 20, MOST)
    low, high = X.min(axis=0), X.max(axis=0)
    X = X[:, (high > 5 * low) & (high - low > 500)]
    X = StandardScaler().fit_transform(np.log10(X)) if logarithms else X / MOST
    return Labelled(X, (y == "AML").astype(int))


def learner(seed: int, n_steps: int, optimizer: str = "riemannian") -> Any:
    return weighting(
        seed,
        optimizer=optimizer,
        base="svm",
        subset_size=SUBSET,
        sample_size=SAMPLE,
        max_iter=n_steps,
    )


# ---- figure 24: the energy ----


class Descent(NamedTuple):
    """The energy on the training set, in percent, before learning and after."""

    steps: np.ndarray
    curve: np.ndarray  # moving average after them
    seconds: float
    before: tuple[float, float]  # of all second samples, and of the rows that the first lacks
    after: tuple[float, float]


KINDS = {
    "riemannian, shares of 16,000": ("riemannian", False),
    "diffusion, shares of 16,000": ("diffusion", False),
    "riemannian, standardised logarithms": ("riemannian", True),
}


def descents(n_seeds: int, n_steps: int, n_draws: int) -> dict[str, list[Descent]]:
    answer = {}
    for name, (optimizer, logarithms) in KINDS.items():
        rows = genes(logarithms=logarithms)
        answer[name] = [
            _descent(rows, seed, n_steps, optimizer, n_draws) for seed in range(n_seeds)
        ]
    return answer


def _descent(rows: Labelled, seed: int, n_steps: int, optimizer: str, n_draws: int) -> Descent:
    begin = time.process_time()
    selector = learner(seed, n_steps, optimizer).fit(*rows)
    seconds = time.process_time() - begin
    uniform = np.full(rows.X.shape[1], 1 / rows.X.shape[1])
    before, after = (
        _energies(weights, rows, seed, n_draws) for weights in (uniform, selector.weights_)
    )
    history = selector.history_
    return Descent(history.iteration, 100 * history.average, seconds, before, after)


def _energies(weights: np.ndarray, rows: Labelled, seed: int, n_draws: int) -> tuple[float, float]:
    """The mean errors of section 2.4 by scikit-learn's SVM and draws of its own."""
    rng = np.random.default_rng([seed, 24])
    wrong, outside = [], []
    for _ in range(n_draws):
        columns = rng.choice(len(weights), SUBSET, p=weights)
        first, second = rng.integers(len(rows.y), size=(2, SAMPLE))
        X = rows.X[:, columns]
        missed = MODEL.fit(X[first], rows.y[first]).predict(X[second]) != rows.y[second]
        wrong.append(missed.mean())
        outside.append(missed[~np.isin(second, first)].mean())
    return 100 * float(np.mean(wrong)), 100 * float(np.mean(outside))


def curve(runs: list[Descent]) -> tuple[np.ndarray, np.ndarray]:
    """Steps, and the moving averages of the runs."""
    return runs[0].steps, np.array([run.curve for run in runs])


def figure_24(said: dict[str, str], found: dict[str, list[Descent]]) -> Iterator[tuple[str, ...]]:
    yield "*printed*", said["before"], said["after"], "", "", "about an hour"
    for name, runs in found.items():
        numbers = np.array([run.before + run.after for run in runs])
        cells = (spread(numbers[:, column]) for column in (0, 2, 1, 3))
        yield name, *cells, spread((run.seconds for run in runs), 1, " s")


# ---- figures 25 and 26 ----


def figure_25(n_seeds: int, n_steps: int) -> dict[str, np.ndarray]:
    """Errors in tenfold cross-validation by method: one row per division, one column per size."""
    rows = genes()
    found: dict[str, list[np.ndarray]] = {}
    for seed in range(n_seeds):
        folds = StratifiedKFold(10, shuffle=True, random_state=seed)
        errors_of: dict[str, list[np.ndarray]] = {}
        for some, rest in folds.split(*rows):
            learn, test = (Labelled(rows.X[part], rows.y[part]) for part in (some, rest))
            orders = {"OFW": order(learner(seed, n_steps), learn), **rankings(learn, seed)}
            for name, best in orders.items():
                wrong = errors([best[:n] for n in SIZES], MODEL, learn, test)
                errors_of.setdefault(name, []).append(wrong * len(rest))
            every = errors([np.arange(rows.X.shape[1])], MODEL, learn, test)
            errors_of.setdefault("all genes", []).append(every * len(rest))
            forest = np.array([forest_error(n, seed, learn, test) for n in TREES])
            errors_of.setdefault("random forest", []).append(forest * len(rest))
        for name, parts in errors_of.items():
            found.setdefault(name, []).append(np.sum(parts, axis=0) / len(rows.y))
    return {name: np.array(runs) for name, runs in found.items()}


def by_size(found: dict[str, np.ndarray]) -> Iterator[tuple[str, ...]]:
    for name, runs in found.items():
        if runs.shape[1] == len(SIZES):
            yield name, *(spread(column) for column in runs.T), ""
    empty = [""] * len(SIZES)
    yield "all genes", *empty, spread(found["all genes"][:, 0])
    for n_trees, column in zip(TREES, found["random forest"].T, strict=True):
        yield f"random forest, {n_trees} trees", *empty, spread(column)
