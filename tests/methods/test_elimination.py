"""RecursiveElimination: at every step the column that a fit from scratch weighs least."""

import numpy as np
import oracles
import pytest
from eliminated import KINDS, fit, judged_step_by_step, table
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from handful import RecursiveElimination
from handful.columns import Dense, Permuted, Probed
from handful.datasets import load_leukaemia
from handful.solvers import ridge
from handful.solvers.ridge import folds_of
from handful.stopping import EmpiricalProbe
from handful.target import encode

# ---- ridge, as if refitted ----


@settings(deadline=None, max_examples=120)
@given(
    kind=st.sampled_from(KINDS),
    n_rows=st.integers(2, 9),
    n_columns=st.integers(1, 9),
    n_targets=st.integers(1, 3),
    power=st.floats(-8, 8),
    path=st.sampled_from(["one by one", "by factorisation"]),
    weighted=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_ridge_drops_the_column_that_an_exact_fit_weighs_least(
    kind, n_rows, n_columns, n_targets, power, path, weighted, seed
):
    rng = np.random.default_rng(seed)
    X, Y = table(rng, kind, n_rows, n_columns), rng.standard_normal((n_rows, n_targets))
    weight = rng.integers(1, 4, n_rows).astype(float) if weighted else None
    groups = None if path == "one by one" else np.arange(n_columns)
    y = Y if n_targets > 1 else Y[:, 0]
    found = fit(X, y, weight, alpha=10**power, feature_groups=groups)

    def refit(left):
        return oracles.ridge_scores(X[:, left], Y, 10**power, weight)

    judged_step_by_step(found, refit)


@pytest.mark.parametrize("shape", [(40, 300), (60, 50), (200, 30)])
@pytest.mark.parametrize("kind", KINDS)
def test_long_eliminations_equal_refits(shape, kind):
    rng = np.random.default_rng(sum(shape))
    X = table(rng, kind, *shape)
    y = (rng.random(shape[0]) < 0.2).astype(int)
    signs = np.where(y == 1, 1.0, -1.0)[:, None]
    found = fit(X, y, alpha=0.1)

    def refit(left):
        centred = X[:, left] - X[:, left].mean(axis=0)
        U, sizes, V = np.linalg.svd(centred, full_matrices=False)
        shrunk = sizes / (sizes**2 + 0.1)
        return np.linalg.norm(V.T @ (shrunk[:, None] * (U.T @ signs)), axis=1)

    judged_step_by_step(found, refit)


@pytest.mark.parametrize("shape", [(520, 1300), (1100, 560)])
@pytest.mark.parametrize(
    ("kind", "alpha", "scale"),
    [("normal", 5.0, 1), ("duplicated", 1e-6, 1), ("normal", 1e44, 1e22)],
)
def test_large_factors_of_single_precision_are_refined_or_not_used(shape, kind, alpha, scale):
    rng = np.random.default_rng(sum(shape))
    X, Y = scale * table(rng, kind, *shape), rng.standard_normal((shape[0], 2)) * [1, 1e-6]
    weight = rng.integers(1, 4, shape[0]).astype(float)
    target = encode(Y, tasks=("regression",), several=True, weight=weight)
    model = ridge.Ridge(
        *ridge.centred(Dense(X), target), alpha, total=1, fold=np.zeros(1), weight=weight
    )
    left = np.arange(shape[1])
    for _ in range(3):
        root = np.sqrt(weight)[:, None]
        U, sizes, V = np.linalg.svd((X[:, left] - weight @ X[:, left] / weight.sum()) * root, False)
        kept = sizes > 1e-12 * sizes[0]
        along = U[:, kept].T @ ((Y - weight @ Y / weight.sum()) * root)
        exact = V[kept].T @ ((sizes / (sizes**2 + alpha))[kept, None] * along)
        found = model.weights()
        size = np.abs(exact).max(axis=0)
        np.testing.assert_allclose(found / size, exact / size, rtol=0, atol=1e-9)
        assert model.serves_single == (kind == "normal" and scale == 1)
        staying = np.flatnonzero(rng.random(len(left)) < 0.75)
        model.keep(staying)
        left = left[staying]


def test_no_drift_after_ten_thousand_columns():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 10_060)), rng.standard_normal(30)
    found = fit(X, y)
    last = np.sort(found.path_.features[:60])  # after 10,000 of them
    centred = X[:, last] - X[:, last].mean(axis=0)
    dual = np.linalg.solve(centred @ centred.T + np.eye(30), y - y.mean())
    scores = np.abs(centred.T @ dual)
    assert last[np.argmin(scores)] == found.path_.features[59]
    np.testing.assert_allclose(found.path_.scores[59], scores.min(), rtol=1e-8)


