"""What compare says to input that it cannot use, and what it does with what fails on the way."""

import errno
import math
import os

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from handful import FilterSelector
from handful.evaluation import CheckpointError, compare, named
from handful.stopping import CrossValidated, EmpiricalProbe, StabilityThreshold

X, Y = make_classification(60, 20, random_state=0)
METHODS = {"f": FilterSelector("f")}
MODELS = {"Bayes": GaussianNB()}


class Moody(ClassifierMixin, BaseEstimator):
    """Fails where it is shown a given row to learn from, or more columns than it likes."""

    def __init__(self, row, most=100):
        self.row, self.most = row, most

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if X.shape[1] > self.most:
            raise RuntimeError("too   many\ncolumns")
        if (X[:, 0] == self.row).any():
            raise RuntimeError("not this row")
        return self

    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))


# ---- what fails on the way is written down, and the rest goes on ----


def test_a_classifier_that_fails_in_one_fold():
    train, _ = list(StratifiedKFold(3).split(X, Y))[1]
    best = FilterSelector("f", n_features_to_select=1).fit(X[train], Y[train]).selection_order_[0]
    # a row that only the second fold does not test on
    others = [set(part.tolist()) for part, _ in StratifiedKFold(3).split(X, Y)]
    row = min(others[1] - (others[0] & others[2]))
    found = compare(METHODS, {"moody": Moody(X[row, best]), **MODELS}, X, Y, sizes=[1, 2], cv=3)
    failed = {(one.method, one.classifier, one.fold, one.size) for one in found.failures}
    folds = {fold for *_, fold, _ in failed}
    assert 0 < len(folds) < 3
    assert failed == {("f", "moody", fold, size) for fold in folds for size in (1, 2)}
    assert {one.message for one in found.failures} == {"RuntimeError: not this row"}
    table = found.frame()
    missing = table[table.balanced_error.isna()]
    assert set(zip(missing.classifier, missing.fold, strict=True)) == {("moody", f) for f in folds}
    assert found.curve("f", "moody").n_folds == 3 - len(folds)
    assert found.curve("f", "Bayes").n_folds == 3


def test_a_classifier_that_fails_at_one_size():
    found = compare(METHODS, {"moody": Moody(None, 2)}, X, Y, sizes=[1, 2, 3], cv=3)
    assert [(one.fold, one.size) for one in found.failures] == [(0, 3), (1, 3), (2, 3)]
    assert found.failures[0].message == "RuntimeError: too many columns"
    table = found.frame()
    assert table.balanced_error.isna().tolist() == [False, False, True] * 3
    curve = found.curve("f", "moody")
    assert (curve.n_folds, math.isnan(curve.best)) == (0, True)


def test_a_selector_that_fails_in_one_fold():
    def picky(X, y):
        if len(y) == 60 or (X[:, 0] == X_marked[0, 0]).any():
            return X.var(axis=0)
        raise ValueError("where is the first row?")

    X_marked = X.copy()
    found = compare(
        {"picky": FilterSelector(picky), **METHODS}, MODELS, X_marked, Y, sizes=[1, 2], cv=3
    )
    (failure,) = found.failures
    assert (failure.method, failure.classifier, failure.fold) == ("picky", None, 0)
    assert failure.message == "ValueError: where is the first row?"
    table = found.frame()
    assert len(table) == 2 * 2 * 3
    lost = table[table.balanced_error.isna()]
    assert list(zip(lost.method, lost["size"], lost.fold, strict=True)) == [
        ("picky", 1, 0),
        ("picky", 2, 0),
    ]
    (agreed, *_) = [one for one in found.agreement if one.method == "picky"]
    assert agreed.n_folds == 2


def test_a_metric_that_fails_leaves_the_others():
    def broken(estimator, X, y):
        raise ZeroDivisionError("no such thing")

    found = compare(METHODS, MODELS, X, Y, sizes=[1], cv=3, metrics=["accuracy", broken])
    assert {one.message for one in found.failures} == {"ZeroDivisionError: no such thing"}
    table = found.frame()
    assert table.broken.isna().all()
    assert table.accuracy.between(0.5, 1).all()


