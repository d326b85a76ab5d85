"""Section 5.2.1: faces and backgrounds by 1,926 edge detectors and linear SVMs."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from beside import (
    Labelled,
    effective,
    errors,
    forest_error,
    printed,
    rankings,
    spread,
    weighting,
)
from edges import Images
from sklearn.svm import LinearSVC

from handful import SubsetVoteClassifier

N_DETECTORS = 1926
SUBSET = 100  # k
SAMPLE = 100  # T
N_STEPS = 500  # of eight subsets
FIGURE_14 = (20, 30, 50, 100)
SIZES = (20, 50, 100, 200)
N_TREES = 200
MODEL = LinearSVC(loss="hinge", random_state=0)


class Learnt(NamedTuple):
    """Weights by optimizer, one row per seed."""

    uniform: np.ndarray
    riemannian: np.ndarray
    diffusion: np.ndarray


def learn(images: Images, n_seeds: int, n_steps: int) -> Learnt:
    found = {}
    for optimizer in ("riemannian", "diffusion"):
        found[optimizer] = np.array(
            [_weights(images.learn, seed, optimizer, n_steps) for seed in range(n_seeds)]
        )
    shape = found["riemannian"].shape
    return Learnt(np.full(shape, 1 / shape[1]), **found)


def _weights(rows: Labelled, seed: int, optimizer: str, n_steps: int) -> np.ndarray:
    selector = weighting(
        seed,
        optimizer=optimizer,
        base="svm",
        subset_size=SUBSET,
        sample_size=SAMPLE,
        max_iter=n_steps,
    )
    return selector.fit(*rows).weights_


def figure_14(images: Images, learnt: Learnt, n_subsets: int) -> Iterator[tuple[str, ...]]:
    """Mean test error of one SVM on k detectors drawn from the weights."""
    for name, weights in zip(Learnt._fields, learnt, strict=True):
        cells = []
        for k in FIGURE_14:
            measured = []
            for seed, chances in enumerate(weights):
                rng = np.random.default_rng([seed, 14])
                drawn = [rng.choice(N_DETECTORS, k, p=chances) for _ in range(n_subsets)]
                measured.append(errors(drawn, MODEL, images.learn, images.test).mean())
            cells.append(spread(measured))
        yield name, *cells, spread(map(effective, weights), 0)


def votes(
    said: dict[str, float], images: Images, learnt: Learnt, n_voters: int = 10
) -> Iterator[tuple[str, ...]]:
    """The majority of ten SVMs on 100 detectors each."""
    keys = ("before learning", "riemannian", "diffusion")
    for key, name, weights in zip(keys, Learnt._fields, learnt, strict=True):
        wrong, missed = [], []
        for seed, chances in enumerate(weights):
            model = SubsetVoteClassifier(
                MODEL,
                weights=chances,
                subset_size=SUBSET,
                n_classifiers=n_voters,
                random_state=seed,
            )
            answer = model.fit(*images.learn).predict(images.test.X)
            wrong.append(100 * np.mean(answer != images.test.y))
            missed.append(100 * np.mean(answer[images.test.y == 1] != 1))
        yield name, str(said[key]), spread(wrong), spread(missed)
    share = 100 * np.mean(images.test.y == 1)
    yield "always “no face”", "", f"{share:.2f}", "100"


def figure_16(said: dict[str, Any], images: Images, learnt: Learnt) -> Iterator[tuple[str, ...]]:
    """Test error by number of detectors."""
    orders: dict[str, list[np.ndarray]] = {}
    for seed, weights in enumerate(learnt.riemannian):
        found = {"OFW": np.argsort(-weights, kind="stable")}
        found |= rankings(images.learn, seed, step=0.1)
        for name, best in found.items():
            orders.setdefault(name, []).append(best)
    for name, found in orders.items():
        measured = np.array(
            [errors([best[:n] for n in SIZES], MODEL, images.learn, images.test) for best in found]
        )
        numbers = said.get(name, {})
        cells = (
            f"{spread(column)}{_said(numbers, n)}"
            for n, column in zip(SIZES, measured.T, strict=True)
        )
        yield name, *cells, ""
    empty = [""] * len(SIZES)
    every = errors([np.arange(N_DETECTORS)], MODEL, images.learn, images.test)
    yield "all detectors", *empty, spread(every)
    for n_trees, key in ((1, "one tree"), (N_TREES, "random forest")):
        forest = [
            forest_error(n_trees, seed, images.learn, images.test)
            for seed in range(len(learnt.uniform))
        ]
        yield f"random forest, {n_trees} trees", *empty, f"{spread(forest)} (printed: {said[key]})"


def _said(numbers: dict[str, Any], size: int) -> str:
    number = printed(numbers, size)
    return f" (printed: {number})" if number else ""
