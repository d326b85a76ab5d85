"""AML/ALL: errors by number of genes, the three printed ones, how the chosen ones correlate."""

import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import NearestCentroid
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from handful import RecursiveElimination
from handful.datasets import load_leukaemia

PENALTY = 1e-5  # the paper's lambda, the best of its cross-validation, for all classifiers
UNIT = 10_000  # of expression levels: libsvm converges slowly on numbers in thousands
SIZES = (7129, 1000, 300, 100, 64, 32, 16, 8, 5, 4, 3, 2, 1)
THREE = ("M27891_at", "X51521_at", "Y00787_s_at")
SHOWN = 32  # genes in figure 4
WAYS = {"recursive": True, "one-shot": False}
# the loss is a sum of hinges and PENALTY |w|^2: half of it divided by PENALTY is libsvm's
CLASSIFIERS = {
    "ridge": RidgeClassifier(alpha=PENALTY),
    "SVM": SVC(kernel="linear", C=1 / (2 * PENALTY)),
    "Rocchio": NearestCentroid(),  # the sign of w'x about the midpoint of the two centroids
}


def eliminator(name: str, *, recursive: bool, step: float = 0.5) -> RecursiveElimination:
    """Half of the genes at a time, as in the paper, unless `step` says otherwise."""
    return RecursiveElimination(
        name.lower(),
        n_features_to_select=None,
        step=step,
        recursive=recursive,
        alpha=PENALTY,
        C=1 / (2 * PENALTY),
    )


def leukaemia() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All 72 patients, the 38 of the training set first, and the genes' names."""
    data = load_leukaemia(split="all")
    return data.data.astype(np.float64), data.target, data.feature_names


def standardised(X: np.ndarray, train: np.ndarray, test: np.ndarray) -> tuple:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # genes that are constant among few patients
        scaler = StandardScaler().fit(X[train])
    return scaler.transform(X[train]), scaler.transform(X[test])


def as_measured(X: np.ndarray, train: np.ndarray, test: np.ndarray) -> tuple:
    """The paper's scale, or so it seems: on it the printed genes come first (see `three_genes`)."""
    return X[train] / UNIT, X[test] / UNIT


def n_errors(name: str, parts: tuple, y: np.ndarray, train, test, genes: np.ndarray) -> int:
    model: ClassifierMixin = CLASSIFIERS[name]
    model.fit(parts[0][:, genes], y[train])  # type: ignore[attr-defined]
    return int(np.sum(model.predict(parts[1][:, genes]) != y[test]))  # type: ignore[attr-defined]


