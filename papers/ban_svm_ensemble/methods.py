"""The paper's five ways to choose, and what they reach on rows that were not seen."""

from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from problems import Problem, Split
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from handful import FilterSelector, RecursiveElimination, StabilityEnsemble
from handful.columns import Columns
from handful.path import Path
from handful.selector import Selector
from handful.solvers.backward import eliminate, plan_of
from handful.solvers.kernel_criterion import GaussianKernel
from handful.solvers.linear_svm import centred
from handful.solvers.support import solve
from handful.stopping import CrossValidated
from handful.target import Target

ALL = "SVM"
METHODS = ("SVM-RFE", "SVM-RFE by sign", "SVM-SE", "combined", "baseline")
# section IV-B
N_RESAMPLES, FRACTION, SHARE = 20, 0.8, 0.05
GRID = {"C": 10.0 ** np.arange(4), "gamma": 10.0 ** np.arange(-2.5, 1, 0.5)}


def selectors(C: float, gamma: float) -> dict[str, Any]:
    """Each ranks all columns."""
    machine = {"C": C, "kernel": "rbf", "gamma": gamma, "n_features_to_select": None}
    ensemble = {**machine, "n_resamples": N_RESAMPLES, "fraction": FRACTION, "random_state": 0}
    return {
        "SVM-RFE": RecursiveElimination("svm", **machine),
        "SVM-RFE by sign": BySign(C, gamma),
        "SVM-SE": StabilityEnsemble(**ensemble),
        "combined": StabilityEnsemble(eliminate=SHARE, **ensemble),
        "baseline": FilterSelector("correlation", n_features_to_select=None),
    }


class BySign(Selector):
    """SVM-RFE by criterion 10 with its sign: what lengthens the normal by going, goes first."""

    def __init__(self, C: float, gamma: float, *, n_features_to_select: Any = None) -> None:
        self.C = C
        self.gamma = gamma
        self.n_features_to_select = n_features_to_select

    def _rank(
        self, table: Columns, target: Target, n: int | None, rng: np.random.Generator, n_jobs: int
    ) -> Path:
        kernel = GaussianKernel(centred(table), self.gamma)
        order, scores = eliminate(_Machine(kernel, target, self.C), plan_of(table.shape[1], 1))
        return Path(order, scores, complete=True)


class _Machine:
    """The machine on the columns that are left."""

    def __init__(self, kernel: GaussianKernel, target: Target, C: float) -> None:
        self._kernel, self._signs = kernel, target.signs[None]
        self._bounds, self._beta = np.full(self._signs.shape, float(C)), None
        self.keep = kernel.keep

    def scores(self) -> np.ndarray:
        self._beta = solve(self._kernel.gram, self._signs, self._bounds, self._beta)
        (found,) = self._kernel.margins(self._beta)
        return found - found.min()


def tuned(split: Split) -> tuple[float, float]:
    """C and gamma by 10-fold cross-validation on the rows to learn from."""
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    search = GridSearchCV(SVC(), GRID, cv=folds, scoring="accuracy").fit(split.X, split.y)
    return search.best_params_["C"], search.best_params_["gamma"]


@dataclass
class Results:
    """Of each method and draw."""

    problem: Problem
    rates: dict[str, list[np.ndarray]] = field(default_factory=dict)  # at `problem.sizes`
    seconds: dict[str, list[float]] = field(default_factory=dict)
    # the size that the method finds by itself, and the rate there
    own: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    orders: dict[str, list[np.ndarray]] = field(default_factory=dict)
    settings: list[tuple[float, float]] = field(default_factory=list)

    def best(self, method: str) -> tuple[int, np.ndarray]:
        """The smallest of the sizes with the best mean rate, and each draw's rate there."""
        rates = np.array(self.rates[method])
        place = int(np.argmax(rates.mean(axis=0)))
        return self.problem.sizes[place], rates[:, place]


def measure(problem: Problem, scale: str, *, tune: bool = False) -> Results:
    results = Results(problem)
    for split in problem.splits(scale):
        C, gamma = tuned(split) if tune else (problem.C, problem.gamma)
        results.settings.append((C, gamma))
        model = SVC(C=C, gamma=gamma)
        every = np.arange(split.X.shape[1])
        results.rates.setdefault(ALL, []).append(np.array([rate(model, split, every)]))
        for name, selector in selectors(C, gamma).items():
            start = perf_counter()
            order = selector.fit(split.X, split.y).path_.features
            results.seconds.setdefault(name, []).append(perf_counter() - start)
            size = own_size(selector, model, split)
            found = {n: rate(model, split, order[:n]) for n in {*problem.sizes, size}}
            results.rates.setdefault(name, []).append(np.array([found[n] for n in problem.sizes]))
            results.own.setdefault(name, []).append((size, found[size]))
            results.orders.setdefault(name, []).append(order)
    return results


def own_size(selector: Any, model: SVC, split: Split) -> int:
    """The combined method's by its out-of-bag rate, the others' by a forward choice."""
    if getattr(selector, "eliminate", None) is not None:
        return selector.n_features_
    rule = CrossValidated(model, cv=3, scoring="accuracy")
    selector.set_params(n_features_to_select=rule).fit(split.X, split.y)
    return selector.n_features_


def rate(model: SVC, split: Split, columns: np.ndarray) -> float:
    """The recognition rate on the test rows."""
    model.fit(split.X[:, columns], split.y)
    return float(model.score(split.X_test[:, columns], split.y_test))
