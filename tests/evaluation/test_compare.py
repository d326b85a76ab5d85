"""compare against loops that fit everything again for every size, and against its own parts."""

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification, make_multilabel_classification, make_regression
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.metrics import f1_score, r2_score
from sklearn.model_selection import (
    GroupKFold,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from handful import FilterSelector
from handful.classifiers import SCut
from handful.columns.dense import Dense
from handful.evaluation import (
    Comparison,
    balanced_error,
    compare,
    corrected_resampled_test,
    read_record,
    stability_index,
)
from handful.path import Path, order_by_score
from handful.selector import Selector
from handful.stopping import CrossValidated, EmpiricalProbe, Ranker, resolve_scorer, size_curve
from handful.target import encode

X, Y = make_classification(
    90, 40, n_informative=6, n_redundant=4, n_classes=3, flip_y=0.1, random_state=4
)
LABELS = np.array(["ash", "birch", "cedar"])[Y]
SIZES = [1, 3, 8]
SELECTORS = {"fisher": FilterSelector(), "f": FilterSelector("f")}
CLASSIFIERS = {
    "Bayes": GaussianNB(),
    "machine": make_pipeline(StandardScaler(), LinearSVC(random_state=0)),
}


def scores_of(record):
    """The frame's rows as a dictionary."""
    table = record.columns()
    metrics = [metric.name for metric in record.metrics]
    keys = zip(table["method"], table["classifier"], table["size"], table["fold"], strict=True)
    values = zip(*(table[metric] for metric in metrics), strict=True)
    return dict(zip(keys, values, strict=True))


def timeless(record):
    return replace(record, time={}).to_json()


@pytest.fixture(scope="module")
def record():
    return compare(
        SELECTORS,
        CLASSIFIERS,
        X,
        LABELS,
        sizes=SIZES,
        cv=RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=1),
        metrics=["balanced_error", "accuracy", "f1_macro"],
        random_state=3,
    )


# ---- what is measured ----


def test_scores_are_those_of_fitting_everything_again_for_every_size(record):
    found = scores_of(record)
    splitter = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=1)
    n_seen = 0
    for fold, (train, test) in enumerate(splitter.split(X, LABELS)):
        for method, selector in SELECTORS.items():
            for size in SIZES:
                kept = clone(selector).set_params(n_features_to_select=size)
                features = kept.fit(X[train], LABELS[train]).selection_order_
                for name, classifier in CLASSIFIERS.items():
                    model = clone(classifier).fit(X[np.ix_(train, features)], LABELS[train])
                    answer = model.predict(X[np.ix_(test, features)])
                    expected = (
                        balanced_error(LABELS[test], answer),
                        np.mean(answer == LABELS[test]),
                        f1_score(LABELS[test], answer, average="macro"),
                    )
                    assert found[method, name, size, fold] == pytest.approx(expected, abs=1e-12)
                    n_seen += 1
    assert n_seen == len(found)


def test_the_curve_is_that_of_the_rule(record):
    target = encode(LABELS, tasks=("classification",))
    ranker = Ranker(FilterSelector()._rank, Dense(X), target)
    splitter = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=1)
    splits = list(splitter.split(X, LABELS))
    _, scorer = resolve_scorer("balanced_error")
    expected = size_curve(ranker, GaussianNB(), scorer, np.array(SIZES), splits)
    curve = record.curve("fisher", "Bayes")
    assert curve.mean == pytest.approx((-expected.mean).tolist(), abs=1e-15)
    assert curve.standard_error == pytest.approx(expected.standard_error.tolist(), abs=1e-15)
    assert curve.best == expected.best()
    assert curve.one_standard_error == expected.best("one_standard_error")
    assert (curve.n_folds, curve.sizes) == (8, SIZES)


def test_bands_and_contrasts_allow_for_overlapping_folds(record):
    table = record.frame()
    sizes_of_folds = {"n_train": 67.5, "n_test": 22.5}
    one = table[(table.classifier == "machine") & (table["size"] == 3)]
    error = {method: rows.accuracy.to_numpy() for method, rows in one.groupby("method")}
    band = corrected_resampled_test(error["f"], **sizes_of_folds)
    curve = record.curve("f", "machine", "accuracy")
    assert (curve.lower[1], curve.upper[1]) == pytest.approx((band.lower, band.upper), abs=1e-12)
    expected = corrected_resampled_test(error["f"] - error["fisher"], **sizes_of_folds)
    (contrast,) = [
        one
        for one in record.contrasts
        if (one.classifier, one.metric, one.size) == ("machine", "accuracy", 3)
    ]
    assert (contrast.method, contrast.against) == ("f", "fisher")
    assert [contrast.difference, contrast.lower, contrast.p_value] == pytest.approx(
        [expected.difference, expected.lower, expected.p_value], abs=1e-12
    )