def test_where_nothing_works_there_is_no_record():
    with pytest.raises(ValueError, match=r"Not one score could be had\. f, moody: RuntimeError"):
        compare(METHODS, {"moody": Moody(None, 0)}, X, Y, sizes=[1], cv=3)
    several = np.column_stack([Y, 1 - Y])
    with pytest.raises(ValueError, match=r"had\. f: ValueError: y has 2 columns"):
        compare(METHODS, MODELS, X, several, sizes=[1], cv=3)


def test_interrupts_are_not_failures():
    def stop(estimator, X, y):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(METHODS, MODELS, X, Y, sizes=[1], cv=3, metrics=[stop])


def test_sizes_beyond_what_a_selector_returns_use_all_it_returns():
    few = X.copy()
    few[:, 3:] = 0.0
    found = compare(METHODS, MODELS, few, Y, sizes=[1, 3, 10], cv=3)
    table = found.frame()
    values = table.pivot(index="fold", columns="size", values="balanced_error")
    assert (values[10] == values[3]).all()
    assert {len(one.indices) for one in found.rankings} == {3}
    assert any("10 features were asked for and 3 are kept" in text for text in found.warnings)
    assert found.curve("f", "Bayes").sizes == [1, 3, 10]
    assert [one.size for one in found.agreement] == [1, 3, 10]


def test_warnings_are_counted_among_the_fits_of_their_own_method():
    few = X.copy()
    few[:, 3:] = 0.0
    two = METHODS | {"five": FilterSelector("f", n_features_to_select=StabilityThreshold(1.0))}
    found = compare(two, MODELS, few, Y, sizes=[10], cv=3)
    assert [text.partition(":")[0] for text in found.warnings] == ["f"]
    assert found.warnings[0].endswith(" (in 4 of 4 fits)")


def test_a_rule_that_keeps_nothing_leaves_the_most_frequent_class():
    rng = np.random.default_rng(0)
    noise, y = rng.standard_normal((60, 20)), np.repeat([0, 1, 1], 20)
    rule = EmpiricalProbe(risk=0.05, n_rounds=19, random_state=0)
    selector = FilterSelector("f", n_features_to_select=rule)
    found = compare({"probe": selector}, MODELS, noise, y, cv=3, metrics=["accuracy"])
    tests = [test for _, test in StratifiedKFold(3).split(noise, y)]
    empty = {fold: rows for fold, rows in found.frame().groupby("fold") if rows["size"].item() == 0}
    assert len(empty) >= 2
    for fold, rows in empty.items():
        assert rows.accuracy.item() == np.mean(y[tests[fold]] == 1)
    assert not found.failures
    assert any("keeps no feature" in text for text in found.warnings)


def test_a_class_that_is_missing_in_a_fold_is_named():
    labels = np.array(["a"] * 28 + ["b"] * 28 + ["rare"] * 4)
    found = compare(METHODS, MODELS, X, labels, sizes=[2], cv=KFold(3))
    assert [fold.unlearned for fold in found.folds] == [[], [], ["rare"]]
    assert [fold.untested for fold in found.folds] == [["b", "rare"], ["rare"], ["a"]]
    assert "Fold 2 has no training row of class rare." in found.warnings
    assert "Fold 0 has no test row of class b, rare." in found.warnings
    assert not found.failures
    found = compare(METHODS, MODELS, X, labels, sizes=[2], cv=StratifiedKFold(5))
    assert any("least populated class" in text for text in found.warnings)


# ---- what cannot be used is refused before any work ----


