"""Section 7: positives of two kinds, one of them rare, and what each method picks.

Half of the informative columns are true more often in positives of the frequent kind, half in those
of the rare kind. CMIM goes on with the first half as long as it lasts. The cure that the paper
names, weighting rows that are hard: choose a few columns, see which rows naive Bayes gets wrong on
all that are chosen, let the wrong ones count as much as the right ones, and choose a few more.
"""

from collections.abc import Iterator

import numpy as np
from sklearn.svm import SVC

from handful import BoostedStumps, InformationSelector, RandomSelector, TreeFrequency
from handful.classifiers import BooleanNaiveBayes

N_ROWS = 1_000
RARE = 0.2  # of the positives
INFORMATIVE = 100  # columns for each kind
NOISE = 300
CHOSEN, AT_ONCE = 20, 2


def make_mixture(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The table, and the kind of each row: 0 negative, 1 the frequent kind, 2 the rare one."""
    kind = rng.choice(3, N_ROWS, p=(0.5, 0.5 * (1 - RARE), 0.5 * RARE))
    chance = np.full((N_ROWS, 2 * INFORMATIVE + NOISE), 0.2)
    chance[kind == 1, :INFORMATIVE] = 0.6
    chance[kind == 2, INFORMATIVE : 2 * INFORMATIVE] = 0.6
    return rng.random(chance.shape) < chance, kind


def reweighted(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """CMIM a few columns at a time, rows that are still wrong counting for more."""
    chosen: list[int] = []
    weight = np.ones(len(y))
    while len(chosen) < CHOSEN:
        selector = InformationSelector(n_features_to_select=len(chosen) + AT_ONCE)
        order = selector.fit(X, y, sample_weight=weight).selection_order_
        chosen += [j for j in order if j not in chosen][:AT_ONCE]
        model = BooleanNaiveBayes().fit(X[:, chosen], y)
        wrong = model.predict(X[:, chosen]) != y
        weight = np.where(wrong, (~wrong).sum() / max(wrong.sum(), 1), 1.0)
    return np.array(chosen)


def selections(X: np.ndarray, y: np.ndarray, seed: int) -> Iterator[tuple[str, np.ndarray]]:
    for name, selector in (
        ("CMIM", InformationSelector(n_features_to_select=CHOSEN)),
        ("C4.5", TreeFrequency(n_features_to_select=CHOSEN, random_state=seed)),
        ("AdaBoost", BoostedStumps(n_features_to_select=CHOSEN)),
        ("random", RandomSelector(CHOSEN, random_state=seed)),
    ):
        yield name, selector.fit(X, y).selection_order_
    yield "CMIM, reweighted", reweighted(X, y)


def section_7(n_draws: int) -> Iterator[tuple[str, ...]]:
    """Columns for the rare kind; errors on each kind and on all rows of a second table."""
    found: dict[str, list[list[float]]] = {}
    for seed in range(n_draws):
        rng = np.random.default_rng([2004, seed])
        (X, kind), (fresh, fresh_kind) = make_mixture(rng), make_mixture(rng)
        for name, chosen in selections(X, kind > 0, seed):
            of_rare = (chosen >= INFORMATIVE) & (chosen < 2 * INFORMATIVE)
            numbers = [float(of_rare.sum()), float((chosen < INFORMATIVE).sum())]
            for model in (BooleanNaiveBayes(), SVC()):
                model.fit(X[:, chosen], kind > 0)
                wrong = model.predict(fresh[:, chosen]) != (fresh_kind > 0)
                numbers += [100 * wrong[fresh_kind == k].mean() for k in (1, 2)]
                numbers.append(100 * wrong.mean())
            found.setdefault(name, []).append(numbers)
    for name, rounds in found.items():
        means, spreads = np.mean(rounds, axis=0), np.std(rounds, axis=0, ddof=1)
        cells = [f"{mean:.1f} ± {sd:.1f}" for mean, sd in zip(means, spreads, strict=True)]
        yield name, cells[0], cells[1], ", ".join(cells[2:5]), ", ".join(cells[5:])