def test_agreement_and_returns_count_the_folds_lists(record):
    lists = [ranking.indices for ranking in record.rankings if ranking.method == "f"]
    *folds, own = lists
    whole = FilterSelector("f", n_features_to_select=8).fit(X, LABELS).selection_order_.tolist()
    assert own == whole == record.ranking("f").indices
    (found,) = [one for one in record.returned if one.method == "f"]
    for size, counts in zip(SIZES, found.counts, strict=True):
        assert counts == [sum(j in one[:size] for one in folds) for j in own[:size]]
        masks = np.zeros((8, 40), dtype=bool)
        for mask, one in zip(masks, folds, strict=True):
            mask[one[:size]] = True
        expected = stability_index(masks)
        (agreed,) = [one for one in record.agreement if (one.method, one.size) == ("f", size)]
        assert [agreed.index, agreed.lower, agreed.upper, agreed.kuncheva] == pytest.approx(
            [expected, expected.lower, expected.upper, expected], abs=1e-12
        )


def test_redundancy_is_the_correlation_in_the_order_of_choice(record):
    (found,) = [one for one in record.redundancy if one.method == "fisher"]
    assert found.indices == record.ranking("fisher").indices
    expected = np.corrcoef(X[:, found.indices], rowvar=False)
    np.testing.assert_allclose(found.correlation, expected, atol=1e-12)


def test_a_rule_decides_inside_the_training_rows():
    rule = CrossValidated(GaussianNB(), sizes=[1, 2, 4, 8], cv=3)
    selector = FilterSelector("f", n_features_to_select=rule)
    found = compare({"own": selector}, {"Bayes": GaussianNB()}, X, LABELS, sizes=[2], cv=4)
    assert [method.sizes for method in found.methods] == [False]
    for fold, (train, test) in enumerate(StratifiedKFold(4).split(X, LABELS)):
        kept = clone(selector).fit(X[train], LABELS[train]).selection_order_
        assert found.rankings[fold].indices == kept.tolist()
        answer = GaussianNB().fit(X[train][:, kept], LABELS[train]).predict(X[test][:, kept])
        key = ("own", "Bayes", len(kept), fold)
        assert scores_of(found)[key] == (balanced_error(LABELS[test], answer),)
    curve = found.curve("own", "Bayes")
    assert curve.sizes == [np.mean([len(one.indices) for one in found.rankings[:4]])]
    assert curve.best == curve.one_standard_error == curve.sizes[0]


def test_without_sizes_every_selector_decides_by_itself():
    chosen = {"two": FilterSelector(n_features_to_select=2), "k best": SelectKBest(k=3)}
    found = compare(chosen, {"Bayes": GaussianNB()}, X, LABELS, cv=3)
    table = found.frame()
    assert table.groupby("method")["size"].unique().map(list).to_dict() == {
        "two": [2],
        "k best": [3],
    }
    train, _ = next(StratifiedKFold(3).split(X, LABELS))
    expected = SelectKBest(k=3).fit(X[train], LABELS[train]).get_support(indices=True)
    (first, *_) = [one for one in found.rankings if one.method == "k best"]
    assert first.indices == expected.tolist()
    assert found.sizes == []