def splits(y: np.ndarray, n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The printed split, then draws of the 72 patients with as many of either class."""
    rows = np.arange(len(y))
    drawn = [(rows[:38], rows[38:])]
    rng = np.random.default_rng(2005)
    for _ in range(n):
        parts = [(label, rng.permutation(rows[y == label])) for label in np.unique(y)]
        n_train = {label: int(np.sum(y[:38] == label)) for label in np.unique(y)}
        train = np.concatenate([own[: n_train[label]] for label, own in parts])
        drawn.append((np.sort(train), np.setdiff1d(rows, train)))
    return drawn


def measure(n_resamples: int) -> dict:
    """Errors (splits, sizes) of each way to choose genes, and of the three printed ones."""
    X, y, names = leukaemia()
    three = np.flatnonzero(np.isin(names, THREE))
    ways = [(name, way) for name in CLASSIFIERS for way in WAYS]
    found: dict = {key: [] for key in [*ways, ("ridge", "one at a time")]}
    found |= {(name, "three"): [] for name in CLASSIFIERS}
    for train, test in splits(y, n_resamples):
        parts = as_measured(X, train, test)
        for name, way in found:
            if way == "three":
                sets = [three]
            else:
                recursive, step = way != "one-shot", 1 if way == "one at a time" else 0.5
                selector = eliminator(name, recursive=recursive, step=step)
                order = selector.fit(parts[0], y[train]).selection_order_
                sets = [order[:size] for size in SIZES]
            errors = [n_errors(name, parts, y, train, test, genes) for genes in sets]
            found[name, way].append(errors)
    return {key: np.array(errors) for key, errors in found.items()}


def interval(errors: np.ndarray) -> str:
    low, high = np.quantile(errors, [0.025, 0.975])
    return f"{errors.mean():.1f} ({low:.0f}–{high:.0f})"


def figure_1(found: dict, *, printed_split: bool) -> Iterator[tuple[str, ...]]:
    """Of the printed split the errors, of the resamples their mean and where 95 % of them lie."""
    for place, size in enumerate(SIZES):
        cells = []
        for (_, way), errors in found.items():
            if way != "three":
                own = errors[:, place]
                cells.append(str(own[0]) if printed_split else interval(own[1:]))
        yield f"{size:,}", *cells


def ways_of(found: dict) -> tuple[str, ...]:
    return tuple(f"{name}, {way}" for name, way in found if way != "three")


def claims(found: dict, printed: dict) -> Iterator[tuple[str, ...]]:
    """The sentences of the paper as numbers."""
    three, eight = SIZES.index(3), SIZES.index(8)
    rows = [
        ("ridge, recursive, 3 genes: errors", "ridge_3", found["ridge", "recursive"][:, three]),
        ("ridge, the three printed genes: errors", "ridge_3", found["ridge", "three"][:, 0]),
        ("SVM, recursive, 8 genes: errors", "svm_8", found["SVM", "recursive"][:, eight]),
        ("SVM, all genes: errors", "svm_all", found["SVM", "recursive"][:, 0]),
        ("Rocchio, all genes: errors", "rocchio_all", found["Rocchio", "recursive"][:, 0]),
        ("ridge, all genes: errors", "ridge_all", found["ridge", "recursive"][:, 0]),
    ]
    for what, key, errors in rows:
        none = f"{100 * np.mean(errors[1:] == 0):.0f} %"
        yield what, str(printed[key]), str(errors[0]), interval(errors[1:]), none


SCALES = {
    "as measured": as_measured,
    "standardised": standardised,
    "logarithms of 100 to 16,000, standardised": lambda X, train, test: standardised(
        np.log10(np.clip(X, 100, 16_000)), train, test
    ),
}


def three_genes() -> Iterator[tuple[str, ...]]:
    """The printed genes as they are, and where recursive elimination puts them, on three scales."""
    X, y, names = leukaemia()
    train, test = splits(y, 0)[0]
    three = np.flatnonzero(np.isin(names, THREE))
    for scale, scaled in SCALES.items():
        parts = scaled(X, train, test)
        errors = [str(n_errors(name, parts, y, train, test, three)) for name in CLASSIFIERS]
        for name in CLASSIFIERS:
            found = eliminator(name, recursive=True).fit(parts[0], y[train])
            errors.append(", ".join(str(place) for place in found.ranking_[three]))
        yield scale, *errors


def correlations() -> dict[tuple[str, str], np.ndarray]:
    """Absolute correlations among the 32 best genes of each way, best first."""
    X, y, _ = leukaemia()
    train, test = splits(y, 0)[0]
    learn = as_measured(X, train, test)[0]
    answer = {}
    for name in CLASSIFIERS:
        for way, recursive in WAYS.items():
            selector = eliminator(name, recursive=recursive).fit(learn, y[train])
            chosen = learn[:, selector.selection_order_[:SHOWN]]
            answer[name, way] = np.abs(np.corrcoef(chosen, rowvar=False))
    return answer


def figure_4(matrices: dict) -> Iterator[tuple[str, ...]]:
    for (name, way), matrix in matrices.items():
        apart = ~np.eye(SHOWN, dtype=bool)
        first = matrix[:8, :8][apart[:8, :8]]
        high = np.mean(matrix[apart] > 0.7)
        yield f"{name}, {way}", f"{matrix[apart].mean():.2f}", f"{first.mean():.2f}", f"{high:.0%}"
