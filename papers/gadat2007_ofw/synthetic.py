"""Section 5.1.1: a hundred ternary variables; the energy of k = 2 is summed over all pairs.

Nine variables tell something about one of three classes, or about two: the reusable ones. The
energy of weights P is the mean error of a nearest-neighbour rule that sees two variables drawn from
P; it is computed here from a table of the errors of all pairs, the same for every optimizer.
"""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from beside import Labelled, effective, spread, weighting
from scipy.stats import entropy

from handful.datasets import make_ternary

Q = 0.9
N_VARIABLES = 100
REUSABLE = np.array([1, 4, 8]) - 1
ONE_CLASS = np.array([2, 3, 5, 6, 7, 9]) - 1
GROUPS = {
    "in sets of two classes": REUSABLE,
    "in sets of one class": ONE_CLASS,
    "in none of the sets": np.arange(9, N_VARIABLES),
}
# Two of a class's three sets hold a variable, so in these classes it is 1 with probability ...
SURE = 2 / 3 * Q
NEIGHBOURS = 5  # the paper's M, which it does not state
SAMPLE = 100  # T


# ---- the conditional entropies ----


def conditional_entropy(n_classes: int) -> float:
    """H(class | variable) in nats for a variable that serves so many of the three classes."""
    chance = np.full((3, 3), 1 / 3)  # by class: the values -1, 0 and 1
    chance[:n_classes] = (1 - SURE) / 3
    chance[:n_classes, 2] += SURE
    joint = chance / 3
    return float(entropy(joint.ravel()) - entropy(joint.sum(axis=0)))


def entropies(said: dict[str, float], n_draws: int) -> Iterator[tuple[str, ...]]:
    """From the model, and from samples of the paper's 500 rows."""
    for (name, variables), n_classes in zip(GROUPS.items(), (2, 1, 0), strict=True):
        measured = []
        for seed in range(n_draws):
            X, y, _ = make_ternary(random_state=seed)
            counts = np.array(
                [[np.sum(X[y == c] == v, axis=0) for v in (-1, 0, 1)] for c in range(3)]
            )
            joint = counts[:, :, variables].reshape(9, -1) / len(y)
            values = joint.reshape(3, 3, -1).sum(axis=0)
            measured.append(float(np.mean(entropy(joint) - entropy(values))))
        yield name, str(said[name]), f"{conditional_entropy(n_classes):.4f}", spread(measured, 4)


# ---- the energy, from the errors of all pairs ----


