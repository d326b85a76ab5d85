"""Inputs: what is given to a comparison, checked before any work."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.utils import check_random_state

from handful import checks, columns
from handful.columns import Columns
from handful.evaluation.comparison import Fold
from handful.evaluation.profiles import class_label
from handful.evaluation.record import ClassCount, Data, fingerprint
from handful.stopping import OwnScorer, Scorer, resolve_scorer
from handful.target import Target, encode

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def draw_seed(random_state: Any, stored: int | None) -> int:
    """A whole number for the record; with no random_state that of a run that is to go on."""
    if random_state is None:
        return stored if stored is not None else int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        checks.whole("random_state", int(random_state), 0)
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def check_named(what: str, needed: Sequence[str], estimators: Any) -> None:
    """Raise unless `estimators` names instances that have the methods `needed`."""
    if not isinstance(estimators, Mapping):
        raise TypeError(
            f"{what} must be a mapping of names to estimators, such as {{'name': ...}}, not "
            f"{type(estimators).__name__}."
        )
    if not estimators:
        raise ValueError(f"{what} is empty; at least one is needed.")
    for name, estimator in estimators.items():
        if not isinstance(name, str) or not name:
            raise TypeError(f"{what} has the name {name!r}; names are texts.")
        if isinstance(estimator, type):
            raise TypeError(
                f"{what}[{name!r}] is the class {estimator.__name__}; give an instance, "
                f"{estimator.__name__}()."
            )
        for method in needed:
            if not hasattr(estimator, method):
                raise TypeError(
                    f"{what}[{name!r}] is a {type(estimator).__name__} without {method}()."
                )


def open_target(y: Any, classifiers: Mapping[str, Any], n_rows: int, sample_weight: Any) -> Target:
    """The target, for the task that the classifiers are for."""
    y = y.toarray() if issparse(y) else np.asarray(y)
    if y.ndim == 0 or len(y) != n_rows:
        raise ValueError(f"X has {n_rows} rows and y the shape {y.shape}; one entry per row.")
    known = {name: model for name, model in classifiers.items() if isinstance(model, BaseEstimator)}
    numbers = [name for name, model in known.items() if is_regressor(model)]
    classes = [name for name, model in known.items() if is_classifier(model)]
    if numbers and classes:
        raise ValueError(
            f"{classes[0]!r} is a classifier and {numbers[0]!r} a regressor; compare them apart."
        )
    target = encode(
        y,
        tasks=("classification", "regression"),
        task="regression" if numbers else "auto",
        several=True,
        weight=columns.as_weight(sample_weight, n_rows),
    )
    if target.task == "regression" and classes:
        raise ValueError(
            f"y holds numbers and {classes[0]!r} is a classifier; use regressors, or turn y into "
            "classes."
        )
    return target


def open_groups(groups: Any, n_rows: int) -> NDArray | None:
    """One group per row."""
    if groups is None:
        return None
    groups = np.asarray(groups)
    if groups.shape != (n_rows,):
        raise ValueError(f"groups has the shape {groups.shape}; {n_rows} rows need one each.")
    return groups


def check_sizes(sizes: Iterable[int] | None, n_features: int) -> list[int] | None:
    """Ascending numbers of features, each once."""
    if sizes is None:
        return None
    wanted = list(sizes)
    for size in wanted:
        checks.whole("sizes", size)
    if not wanted or max(wanted) > n_features:
        raise ValueError(f"sizes={wanted} must hold numbers from 1 to n_features={n_features}.")
    return sorted({int(size) for size in wanted})


def resolve_metrics(metrics: str | Sequence[Any] | None, target: Target) -> dict[str, Scorer]:
    """Scorers by name, each fit for the target."""
    if metrics is None:
        if target.task == "regression":
            metrics = ["r2"]
        else:
            metrics = ["f1_macro", "f1_micro"] if target.codes is None else ["balanced_error"]
    listed = [metrics] if isinstance(metrics, str) or callable(metrics) else list(metrics)
    if not listed:
        raise ValueError("metrics is empty; at least one is needed.")
    found: dict[str, Scorer] = {}
    for metric in listed:
        name, scorer = resolve_scorer(metric)
        if name in found:
            raise ValueError(f"The metric {name!r} stands twice in metrics.")
        if isinstance(scorer, OwnScorer) and target.task == "regression":
            raise ValueError(
                f"{name!r} is for classes, and y holds numbers; use 'r2' or "
                "'neg_root_mean_squared_error'."
            )
        if isinstance(scorer, OwnScorer):
            scorer.against(target.original, target.weight)  # raises where the target is not for it
        found[name] = scorer
    return found


def describe_fold(split: Split, target: Target) -> Fold:
    """How large a fold is, which rows are in it, and which classes are not."""
    train, test = split
    digest = hashlib.sha256()
    for rows in split:
        digest.update(np.asarray([len(rows), *rows], dtype="<i8").tobytes())
    absent = [_absent(rows, target) for rows in split]
    return Fold(len(train), len(test), digest.hexdigest(), *absent)


def _absent(rows: NDArray[np.intp], target: Target) -> list[str]:
    if target.codes is None or target.classes is None:
        return []
    counts = np.bincount(target.codes[rows], minlength=target.n_classes)
    return [class_label(label) for label in target.classes[counts == 0]]


def describe_data(table: Columns, target: Target, name: str, y_name: str, called: str) -> Data:
    """The table as the record shows it."""
    y = target.original
    if y.ndim == 1:
        return Data.of(table, y, target.task, name=name, target=y_name, called=called)
    classes: list[ClassCount] = []
    spread: list[float] = []
    if target.task == "classification":
        members = (y > 0).sum(axis=0).tolist()
        classes = [ClassCount(str(label), count) for label, count in enumerate(members)]
    else:
        spread = [float(np.min(y)), float(np.median(y)), float(np.max(y))]
    sha256 = fingerprint(table, y)
    return Data(name, *table.shape, target.task, y_name, called, classes, spread, sha256)


def hash_of(values: NDArray | None) -> str | None:
    """A hash of weights or groups."""
    if values is None:
        return None
    return hashlib.sha256(repr(values.tolist()).encode()).hexdigest()