def test_a_division_in_three_chooses_on_the_second_part():
    parts = np.repeat([0, 1, 2], 30)
    rng = np.random.default_rng(0)
    rng.shuffle(parts)
    rule = CrossValidated(
        GaussianNB(), sizes=[1, 2, 5, 9], cv=PredefinedSplit(np.where(parts[parts < 2] == 1, 0, -1))
    )
    found = compare(
        {"own": FilterSelector(n_features_to_select=rule)},
        {"Bayes": GaussianNB()},
        X,
        LABELS,
        cv=PredefinedSplit(np.where(parts == 2, 0, -1)),
    )
    learn, choose, test = (np.flatnonzero(parts == part) for part in range(3))
    order = FilterSelector(n_features_to_select=9).fit(X[learn], LABELS[learn]).selection_order_
    errors = {}
    for size in (1, 2, 5, 9):
        model = GaussianNB().fit(X[np.ix_(learn, order[:size])], LABELS[learn])
        errors[size] = balanced_error(
            LABELS[choose], model.predict(X[np.ix_(choose, order[:size])])
        )
    best = min(errors, key=errors.get)
    both = np.flatnonzero(parts < 2)
    kept = FilterSelector(n_features_to_select=best).fit(X[both], LABELS[both]).selection_order_
    answer = GaussianNB().fit(X[both][:, kept], LABELS[both]).predict(X[test][:, kept])
    assert scores_of(found) == {("own", "Bayes", best, 0): (balanced_error(LABELS[test], answer),)}
    # one fold: its list is the method's own, and there is nothing to take an interval of
    assert found.ranking("own").indices == kept.tolist()
    assert found.agreement == []
    assert math.isnan(found.curve("own", "Bayes").lower[0])


# ---- other targets, tables and inputs ----


def test_numbers_are_scored_by_regressors():
    table, y = make_regression(80, 30, n_informative=4, noise=5, random_state=0)
    whole = np.round(y / 50)  # looks like classes, but the models are for numbers
    for values in (y, whole):
        found = compare(
            {"f": FilterSelector("f")}, {"ridge": Ridge()}, table, values, sizes=[4], cv="4"
        )
        splits = [(one.train, one.test) for one in found.folds]
        assert splits == [(60, 20)] * 4
        assert [metric.name for metric in found.metrics] == ["r2"]
    selector = FilterSelector("f", n_features_to_select=4, task="regression")
    pair = (np.arange(60), np.arange(60, 80))
    found = compare({"f": selector}, {"ridge": Ridge()}, table, whole, sizes=[4], cv=[pair])
    kept = selector.fit(table[:60], whole[:60]).selection_order_
    answer = Ridge().fit(table[:60, kept], whole[:60]).predict(table[60:, kept])
    expected = r2_score(whole[60:], answer)
    assert found.columns()["r2"] == pytest.approx([expected], abs=1e-12)


class Covering(Selector):
    """Columns by their largest squared covariance with any label; a method of several targets."""

    _several_targets = True

    def __init__(self, *, n_features_to_select="auto"):
        self.n_features_to_select = n_features_to_select

    def _rank(self, table, target, n, rng, n_jobs):
        labels = target.columns()
        score = (table.tdot(labels - labels.mean(axis=0)) ** 2).max(axis=1)
        order = order_by_score(np.where(table.varying(), score, np.nan), n)
        return Path(order, score[order], complete=n is None)


def test_several_labels_with_a_threshold_each():
    table, labels = make_multilabel_classification(160, 30, n_classes=5, n_labels=2, random_state=0)
    model = SCut(RidgeClassifier())
    found = compare(
        {"cover": Covering()},
        {"ridge": model},
        sparse.csr_matrix(table),
        sparse.csr_matrix(labels),
        sizes=[5, 10],
        cv="3",
        random_state=0,
    )
    assert [metric.name for metric in found.metrics] == ["f1_macro", "f1_micro"]
    assert not found.failures
    assert [one.rows for one in found.data.classes] == labels.sum(axis=0).tolist()
    assert read_back(found) == found
    train, test = np.arange(100), np.arange(100, 160)
    found = compare({"cover": Covering()}, {"ridge": model}, table, labels, sizes=[5],
                    cv=[(train, test)])  # fmt: skip
    kept = Covering(n_features_to_select=5).fit(table[train], labels[train]).selection_order_
    answer = clone(model).fit(table[np.ix_(train, kept)], labels[train])
    answer = answer.predict(table[np.ix_(test, kept)])
    expected = [f1_score(labels[test], answer, average=how) for how in ("macro", "micro")]
    assert list(*scores_of(found).values()) == pytest.approx(expected, abs=1e-12)