def test_ranking_of_scikit_learn_around_ridge():
    rng = np.random.default_rng(1)
    for shape in ((30, 80), (80, 30)):
        X = rng.standard_normal(shape)
        y = X[:, :5].sum(axis=1) + rng.standard_normal(shape[0])
        for alpha in (0.01, 1.0, 100.0):
            theirs = RFE(Ridge(alpha), n_features_to_select=1).fit(X, y).ranking_
            assert fit(X, y, alpha=alpha).ranking_.tolist() == theirs.tolist()


@pytest.mark.parametrize("n_classes", [2, 4])
def test_ranking_of_scikit_learn_around_ridge_classifier(n_classes):
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((40, 70)), rng.integers(0, n_classes, 40)
    X[:, 3] += y
    theirs = RFE(RidgeClassifier(0.5), n_features_to_select=1).fit(X, y).ranking_
    assert fit(X, y, alpha=0.5).ranking_.tolist() == theirs.tolist()


def test_fifty_genes_of_scikit_learn():
    data = load_leukaemia()
    X = data.data[:, :400].astype(float)
    theirs = RFE(RidgeClassifier(), n_features_to_select=1).fit(X, data.target).ranking_
    found = fit(X, data.target)
    varying = np.ptp(X, axis=0) > 0
    assert np.argsort(theirs)[:300].tolist() == found.path_.features[:300].tolist()
    assert found.path_.complete
    assert len(found.path_) == varying.sum()


@pytest.mark.parametrize("step", [3, 0.3])
@pytest.mark.parametrize("shape", [(20, 60), (60, 20)])
def test_several_at_a_time(step, shape):
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal(shape), rng.standard_normal(shape[0])
    found = fit(X, y, step=step)
    left, expected = np.arange(shape[1]), []
    while len(left):
        scores = np.abs(Ridge(1.0, solver="svd").fit(X[:, left], y).coef_)
        n = step if step >= 1 else max(1, int(step * len(left)))
        order = np.argsort(scores)[:n]
        expected += left[order].tolist()
        left = np.delete(left, order)
    assert found.path_.features[::-1].tolist() == expected


def test_a_step_of_single_precision():
    X, y = np.random.default_rng(5).standard_normal((12, 30)), np.arange(12) % 2
    assert (fit(X, y, step=np.float32(0.5)).ranking_ == fit(X, y, step=0.5).ranking_).all()


def test_one_shot_is_the_first_model():
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal((20, 60)), rng.standard_normal(20)
    weights = np.abs(Ridge(1.0).fit(X, y).coef_)
    found = fit(X, y, recursive=False)
    assert found.path_.features.tolist() == np.argsort(-weights).tolist()
    np.testing.assert_allclose(found.scores_, weights, rtol=1e-9)


def test_the_same_bits_for_any_number_of_threads():
    data = load_leukaemia()
    one, two = (fit(data.data[:, :1500], data.target, n_jobs=n).path_ for n in (1, 2))
    assert one.features.tolist() == two.features.tolist()
    assert one.scores.tobytes() == two.scores.tobytes()


def test_constant_scores_many_ties():
    """Columns that say nothing all weigh exactly nothing: from the last to the first."""
    y = np.array([0.5, 1.5, 2.5, 3.5])
    silent = np.array([1.0, -1, -1, 1])
    X = np.column_stack([silent] * 200 + [y])
    assert fit(X, y).path_.features.tolist() == [200, *range(200)]


# ---- alpha chosen along the path ----


@pytest.mark.parametrize("shape", [(25, 12), (12, 25)])
def test_generalised_cross_validation(shape):
    rng = np.random.default_rng(5)
    X, y = rng.standard_normal(shape), rng.standard_normal(shape[0])
    y += 2 * X[:, 0]
    found = fit(X, y, alpha="gcv")
    X, y, n = X - X.mean(axis=0), y - y.mean(), len(y)
    for n_left in (shape[1], 5, 1):
        Z = X[:, found.path_.features[:n_left]]
        size = np.linalg.svd(Z, compute_uv=False)
        size = size[size > 1e-10]
        errors = {}
        for alpha in np.mean(size**2) * 10.0 ** np.linspace(6, -6, 25):
            hat = Z @ np.linalg.solve(Z.T @ Z + alpha * np.eye(n_left), Z.T)
            errors[alpha] = np.sum((y - hat @ y) ** 2) / (n - 1 - np.trace(hat)) ** 2
        best = min(errors, key=errors.get)
        np.testing.assert_allclose(found.alphas_[n_left - 1], best, rtol=1e-9)


