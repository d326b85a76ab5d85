"""Section 5.2.3: the ten digits of USPS by 2,418 edge detectors, a linear SVM for each digit."""

from collections.abc import Iterator

import numpy as np
from beside import spread, weighting
from edges import Images
from sklearn.svm import LinearSVC

from handful import SubsetVoteClassifier

N_DETECTORS = 2418
DIGITS = np.arange(10)
SUBSET = 100  # k while learning
SAMPLE = 300  # T
N_STEPS = 10_000
SUBSETS = (40, 60, 80, 100)
VOTERS = 10  # for each digit
MODEL = LinearSVC(loss="hinge", random_state=0)


def learn(images: Images, n_seeds: int, n_steps: int) -> dict[str, np.ndarray]:
    """Weights by optimizer, one row per seed."""
    found = {"uniform": np.full((n_seeds, N_DETECTORS), 1 / N_DETECTORS)}
    for optimizer in ("riemannian", "diffusion"):
        found[optimizer] = np.array(
            [_weights(images, seed, optimizer, n_steps) for seed in range(n_seeds)]
        )
    return found


def _weights(images: Images, seed: int, optimizer: str, n_steps: int) -> np.ndarray:
    # every draw of columns is judged by ten machines, each digit against all
    selector = weighting(
        seed,
        optimizer=optimizer,
        base="svm",
        subset_size=SUBSET,
        sample_size=SAMPLE,
        max_iter=n_steps,
    )
    return selector.fit(*images.learn).weights_


# ---- figure 21: the energy ----


def energies(images: Images, learnt: dict[str, np.ndarray], n_draws: int) -> dict[str, np.ndarray]:
    """Mean errors of digit against all on the training set, in percent: by law (seed, k)."""
    return {
        name: np.array(
            [
                [_energy(images, chances, k, n_draws, seed) for k in SUBSETS]
                for seed, chances in enumerate(weights)
            ]
        )
        for name, weights in learnt.items()
    }


def _energy(images: Images, chances: np.ndarray, k: int, n_draws: int, seed: int) -> float:
    """By draws of columns and of two samples of rows, as in learning."""
    rng = np.random.default_rng([seed, 21])
    X, y = images.learn
    wrong = []
    for _ in range(n_draws):
        columns = rng.choice(N_DETECTORS, k, p=chances)
        first, second = rng.integers(len(y), size=(2, SAMPLE))
        A, B = X[np.ix_(first, columns)], X[np.ix_(second, columns)]
        for digit in np.unique(y[first]):
            answer = MODEL.fit(A, y[first] == digit).predict(B)
            wrong.append(np.mean(answer != (y[second] == digit)))
    return 100 * float(np.mean(wrong))


def by_subset(
    measured: dict[str, np.ndarray], said: dict[str, str] | None = None
) -> Iterator[tuple[str, ...]]:
    """One row per law, one column per k; where `said` is given, also after in percent of before."""
    for name, runs in measured.items():
        yield name, "", *(spread(column) for column in runs.T)
    if said is not None:
        for name in list(measured)[1:]:
            ratio = 100 * measured[name] / measured["uniform"]
            called = f"{name} / uniform (%)"
            yield called, said["error after / before learning"], *(spread(r, 0) for r in ratio.T)


# ---- figure 22: the vote ----


def votes(images: Images, learnt: dict[str, np.ndarray], n_voters: int) -> dict[str, np.ndarray]:
    """Test errors of the voters, in percent: by law (seed, k)."""
    return {
        name: np.array(
            [
                [_vote(images, chances, k, n_voters, seed) for k in SUBSETS]
                for seed, chances in enumerate(weights)
            ]
        )
        for name, weights in learnt.items()
    }


def _vote(images: Images, chances: np.ndarray, k: int, n_voters: int, seed: int) -> float:
    model = SubsetVoteClassifier(
        MODEL, weights=chances, subset_size=k, n_estimators=n_voters, random_state=seed
    )
    return 100 * float(np.mean(model.fit(*images.learn).predict(images.test.X) != images.test.y))
