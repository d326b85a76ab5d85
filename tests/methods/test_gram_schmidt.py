"""GramSchmidt: the textbook's list, its law of chance, and the models along the path."""

import tracemalloc
import warnings
from decimal import Decimal
from itertools import combinations, zip_longest

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.sparse import csc_array, csr_array
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from handful import GramSchmidt
from handful.columns import Dense, GaussianProbes, Probed
from handful.datasets import load_leukaemia, make_linear_process, make_xor
from handful.solvers.orthogonal import Walk, chance_of_probe
from handful.stopping import AnalyticProbe, EmpiricalProbe


def problem(n_rows, n_columns, seed, n_targets=1, noise=0.5):
    """Correlated columns of different scales and means, and targets made from a few of them."""
    rng = np.random.default_rng(seed)
    mixing = rng.standard_normal((n_columns, n_columns)) / 2 + np.eye(n_columns)
    X = rng.standard_normal((n_rows, n_columns)) @ mixing
    X = X * rng.uniform(0.1, 10, n_columns) + rng.uniform(-5, 5, n_columns)
    Y = X[:, : min(4, n_columns)] @ rng.standard_normal((min(4, n_columns), n_targets))
    Y = Y + noise * Y.std(axis=0) * rng.standard_normal(Y.shape)
    return X, Y[:, 0] if n_targets == 1 else Y


def path_of(X, y, n=None, **parameters):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*features were asked for", UserWarning)
        return GramSchmidt(n, **parameters).fit(X, y).path_


# ---- the list ----


@settings(deadline=None, max_examples=80)
@given(
    n_rows=st.integers(2, 40),
    n_columns=st.integers(1, 30),
    n_targets=st.integers(1, 4),
    intercept=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_same_list_as_the_textbook(n_rows, n_columns, n_targets, intercept, seed):
    X, Y = problem(n_rows, n_columns, seed, n_targets)
    path = path_of(X, Y, fit_intercept=intercept)
    features, scores = oracles.gram_schmidt(X, Y, n_columns, intercept=intercept)
    # with as many targets as dimensions left everything is a tie, down to rounding
    settled = n_rows - n_targets - 2
    assert path.features[:settled].tolist() == features[:settled]
    np.testing.assert_allclose(path.scores[:settled], scores[:settled], rtol=1e-8)
    assert len(path) == len(features)


@pytest.mark.parametrize("seed", range(8))
def test_each_step_is_the_best_of_all_refits(seed):
    X, y = problem(30, 12, seed)
    assert path_of(X, y).features.tolist() == oracles.forward_refits(X, y, 12)


def test_same_list_as_fastcan():
    fastcan = pytest.importorskip("fastcan")
    X, y = problem(200, 300, 0)
    theirs = fastcan.FastCan(40, verbose=0).fit(X, y)
    assert path_of(X, y, 40).features.tolist() == theirs.indices_.tolist()


def test_wide_table_until_nothing_is_left():
    X, y = problem(40, 400, 1)
    path = path_of(X, y)
    features, scores = oracles.gram_schmidt(X, y, 400)
    assert path.features.tolist() == features
    assert len(path) == 39  # one dimension went with the mean
    assert path.complete
    np.testing.assert_allclose(path.scores, scores, rtol=1e-7)


@pytest.mark.parametrize("kind", [csr_array, csc_array])
@pytest.mark.parametrize("intercept", [True, False])
def test_sparse_tables_give_the_same_path(kind, intercept):
    rng = np.random.default_rng(3)
    X = np.where(rng.random((80, 200)) < 0.1, rng.normal(3, 1, (80, 200)), 0.0)
    y = X[:, :5].sum(axis=1) + rng.standard_normal(80)
    dense = path_of(X, y, 30, fit_intercept=intercept)
    found = path_of(kind(X), y, 30, fit_intercept=intercept)
    assert found.features.tolist() == dense.features.tolist()
    np.testing.assert_allclose(found.scores, dense.scores, rtol=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_float32_decides_like_float64_on_the_same_numbers(seed):
    X, y = problem(100, 400, seed, noise=1e-4)
    X = X.astype(np.float32)
    single, double = path_of(X, y, 60), path_of(X.astype(np.float64), y, 60)
    assert single.features.tolist() == double.features.tolist()
    np.testing.assert_allclose(single.scores, double.scores, rtol=1e-9)


def test_columns_far_from_zero():
    X, y = problem(60, 100, 4)
    shifted = X + 1e7
    assert path_of(shifted, y, 20).features.tolist() == path_of(X, y, 20).features.tolist()


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_what_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    X, y = problem(30, 20, seed)
    first = path_of(X, y, 12)
    order, rows = rng.permutation(20), rng.permutation(30)
    moved = path_of(X[:, order], y, 12)
    assert order[moved.features].tolist() == first.features.tolist()
    scaled = path_of(X * 10.0 ** rng.integers(-6, 7, 20) * rng.choice([-1, 1], 20) + 1, 3 - 2 * y)
    assert scaled.features[:12].tolist() == first.features.tolist()
    assert path_of(X[rows], y[rows], 12).features.tolist() == first.features.tolist()


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), classes=st.booleans())
def test_integer_weights_are_repeated_rows(seed, classes):
    rng = np.random.default_rng(seed)
    X, y = problem(25, 12, seed)
    y = np.digitize(y, np.quantile(y, [0.3, 0.6])) if classes else y
    weight = rng.integers(0, 4, 25)
    weight[np.argsort(y)[[0, 12, 24]]] = 1
    by_weight = GramSchmidt(6).fit(X, y, sample_weight=weight)
    by_rows = GramSchmidt(6).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert by_weight.path_.features.tolist() == by_rows.path_.features.tolist()
    for name in ("coef_path_", "loo_errors_", "f_statistics_"):
        np.testing.assert_allclose(
            getattr(by_weight, name), getattr(by_rows, name), rtol=1e-7, atol=1e-9
        )
    np.testing.assert_allclose(by_weight.path_.chance, by_rows.path_.chance, rtol=1e-7)


