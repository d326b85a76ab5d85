"""Records of every kind of answer, made by fitting small tables; each is made once."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from handful import FilterSelector, RandomSelector
from handful.datasets import load_leukaemia
from handful.evaluation import Selection, compare
from handful.stopping import AnalyticProbe, CrossValidated, EmpiricalProbe, StabilityThreshold

HOSTILE = [
    "<script>alert(1)</script>",
    "=cmd()|' /C calc'!A0",
    "very_long_" * 60,
    "שלום עולם",
    "温度センサー",
    "\u202egnp.exe",
    "line\nbreak\x00\x1b[31m",
    '"><svg onload=alert(1)>',
    "&amp;",
    "{{ 7 * 7 }}{% raw %}",
]

_KEPT = {
    "number": (20, "fisher"),
    "probe": (EmpiricalProbe(n_rounds=19, random_state=0), "fisher"),
    "analytic": (AnalyticProbe(probes="all"), "f"),
    "best size": (CrossValidated(sizes=[1, 2, 5, 10, 20]), "fisher"),
    "smallest size": (CrossValidated(sizes=[1, 5, 10, 20], rule="one_standard_error"), "fisher"),
    "stable": (StabilityThreshold(n_resamples=20, random_state=0), "fisher"),
    "long": (2000, "fisher"),
}
NAMES = [
    *_KEPT,
    "numbers",
    "numbers by size",
    "many classes",
    "binary",
    "nothing",
    "one",
    "hostile",
]

COMPARISONS = [
    "compared",
    "compared numbers",
    "compared own sizes",
    "compared one fold",
    "compared failing",
    "compared hostile",
]


@cache
def record(name):
    """The record of this name."""
    if name in COMPARISONS:
        return _compared(name)
    return _leukaemia(*_KEPT[name]) if name in _KEPT else _made(name)


def _leukaemia(kept, score):
    table = load_leukaemia()
    X = pd.DataFrame(table.data, columns=table.feature_names)
    selector = FilterSelector(score=score, n_features_to_select=kept).fit(X, table.target)
    about = {"name": "leukaemia.csv", "target": "type", "called": "genes"}
    descriptions = table.feature_descriptions
    return Selection.of(selector, X, table.target, **about, descriptions=descriptions, seconds=0.31)


def _made(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 40))
    rule = EmpiricalProbe(n_rounds=19, random_state=0)
    if name in ("numbers", "numbers by size"):
        y = 40 * (3 * X[:, 3] - 2 * X[:, 7] + X[:, 11] + rng.normal(size=150)) + 300
        X[:, 7], X[:, 11] = X[:, 7] > 0, np.round(X[:, 11])
        kept = 8 if name == "numbers" else CrossValidated(sizes=[1, 2, 3, 4])
        return _of(X, y, kept, "f", target="yield (g)")
    if name == "many classes":
        y = np.arange(150) % 15
        X[:, 4] += y
        X[:, 5] = np.clip(np.round(X[:, 5] + y / 4), 0, 4)
        return _of(X, np.array([f"class {label}" for label in y]), 4, "fisher")
    if name == "hostile":
        y = np.arange(150) % 2
        X = X[:, : len(HOSTILE)] + y[:, None] * np.linspace(2, 1, len(HOSTILE))
        labels = np.where(y, "<b>sick</b>", "בריא")
        about = {"name": "<img src=x>.csv", "target": HOSTILE[7], "called": HOSTILE[0]}
        remarks = {"descriptions": HOSTILE[::-1], "warnings": [HOSTILE[0]], "command": HOSTILE[6]}
        return _of(
            pd.DataFrame(X, columns=HOSTILE), labels, len(HOSTILE), "fisher", **about, **remarks
        )
    y = rng.integers(0, 2, 150)
    if name == "binary":
        return _of((X + 0.8 * y[:, None] > 1).astype(np.int8), y, 6, "chi2")
    if name == "one":
        X[:, 5] += 3 * y
    return _of(X, y, rule, "fisher")


def _of(X, y, kept, score, **about):
    selector = FilterSelector(score=score, n_features_to_select=kept)
    with warnings.catch_warnings():
        # keeping nothing is worth a warning, which is not what these tests are about
        warnings.filterwarnings("ignore", "EmpiricalProbe keeps no feature")
        return Selection.of(selector.fit(X, y), X, y, **about)


class Failing(GaussianNB):
    """Cannot learn from an odd number of columns."""

    def fit(self, X, y):
        if X.shape[1] % 2:
            raise ValueError("an odd number of columns")
        return super().fit(X, y)


def _compared(name):
    if name == "compared":
        return _compared_leukaemia()
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 30))
    y = (X[:, 2] + X[:, 5] + 0.5 * rng.normal(size=60) > 0).astype(int)
    methods = {"fisher": FilterSelector("fisher"), "lot": RandomSelector()}
    models = {"Bayes": GaussianNB(), "neighbours": KNeighborsClassifier()}
    how = {"sizes": [1, 2, 5], "cv": "5x2", "random_state": 0}
    if name == "compared numbers":
        y, methods["fisher"] = 10 * (X[:, 2] + X[:, 5]) + 3, FilterSelector("f")
        models = {"ridge": Ridge(), "neighbours": KNeighborsRegressor()}
        how["metrics"] = ["neg_mean_absolute_error", "r2"]
    if name == "compared own sizes":
        rule = EmpiricalProbe(0.1, n_rounds=19)
        methods = {"probed": FilterSelector(n_features_to_select=rule), "lot": RandomSelector(3)}
        how["sizes"] = None
    if name == "compared one fold":
        how["cv"] = [(np.arange(40), np.arange(40, 60))]
    if name == "compared failing":
        models = {"failing": Failing(), "constant": DummyClassifier()}
    if name == "compared hostile":
        X = pd.DataFrame(X[:, : len(HOSTILE)], columns=HOSTILE)
        y = np.where(y, "<b>sick</b>", "בריא")
        methods = dict(zip(HOSTILE, methods.values(), strict=False))
        models = dict(zip(HOSTILE[2:], models.values(), strict=False))
        how |= {"name": "<img src=x>.csv", "target": HOSTILE[7], "called": HOSTILE[0]}
        how |= {"descriptions": HOSTILE[::-1], "command": HOSTILE[6]}
    return compare(methods, models, X, y, **how)


def _compared_leukaemia():
    table = load_leukaemia(split="all")
    X = pd.DataFrame(table.data, columns=table.feature_names)
    methods = {name: FilterSelector(name) for name in ("fisher", "correlation")}
    return compare(
        {**methods, "lot": RandomSelector()},
        {"naive Bayes": GaussianNB(), "neighbours": KNeighborsClassifier()},
        X,
        table.target,
        sizes=[1, 2, 5, 10, 20],
        cv="5x2",
        metrics=["balanced_error", "auc"],
        random_state=0,
        name="leukaemia.csv",
        target="type",
        called="genes",
        descriptions=table.feature_descriptions,
    )
