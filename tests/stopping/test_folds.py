"""Folds and scores: what scikit-learn gives, with what it lacks, checked once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, roc_auc_score
from sklearn.model_selection import (
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
)

from handful.stopping import resolve_scorer, split_rows
from handful.target import encode

LABELS = np.array(["a", "b", "b"] * 10)
NUMBERS = np.linspace(0, 1, 30)
TASKS = ("classification", "regression")


def target(y):
    return encode(y, tasks=TASKS, several=True)


def plain(splits):
    return [(train.tolist(), test.tolist()) for train, test in splits]


@pytest.mark.parametrize(
    ("cv", "y", "expected"),
    [
        (3, LABELS, StratifiedKFold(3)),
        (3, NUMBERS, KFold(3)),
        (3, np.column_stack([LABELS == "a", LABELS == "b"]).astype(int), KFold(3)),
        ("3", LABELS, RepeatedStratifiedKFold(n_splits=3, n_repeats=1, random_state=5)),
        ("3x4", LABELS, RepeatedStratifiedKFold(n_splits=3, n_repeats=4, random_state=5)),
        (" 3 × 2 ", NUMBERS, RepeatedKFold(n_splits=3, n_repeats=2, random_state=5)),
        (ShuffleSplit(4), LABELS, ShuffleSplit(4, random_state=5)),
        (ShuffleSplit(4, random_state=1), LABELS, ShuffleSplit(4, random_state=1)),
    ],
    ids=str,
)
def test_folds_are_scikit_learns(cv, y, expected):
    found = split_rows(cv, target(y), seed=5)
    assert plain(found) == plain(expected.split(np.zeros(30), y))


def test_the_callers_splitter_is_left_alone():
    splitter = ShuffleSplit(2)
    split_rows(splitter, target(LABELS), seed=5)
    assert splitter.random_state is None


@given(
    st.lists(st.integers(0, 9), min_size=30, max_size=30).filter(lambda one: len(set(one)) > 4),
    st.integers(1, 3),
)
@settings(max_examples=30)
def test_rounds_of_groups_keep_groups_whole(groups, n_rounds):
    groups = np.array(groups)
    for y in (np.array([0, 1] * 15), NUMBERS):
        splits = split_rows(f"2x{n_rounds}", target(y), groups, seed=0)
        assert len(splits) == 2 * n_rounds
        for train, test in splits:
            assert not set(groups[train]) & set(groups[test])
        for first, second in zip(splits[::2], splits[1::2], strict=True):
            assert sorted([*first[1], *second[1]]) == list(range(30))


def test_masks_are_rows_too():
    mask = np.arange(30) < 20
    ((train, test),) = split_rows([(mask, ~mask)], target(LABELS))
    assert (train.tolist(), test.tolist()) == (list(range(20)), list(range(20, 30)))


@pytest.mark.parametrize(
    ("own", "theirs", "sign"),
    [
        ("balanced_error", "balanced_accuracy", -1),
        ("accuracy", "accuracy", 0),
        ("auc", "roc_auc", 0),
    ],
)
def test_own_scorers_agree_with_scikit_learns(own, theirs, sign):
    X, y = make_classification(120, 8, flip_y=0.3, random_state=0)
    model = LogisticRegression().fit(X[:60], y[:60])
    _, scorer = resolve_scorer(own)
    for weight in (None, np.random.default_rng(0).integers(0, 4, 60)):
        expected = get_scorer(theirs)(model, X[60:], y[60:], sample_weight=weight) + sign
        found = scorer(model, X[60:], y[60:], sample_weight=weight)
        assert found == pytest.approx(expected, abs=1e-12)


def test_the_area_of_many_classes_is_the_mean_over_classes():
    X, y = make_classification(120, 8, n_informative=5, n_classes=3, random_state=0)
    model = LogisticRegression().fit(X[:60], y[:60])
    values = model.decision_function(X[60:])
    areas = [roc_auc_score(y[60:] == label, values[:, label]) for label in range(3)]
    _, scorer = resolve_scorer("auc")
    assert scorer(model, X[60:], y[60:]) == pytest.approx(np.mean(areas), abs=1e-12)


def test_a_score_needs_something_to_score_with():
    class Mute:
        def fit(self, X, y):
            return self

    _, scorer = resolve_scorer("auc")
    with pytest.raises(TypeError, match="Mute has neither decision_function nor predict_proba"):
        scorer(Mute(), [[1.0]], [1])
