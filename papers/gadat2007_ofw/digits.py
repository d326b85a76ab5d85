"""Section 5.2.3: the ten digits of USPS by 2,418 edge detectors, a linear SVM for each digit."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from beside import spread, weighting
from edges import Images
from sklearn.svm import LinearSVC

from handful import SubsetVoteClassifier

N_DETECTORS = 2418
DIGITS = np.arange(10)
SUBSET = 100  # k while learning
SAMPLE = 100  # T
N_STEPS = 400  # of eight subsets
SUBSETS = (40, 100)
VOTERS = 10  # for each digit
MODEL = LinearSVC(C=0.1, loss="hinge", random_state=0)


def learn(images: Images, n_seeds: int, n_steps: int) -> dict[str, np.ndarray]:
    """Weights, one row per seed, and the uniform ones beside them."""
    learnt = np.array([_weights(images, seed, n_steps) for seed in range(n_seeds)])
    return {"uniform": np.full(learnt.shape, 1 / N_DETECTORS), "riemannian": learnt}


def _weights(images: Images, seed: int, n_steps: int) -> np.ndarray:
    # every draw of columns is judged by ten machines, each digit against all
    selector = weighting(seed, base="svm", subset_size=SUBSET, sample_size=SAMPLE, max_iter=n_steps)
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
    measured: dict[str, np.ndarray], *, ratio: str = "", vote: float | None = None
) -> Iterator[tuple[str, ...]]:
    """One row per law and one column per k; then what the paper prints, a ratio or a vote."""
    for name, runs in measured.items():
        said = "" if vote is None or name == "uniform" else f"{vote} (k = 100)"
        yield name, said, *(spread(column) for column in runs.T)
    for name in list(measured)[1:] if ratio else ():
        shares = 100 * measured[name] / measured["uniform"]
        yield f"{name} / uniform (%)", ratio, *(spread(share, 0) for share in shares.T)


# ---- figure 22: the vote ----


class Votes(NamedTuple):
    """Test errors in percent, by law (seed, k)."""

    all_classes: dict[str, np.ndarray]  # the digit with most votes
    one_class: dict[str, np.ndarray]  # each digit's own voters, on average over the digits


def votes(images: Images, learnt: dict[str, np.ndarray], n_voters: int) -> Votes:
    found = {
        name: np.array(
            [
                [_vote(images, chances, k, n_voters, seed) for k in SUBSETS]
                for seed, chances in enumerate(weights)
            ]
        )
        for name, weights in learnt.items()
    }
    return Votes(*({name: runs[:, :, i] for name, runs in found.items()} for i in range(2)))


def _vote(
    images: Images, chances: np.ndarray, k: int, n_voters: int, seed: int
) -> tuple[float, float]:
    """Voters for each digit against all others, each on detectors of its own."""
    truth = images.test.y
    shares = []
    for digit in DIGITS:
        model = SubsetVoteClassifier(
            MODEL,
            weights=chances,
            n_classifiers=n_voters,
            subset_size=k,
            random_state=10 * seed + int(digit),
        )
        model.fit(images.learn.X, images.learn.y == digit)
        shares.append(model.predict_proba(images.test.X)[:, 1])
    each = np.mean([(share > 0.5) != (truth == digit) for digit, share in enumerate(shares)])
    return 100 * float(np.mean(np.argmax(shares, axis=0) != truth)), 100 * float(each)