def overlapping():
    return [(np.arange(40), np.arange(30, 60))]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sizes": [1, 30]}, r"sizes=\[1, 30\] must hold numbers from 1 to n_features=20"),
        ({"sizes": []}, "must hold numbers"),
        ({"sizes": [0]}, "sizes=0 must be at least 1"),
        ({"cv": 40}, "40 folds need 40 rows of every class; class 0 has 30"),
        ({"cv": "40x2"}, "40 folds need 40 rows of every class"),
        ({"cv": 61}, "cv=61 folds need as many rows; there are 60"),
        ({"cv": "5 by 4"}, "cv='5 by 4' is not known; use '5' for 5 folds or '5x4'"),
        ({"cv": "5x0"}, "cv='5x0' is not known"),
        ({"cv": 1}, "at least 2 folds"),
        ({"cv": overlapping()}, "the same 10 row.s., first 30"),
        ({"cv": [([0, 1], [60])]}, "names the test row 60; there are rows 0 to 59"),
        ({"cv": [([0, 1], [])]}, "Fold 0 has no test rows"),
        ({"cv": []}, "gives no fold"),
        ({"metrics": ["balanced_eror"]}, "no score 'balanced_eror'; did you mean 'balanced_error'"),
        ({"metrics": ["accuracy", "accuracy"]}, "'accuracy' stands twice"),
        ({"metrics": []}, "metrics is empty"),
        ({"groups": [1, 2]}, r"groups has the shape \(2,\); 60 rows"),
        ({"sample_weight": -np.ones(60)}, "sample_weight"),
        ({"random_state": -1}, "random_state=-1"),
        ({"selectors": {}}, "selectors is empty"),
        ({"classifiers": {}}, "classifiers is empty"),
        ({"classifiers": {"ridge": Ridge(), **MODELS}}, "'Bayes' is a classifier and 'ridge'"),
        ({"y": np.linspace(0, 1, 60)}, "y holds numbers and 'Bayes' is a classifier"),
        ({"y": Y[:50]}, r"X has 60 rows and y the shape \(50,\)"),
        ({"y": np.zeros(60)}, "1 class only"),
        (
            {"classifiers": {"line": LinearRegression()}, "metrics": "balanced_error"},
            "'balanced_error' is for classes",
        ),
    ],
    ids=str,
)
def test_refusals(change, message):
    given = {"selectors": METHODS, "classifiers": MODELS, "X": X, "y": Y, "sizes": [1], "cv": 3}
    with pytest.raises(ValueError, match=message):
        compare(**(given | change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"selectors": [("f", FilterSelector())]}, "must be a mapping of names to estimators"),
        ({"selectors": {"f": FilterSelector}}, r"the class FilterSelector; give an instance"),
        ({"selectors": {"nb": GaussianNB()}}, r"without get_support\(\)"),
        ({"classifiers": {3: GaussianNB()}}, "has the name 3; names are texts"),
        ({"sizes": [1.5]}, "sizes must be a whole number"),
        ({"metrics": [3]}, "not 3"),
    ],
    ids=str,
)
def test_refusals_of_types(change, message):
    given = {"selectors": METHODS, "classifiers": MODELS, "X": X, "y": Y, "sizes": [1], "cv": 3}
    with pytest.raises(TypeError, match=message):
        compare(**(given | change))


# ---- names, as the command line gives them ----


def test_named_parts_make_a_comparison():
    found = compare(
        named.selectors("fisher, f", "classification"),
        named.classifiers("naive-bayes,linear-svm,tree", "classification"),
        X,
        Y,
        sizes=named.sizes("1,2,5"),
        cv="3x2",
        metrics=named.metrics("balanced_error,auc"),
        random_state=0,
    )
    assert [one.what for one in found.methods] == ["fisher", "f"]
    assert len(found.frame()) == 2 * 3 * 3 * 6
    assert not found.failures


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: named.selectors("f,f", "classification"), "The method 'f' stands twice in 'f,f'"),
        (lambda: named.selectors("f,", "classification"), "lacks a method beside a comma"),
        (lambda: named.selectors("fischer", "classification"), "did you mean 'fisher'"),
        (lambda: named.selectors("fisher", "regression"), "'fisher' is for classification, not"),
        (lambda: named.classifiers("logistic", "regression"), "'logistic' is for classification"),
        (lambda: named.classifiers("tre", "regression"), "did you mean 'tree'"),
        (lambda: named.sizes("1,two"), "'1,two' are no sizes"),
        (lambda: named.sizes("1,1"), "The size '1' stands twice"),
    ],
)
def test_names_that_do_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ---- checkpoints of other runs, and full disks ----


