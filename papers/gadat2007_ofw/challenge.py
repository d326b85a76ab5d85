"""Section 5.2.5: four tables of the NIPS 2003 challenge; balanced errors on the validation part.

As in the paper: columns with a Fisher score above 0.01 where it says that this helps, weights
learnt with the base classifier of its table 1, then an SVM with a nonlinear kernel, whose width and
softness are chosen together with the number of columns by tenfold cross-validation on the training
part. The ranking is not learnt anew in the folds.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from beside import Labelled, few_rows, order, rankings, spread, weighting
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.svm import SVC, LinearSVC

from handful.datasets import load
from handful.metrics import balanced_error, probe_fraction

N_TREES = 100


class Task(NamedTuple):
    """One table of the challenge and how it is treated."""

    name: str
    weigh: dict[str, Any]  # table 1's classifier and its subsets
    n_steps: int  # of eight subsets
    prefilter: bool
    sizes: tuple[int, ...]
    widths: tuple[float, ...] = (0.1, 0.3, 1)  # of the kernel, divided by the number of columns
    softness: tuple[float, ...] = (1, 10)

    def parts(self) -> tuple[Labelled, Labelled]:
        """Training and validation part: texts of length 1, measurements of variance 1."""
        learn, valid = (load(self.name, split=split) for split in ("train", "valid"))
        tables = [learn.data, valid.data]
        if self.name == "dexter":
            tables = [normalize(table.astype(np.float64)) for table in tables]
        if sparse.issparse(learn.data):
            tables = [table.astype(np.float64).tocsc() for table in tables]
        else:
            scaler = StandardScaler().fit(learn.data)
            tables = [scaler.transform(table) for table in tables]
        return Labelled(tables[0], learn.target), Labelled(tables[1], valid.target)

    def learner(self, seed: int, n_steps: int, *, prefilter: bool) -> Any:
        return weighting(
            seed,
            **self.weigh,
            max_iter=n_steps,
            prefilter=0.01 if prefilter else None,
            error="balanced",
        )


TASKS = (
    Task(
        "arcene",
        {"base": "svm", "subset_size": 100, "sample_size": 60},
        1_500,
        False,
        (50, 100, 380, 1000),
    ),
    Task(
        "dexter",
        {"base": "svm", "subset_size": 50, "sample_size": 100, "C": 100},
        3_000,
        True,
        (50, 100, 286, 400),
    ),
    Task(
        "dorothea",
        {"base": "svm", "subset_size": 200, "sample_size": 200, "C": 10},
        1_000,
        True,
        (10, 40, 100, 400),
    ),
    Task(
        "madelon",
        {"base": "knn", "subset_size": 20, "sample_size": 200},
        1_500,
        True,
        (5, 11, 14),
        widths=(1, 3),
    ),
)


class Result(NamedTuple):
    """What one ranking came to."""

    error: float  # balanced, validation part, percent
    share: float  # of the columns, percent
    probes: float  # of the chosen ones, percent; NaN where nobody knows


class Judge:
    """The final classifier on the first columns of rankings; each set of columns is judged once."""

    def __init__(self, task: Task, learn: Labelled, valid: Labelled, n_folds: int) -> None:
        self._task, self._learn, self._valid, self._n_folds = task, learn, valid, n_folds
        self._known: dict[bytes, tuple[float, float]] = {}
        self._crossed = few_rows(learn, 0)
        n_columns = learn.X.shape[1]
        real = load(task.name, split="train").relevant
        self._probes = None if real is None else ~np.isin(np.arange(n_columns), real)

    def __call__(self, ranking: np.ndarray) -> Result:
        sizes = [size for size in self._task.sizes if size <= len(ranking)]
        crossed = [self._both(np.sort(ranking[:size]))[0] for size in sizes]
        chosen = np.sort(ranking[: sizes[int(np.argmin(crossed))]])
        n_columns = self._learn.X.shape[1]
        probes = np.nan
        if self._probes is not None:
            probes = 100 * probe_fraction(np.isin(np.arange(n_columns), chosen), self._probes)
        return Result(self._both(chosen)[1], 100 * len(chosen) / n_columns, probes)

    def _both(self, columns: np.ndarray) -> tuple[float, float]:
        """The error in the folds of the training part, and on the validation part."""
        key = columns.tobytes()
        if key not in self._known:
            first, second = (_dense(rows.X[:, columns]) for rows in (self._learn, self._valid))
            # the kernel's width is for columns of variance 1, on average
            scale = np.sqrt(first.var(axis=0).mean())
            grid = {"C": self._task.softness, "gamma": np.array(self._task.widths) / len(columns)}
            folds = StratifiedKFold(self._n_folds, shuffle=True, random_state=0)
            model = SVC(class_weight="balanced")
            search = GridSearchCV(
                model, grid, scoring="balanced_accuracy", cv=folds, refit=False
            ).fit(first[self._crossed] / scale, self._learn.y[self._crossed])
            model.set_params(**search.best_params_).fit(first / scale, self._learn.y)
            error = balanced_error(self._valid.y, model.predict(second / scale))
            self._known[key] = 1 - search.best_score_, 100 * error
        return self._known[key]


def _dense(X: Any) -> np.ndarray:
    return X.toarray() if sparse.issparse(X) else X


def table_2(
    task: Task, said: dict[str, Any], n_seeds: int, *, quick: bool = False
) -> Iterator[tuple[str, ...]]:
    """Balanced error, share of the features and share of probes, printed and measured."""
    learn, valid = task.parts()
    if quick:
        learn = Labelled(learn.X[:600], learn.y[:600])
    judge = Judge(task, learn, valid, 3 if quick else 10)
    linear = LinearSVC(loss="hinge", random_state=0).fit(*learn).predict(valid.X)
    yield (
        "linear SVM",
        f"{said['linear SVM'][0]}",
        f"{100 * balanced_error(valid.y, linear):.2f}",
        "100",
        "",
    )
    n_steps = task.n_steps // (20 if quick else 1)
    kinds = {"OFW": task.prefilter} | ({"OFW, all columns": False} if task.prefilter else {})
    results = {
        name: [
            judge(order(task.learner(seed, n_steps, prefilter=prefilter), learn))
            for seed in range(n_seeds)
        ]
        for name, prefilter in kinds.items()
    }
    results |= {name: [judge(best)] for name, best in rankings(learn, 0, step=0.1).items()}
    for name, found in results.items():
        error, share, probes = zip(*found, strict=True)
        known = "" if np.isnan(probes[0]) else spread(probes)
        yield name, _said(said, name), spread(error), spread(share), known
    forest = []
    n_trees = 30 if quick else N_TREES
    for seed in range(n_seeds):
        model = RandomForestClassifier(n_trees, class_weight="balanced", random_state=seed)
        forest.append(100 * balanced_error(valid.y, model.fit(*learn).predict(valid.X)))
    yield f"random forest, {n_trees} trees", "", spread(forest), "100", ""
    yield "*others, printed*", said["others"], "", "", ""


def _said(said: dict[str, Any], name: str) -> str:
    if name not in said:
        return ""
    error, share = said[name]
    return (
        f"{error} ({share} %, probes {said['probes']} %)"
        if name == "OFW"
        else f"{error} ({share} %)"
    )