def test_folds_without_refits():
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal((40, 8)), np.arange(40) % 2
    X[:, 0] += 2 * y
    found = fit(X, y, alpha="cv")
    fold = folds_of(encode(y, tasks=("classification",)))
    assert all((np.bincount(y[fold == k]) == 4).all() for k in range(5))
    signs, splits = 2.0 * y - 1, PredefinedSplit(fold)
    Z = X - X.mean(axis=0)
    errors = {}
    for alpha in np.mean(np.linalg.svd(Z, compute_uv=False) ** 2) * 10.0 ** np.linspace(6, -6, 25):
        score = cross_val_score(Ridge(alpha), X, signs, cv=splits, scoring="neg_mean_squared_error")
        errors[alpha] = -score.mean()
    np.testing.assert_allclose(found.alphas_[7], min(errors, key=errors.get), rtol=1e-9)


# ---- Rocchio ----


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rocchio_is_the_distance_of_the_centroids(n_classes):
    rng = np.random.default_rng(7)
    X, y = rng.standard_normal((30, 15)), rng.integers(0, n_classes, 30)
    found = fit(X, y, estimator="rocchio", rocchio_b=0.25)
    rows = range(n_classes) if n_classes > 2 else [1]
    expected = [X[y == k].mean(axis=0) - 0.25 * X[y != k].mean(axis=0) for k in rows]
    np.testing.assert_allclose(found.scores_, np.linalg.norm(expected, axis=0), rtol=1e-12)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), step=st.sampled_from([1, 4, 0.5]))
def test_recursive_rocchio_is_one_shot_rocchio(seed, step):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((20, 12)), np.arange(20) % 2
    recursive = fit(X, y, estimator="rocchio", step=step)
    assert recursive.ranking_.tolist() == (
        fit(X, y, estimator="rocchio", recursive=False).ranking_.tolist()
    )


def test_rocchio_is_for_classes():
    with pytest.raises(ValueError, match="'rocchio' is for classes"):
        fit(np.eye(4), np.array([0.5, 1.5, 2.5, 4.0]), estimator="rocchio")


# ---- any estimator ----


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(C=0.1),
        make_pipeline(StandardScaler(), LogisticRegression()),
        ExtraTreesClassifier(5, random_state=0),
    ],
    ids=["coef_", "pipeline", "feature_importances_"],
)
def test_any_estimator_as_in_scikit_learn(estimator):
    rng = np.random.default_rng(8)
    X, y = rng.standard_normal((60, 12)), rng.integers(0, 3, 60)
    X[:, 5] += y
    getter = "named_steps.logisticregression.coef_" if hasattr(estimator, "steps") else "auto"
    theirs = RFE(estimator, n_features_to_select=1, importance_getter=getter).fit(X, y).ranking_
    assert fit(X, y, estimator=estimator).ranking_.tolist() == theirs.tolist()
    assert fit(X, y, estimator=estimator, importance_getter=getter).ranking_.tolist() == (
        theirs.tolist()
    )


def test_importances_by_a_function():
    rng = np.random.default_rng(9)
    X, y = rng.standard_normal((30, 6)), np.arange(30) % 2
    found = fit(
        X, y, estimator=LogisticRegression(), importance_getter=lambda model: model.coef_[0] ** 3
    )
    assert found.ranking_.tolist() == fit(X, y, estimator=LogisticRegression()).ranking_.tolist()