def test_tables_of_every_kind_give_the_same_scores():
    kinds = {
        "array": X,
        "pandas": pd.DataFrame(X, columns=[f"gene{j}" for j in range(40)]),
        "polars": pl.DataFrame(X, schema=[f"gene{j}" for j in range(40)]),
        "own": Dense(X),
    }
    found = {
        kind: compare(SELECTORS, {"Bayes": GaussianNB()}, table, LABELS, sizes=[2, 4], cv=3)
        for kind, table in kinds.items()
    }
    for kind in kinds:
        assert scores_of(found[kind]) == scores_of(found["array"])
    own = found["pandas"].ranking("f").indices
    assert [found["pandas"].names[str(j)] for j in own] == [f"gene{j}" for j in own]
    assert found["array"].names[str(own[0])] == f"x{own[0]}"


def test_a_weight_counts_rows():
    rng = np.random.default_rng(2)
    weight = rng.integers(0, 4, 90)
    again = np.repeat(np.arange(90), weight)
    where = np.repeat(np.arange(90) % 3 == 0, weight)
    splits = {
        "weighted": [(np.flatnonzero(np.arange(90) % 3), np.flatnonzero(np.arange(90) % 3 == 0))],
        "repeated": [(np.flatnonzero(~where), np.flatnonzero(where))],
    }
    models = {"Bayes": GaussianNB(), "scaled": make_pipeline(StandardScaler(), RidgeClassifier())}
    metrics = ["balanced_error", "accuracy", "f1_macro", "auc"]
    given = {"sizes": SIZES, "metrics": metrics}
    weighted = compare({"f": FilterSelector("f")}, {"Bayes": models["Bayes"]}, X, LABELS,
                       sample_weight=weight, cv=splits["weighted"], **given)  # fmt: skip
    repeated = compare({"f": FilterSelector("f")}, {"Bayes": models["Bayes"]}, X[again],
                       LABELS[again], cv=splits["repeated"], **given)  # fmt: skip
    for key, values in scores_of(repeated).items():
        assert scores_of(weighted)[key] == pytest.approx(values, abs=1e-9)
    assert weighted.weighted
    assert not weighted.warnings
    near = {"near": KNeighborsClassifier(), **models}
    found = compare(SELECTORS, near, X, LABELS, sizes=[2], cv=3, sample_weight=weight)
    assert found.warnings == ["near takes no sample_weight and was fitted without."]
    assert not found.failures


def test_groups_stay_together_and_reach_the_rule():
    groups = np.repeat(np.arange(18), 5)
    rule = CrossValidated(GaussianNB(), sizes=[1, 4], cv=GroupKFold(3))
    selector = FilterSelector(n_features_to_select=rule)
    for cv in (3, "3x2", GroupKFold(3)):
        found = compare({"own": selector}, {"Bayes": GaussianNB()}, X, LABELS, groups=groups, cv=cv)
        assert len(found.folds) == (6 if cv == "3x2" else 3)
        assert not found.failures
    assert found.grouped
    train, _ = next(GroupKFold(3).split(X, LABELS, groups))
    kept = clone(selector).fit(X[train], LABELS[train], groups=groups[train]).selection_order_
    assert found.rankings[0].indices == kept.tolist()
    with pytest.raises(ValueError, match=r"rows of the group 5\. Use a splitter"):
        compare(SELECTORS, CLASSIFIERS, X, LABELS, groups=groups, cv=StratifiedKFold(3))


def test_area_under_the_curve_of_many_classes_needs_no_probabilities():
    found = compare(SELECTORS, CLASSIFIERS, X, LABELS, sizes=[8], cv=3, metrics="auc")
    assert not found.failures
    assert all(0.6 < value <= 1 for value in found.columns()["auc"])


def test_a_callable_measures_too():
    def n_columns(estimator, X, y):
        return X.shape[1]

    found = compare(SELECTORS, CLASSIFIERS, X, LABELS, sizes=SIZES, cv=3, metrics=[n_columns])
    assert found.columns()["n_columns"] == found.columns()["size"]


# ---- the same run is the same record ----


def test_jobs_and_backends_change_nothing():
    chosen = {
        "f": FilterSelector("f"),
        "mutual": FilterSelector("mutual_info"),
        "probe": FilterSelector("f", n_features_to_select=EmpiricalProbe(risk=0.2, n_rounds=9)),
    }
    models = {"forest": RandomForestClassifier(5), "Bayes": GaussianNB()}
    given = {"sizes": [1, 3], "cv": "3", "random_state": 7}
    alone = compare(chosen, models, X, LABELS, **given)
    assert timeless(alone) == timeless(compare(chosen, models, X, LABELS, n_jobs=2, **given))
    with parallel_config(backend="threading"):
        threads = compare(chosen, models, X, LABELS, n_jobs=2, **given)
    assert scores_of(threads) == scores_of(alone)
    other = compare(chosen, models, X, LABELS, **(given | {"random_state": 8}))
    assert scores_of(other) != scores_of(alone)


