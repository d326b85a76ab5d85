"""What every selector owes to scikit-learn and to its users, whatever its method.

A new method joins by one line in `SELECTORS`.
"""

import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful import (
    BoostedStumps,
    FastCorrelationFilter,
    FilterSelector,
    GramSchmidt,
    InformationSelector,
    OptimalFeatureWeighting,
    RandomSelector,
    RecursiveElimination,
    StabilityEnsemble,
    TreeFrequency,
    ZeroNorm,
)
from handful.columns import Dense
from handful.stopping import CrossValidated, EmpiricalProbe, StabilityThreshold

SELECTORS = [
    FilterSelector(),
    InformationSelector(),
    FastCorrelationFilter(),
    BoostedStumps(max_rounds=50),
    GramSchmidt(),
    RecursiveElimination(),
    StabilityEnsemble(random_state=0),
    ZeroNorm(),
    OptimalFeatureWeighting(max_iter=60, sample_size=40, random_state=0),
]
# checked under a number only
VARIANTS = [
    FilterSelector("correlation"),
    FilterSelector("f"),
    FilterSelector("chi2"),
    FilterSelector("mutual_info"),
    InformationSelector("mim"),
    FastCorrelationFilter("mutual_info", redundant="never"),
    TreeFrequency(n_trees=5),
    BoostedStumps(softness=1.0),
    GramSchmidt(multiclass="pairwise"),
    RandomSelector(),
    RecursiveElimination(step=0.5, alpha="gcv"),
    RecursiveElimination("svm"),
    RecursiveElimination("svm", kernel="rbf", step=0.5, class_weight="balanced"),
    RecursiveElimination("rocchio"),
    RecursiveElimination(RidgeClassifier(), step=0.5),
    StabilityEnsemble("ridge", n_resamples=5, eliminate=0.5),
    StabilityEnsemble(n_resamples=5, kernel="rbf"),
    OptimalFeatureWeighting(base="knn", optimizer="multiplicative", max_iter=20, random_state=0),
    OptimalFeatureWeighting(base="tree", optimizer="diffusion", max_iter=20, random_state=0),
    OptimalFeatureWeighting(base=GaussianNB(), max_iter=2, random_state=0),
]
RULES = {
    "number": 1,
    "fraction": 0.5,
    "probe": EmpiricalProbe(0.2, n_rounds=4),
    "cross-validated": CrossValidated(DecisionTreeClassifier(random_state=0), cv=2),
    "stability": StabilityThreshold(n_resamples=4),
}


def under(rule, selector):
    """The selector with this rule."""
    return clone(selector).set_params(n_features_to_select=rule)


def name_of(selector):
    return type(selector).__name__


@pytest.fixture(params=SELECTORS, ids=name_of)
def selector(request):
    """Each method once."""
    return clone(request.param)


@pytest.fixture(params=RULES)
def rule(request):
    """Each kind of rule once."""
    return clone(RULES[request.param], safe=False)


@pytest.fixture
def data() -> tuple[NDArray, NDArray]:
    """Counts from 0 to 3, of which columns 7, 2 and 11 are about the classes, most first."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(90) % 2)
    X = rng.integers(0, 3, (90, 14))
    for column, share in ((7, 0.95), (2, 0.75), (11, 0.6)):
        told = rng.random(90) < share
        X[told, column] = 3 * y[told]
    return X.astype(np.float64), np.array(["control", "case"])[y]


# ---- scikit-learn's own checks ----


@pytest.mark.filterwarnings("ignore:.*keeps no feature.*:UserWarning")
# of GramSchmidt, on the few rows that zero weights leave
@pytest.mark.filterwarnings("ignore:.*the chosen columns explain the target exactly:UserWarning")
@parametrize_with_checks(
    [under(rule, selector) for selector in SELECTORS for rule in RULES.values()]
    + [under(1, selector) for selector in VARIANTS]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


# ---- weights ----


COUNTING = [
    FastCorrelationFilter(),
    FastCorrelationFilter("mutual_info"),
    TreeFrequency(n_trees=8, random_state=0),
    BoostedStumps(max_rounds=12),
    BoostedStumps(softness=2.0, max_rounds=12),
]


def weighted_problem(seed, kind):
    """Three classes, of which some columns know; weights from 0 to 3, not 0 for a whole class."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(40) % 3)
    X = rng.standard_normal((40, 15)) + 0.7 * (y[:, None] == np.arange(15) % 4)
    X = {"bool": X > 0.3, "levels": np.floor(2 * X), "float": X}[kind]
    weight = rng.integers(0, 4, 40)
    weight[np.unique(y, return_index=True)[1]] = 1
    return X, y, weight


