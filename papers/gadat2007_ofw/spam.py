"""Section 5.2.2: which of 54 words and signs tell spam from other mail, by 4-NN."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from beside import (
    Labelled,
    errors,
    forest_error,
    order,
    printed,
    rankings,
    spread,
    weighting,
)
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from handful.datasets import load

N_WORDS = 54  # without the three columns on capital letters
SUBSET = 15
SAMPLE = 200
N_STEPS = 1_500  # of eight subsets
SIZES = (5, 10, 20, 30, N_WORDS)
NEIGHBOURS = KNeighborsClassifier(4)


class Run(NamedTuple):
    """A random division into three quarters to learn from and one to test on."""

    learn: Labelled
    test: Labelled
    weights: dict[str, np.ndarray]  # by optimizer
    orders: dict[str, np.ndarray]  # by method


def words() -> tuple[Labelled, list[str]]:
    data = load("spambase")
    names = [
        str(name).removeprefix("word_freq_").removeprefix("char_freq_")
        for name in data.feature_names
    ]
    return Labelled(data.data[:, :N_WORDS], data.target), names[:N_WORDS]


def run(seed: int, n_steps: int = N_STEPS) -> Run:
    (X, y), _ = words()
    parts = train_test_split(X, y, test_size=0.25, random_state=seed)
    learn, test = Labelled(parts[0], parts[2]), Labelled(parts[1], parts[3])
    weights = {}
    for optimizer in ("riemannian", "diffusion"):
        selector = _learner(seed, SUBSET, n_steps, optimizer)
        weights[optimizer] = selector.fit(*learn).weights_
    orders = {"OFW": np.argsort(-weights["riemannian"], kind="stable")}
    # a linear SVM needs columns of one scale
    scaled = Labelled(StandardScaler().fit_transform(learn.X), learn.y)
    orders |= rankings(scaled, seed)
    return Run(learn, test, weights, orders)


def _learner(seed: int, k: int, n_steps: int, optimizer: str = "riemannian") -> Any:
    return weighting(
        seed,
        optimizer=optimizer,
        base="knn",
        n_neighbors=NEIGHBOURS.n_neighbors,
        subset_size=k,
        sample_size=SAMPLE,
        max_iter=n_steps,
    )


def figure_17(runs: list[Run], n_subsets: int) -> Iterator[tuple[str, ...]]:
    """The energy on the test rows: the mean error with words drawn from the weights."""
    found: dict[str, list[float]] = {}
    for seed, (learn, test, weights, _) in enumerate(runs):
        uniform = np.full(N_WORDS, 1 / N_WORDS)
        for name, chances in {"uniform": uniform, **weights}.items():
            rng = np.random.default_rng([seed, 17])
            drawn = [rng.choice(N_WORDS, SUBSET, p=chances) for _ in range(n_subsets)]
            found.setdefault(name, []).append(errors(drawn, NEIGHBOURS, learn, test).mean())
    for name, measured in found.items():
        yield name, spread(measured)


def figure_18(said: dict[str, dict[str, float]], runs: list[Run]) -> Iterator[tuple[str, ...]]:
    """The heaviest dozen of the words that are more frequent in each class."""
    (X, y), names = words()
    measured = np.array([run.weights["riemannian"] for run in runs]) * 100
    means, deviations = measured.mean(axis=0), measured.std(axis=0, ddof=1)
    favours_spam = X[y == 1].mean(axis=0) > X[y == 0].mean(axis=0)
    for label, favoured in (("spam", favours_spam), ("other", ~favours_spam)):
        heaviest = [j for j in np.argsort(-means, kind="stable") if favoured[j]][:12]
        common = [names[j] for j in heaviest if names[j] in said[label]]
        yield f"*{label}: of the twelve heaviest printed*", str(len(said[label])), str(len(common))
        for j in heaviest:
            cell = f"{means[j]:.1f} ± {deviations[j]:.1f}"
            yield f"{label}: `{names[j]}`", printed(said[label], names[j]), cell


def figure_19(said: dict[str, Any], runs: list[Run]) -> Iterator[tuple[str, ...]]:
    """Errors with the first words of every method, under both classifiers."""
    models = {
        "4-NN": NEIGHBOURS,
        "linear SVM": make_pipeline(StandardScaler(), LinearSVC(dual=False)),
    }
    for name in runs[0].orders:
        for called, model in models.items():
            measured = np.array(
                [
                    errors([run.orders[name][:n] for n in SIZES], model, run.learn, run.test)
                    for run in runs
                ]
            )
            cells = [spread(column) for column in measured.T]
            yield f"{name} + {called}", printed(said.get(name, {}), 20), *cells
    empty = [""] * (len(SIZES) - 1)
    raw = [errors([np.arange(N_WORDS)], LinearSVC(), *run[:2])[0] for run in runs]
    yield "linear SVM, unscaled", said["linear SVM, all words"], *empty, spread(raw)
    for n_trees, key in ((5, "random forest, 5 trees"), (100, "")):
        forest = [forest_error(n_trees, seed, *run[:2]) for seed, run in enumerate(runs)]
        yield f"random forest, {n_trees} trees", printed(said, key), *empty, spread(forest)


# ---- section 2.6: k by cross-validation ----

CANDIDATES = (3, 7, 15, 30)


def section_26(runs: list[Run], n_steps: int, n_words: int = 20) -> Iterator[tuple[str, ...]]:
    """Every k in five folds of the training rows: weights, best words, four nearest neighbours."""
    inner, outer = [], []
    for seed, (learn, test, *_) in enumerate(runs):
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)
        crossed = []
        for k in CANDIDATES:
            held_out = [
                _with_best(Labelled(learn.X[some], learn.y[some]),
                           Labelled(learn.X[rest], learn.y[rest]), k, seed, n_steps, n_words)
                for some, rest in folds.split(*learn)
            ]  # fmt: skip
            crossed.append(np.mean(held_out))
        inner.append(crossed)
        outer.append([_with_best(learn, test, k, seed, n_steps, n_words) for k in CANDIDATES])
    crossed, tested = np.array(inner), np.array(outer)
    chosen = crossed.argmin(axis=1)
    for place, k in enumerate(CANDIDATES):
        times = f"{np.sum(chosen == place)} of {len(runs)}"
        yield f"k = {k}", spread(crossed[:, place]), spread(tested[:, place]), times
    yield "k chosen", "", spread(tested[np.arange(len(runs)), chosen]), ""


def _with_best(
    learn: Labelled, test: Labelled, k: int, seed: int, n_steps: int, n_words: int
) -> float:
    best = order(_learner(seed, k, n_steps), learn)[:n_words]
    return float(errors([best], NEIGHBOURS, learn, test)[0])