def test_a_seed_that_was_drawn_repeats_the_run():
    models = {"forest": RandomForestClassifier(3)}
    first = compare(SELECTORS, models, X, LABELS, sizes=[2], cv="3")
    again = compare(SELECTORS, models, X, LABELS, sizes=[2], cv="3", random_state=first.seed)
    assert timeless(first) == timeless(again)
    third = compare(SELECTORS, models, X, LABELS, sizes=[2], cv="3")
    assert third.seed != first.seed
    drawn = np.random.RandomState(5)
    assert compare(SELECTORS, models, X, LABELS, sizes=[2], cv="3", random_state=drawn).seed == (
        np.random.RandomState(5).randint(2**31 - 1)
    )


def test_one_more_method_does_not_change_the_others():
    models = {"forest": RandomForestClassifier(3)}
    mutual = {"mutual": FilterSelector("mutual_info")}
    alone = compare(mutual, models, X, LABELS, sizes=[2], cv="3", random_state=0)
    among = compare(SELECTORS | mutual, models, X, LABELS, sizes=[2], cv="3", random_state=0)
    found = scores_of(among)
    assert all(found[key] == value for key, value in scores_of(alone).items())


# ---- the record ----


def read_back(record):
    return Comparison.from_json(record.to_json())


def test_a_record_comes_back_from_its_file(record, tmp_path):
    place = tmp_path / "run.json"
    text = record.to_json(place)
    assert read_record(place) == record
    assert read_record(place).to_json() == text
    content = json.loads(text)
    assert (content["kind"], content["seed"]) == ("comparison", 3)
    assert content["data"]["sha256"] == record.data.sha256
    assert content["versions"]["handful"]
    assert content["folds"][0] | {"sha256": ""} == {
        "train": 67,
        "test": 23,
        "sha256": "",
        "unlearned": [],
        "untested": [],
    }


def test_a_record_from_the_future_or_in_pieces_is_refused(record):
    content = json.loads(record.to_json())
    with pytest.raises(ValueError, match="schema 2; this handful reads up to 1"):
        Comparison.from_json(json.dumps(content | {"schema": 2}))
    del content["scores"][0]["values"]["accuracy"]
    with pytest.raises(ValueError, match="lack 'accuracy'"):
        Comparison.from_json(json.dumps(content))
    content = json.loads(record.to_json())
    content["scores"][0]["method"] = "other"
    with pytest.raises(ValueError, match="'other' under 'Bayes'"):
        Comparison.from_json(json.dumps(content))


def test_the_frame_has_a_row_per_method_classifier_size_and_fold(record, monkeypatch):
    table = record.frame()
    assert isinstance(table, pd.DataFrame)
    keys = ["method", "classifier", "size", "fold"]
    assert list(table) == [*keys, "balanced_error", "accuracy", "f1_macro"]
    assert len(table) == len(table[keys].drop_duplicates()) == 2 * 2 * 3 * 8
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    assert isinstance(record.frame(), pl.DataFrame)
    assert record.frame().to_dict(as_series=False) == record.columns()
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(ImportError, match="needs pandas or polars"):
        record.frame()


def test_times_are_there_for_every_part(record):
    assert set(record.time) == {"finished", "seconds", "rank", "fit", "score"}
    assert [len(record.time["rank"][method]) for method in SELECTORS] == [9, 9]
    assert len(record.time["fit"]["f"]["machine"]) == 8 + 1
    spent = sum(map(sum, record.time["rank"].values()))
    assert 0 < spent < record.time["seconds"]


def test_the_command_repeats_the_run():
    found = compare(
        SELECTORS, {"Bayes": GaussianNB()}, X, LABELS, sizes=[2], cv="3", metrics=["accuracy"]
    )
    names = {"X": X, "y": LABELS, "compare": compare, "FilterSelector": FilterSelector}
    again = eval(found.command, names | {"GaussianNB": GaussianNB})
    assert timeless(again) == timeless(found)
    assert compare(SELECTORS, CLASSIFIERS, X, LABELS, cv=3, command="handful compare").command == (
        "handful compare"
    )