@pytest.mark.parametrize("kind", ["bool", "levels", "float"])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("selector", COUNTING, ids=str)
def test_integer_weights_are_repeated_rows(selector, seed, kind):
    X, y, weight = weighted_problem(seed, kind)
    selector = under(None, selector)
    by_weight = clone(selector).fit(X, y, sample_weight=weight).path_
    by_rows = selector.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).path_
    assert by_weight.features.tolist() == by_rows.features.tolist()
    np.testing.assert_allclose(by_weight.scores, by_rows.scores, rtol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        unweighted = clone(selector).fit(X, y).path_
    assert by_weight.scores.tolist() != unweighted.scores.tolist()


@pytest.mark.parametrize(
    "selector", [*COUNTING[:2], TreeFrequency(random_state=0), BoostedStumps()]
)
def test_of_weights_only_the_proportions_matter_to_boolean_columns(selector):
    X, y, weight = weighted_problem(0, "bool")
    selector = under(None, selector)
    found = clone(selector).fit(X, y, sample_weight=weight).path_
    if isinstance(selector, TreeFrequency):
        selector.set_params(min_rows=5)  # as many times the two of before
    scaled = selector.fit(X, y, sample_weight=2.5 * weight).path_
    assert found.features.tolist() == scaled.features.tolist()
    np.testing.assert_allclose(found.scores, scaled.scores, rtol=1e-9)


# ---- every input, the same answer ----


def test_every_input_gives_the_same_answer(selector, data, as_input, number_type):
    X, y = data
    X = X.astype(number_type)
    expected = under(5, selector).fit(X, y)
    given = as_input(X)
    found = under(5, selector).fit(given, y)
    assert found.selection_order_.tolist() == expected.selection_order_.tolist()
    np.testing.assert_allclose(found.scores_, expected.scores_, rtol=1e-12)
    kept = found.transform(given)
    kept = kept.toarray() if sparse.issparse(kept) else np.asarray(kept)
    np.testing.assert_array_equal(kept, X[:, np.sort(expected.selection_order_)])


def test_every_target_gives_the_same_answer(selector, data):
    X, y = data
    expected = under(5, selector).fit(X, y).selection_order_.tolist()
    for given in (y.tolist(), y.astype(object), pd.Series(y), pl.Series(y), pd.Categorical(y)):
        assert under(5, selector).fit(X, given).selection_order_.tolist() == expected
    assert under(5, selector).fit(X, y == "case").selection_order_.tolist() == expected


def test_a_memory_mapped_table(selector, data, tmp_path):
    X, y = data
    joblib.dump(X, tmp_path / "X")
    mapped = joblib.load(tmp_path / "X", mmap_mode="r")
    found = under(5, selector).fit(mapped, y)
    assert found.selection_order_.tolist() == under(5, selector).fit(X, y).selection_order_.tolist()
    np.testing.assert_array_equal(found.transform(mapped), X[:, found.support_])


def test_a_table_of_handfuls_own(selector, data):
    X, y = data
    names = np.array([f"c{j}" for j in range(14)], dtype=object)
    found = under(3, selector).fit(Dense(X, names), y)
    assert sorted(found.get_feature_names_out()) == ["c11", "c2", "c7"]
    np.testing.assert_array_equal(found.transform(Dense(X, names)), X[:, [2, 7, 11]])
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 14"):
        found.transform(Dense(X[:, :3]))


# ---- what is exposed ----


def test_attributes_tell_one_story(selector, data, rule):
    X, y = data
    found = under(rule, selector).fit(X, y)
    path, n = found.path_, found.n_features_
    assert found.selection_order_.tolist() == path.features[:n].tolist()
    assert np.flatnonzero(found.support_).tolist() == sorted(found.selection_order_.tolist())
    assert found.get_support().sum() == n > 0
    assert found.selection_order_[0] == 7
    off = np.setdiff1d(np.arange(14), path.features)
    assert found.ranking_[path.features].tolist() == list(range(1, len(path) + 1))
    assert (found.ranking_[off] == len(path) + 1).all()
    np.testing.assert_array_equal(found.scores_[path.features], path.scores)
    assert np.isnan(found.scores_[off]).all()
    assert found.stopping_.n_features == n
    assert found.classes_.tolist() == ["case", "control"]
    assert found.n_features_in_ == 14
    assert not hasattr(found, "feature_names_in_")


def test_a_fraction_and_everything(selector, data):
    X, y = data
    assert under(0.5, selector).fit(X, y).n_features_ == 7
    assert under(0.01, selector).fit(X, y).n_features_ == 1
    assert under(None, selector).fit(X, y).n_features_ == 14
    assert under("auto", selector).fit(X, y).n_features_ == 10
    assert under("auto", selector).fit(X[:, :9], y).n_features_ == 9


@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_frames_out(selector, data, frame):
    X, y = data
    names = [f"c{j}" for j in range(14)]
    table = pd.DataFrame(X, columns=names) if frame == "pandas" else pl.DataFrame(X, schema=names)
    found = under(3, selector).set_output(transform=frame).fit(table, y)
    kept = found.transform(table)
    assert type(kept) is type(table)
    assert list(kept.columns) == ["c2", "c7", "c11"] == found.get_feature_names_out().tolist()
    np.testing.assert_array_equal(kept.to_numpy(), X[:, [2, 7, 11]])
    assert found.feature_names_in_.tolist() == names
    other = {"c7": "c07"}
    table = table.rename(other) if frame == "polars" else table.rename(columns=other)
    with pytest.raises(ValueError, match="feature names should match"):
        found.transform(table)


def test_mixed_frames_keep_the_types_of_their_columns(selector, data):
    X, y = data
    table = pd.DataFrame({"flag": X[:, 0] > 1, "count": X[:, 7].astype(int), "level": X[:, 2]})
    kept = under(3, selector).set_output(transform="pandas").fit_transform(table, y)
    assert kept.dtypes.astype(str).tolist() == ["bool", "int64", "float64"]


def test_inverse_transform_puts_columns_back(selector, data):
    X, y = data
    found = under(3, selector).fit(X, y)
    back = found.inverse_transform(found.transform(X))
    np.testing.assert_array_equal(back, X * found.support_)


# ---- life in scikit-learn ----


def test_clone_forgets_and_pickle_keeps(selector, data, rule):
    X, y = data
    found = under(rule, selector).fit(X, y)
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.transform(X), found.transform(X))
    assert again.path_.features.tolist() == found.path_.features.tolist()
    fresh = clone(found)
    assert not hasattr(fresh, "support_")
    assert repr(fresh) == repr(found)
    assert repr(under(rule, selector)) == repr(found)