class PairErrors:
    """The error rate of the rule on every pair of variables: g of section 2.4 for k = 2.

    The mean over draws of two samples of rows, the same draws for all pairs.
    """

    def __init__(self, learn: Labelled, test: Labelled, n_draws: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.table = np.mean([_one_draw(learn, test, rng) for _ in range(n_draws)], axis=0)

    def energy(self, weights: np.ndarray) -> float:
        return float(weights @ self.table @ weights)


def _one_draw(learn: Labelled, test: Labelled, rng: np.random.Generator) -> np.ndarray:
    (X, y), (fresh, truth) = (_sample(rows, rng) for rows in (learn, test))
    # which rows differ from each value of each variable: (variable, value, row)
    differs = (X.T[:, None, :] != np.array([-1, 0, 1])[:, None]).astype(np.int16)
    answer = np.empty((N_VARIABLES, N_VARIABLES))
    place = np.arange(SAMPLE, dtype=np.int16)
    for a in range(N_VARIABLES):
        # for every b from a on and every two values; rows equally far in their order, one of chance
        far = (differs[a][:, None] + differs[a:, None]) * SAMPLE + place
        nearest = np.argpartition(far, NEIGHBOURS - 1, axis=-1)[..., :NEIGHBOURS]
        votes = (y[nearest][..., None] == np.arange(3)).sum(axis=-2).argmax(axis=-1)
        others = np.arange(len(votes))
        said = votes[others, fresh[:, a, None] + 1, fresh[:, a:] + 1]
        answer[a, a:] = answer[a:, a] = np.mean(said != truth[:, None], axis=0)
    return answer


def _sample(rows: Labelled, rng: np.random.Generator) -> Labelled:
    drawn = rng.integers(len(rows.y), size=SAMPLE)
    return Labelled(rows.X[drawn], rows.y[drawn])


# ---- figures 6 to 8: the way down ----


class Curve(NamedTuple):
    """An optimizer on the way: one row per seed, one column per number of steps."""

    steps: list[int]
    seconds: np.ndarray
    train: np.ndarray  # energy in percent
    test: np.ndarray  # the same on rows of a second table
    effective: np.ndarray  # number of variables


STEPS = 16 ** np.arange(4)  # of eight subsets
# Steps that bring all of them down in this time. As printed, the Euclidean steps leave the simplex
# soon: those that do are put back on it.
OPTIMIZERS: dict[str, tuple[dict[str, Any], int]] = {
    "exact": ({"optimizer": "exact"}, 16),
    "Euclidean": (
        {"optimizer": "euclidean", "step_size": 3e-4, "clip": True, "baseline": True},
        4096,
    ),
    "Riemannian": ({"optimizer": "riemannian", "step_size": 2.0}, 4096),
    "diffusion": ({"optimizer": "diffusion", "step_size": 3e-4, "baseline": True}, 4096),
}


def curves(n_seeds: int, quick: bool) -> dict[str, Curve]:
    """The energies of every optimizer's weights, after more and more steps."""
    tables = [_pairs(seed, 2 if quick else 40) for seed in range(n_seeds)]
    found = {}
    for name, (settings, most) in OPTIMIZERS.items():
        steps = [int(n) for n in STEPS if n <= most // (16 if quick else 1)]
        runs = [
            [_after(n, pairs, seed, settings) for n in steps] for seed, pairs in enumerate(tables)
        ]
        found[name] = Curve(steps, *np.moveaxis(np.array(runs), 2, 0))
    return found


def _pairs(seed: int, n_draws: int) -> list[PairErrors]:
    """On the training rows and on as many new ones."""
    learn, fresh = (Labelled(*make_ternary(random_state=s)[:2]) for s in (seed, 1000 + seed))
    return [PairErrors(learn, test, n_draws, seed) for test in (learn, fresh)]


def _after(
    n_steps: int, pairs: list[PairErrors], seed: int, settings: dict[str, Any]
) -> tuple[float, ...]:
    """Seconds, both energies and the effective number of variables."""
    begin = time.process_time()
    weights = _weights(seed, 2, n_steps, settings)
    seconds = time.process_time() - begin
    return seconds, *(100 * table.energy(weights) for table in pairs), effective(weights)


def _weights(seed: int, k: int, n_steps: int, settings: dict[str, Any]) -> np.ndarray:
    """Every time from the start, with the same draws."""
    X, y, _ = make_ternary(random_state=seed)
    selector = weighting(
        seed,
        base="knn",
        n_neighbors=NEIGHBOURS,
        metric="hamming",
        subset_size=k,
        sample_size=SAMPLE,
        max_iter=n_steps,
        **settings,
    )
    return selector.fit(X, y).weights_


COLUMNS = (
    "optimizer",
    "steps",
    "seconds",
    "after 1 step",
    "on the way",
    "at the end",
    "at the end, new rows",
    "effective number of variables",
)


def figures_6_to_8(found: dict[str, Curve]) -> Iterator[tuple[str, ...]]:
    for name, curve in found.items():
        yield (
            name,
            f"{curve.steps[-1]:,}",
            spread(curve.seconds[:, -1], 1),
            *(spread(curve.train[:, place]) for place in (0, len(curve.steps) // 2, -1)),
            spread(curve.test[:, -1]),
            spread(curve.effective[:, -1], 1),
        )


# ---- figure 9: which variables ----

SUBSETS = (2, 3, 4)


def limits(n_seeds: int, n_steps: int) -> dict[int, np.ndarray]:
    """The weights that the Riemannian optimizer learns, in percent: one row per seed."""
    settings, _ = OPTIMIZERS["Riemannian"]
    return {
        k: 100 * np.array([_weights(seed, k, n_steps, settings) for seed in range(n_seeds)])
        for k in SUBSETS
    }


def figure_9(found: dict[int, np.ndarray]) -> Iterator[tuple[str, ...]]:
    """The weight of one variable of each group, and how many of the reusable ones come first."""
    for k, weights in found.items():
        first = np.argsort(-weights, axis=1, kind="stable")[:, :3]
        reusable = np.isin(first, REUSABLE).sum(axis=1)
        each = (spread(weights[:, group].mean(axis=1)) for group in GROUPS.values())
        yield f"k = {k}", *each, spread(reusable, 1)