def test_estimators_see_the_original_labels_and_the_weights():
    rng = np.random.default_rng(10)
    X, y = rng.standard_normal((20, 4)), np.array(["no", "yes"])[np.arange(20) % 2]
    weight = rng.integers(1, 4, 20)
    twice = fit(np.repeat(X, weight, axis=0), np.repeat(y, weight), estimator=RidgeClassifier())
    found = fit(X, y, weight, estimator=RidgeClassifier())
    np.testing.assert_allclose(found.scores_, twice.scores_, rtol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": KNeighborsClassifier()}, "neither coef_ nor feature_importances_"),
        ({"estimator": LogisticRegression(), "importance_getter": lambda m: [1.0]}, "last axis"),
        ({"estimator": "lasso"}, "'lasso' is not known; use"),
        ({"alpha": 0}, "alpha=0 is out of range"),
        ({"alpha": "best"}, "'gcv' or 'cv'"),
        ({"rocchio_b": -1}, "rocchio_b=-1"),
        ({"keep": [7]}, "use indices from 0 to 3"),
        ({"keep": ["a"]}, "There is no column 'a'"),
        ({"keep": "ab"}, "keep='ab' must be a list of indices or names, or a mask"),
        ({"feature_groups": [1, 2]}, "one label for each of the 4 columns"),
        ({"kernel": "rbf"}, "kernel='rbf' is for estimator='svm'; leave it at 'linear'"),
        ({"class_weight": "balanced"}, "class_weight='balanced' is for estimator='svm'"),
        ({"estimator": "rocchio", "class_weight": {0: 2.0}}, "is for estimator='svm'"),
        ({"estimator": LogisticRegression(), "kernel": "rbf"}, "kernel='rbf' is for"),
        ({"kernel_criterion": "derivative"}, "'derivative' is for estimator='svm' with kernel="),
        ({"estimator": "svm", "kernel_criterion": "derivative"}, "with kernel='rbf'"),
        ({"importance_getter": "coef_"}, "is for an estimator of scikit-learn"),
        ({"importance_getter": 7}, "importance_getter must be 'auto', the name"),
        ({"estimator": RidgeClassifier(), "importance_getter": 7}, "importance_getter must be"),
        (
            {"estimator": RidgeClassifier(), "importance_getter": "weights_"},
            "importance_getter='weights_' is no attribute of a fitted RidgeClassifier",
        ),
        ({"step": 1.5}, r"step=1.5 must be a whole number of columns, or a fraction in \(0, 1\)"),
        ({"step": 0.0}, r"step=0.0 must be a whole number of columns, or a fraction in \(0, 1\)"),
        ({"recursive": "no"}, "recursive must be True or False, not 'no'"),
        ({"estimator": 3}, "estimator=3 is not an estimator; use 'ridge', 'svm', 'rocchio' or"),
        ({"estimator": None}, "estimator=None is not an estimator"),
        ({"estimator": LogisticRegression}, "instance such as LogisticRegression"),
    ],
)
def test_what_is_refused(parameters, message):
    X, y = np.random.default_rng(0).standard_normal((12, 4)), np.arange(12) % 2
    with pytest.raises((TypeError, ValueError), match=message):
        fit(X, y, **parameters)


def test_an_estimator_without_weights():
    X, y = np.random.default_rng(0).standard_normal((12, 4)), np.arange(12) % 2
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no sample_weight"):
        fit(X, y, np.full(12, 2.0), estimator=KNeighborsClassifier())


# ---- columns that stay, and that go together ----


@pytest.mark.parametrize("estimator", ["ridge", "rocchio"])
def test_kept_columns_are_in_every_selection(estimator):
    rng = np.random.default_rng(11)
    X, y = rng.standard_normal((20, 40)), np.arange(20) % 2
    usual = fit(X, y, estimator=estimator).path_.features
    kept = usual[-3:]
    mask = np.isin(np.arange(40), kept)
    for keep in (kept.tolist(), mask):
        found = fit(X, y, estimator=estimator, keep=keep, n_features_to_select=5)
        assert set(kept) == set(found.path_.features[:3])
    with pytest.warns(UserWarning, match="1 feature was .* 3 are kept: `keep` names 3 col"):
        assert fit(X, y, keep=mask, n_features_to_select=1).n_features_ == 3


def test_constant_columns_are_not_kept_and_said_to_be_missing():
    rng = np.random.default_rng(20)
    X, y = rng.standard_normal((20, 6)), np.arange(20) % 2
    X[:, 4] = 1
    with pytest.warns(UserWarning, match=r"constant columns, which are not kept: \[4\]") as heard:
        found = fit(X, y, keep=[1, 4], n_features_to_select=2)
    assert len(heard) == 1
    assert heard[0].filename.endswith("eliminated.py")
    assert found.support_[1]
    assert not found.support_[4]


def test_kept_columns_stay_in_the_model():
    rng = np.random.default_rng(12)
    X, y = rng.standard_normal((15, 25)), rng.standard_normal(15)
    found = fit(X, y, keep=[4, 9])
    left = list(range(25))
    for column in found.path_.features[:1:-1].tolist():
        scores = np.abs(Ridge(1.0).fit(X[:, left], y).coef_)
        scores[[left.index(4), left.index(9)]] = np.inf
        assert left[np.argmin(scores)] == column
        left.remove(column)