def test_in_a_pipeline_under_a_grid_search(selector, data):
    X, y = data
    model = make_pipeline(selector, LogisticRegression())
    name = model.steps[0][0]
    search = GridSearchCV(model, {f"{name}__n_features_to_select": [1, 0.5, None]}, cv=3)
    search.fit(X, y)
    kept = search.best_estimator_[0].n_features_
    assert kept == {1: 1, 0.5: 7, None: 14}[search.best_params_[f"{name}__n_features_to_select"]]
    assert search.best_score_ > 0.8


def test_a_grid_search_over_the_risk(selector, data):
    X, y = data
    model = make_pipeline(under(EmpiricalProbe(n_rounds=9), selector), LogisticRegression())
    parameter = f"{model.steps[0][0]}__n_features_to_select__risk"
    search = GridSearchCV(model, {parameter: [0.2, 0.5]}, cv=2, error_score="raise").fit(X, y)
    assert search.best_estimator_[0].stopping_.risk == search.best_params_[parameter]
    assert search.get_params()[f"estimator__{parameter}"] == 0.05


def test_groups_come_by_metadata_routing(selector, data):
    X, y = data
    groups = np.repeat(np.arange(9), 10)
    seen = []

    class Splitter(GroupKFold):
        def split(self, X, y=None, groups=None):
            seen.append(groups)
            return super().split(X, y, groups)

    rule = CrossValidated(cv=Splitter(3), sizes=[1, 2])
    direct = under(rule, selector).fit(X, y, groups=groups)
    with config_context(enable_metadata_routing=True):
        routed = under(rule, selector).set_fit_request(groups=True)
        model = make_pipeline(routed, LogisticRegression()).fit(X, y, groups=groups)
        search = GridSearchCV(model, {"logisticregression__C": [1.0]}, cv=GroupKFold(3))
        search.fit(X, y, groups=groups)
    assert model[0].n_features_ == direct.n_features_
    np.testing.assert_array_equal(seen[0], groups)
    np.testing.assert_array_equal(seen[1], groups)
    # inside the search a selector gets the groups of its own training rows
    assert sorted(len(part) for part in seen[2:]) == [60, 60, 60, 90]


