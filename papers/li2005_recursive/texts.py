"""Reuters: how well categories are found with all words, and with those that eliminations leave."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from sklearn.svm import LinearSVC

from handful.classifiers.scut import best_threshold
from handful.columns import Sparse
from handful.datasets import load
from handful.solvers.backward import plan_of, weakest_first
from handful.solvers.sparse_ridge import Fits, TargetRidges, each_target
from handful.target import Target


class Models(Protocol):
    """A classifier for every category, each on words of its own."""

    n_columns: int
    n_targets: int

    def fit(self, columns: np.ndarray, start: np.ndarray | None = None) -> Fits: ...


def ridges(X: Any, member: np.ndarray, alpha: float) -> TargetRidges:
    signs = np.where(member, 1.0, -1.0)
    return TargetRidges(Sparse(X), Target("classification", member, None, None, signs), alpha)


class Machines:
    """A linear support vector machine for every category."""

    def __init__(self, X: Any, member: np.ndarray, C: float) -> None:
        self._columns, self._member, self._C = sparse.csc_array(X), member, C
        self.n_columns, self.n_targets = X.shape[1], member.shape[1]

    def fit(self, columns: np.ndarray, start: np.ndarray | None = None) -> Fits:
        weights, intercepts = np.zeros(columns.shape), np.full(len(columns), -1.0)
        for category, own in enumerate(columns):
            member = self._member[:, category]
            if member.any():
                # as SVM-light's, but that the intercept is penalised too
                machine = LinearSVC(
                    loss="hinge", C=self._C, tol=1e-2, max_iter=10_000, random_state=0
                )
                machine.fit(sparse.csr_array(self._columns[:, own]), member)
                weights[category], intercepts[category] = machine.coef_[0], machine.intercept_[0]
        return Fits(columns, weights, intercepts)


KINDS: dict[str, Callable[[Any, np.ndarray, float], Models]] = {"ridge": ridges, "SVM": Machines}


def recursive(models: Models) -> Iterator[Fits]:
    for fits, _ in each_target(models, plan_of(models.n_columns, 0.5)):  # type: ignore[arg-type]
        yield fits


def one_shot(models: Models) -> Iterator[Fits]:
    """Models on as many words as recursive elimination has, those that all words' model weighs."""
    fits = models.fit(np.tile(np.arange(models.n_columns), (models.n_targets, 1)))
    best_first = [weakest_first(scores)[::-1] for scores in np.abs(fits.weights)]
    ranked = np.array(best_first)
    plan, n_left = plan_of(models.n_columns, 0.5), models.n_columns
    while n_left:
        yield fits
        n_left -= min(plan.number(n_left), n_left)
        if n_left:
            fits = models.fit(np.sort(ranked[:, :n_left], axis=1))


WAYS = {"recursive": recursive, "one-shot": one_shot}


def answers(fits: Fits, X: Any, n_columns: int) -> np.ndarray:
    """What each category's model says of each text."""
    n_targets, n_left = fits.columns.shape
    starts = n_left * np.arange(n_targets + 1)
    parts = fits.weights.ravel(), fits.columns.ravel(), starts
    weights = sparse.csr_array(parts, shape=(n_targets, n_columns)).toarray().T
    return X @ weights + fits.intercepts


# ---- the texts ----


@dataclass(frozen=True, eq=False)
class Texts:
    """Two tables of weighted words, and which categories each text has."""

    train: Any
    test: Any
    train_member: np.ndarray
    test_member: np.ndarray

    def some(self, n_texts: int, n_categories: int) -> "Texts":
        """For a quick look: some texts, and categories of all frequencies among them."""
        train, member = self.train[:n_texts], self.train_member[:n_texts]
        known = np.flatnonzero(member.sum(axis=0) > 1)
        kept = known[np.argsort(member[:, known].sum(axis=0))]
        kept = kept[np.linspace(0, len(kept) - 1, n_categories).astype(int)]
        test = self.test[:n_texts], self.test_member[:n_texts, kept]
        return Texts(train, test[0], member[:, kept], test[1])


def reuters() -> Texts:
    """ApteMod's texts: (1 + log tf) times log(N / df) of the training texts, each of length 1."""
    parts = {part: load("reuters_aptemod", split=part) for part in ("train", "test")}
    counts = parts["train"].data
    holders = np.bincount(counts.indices, minlength=counts.shape[1])
    rarity = np.log(counts.shape[0] / holders)
    tables = [_weighted(parts[part].data, rarity) for part in parts]
    members = [_dense(parts[part].target) > 0 for part in parts]
    return Texts(*tables, *members)