def test_two_classes_are_a_target_of_signs():
    data = load_leukaemia()
    signs = np.where(data.target == "AML", 1.0, -1.0)
    by_class, by_number = GramSchmidt(8), GramSchmidt(8, task="regression")
    by_class.fit(data.data, data.target)
    by_number.fit(data.data, signs)
    assert by_class.path_.features.tolist() == by_number.path_.features.tolist()
    assert (by_class.coef_path_ == by_number.coef_path_).all()
    assert by_class.classes_.tolist() == ["ALL", "AML"]


def three_classes(seed=0, n_rows=90):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n_rows)
    X = rng.standard_normal((n_rows, 30))
    X[:, 4] += y == 0
    X[:, 9] += 2 * (y == 1)
    return X, np.array(["a", "b", "c"])[y]


def test_several_classes_are_joined_in_one_path():
    X, y = three_classes()
    features, scores = oracles.gram_schmidt(X, y[:, None] == np.array(["a", "b", "c"]), 10)
    path = path_of(X, y, 10)
    assert path.features.tolist() == features
    np.testing.assert_allclose(path.scores, scores, rtol=1e-10)


def test_pairs_of_classes_are_merged_by_rank_in_class_order():
    X, y = three_classes()
    merged, chances = [], []
    paths = []
    for pair in combinations("abc", 2):
        rows = np.isin(y, pair)
        path = path_of(X[rows], y[rows])
        paths.append(zip(path.features.tolist(), path.chance.tolist(), strict=True))
    for rank in zip_longest(*paths):
        for step in rank:
            if step is not None and step[0] not in merged:
                merged.append(step[0])
                chances.append(step[1])
    selector = GramSchmidt(None, multiclass="pairwise").fit(X, y)
    assert selector.path_.features.tolist() == merged
    assert selector.path_.chance.tolist() == chances
    assert path_of(X, y, 7, multiclass="pairwise").features.tolist() == merged[:7]
    check_models(selector, X, y[:, None] == np.array(["a", "b", "c"]), scale=2.0, offset=-1.0)


# ---- columns that bring nothing ----


def test_copies_mixtures_and_constants_are_never_chosen_twice():
    rng = np.random.default_rng(0)
    base = rng.standard_normal((40, 6))
    mixtures = base @ rng.standard_normal((6, 5))
    X = np.hstack([np.full((40, 1), 0.1), base, base[:, ::-1], mixtures, np.zeros((40, 1))])
    y = base @ np.arange(1, 7) + rng.standard_normal(40)
    with pytest.warns(UserWarning, match="constant or mixtures of the chosen ones"):
        selector = GramSchmidt(10).fit(X, y)
    assert selector.n_features_ == np.linalg.matrix_rank(base) == 6
    path = selector.path_
    assert path.features.tolist() == oracles.gram_schmidt(X, y, 10)[0]
    assert not {0, X.shape[1] - 1} & set(path.features.tolist())
    # of a column and its copy the lower index
    assert not {(12 - j + 1) for j in path.features if 1 <= j <= 6} & set(path.features.tolist())