def run(folder, **change):
    given = {"selectors": METHODS, "classifiers": MODELS, "X": X, "y": Y, "sizes": [1, 2]}
    return compare(**(given | {"cv": "3", "random_state": 0, "checkpoint": folder} | change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": X + 1}, "data.sha256 was"),
        ({"y": 1 - Y}, "data.sha256 was"),
        ({"random_state": 1}, "seed was 0 and is 1"),
        ({"sizes": [1, 3]}, r"sizes was \[1, 2\] and is \[1, 3\]"),
        ({"metrics": ["accuracy"]}, "metrics was"),
        ({"cv": "4"}, "folds was"),
        ({"selectors": {"f": FilterSelector("fisher")}}, "selectors.f was"),
        (
            {"selectors": {"g": FilterSelector("f")}},
            "selectors.f is there only; selectors.g is new",
        ),
        ({"classifiers": {"Bayes": GaussianNB(var_smoothing=0.1)}}, "classifiers.Bayes was"),
        ({"sample_weight": np.ones(60)}, "sample_weight was null"),
    ],
    ids=str,
)
def test_the_checkpoint_of_another_run_is_refused(tmp_path, change, message):
    run(tmp_path)
    before = {place: place.read_bytes() for place in tmp_path.iterdir()}
    with pytest.raises(CheckpointError, match=message):
        run(tmp_path, **change)
    assert before == {place: place.read_bytes() for place in tmp_path.iterdir()}


def test_a_rule_is_part_of_what_a_run_is(tmp_path):
    for sizes in ([1, 2], [1, 3]):
        rule = CrossValidated(GaussianNB(), sizes=sizes, cv=3)
        selector = {"f": FilterSelector("f", n_features_to_select=rule)}
        if sizes == [1, 2]:
            run(tmp_path, selectors=selector)
        else:
            with pytest.raises(CheckpointError, match=r"selectors\.f was"):
                run(tmp_path, selectors=selector)


def test_without_a_seed_the_checkpoints_seed_goes_on(tmp_path):
    first = run(tmp_path, random_state=None)
    assert run(tmp_path, random_state=None).seed == first.seed


def test_folders_that_hold_something_else(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CheckpointError, match="not empty and holds no checkpoint"):
        run(tmp_path)
    with pytest.raises(NotADirectoryError, match="is a file; name a folder"):
        run(tmp_path / "notes.txt")
    with pytest.raises(ValueError, match="no score"):
        run(tmp_path / "new" / "folder", metrics=["acuracy"])
    assert not (tmp_path / "new").exists()
    run(tmp_path / "new" / "folder")
    damaged = tmp_path / "new" / "folder" / "method-0-fold-1.json"
    for content, why in (("{", "no JSON"), ("{}", "lacks 'method'")):
        damaged.write_text(content)
        with pytest.raises(CheckpointError, match=rf"fold-1\.json is damaged.*{why}"):
            run(tmp_path / "new" / "folder")


def test_a_full_disk_keeps_what_is_finished(tmp_path, monkeypatch):
    real, calls = os.fsync, []

    def full(file):
        calls.append(file)
        if len(calls) > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(file)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"cannot be written \(No space left on device") as caught:
        run(tmp_path)
    assert caught.value.errno == errno.ENOSPC
    names = {place.name for place in tmp_path.iterdir()}
    assert names == {"run.json", "method-0-fold-0.json", "method-0-fold-1.json"}
    monkeypatch.undo()
    assert run(tmp_path).frame().equals(run(None).frame())
