"""FilterSelector: its scores, and every property that its docstring lists."""

import tracemalloc

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import (
    f_classif,
    mutual_info_classif,
    mutual_info_regression,
)
from sklearn.tree import DecisionTreeClassifier

from handful import FilterSelector
from handful.datasets import load_leukaemia
from handful.stopping import AnalyticProbe, CrossValidated, EmpiricalProbe

SCORES = ["fisher", "correlation", "f", "chi2"]


def draw(seed, n_rows=30, n_columns=12, n_classes=3):
    """A table of numbers that are not negative, without ties, with classes that matter a little."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_rows) % n_classes)
    return rng.random((n_rows, n_columns)) + 0.2 * y[:, None] * (np.arange(n_columns) % 3 == 0), y


def order(X, y, score, sample_weight=None):
    selector = FilterSelector(score, n_features_to_select=None)
    return selector.fit(X, y, sample_weight=sample_weight).path_.features.tolist()


seeds = st.integers(0, 2**32)
every_score = pytest.mark.parametrize("score", SCORES)

# ---- scores ----


@pytest.mark.parametrize(
    ("score", "oracle"), [("fisher", oracles.fisher), ("correlation", oracles.golub)]
)
def test_scores_of_classes(score, oracle):
    X, y = draw(0)
    selector = FilterSelector(score, n_features_to_select=4).fit(X, y)
    expected = oracle(X, y)
    best = oracles.order_by_score(expected)[:4]
    assert selector.selection_order_.tolist() == best
    np.testing.assert_allclose(selector.path_.scores, expected[best], rtol=1e-12)


def test_correlation_with_numbers():
    X, _ = draw(0)
    y = X[:, 3] - X[:, 5] + np.linspace(0, 1, 30)
    selector = FilterSelector("correlation", n_features_to_select=None).fit(X, y)
    np.testing.assert_allclose(selector.scores_, oracles.pearson(X, y), rtol=1e-12)
    assert not hasattr(selector, "classes_")
    # whole numbers are classes unless the task says otherwise
    whole = np.arange(30)
    by_task = FilterSelector("correlation", n_features_to_select=None, task="regression")
    by_task.fit(X, whole)
    np.testing.assert_allclose(by_task.scores_, oracles.pearson(X, whole), rtol=1e-12)


def test_refitting_on_numbers_forgets_the_classes():
    X, y = draw(0)
    selector = FilterSelector("f").fit(X, y)
    assert selector.classes_.tolist() == [0, 1, 2]
    assert not hasattr(selector.fit(X, X[:, 0]), "classes_")


def test_f_knows_the_chance_of_a_random_column():
    X, y = draw(0)
    path = FilterSelector("f", n_features_to_select=None).fit(X, y).path_
    scores, chance = f_classif(X, y)
    np.testing.assert_allclose(path.scores, np.sort(scores)[::-1], rtol=1e-10)
    np.testing.assert_allclose(path.chance, np.sort(chance), rtol=1e-9)


@pytest.mark.parametrize("probes", [1, "all"])
def test_the_analytic_probe_with_f(probes):
    X, y = draw(3, n_columns=40)
    rule = AnalyticProbe(0.1, probes=probes)
    selector = FilterSelector("f", n_features_to_select=rule).fit(X, y)
    chance = np.sort(f_classif(X, y)[1])
    assert selector.n_features_ == oracles.analytic_probe(chance, 40, 0.1, probes)[0] > 0


@pytest.mark.filterwarnings("ignore:.*keeps no feature:UserWarning")
def test_all_analytic_probes_keep_their_promise():
    """One look at the best of many random columns, in every run; only normal columns, as said."""
    fooled = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        rule = AnalyticProbe(0.05, probes="all")
        X, y = rng.standard_normal((40, 100)), np.arange(40) % 2
        fooled += FilterSelector("f", n_features_to_select=rule).fit(X, y).n_features_ > 0
    # a feature is kept where (1 - p)^100 stays above 0.95: in 5 % of runs, 20 of 400
    assert abs(fooled - 20) < 3 * np.sqrt(400 * 0.05 * 0.95)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_mutual_information_of_bits_is_the_exact_count(kind):
    rng = np.random.default_rng(0)
    X, y = rng.random((50, 6)) < 0.4, np.arange(50) % 3
    expected = mutual_info_classif(X, y, discrete_features=True)
    found = FilterSelector("mutual_info", n_features_to_select=None).fit(kind(X), y)
    np.testing.assert_allclose(found.scores_, expected, rtol=1e-12)


def test_mutual_information_of_numbers_finds_what_bends():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 5))
    y = X[:, 2] ** 2
    selector = FilterSelector("mutual_info", n_features_to_select=1, random_state=0).fit(X, y)
    assert selector.selection_order_.tolist() == [2]
    near = mutual_info_regression(X, y, random_state=0)
    np.testing.assert_allclose(selector.path_.scores, near[2], rtol=0.05)
    assert FilterSelector("correlation", n_features_to_select=1).fit(X, y).scores_[2] != near[2]


def test_leukaemia():
    """Golub et al. (1999) name Zyxin among the genes of the highest signal to noise ratio."""
    data = load_leukaemia()
    selector = FilterSelector("correlation", n_features_to_select=50)
    selector.fit(data.data[:38], data.target[:38])
    best = [data.feature_names[j] for j in selector.selection_order_]
    assert "X95735_at" in best[:10]  # Zyxin
    expected = oracles.golub(data.data[:38][:, selector.selection_order_[:3]], data.target[:38])
    np.testing.assert_allclose(selector.path_.scores[:3], expected, rtol=1e-10)


# ---- a score of the user's own ----


def test_a_callable_sees_the_table_and_the_target_as_given():
    def spread(X, y):
        seen.append((X.dtype, set(y)))
        return np.where(X.std(axis=0) > 0.29, X.std(axis=0), np.nan)

    seen: list = []
    X, y = draw(0)
    names = np.array(["a", "b", "c"])[y]
    selector = FilterSelector(spread, n_features_to_select=None).fit(X.astype("f4"), names)
    assert seen == [(np.float32, {"a", "b", "c"})]
    expected = [j for j in np.argsort(-X.std(axis=0)) if X[:, j].std() > 0.29]
    assert selector.selection_order_.tolist() == expected


def test_a_callable_may_give_chances():
    X, y = draw(0)
    rule = AnalyticProbe(0.3)
    own = FilterSelector(f_classif, n_features_to_select=rule).fit(X, y)
    built_in = FilterSelector("f", n_features_to_select=rule).fit(X, y)
    assert own.selection_order_.tolist() == built_in.selection_order_.tolist()


@pytest.mark.filterwarnings("ignore:.*keeps no feature:UserWarning")
def test_a_callable_works_under_rules_on_sparse_tables():
    def sums(X, y):
        return np.asarray(X.sum(axis=0)).ravel()

    X, y = draw(0)
    X = sparse.csr_array(X * (X > 0.5))
    tree = DecisionTreeClassifier(random_state=0)
    for rule in (EmpiricalProbe(), CrossValidated(tree, cv=2)):
        FilterSelector(sums, n_features_to_select=rule).fit(X, y)


def test_a_callable_must_score_every_column():
    X, y = draw(0)
    with pytest.raises(ValueError, match=r"shape \(3,\); one score for each of the 12 columns"):
        FilterSelector(lambda X, y: np.ones(3)).fit(X, y)
    with pytest.raises(ValueError, match=r"p-values of shape \(2,\)"):
        FilterSelector(lambda X, y: (np.ones(12), np.ones(2))).fit(X, y)


def test_score_is_a_parameter_and_no_method():
    selector = FilterSelector("f")
    assert selector.get_params()["score"] == "f"
    assert not hasattr(selector, "score")
    assert clone(selector.set_params(score="chi2")).get_params()["score"] == "chi2"


# ---- the properties ----


@every_score
@settings(deadline=None, max_examples=25)
@given(seed=seeds)
def test_permuting_columns_permutes_the_answer(score, seed):
    X, y = draw(seed)
    mixed = np.random.default_rng(seed).permutation(12)
    assert mixed[order(X[:, mixed], y, score)].tolist() == order(X, y, score)


@pytest.mark.parametrize("score", [*SCORES, "mutual_info", lambda X, y: X.sum(axis=0)])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_constant_columns_are_never_chosen(score, make):
    X, y = draw(0)
    X[:, [0, 4, 7]] = [0.1, 0.0, 1e6]
    assert sorted(order(make(X), y, score)) == [1, 2, 3, 5, 6, 8, 9, 10, 11]


@every_score
@settings(deadline=None, max_examples=25)
@given(seed=seeds)
def test_copies_stand_together_the_lowest_index_first(score, seed):
    X, y = draw(seed)
    expected = [place for j in order(X, y, score) for place in (j, j + 12)]
    assert order(np.hstack([X, X]), y, score) == expected


@every_score
@settings(deadline=None, max_examples=25)
@given(seed=seeds)
def test_integer_weights_are_repeated_rows(score, seed):
    X, y = draw(seed)
    times = np.random.default_rng(seed).integers(0, 4, 30)
    times[[np.flatnonzero(y == label)[0] for label in range(3)]] = 2
    expected = order(X.repeat(times, axis=0), y.repeat(times), score)
    assert order(X, y, score, sample_weight=times) == expected


@every_score
@settings(deadline=None, max_examples=25)
@given(seed=seeds)
def test_rows_may_be_shuffled_and_classes_renamed(score, seed):
    X, y = draw(seed)
    rng = np.random.default_rng(seed)
    rows, names = rng.permutation(30), rng.permutation(["a", "b", "c"])
    assert order(X[rows], names[y[rows]], score) == order(X, y, score)


@pytest.mark.parametrize("score", ["fisher", "correlation", "f"])
@settings(deadline=None, max_examples=25)
@given(seed=seeds, exponent=st.integers(-90, 90))
def test_columns_may_be_scaled_and_shifted(score, seed, exponent):
    X, y = draw(seed)
    rng = np.random.default_rng(seed)
    sign = rng.choice([-1, 1], 12)
    scaled = (X + rng.integers(-3, 4, 12)) * sign * 10.0**exponent
    assert order(scaled, y, score) == order(X, y, score)
    numbers = y + X[:, 0]
    if score != "fisher":
        assert order(scaled, 1 - 2 * numbers, score) == order(X, numbers, score)


@every_score
@settings(deadline=None, max_examples=25)
@given(seed=seeds)
def test_float32_is_summed_in_float64(score, seed):
    X, y = draw(seed)
    X = X.astype(np.float32)
    single = FilterSelector(score, n_features_to_select=None).fit(X, y)
    double = FilterSelector(score, n_features_to_select=None).fit(X.astype(np.float64), y)
    np.testing.assert_array_equal(single.scores_, double.scores_)


# ---- memory ----


def peak_of(selector, X, y):
    """The most that a fit allocates at a time, in bytes."""
    clone(selector).fit(X[:, :20], y)  # what is imported or made once, aside
    tracemalloc.start()
    try:
        selector.fit(X, y)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def wide(dtype, layout, n_rows=2000, n_columns=3000):
    X = np.empty((n_rows, n_columns), dtype=dtype, order=layout)
    X[:] = np.random.default_rng(0).random((n_rows, 1)) < np.linspace(0.2, 0.8, n_columns)
    return X, np.arange(n_rows) % 2


@every_score
@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "float64"])
def test_a_block_beside_the_table(score, layout, dtype):
    X, y = wide(dtype, layout)
    # one block of 2^18 numbers, and a few numbers per column
    assert peak_of(FilterSelector(score), X, y) < 8 * 2**18 + 8 * 20 * X.shape[1]


@pytest.mark.filterwarnings("ignore:.*keeps no feature:UserWarning")
@pytest.mark.parametrize("kind", ["permuted", "gaussian"])
def test_probes_come_in_blocks(kind):
    X, y = wide("float64", "C")
    rule = EmpiricalProbe(0.5, n_rounds=1, kind=kind)
    # the block that was drawn, the parts that are kept, the rows of a class and their deviations,
    # and a few numbers per column and per probe
    peak = peak_of(FilterSelector(n_features_to_select=rule), X, y)
    assert peak < 4 * 8 * 2**18 + 8 * 40 * X.shape[1] < X.nbytes / 5


# ---- what is refused ----


@pytest.mark.parametrize("score", ["fisher", "chi2"])
def test_scores_for_classes_refuse_numbers(score):
    X, _ = draw(0)
    with pytest.raises(ValueError, match=f"score='{score}' is for classes.*use 'correlation'"):
        FilterSelector(score).fit(X, X[:, 0])


def test_an_unknown_score_lists_the_known():
    X, y = draw(0)
    with pytest.raises(ValueError, match=r"score='gini' is not known; use 'fisher', .*or 'mutual"):
        FilterSelector("gini").fit(X, y)


@pytest.mark.parametrize("score", ["mutual_info", f_classif])
def test_what_has_no_weighted_form_refuses_weights(score):
    X, y = draw(0)
    with pytest.raises(ValueError, match="has no weighted form; fit without sample_weight"):
        FilterSelector(score).fit(X, y, sample_weight=np.ones(30) * 2)


def test_gaussian_probes_beside_counts():
    X, y = draw(0)
    rule = EmpiricalProbe(kind="gaussian")
    with pytest.raises(ValueError, match=r"column of probe \d+ has some, and score='chi2' is for"):
        FilterSelector("chi2", n_features_to_select=rule).fit(X, y)


def test_negative_counts_are_the_table_s_own_beside_their_shuffles():
    X, y = draw(0)
    X = np.abs(X)
    X[:, 1] *= -1
    with pytest.raises(ValueError, match="column 1 has some, and score='chi2' is for"):
        FilterSelector("chi2", n_features_to_select=EmpiricalProbe()).fit(X, y)