def test_groups_are_kept_whole():
    rng = np.random.default_rng(13)
    X, y = rng.standard_normal((30, 9)), np.arange(30) % 2
    groups = np.repeat(["a", "b", "c"], 3)
    with pytest.warns(UserWarning, match="5 features were asked for and 3 are kept: groups"):
        found = RecursiveElimination(feature_groups=groups, n_features_to_select=5).fit(X, y)
    assert len(set(groups[found.support_])) == 1
    with pytest.warns(UserWarning, match="^2 features .* 3 are kept: .* best one has 3 columns.$"):
        best = RecursiveElimination(feature_groups=groups, n_features_to_select=2).fit(X, y)
    assert best.support_.tolist() == found.support_.tolist()
    everything = fit(X, y, feature_groups=groups)
    assert [len(set(groups[part])) for part in np.split(everything.path_.features, 3)] == [1, 1, 1]


def test_probes_go_in_the_groups_that_they_shuffle():
    rng = np.random.default_rng(14)
    X, y = rng.standard_normal((60, 8)), np.arange(60) % 2
    X[:, 2:4] += 2 * y[:, None]
    rule = EmpiricalProbe(0.2, n_rounds=9, random_state=0)
    found = fit(X, y, feature_groups=np.arange(8) // 2, n_features_to_select=rule)
    assert np.flatnonzero(found.support_).tolist() == [2, 3]


# ---- what does not matter, and what ties do ----


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), shape=st.sampled_from([(20, 35), (35, 20)]))
def test_what_does_not_matter(seed, shape):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal(shape).astype(np.float32), np.arange(shape[0]) % 3
    first = fit(X.astype(float), y).path_.features
    columns, rows = rng.permutation(shape[1]), rng.permutation(shape[0])
    assert columns[fit(X[:, columns], y).path_.features].tolist() == first.tolist()
    assert fit(X[rows], 7 - y[rows]).path_.features.tolist() == first.tolist()
    assert fit(X, y).path_.features.tolist() == first.tolist()
    assert fit(X.astype(float) + 100, y).path_.features.tolist() == first.tolist()
    assert fit(sparse.csr_array(X), y).path_.features.tolist() == first.tolist()


@settings(deadline=None, max_examples=20)
@given(
    seed=st.integers(0, 10**6), step=st.sampled_from([1, 0.5]), alpha=st.sampled_from([1, "gcv"])
)
def test_weights_count_repeated_rows(seed, step, alpha):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((12, 20)), rng.standard_normal(12)
    weight = rng.integers(0, 4, 12)
    weight[:3] = 1
    found = fit(X, y, weight, step=step, alpha=alpha)
    twice = fit(np.repeat(X, weight, axis=0), np.repeat(y, weight), step=step, alpha=alpha)
    assert found.ranking_.tolist() == twice.ranking_.tolist()
    np.testing.assert_allclose(found.scores_, twice.scores_, rtol=1e-6)


def test_a_copy_of_a_column_goes_before_it():
    rng = np.random.default_rng(15)
    X, y = rng.standard_normal((20, 15)), rng.standard_normal(20)
    ranking = fit(np.hstack([X, X]), y).ranking_
    assert (ranking[15:] > ranking[:15]).all()


def test_a_probe_wins_every_tie_against_the_feature_that_it_equals():
    rng = np.random.default_rng(16)
    X, y = rng.standard_normal((20, 10)), rng.standard_normal(20)
    same = Probed(Permuted(Dense(X), np.arange(20)), Dense(X))
    target = encode(y, tasks=("regression",))
    selector = RecursiveElimination()
    selector.n_features_in_ = 10
    path = selector._rank(same, target, None, rng, 1)
    place = np.argsort(path.features)
    assert (place[:10] < place[10:]).all()


def test_copies_do_not_shield_each_other():
    """Three copies share one weight, which is why one-shot ranking drops them all."""
    rng = np.random.default_rng(17)
    signal, weak = rng.standard_normal((2, 200))
    y = signal + 0.6 * weak
    X = np.column_stack([signal, signal, signal, weak, *rng.standard_normal((4, 200))])
    assert fit(X, y).path_.features[:2].tolist() == [0, 3]
    assert fit(X, y, recursive=False).path_.features[0] == 3