def _dense(table: Any) -> np.ndarray:
    return table.toarray() if sparse.issparse(table) else np.asarray(table)


def _weighted(counts: Any, rarity: np.ndarray) -> Any:
    table = sparse.csr_array(counts, dtype=np.float64)
    table.data = (1 + np.log(table.data)) * rarity[table.indices]
    length = np.sqrt(table.multiply(table).sum(axis=1))
    return sparse.csr_array(sparse.diags_array(1 / np.where(length > 0, length, 1)) @ table)


def two_folds(member: np.ndarray, seed: int) -> np.ndarray:
    """A fold for each text, every category spread over both as evenly as may be: rarest first."""
    rng = np.random.default_rng(seed)
    fold = np.full(len(member), -1)
    counts = np.zeros((2, member.shape[1]), dtype=int)
    for category in np.argsort(member.sum(axis=0), kind="stable"):
        for text in rng.permutation(np.flatnonzero(member[:, category] & (fold < 0))):
            have = counts[:, category]
            fold[text] = rng.integers(2) if have[0] == have[1] else int(np.argmin(have))
            counts[fold[text]] += member[text]
    others = np.flatnonzero(fold < 0)
    fold[rng.permutation(others)] = np.arange(len(others)) % 2
    return fold


# ---- what is measured ----


@dataclass(frozen=True, eq=False)
class Curve:
    """Of every size (rows) and category: F1 on the folds, and right, given and true test texts.

    `right` counts texts of the category that were given it, `given` all that were.
    """

    sizes: np.ndarray
    on_folds: np.ndarray
    right: np.ndarray
    given: np.ndarray
    true: np.ndarray

    def at(self, rows: np.ndarray) -> "Curve":
        """One size for each category."""
        pick = lambda values: np.take_along_axis(values, rows[None], axis=0)  # noqa: E731
        parts = pick(self.on_folds), pick(self.right), pick(self.given)
        return Curve(self.sizes[rows], *parts, self.true)

    def own_sizes(self) -> "Curve":
        """Each category at its best size on the folds; of equals at the largest."""
        return self.at(np.argmax(self.on_folds, axis=0))

    def all_words(self) -> "Curve":
        return self.at(np.zeros(len(self.true), dtype=int))

    @property
    def f1(self) -> np.ndarray:
        """Of every size and category on the test texts."""
        return 2 * self.right / np.maximum(self.given + self.true, 1)

    @property
    def macro(self) -> np.ndarray:
        return self.f1.mean(axis=1)

    @property
    def micro(self) -> np.ndarray:
        return 2 * self.right.sum(axis=1) / (self.given.sum(axis=1) + self.true.sum())


def curve(
    texts: Texts, kind: str, way: str, strength: float, seed: int, n_sizes: int | None = None
) -> Curve:
    """Thresholds by SCut on two folds, for every size and category; counts on the test texts."""
    X, member = texts.train, texts.train_member
    fold = two_folds(member, seed)
    runs = [np.flatnonzero(fold != side) for side in (0, 1)] + [np.arange(len(member))]
    steps = [WAYS[way](KINDS[kind](X[rows], member[rows], strength)) for rows in runs]
    found = []
    for first, second, whole in islice(zip(*steps, strict=True), n_sizes):
        of_folds = (answers(fits, X, X.shape[1]) for fits in (first, second))
        held_out = np.where((fold == 0)[:, None], *of_folds)
        said = answers(whole, texts.test, X.shape[1])
        tuned = [_scut(scores, own) for scores, own in zip(held_out.T, member.T, strict=True)]
        on_folds, thresholds = np.array(tuned).T
        given = said >= thresholds
        right = given & texts.test_member
        found.append((whole.n_left, on_folds, right.sum(axis=0), given.sum(axis=0)))
    sizes, *parts = (np.array(values) for values in zip(*found, strict=True))
    return Curve(sizes, *parts, texts.test_member.sum(axis=0))


def _scut(scores: np.ndarray, member: np.ndarray) -> tuple[float, float]:
    """F1 on the folds and threshold: the classifier's own where a fold has no member."""
    threshold = best_threshold(scores, member) if member.sum() > 1 else 0.0
    given = scores >= threshold
    return 2 * np.sum(given & member) / max(1, given.sum() + member.sum()), threshold