@pytest.mark.parametrize("distance", [1e-6, 1e-9, 1e-12])
def test_nearly_collinear_columns(distance):
    rng = np.random.default_rng(1)
    X, y = problem(50, 10, 5)
    near = X[:, :5] + distance * np.linalg.norm(X[:, :5]) * rng.standard_normal((50, 5)) / 50
    X = np.hstack([X, near])
    path = path_of(X, y)
    features, scores = oracles.gram_schmidt(X, y, 15)
    assert path.features.tolist() == features
    np.testing.assert_allclose(path.scores, scores, rtol=1e-16 / distance * 100 + 1e-9, atol=1e-8)
    assert ((path.scores >= 0) & (path.scores <= 1)).all()


def test_ranks_stop_at_the_rank_of_the_table():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((200, 30)) @ rng.standard_normal((30, 120))
    y = X[:, 0] + rng.standard_normal(200)
    assert len(path_of(X, y)) == 30
    assert len(path_of(X, y, fit_intercept=False)) == 30


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_rounding_of_mixtures_is_never_ranked(kind, intercept, seed):
    """Where chosen columns nearly depend on each other, mixtures of them pass on more rounding."""
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(2, 20))
    mixing = rng.standard_normal((rank, 60)) * (rng.random((rank, 60)) < 0.5) + np.eye(rank, 60)
    mixing[:, 1] = mixing[:, 0] + 10.0 ** -rng.integers(1, 4) * mixing[:, 1]
    X = rng.standard_normal((50, rank)) @ mixing * rng.uniform(0.1, 10, 60)
    X = (X + rng.uniform(-5, 5, 60)).astype(kind)
    y = X[:, :4].sum(axis=1) + rng.standard_normal(50)
    weight = rng.random(50) + 0.1 if seed % 2 else None
    path = GramSchmidt(None, fit_intercept=intercept).fit(X, y, sample_weight=weight).path_
    features, _ = oracles.gram_schmidt(X, y, 60, weight, intercept)
    assert path.features.tolist() == features
    assert len(path) == rank + (not intercept)


def test_a_constant_is_not_chosen_without_an_intercept_either():
    X, y = problem(30, 6, 9)
    X[:, 2] = y.mean() + 5
    path = path_of(X, y + 100, fit_intercept=False)
    assert path.features.tolist() == oracles.gram_schmidt(X, y + 100, 6, intercept=False)[0]
    assert sorted(path.features) == [0, 1, 3, 4, 5]


def test_a_target_that_is_explained_ends_the_path():
    X, _ = problem(40, 10, 6)
    y = X[:, 3] - 2 * X[:, 7]
    with pytest.warns(UserWarning, match="the chosen columns explain the target exactly"):
        selector = GramSchmidt(5).fit(X, y)
    assert {3, 7} <= set(selector.selection_order_.tolist())
    assert selector.loo_errors_[-1] < 1e-20 * y.var()
    # with several targets each leaves when it is explained, and the others go on
    Y = np.column_stack([y, X[:, 1] + np.random.default_rng(0).standard_normal(40)])
    assert len(path_of(X, Y)) == 10


def test_two_rows():
    selector = GramSchmidt(1).fit([[1.0, 5.0, 2.0], [1.0, 7.0, 1.0]], [0.5, 1.5])
    assert selector.selection_order_.tolist() == [1]
    # one dimension is left after the mean: any column lies in it
    assert selector.path_.chance.tolist() == [1.0]


def test_nothing_to_rank():
    with pytest.warns(UserWarning, match="constant or mixtures"):
        assert GramSchmidt().fit(np.ones((5, 3)), np.arange(5.0)).n_features_ == 0


# ---- the law of chance ----


@pytest.mark.parametrize("freedom", [2, 3, 4, 5, 8, 15, 100, 101, 1000, 1001])
def test_chance_follows_the_papers_recurrences_down_to_1e_300(freedom):
    near_one = 1 - 2.0 ** -np.arange(1, 54)
    shares = np.concatenate([10.0 ** -np.arange(1, 10), np.linspace(0.05, 0.95, 7), near_one])
    for share in shares.tolist():
        expected = oracles.probe_chance(share, freedom)
        if expected > Decimal("1e-300"):
            found = Decimal(chance_of_probe(share, 1 - share, freedom, 1))
            assert abs(found / expected - 1) < Decimal("1e-10")