def test_alpha_is_shown_for_every_step():
    rng = np.random.default_rng(18)
    X, y = rng.standard_normal((20, 6)), rng.standard_normal(20)
    assert fit(X, y, alpha=3).alphas_.tolist() == [3.0] * 6
    halved = fit(X, y, alpha="gcv", step=0.5).alphas_
    assert halved[3] == halved[4] == halved[5]


def test_nothing_stays_of_an_earlier_fit():
    X, y = np.random.default_rng(19).standard_normal((20, 6)), np.arange(20) % 2
    found = fit(X, y)
    found.set_params(estimator="svm", kernel="rbf").fit(X, y)
    assert not hasattr(found, "alphas_")
    found.set_params(estimator="ridge", kernel="linear").fit(X, y)
    assert hasattr(found, "alphas_")
    assert not hasattr(found, "gamma_")


# ---- sparse tables that stay sparse ----


def text(seed=0, n_rows=400, n_columns=60, n_targets=9):
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < 0.1)
    X[:, 7] = 0  # a word that no document has
    Y = (X @ rng.standard_normal((n_columns, n_targets)) > 0.3).astype(int)
    return X, Y


@pytest.fixture
def always_sparse(monkeypatch):
    monkeypatch.setattr("handful.methods.elimination._CELLS", 0)


@pytest.mark.parametrize("parameters", [{}, {"recursive": False}, {"keep": [3, 4]}, {"step": 7}])
def test_large_sparse_tables_are_ranked_as_dense_ones(always_sparse, parameters):
    X, Y = text()
    parameters = {"step": 0.5, **parameters}
    dense = fit(X, Y, **parameters)
    stayed = fit(sparse.csr_array(X), Y, **parameters)
    assert (stayed.ranking_ == dense.ranking_).all()
    np.testing.assert_allclose(stayed.scores_, dense.scores_, rtol=1e-5)
    assert (stayed.alphas_ == dense.alphas_).all()


@pytest.mark.parametrize("step", [0.5, 1])
def test_each_target_is_ranked_as_if_alone(always_sparse, step):
    X, Y = text()
    paths = RecursiveElimination(step=step, alpha=0.5).rank_each(sparse.csr_array(X), Y)
    for path, y in zip(paths, Y.T, strict=True):
        alone = fit(X, y, step=step, alpha=0.5).path_
        assert (path.features == alone.features).all()
        np.testing.assert_allclose(path.scores, alone.scores, rtol=1e-5)
        assert path.complete
        assert path.note == alone.note


@pytest.mark.parametrize("large", [True, False])
def test_targets_of_several_kinds_are_ranked_as_if_alone(monkeypatch, large):
    """Classes, numbers and text beside each other; none changes what is read in another."""
    X, labels = text(n_targets=2)
    rng = np.random.default_rng(3)
    number, third = rng.standard_normal(len(X)), rng.integers(0, 3, len(X))
    words = np.array(["no", "yes"])[labels[:, 0]].astype(object)
    sets = [
        np.column_stack([labels[:, 0], number]),
        np.column_stack([labels[:, 0], third, labels[:, 1]]),
        np.column_stack([words, labels[:, 1].astype(object), words]),
    ]
    if large:
        monkeypatch.setattr("handful.methods.elimination._CELLS", 0)
    table = sparse.csr_array(X)
    for Y in sets:
        paths = RecursiveElimination(step=0.5).rank_each(table, Y)
        for path, y in zip(paths, Y.T, strict=True):
            alone = fit(table, y, step=0.5).path_
            assert (path.features == alone.features).all()
            np.testing.assert_allclose(path.scores, alone.scores, rtol=1e-5)
            np.testing.assert_array_equal(path.fitted["alphas_"], alone.fitted["alphas_"])


@pytest.mark.parametrize("large", [True, False])
def test_targets_that_cannot_be_ranked(monkeypatch, large):
    X, Y = text()
    if large:
        monkeypatch.setattr("handful.methods.elimination._CELLS", 0)
    table, one_class = sparse.csr_array(X), Y.copy()
    one_class[:, 1] = 1
    for wrong, message in (
        (one_class, "y holds 1 class only"),
        (Y[1:], "X has 400 rows and y has 399"),
        (np.where(Y, np.nan, 1.0), "Input y contains NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            RecursiveElimination(step=0.5).rank_each(table, wrong)


def test_one_target_is_for_fit():
    X, Y = text()
    with pytest.raises(ValueError, match=r"Y has shape \(400,\); it needs a column per target"):
        RecursiveElimination().rank_each(X, Y[:, 0])