def test_the_same_bits_for_any_number_of_jobs(selector, data, rule):
    X, y = data
    if "random_state" in selector.get_params():
        selector.set_params(random_state=3)
    one, two = (under(rule, selector).set_params(n_jobs=n) for n in (1, 2))
    one.fit(X, y)
    two.fit(X, y)
    assert one.path_.features.tolist() == two.path_.features.tolist()
    assert one.path_.scores.tobytes() == two.path_.scores.tobytes()
    assert one.stopping_.keys() == two.stopping_.keys()
    for key, value in one.stopping_.items():
        np.testing.assert_array_equal(value, two.stopping_[key])


def test_a_rule_that_keeps_nothing(selector):
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 3, (40, 30)).astype(float), np.arange(40) % 2
    names = [f"c{j}" for j in range(30)]
    rule = EmpiricalProbe(random_state=0)
    with pytest.warns(UserWarning, match="EmpiricalProbe keeps no feature") as caught:
        found = under(rule, selector).fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert (found.n_features_, found.support_.any()) == (0, False)
    assert found.selection_order_.tolist() == []
    assert found.transform(X).shape == (40, 0)
    assert found.get_feature_names_out(names).tolist() == []
    for frame, output in ((pd.DataFrame(X, columns=names), "pandas"),
                          (pl.DataFrame(X, schema=names), "polars")):  # fmt: skip
        with pytest.warns(UserWarning, match="keeps no feature"):
            found = under(rule, selector).set_output(transform=output).fit(frame, y)
        assert list(found.transform(frame).columns) == []


def test_constant_columns_are_never_chosen(selector, data):
    X, y = data
    X = X[:, [7, 0, 2, 1]].copy()
    X[:, [1, 3]] = [0.1, -3.0]
    with pytest.warns(UserWarning, match="3 features were asked for and 2 are kept: .*constant"):
        found = under(3, selector).fit(X, y)
    assert found.selection_order_.tolist() == [0, 2]
    assert found.ranking_.tolist() == [1, 3, 2, 3]
    everything = under(None, selector).fit(X, y)  # what was asked for, so no warning
    assert everything.selection_order_.tolist() == [0, 2]
    with pytest.warns(UserWarning, match="No feature is kept, since none could be ranked"):
        assert under(None, selector).fit(np.ones((90, 3)), y).n_features_ == 0