@pytest.mark.parametrize("freedom", [4, 7, 1000])
def test_chance_of_joint_targets_in_closed_form(freedom):
    for share in (1e-9, 0.1, 0.49, 0.51, 0.9):
        # two targets: Beta(1, b) has the survival function (1 - x)^b
        two = (1 - share) ** ((freedom - 2) / 2)
        assert chance_of_probe(share, 1 - share, freedom, 2) == pytest.approx(two, rel=1e-10)
    assert chance_of_probe(0.5, 0.5, 3, 3) == 1.0
    assert chance_of_probe(1.0, 0.0, 3, 2) == 0.0


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", ["one target", "two targets", "three classes"])
def test_chance_is_uniform_under_noise(kind, intercept):
    rng = np.random.default_rng(0)
    targets = {
        "one target": lambda: rng.standard_normal(9),
        "two targets": lambda: rng.standard_normal((9, 2)),
        "three classes": lambda: rng.permutation([0, 0, 0, 1, 1, 1, 1, 2, 2]),
    }
    chances = []
    for _ in range(300):
        X = rng.standard_normal((9, 1)) + 3 * intercept
        selector = GramSchmidt(1, fit_intercept=intercept).fit(X, targets[kind]())
        chances.append(selector.path_.chance[0])
    assert stats.kstest(chances, "uniform").pvalue > 0.001


def test_probe_keeps_the_true_columns():
    X, y, relevant = make_linear_process(100, random_state=0)
    selector = GramSchmidt(AnalyticProbe(0.1)).fit(X, y)
    assert sorted(selector.selection_order_) == relevant.tolist()
    # the curve of figure 1, by the paper's equation 4
    risk = [0.0]
    for chance in selector.path_.chance:
        risk.append(risk[-1] + chance * (1 - risk[-1]))
    np.testing.assert_allclose(selector.stopping_.curve, risk[1:], rtol=1e-12)
    assert (selector.stopping_.curve <= 0.1).tolist() == [True] * 5 + [False]


def test_risk_of_the_best_of_a_million_probes():
    """``1 - F^m`` where F rounds to 1, against whole numbers of digits."""
    chances, m = np.array([1e-300, 1e-25, 1e-7]), 10**6
    curve = AnalyticProbe(probes="all")._curve(chances, m)
    missed = Decimal(1)
    for step, chance in enumerate(chances.tolist()):
        missed *= oracles.power_of_complement(chance, m - step)
        assert float(1 - missed) == pytest.approx(curve[step], rel=1e-12)


@pytest.mark.parametrize("intercept", [True, False])
def test_f_statistics_are_those_of_nested_models(intercept):
    """Appendix B: ``(N - n - 1) / tan^2``, Fisher's test of one more column."""
    X, y = problem(30, 8, 7)
    X, y = (X, y) if intercept else (X - X.mean(axis=0), y - y.mean())
    selector = GramSchmidt(None, fit_intercept=intercept).fit(X, y)
    features, freedom = selector.path_.features, 30 - intercept - np.arange(1, 9)
    errors = np.array([oracles.squared_error(X[:, features[:n]], y) for n in range(9)])
    expected = freedom * (errors[:-1] - errors[1:]) / errors[1:]
    np.testing.assert_allclose(selector.f_statistics_, expected, rtol=1e-7)
    cosines = selector.path_.scores
    np.testing.assert_allclose(freedom * cosines / (1 - cosines), expected, rtol=1e-7)
    p_values = stats.f.sf(selector.f_statistics_, 1, freedom)
    np.testing.assert_allclose(selector.path_.chance, p_values, rtol=1e-9)


@pytest.mark.parametrize("probes", [1, "all"])
def test_drawn_probes_agree_with_the_computed_chance(probes):
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((30, 4)), rng.standard_normal(30)
    drawn = EmpiricalProbe(0.95, n_rounds=400, probes=probes, kind="gaussian", random_state=0)
    computed = GramSchmidt(AnalyticProbe(0.999, probes=probes)).fit(X, y).stopping_.curve[0]
    curve = GramSchmidt(drawn).fit(X, y).stopping_.curve
    sampling = np.sqrt(computed * (1 - computed) / 400)
    assert 0.05 < computed < 0.95
    assert abs(curve[0] - computed) < 3 * sampling


def test_a_probe_costs_a_few_numbers_and_never_a_column():
    n_rows = 200

    def peak_of(n_probes):
        rng = np.random.default_rng(0)
        table = Probed(GaussianProbes(n_rows, n_probes, 0), Dense(rng.standard_normal((n_rows, 3))))
        tracemalloc.start()
        steps = Walk(table, rng.standard_normal((n_rows, 1)), None, True)
        assert next(iter(steps)).feature < n_probes
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak

    few, many = peak_of(10_000), peak_of(40_000)
    # so a million of them takes some 100 MB, and not the 1,600 MB of their columns
    assert (many - few) / 30_000 < 12 * 8
    # some blocks of probes, whatever their number
    assert few < 8e6


# ---- the models along the path ----


def check_models(selector, X, Y, scale=1.0, offset=0.0):
    """Coefficients of least squares for each size, and errors of rows really left out."""
    Y = scale * np.reshape(Y, (len(X), -1)) + offset
    features = selector.path_.features
    coefficients = selector.coef_path_.reshape(len(features), X.shape[1], -1)
    model = LinearRegression(fit_intercept=selector.fit_intercept)
    for n in range(1, len(features) + 1):
        fitted = model.fit(X[:, features[:n]], Y)
        expected = np.zeros((X.shape[1], Y.shape[1]))
        expected[features[:n]] = fitted.coef_.T
        np.testing.assert_allclose(coefficients[n - 1], expected, rtol=1e-6, atol=1e-9)
    left_out = []
    for n in range(len(features) + 1):
        columns = X[:, features[:n]] if n else np.zeros((len(X), 1))
        left_out.append(np.mean((Y - cross_val_predict(model, columns, Y, cv=LeaveOneOut())) ** 2))
    np.testing.assert_allclose(selector.loo_errors_, left_out, rtol=1e-8)


@pytest.mark.parametrize("n_targets", [1, 3])
@pytest.mark.parametrize("intercept", [True, False])
def test_models_of_every_size(n_targets, intercept):
    X, Y = problem(25, 8, 8, n_targets)
    selector = GramSchmidt(None, fit_intercept=intercept).fit(X, Y)
    assert selector.coef_path_.shape == ((8, 8) if n_targets == 1 else (8, 8, n_targets))
    check_models(selector, X, Y)


def test_models_of_merged_paths_with_a_mixture_in_them():
    """A column may be new to one pair of classes and yet a mixture of what others brought."""
    rng = np.random.default_rng(1)
    y = np.repeat(["a", "b", "c"], 30)
    first, second = rng.standard_normal((2, 90)) + 2 * np.array([y != "a", y == "b"])
    X = np.column_stack([first, second, first + second])
    selector = GramSchmidt(None, multiclass="pairwise").fit(X, y)
    assert selector.path_.features.tolist() == [2, 0, 1]
    assert not selector.coef_path_[-1, 1].any()
    whole = LinearRegression().fit(X, np.where(y[:, None] == np.array(["a", "b", "c"]), 1.0, -1.0))
    predicted, expected = X @ selector.coef_path_[-1], whole.predict(X)
    shift = expected.mean(axis=0) - predicted.mean(axis=0)
    np.testing.assert_allclose(predicted + shift, expected, atol=1e-9)


def test_models_are_as_long_as_the_path_that_a_rule_leaves():
    X, y, _ = make_linear_process(100, random_state=0)
    selector = GramSchmidt(AnalyticProbe(0.1)).fit(X, y)
    n_steps = len(selector.path_)
    assert selector.coef_path_.shape == (n_steps, 10)
    assert selector.loo_errors_.shape == (n_steps + 1,)
    assert selector.f_statistics_.shape == (n_steps,)


def test_a_row_that_cannot_be_spared():
    X = np.zeros((6, 2))
    X[0, 0] = 1.0
    X[:, 1] = [0.0, 1.0, 2.0, 1.0, 0.0, 2.0]
    errors = GramSchmidt(2).fit(X, [5.0, 1.0, 2.0, 1.0, 0.5, 2.5]).loo_errors_
    assert np.isinf(errors).tolist() == [False, True, True]


def test_a_linear_model_that_cannot_learn_is_recognised():
    unlearned = 0
    for seed in range(40):
        X, y, _ = make_xor(random_state=seed)
        unlearned += GramSchmidt(10).fit(X, y).stopping_.warning is not None
    # a linear model is no better than luck here, and luck is good in one case of twenty a step
    assert unlearned >= 33
    for seed in range(10):
        X, y, _ = make_linear_process(60, random_state=seed)
        assert GramSchmidt(5).fit(X, y).stopping_.warning is None
    X, y, _ = make_xor(random_state=0)
    warning = GramSchmidt(10).fit(X, y).stopping_.warning
    assert "leave-one-out" in warning
    assert "should not be trusted" in warning


def test_unknown_way_of_several_classes():
    with pytest.raises(
        ValueError, match="multiclass='ovr' is not known; use 'joint' or 'pairwise'"
    ):
        GramSchmidt(multiclass="ovr").fit(np.eye(4), [0, 1, 0, 1])
