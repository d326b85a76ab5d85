"""RecursiveElimination by support vector machines: the ranking of machines trained from scratch."""

import numpy as np
import pytest
from eliminated import KINDS, fit, judged_step_by_step, table
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles_machines import machine_weights
from sklearn.feature_selection import RFE
from sklearn.svm import SVC

from handful.datasets import load_leukaemia
from handful.solvers import support


def problem(seed, n_classes=2):
    """A table of sixteenths, the sums of which are exact, and the classes of its rows."""
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.integers(2 + n_classes, 10)), int(rng.integers(1, 9))
    X = table(rng, KINDS[seed % len(KINDS)], n_rows, n_columns)
    X = np.round(16 * np.clip(X, -16, 16)) / 16
    if seed % 4 == 3:  # duplicated rows, of either class
        X = X[rng.integers(0, max(2, n_rows // 2), n_rows)]
    y = np.append(np.arange(n_classes), rng.integers(0, n_classes, n_rows - n_classes))
    return X, y, 2.0 ** rng.integers(-12, 13)


def refit(X, y, bounds):
    """The scores of machines trained on some columns, each class against the rest."""
    classes = np.unique(y)
    signs = [np.where(y == k, 1.0, -1.0) for k in (classes if len(classes) > 2 else classes[1:])]

    def scores(left):
        weights = [machine_weights(X[:, left], s, bounds) for s in signs]
        return np.linalg.norm(weights, axis=0)

    return scores


def rounding(X, bounds):
    """What rounding may leave of weights that cancel."""
    return 1e-13 * np.abs(X).max() * bounds.sum()


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_column_that_an_exact_machine_weighs_least_goes(part, n_classes):
    for seed in range(40 * part, 40 * part + (40 if n_classes == 2 else 10)):
        X, y, C = problem(seed, n_classes)
        weight = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
        weight = weight if seed % 3 == 0 else None
        found = fit(X, y, weight, estimator="svm", C=C)
        bounds = np.full(len(y), C) if weight is None else C * weight
        judged_step_by_step(found, refit(X, y, bounds), noise=rounding(X, bounds))


# ---- agreement with scikit-learn ----


@pytest.mark.parametrize("shape", [(30, 80), (60, 25)])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_ranking_of_scikit_learn_around_svc(shape, C):
    """Of numbers that float32, which libsvm computes in, holds exactly."""
    rng = np.random.default_rng(1)
    X = np.round(8 * rng.standard_normal(shape)) / 8
    y = X[:, :5].sum(axis=1) + rng.standard_normal(shape[0]) > 0
    theirs = RFE(SVC(kernel="linear", C=C, tol=1e-10), n_features_to_select=1).fit(X, y)
    assert fit(X, y, estimator="svm", C=C).ranking_.tolist() == theirs.ranking_.tolist()


def test_three_hundred_genes_of_scikit_learn():
    data = load_leukaemia()
    X = data.data[:, :400] / 1024  # exact in float32 and well scaled
    X = X[:, np.ptp(X, axis=0) > 0]
    found = fit(X, data.target, estimator="svm")
    left = np.arange(X.shape[1])
    for column, score in zip(
        found.path_.features[:100:-1], found.path_.scores[:100:-1], strict=True
    ):
        weights = np.abs(SVC(kernel="linear", tol=1e-10).fit(X[:, left], data.target).coef_[0])
        # libsvm's kernel has seven digits
        assert weights[left == column][0] <= weights.min() + 1e-5 * weights.max()
        np.testing.assert_allclose(
            weights[left == column], score, rtol=0, atol=1e-5 * weights.max()
        )
        left = left[left != column]


def test_classes_against_the_rest():
    rng = np.random.default_rng(2)
    X, y = np.round(8 * rng.standard_normal((40, 12))) / 8, rng.integers(0, 4, 40)
    X[:, 3] += y
    scores = np.zeros(12)
    for k in range(4):
        scores += SVC(kernel="linear", tol=1e-10).fit(X, y == k).coef_[0] ** 2
    found = fit(X, y, estimator="svm", recursive=False)
    np.testing.assert_allclose(found.scores_, np.sqrt(scores), rtol=1e-6)


@pytest.mark.parametrize("class_weight", ["balanced", {"a": 0.25}, {"a": 3, "b": 2}])
def test_class_weights_of_scikit_learn(class_weight):
    rng = np.random.default_rng(3)
    X, y = np.round(8 * rng.standard_normal((40, 6))) / 8, np.where(np.arange(40) % 5, "a", "b")
    X[y == "b"] += 1
    model = SVC(kernel="linear", C=0.1, class_weight=class_weight, tol=1e-10).fit(X, y)
    found = fit(X, y, estimator="svm", C=0.1, class_weight=class_weight, recursive=False)
    np.testing.assert_allclose(found.scores_, np.abs(model.coef_[0]), rtol=1e-6)


# ---- many columns, several at a time ----


@pytest.mark.parametrize("step", [3, 0.3])
@pytest.mark.parametrize("shape", [(20, 60), (60, 20)])
def test_several_at_a_time(step, shape):
    rng = np.random.default_rng(4)
    X, y = np.round(8 * rng.standard_normal(shape)) / 8, rng.integers(0, 2, shape[0])
    found = fit(X, y, estimator="svm", step=step)
    left, expected = np.arange(shape[1]), []
    while len(left):
        weights = np.abs(SVC(kernel="linear", tol=1e-10).fit(X[:, left], y).coef_[0])
        n = step if step >= 1 else max(1, int(step * len(left)))
        order = np.argsort(weights)[:n]
        expected += left[order].tolist()
        left = np.delete(left, order)
    assert found.path_.features[::-1].tolist() == expected


def test_no_drift_after_ten_thousand_columns():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 10_040)) * np.geomspace(1, 100, 10_040), np.arange(20) % 2
    found = fit(X, y, estimator="svm")
    last = np.sort(found.path_.features[:40])  # after 10,000 of them
    centred, signs = X[:, last] - X[:, last].mean(axis=0), 2.0 * y - 1
    beta = support.solve(centred @ centred.T, signs, np.ones(20))[0]
    scores = np.abs(beta @ centred)
    assert last[np.argmin(scores)] == found.path_.features[39]
    np.testing.assert_allclose(found.path_.scores[39], scores.min(), rtol=1e-8)


def test_rows_that_lose_all_they_had():
    """A sparse table: most rows are empty long before the last columns go."""
    rng = np.random.default_rng(5)
    X = rng.integers(-3, 4, (15, 40)) * (rng.random((15, 40)) < 0.1) * 1.0
    y = np.append([0, 1], rng.integers(0, 2, 13))
    varying = np.ptp(X, axis=0) > 0
    found = fit(X, y, estimator="svm")
    assert len(found.path_) == varying.sum()
    bounds = np.ones(15)
    judged_step_by_step(found, refit(X, y, bounds), noise=rounding(X, bounds))


# ---- the selector ----


def test_the_same_bits_for_any_number_of_threads():
    data = load_leukaemia()
    y = data.target.copy()
    y[::3] = "other"
    one, two = (fit(data.data[:, :900], y, estimator="svm", n_jobs=n).path_ for n in (1, 2))
    assert one.features.tolist() == two.features.tolist()
    assert one.scores.tobytes() == two.scores.tobytes()


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("shape", [(12, 30), (30, 12)])
def test_order_and_place_do_not_matter(shape, kernel):
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal(shape).astype(np.float32), np.arange(shape[0]) % 3
    parameters = {"estimator": "svm", "kernel": kernel}
    first = fit(X.astype(float), y, **parameters).path_.features
    columns, rows = rng.permutation(shape[1]), rng.permutation(shape[0])
    assert columns[fit(X[:, columns], y, **parameters).path_.features].tolist() == first.tolist()
    assert fit(X[rows], 7 - y[rows], **parameters).path_.features.tolist() == first.tolist()
    assert fit(X.astype(float) + 100, y, **parameters).path_.features.tolist() == first.tolist()


@settings(deadline=None, max_examples=30)
@given(
    seed=st.integers(0, 10**6),
    step=st.sampled_from([1, 0.5]),
    kernel=st.sampled_from(["linear", "rbf"]),
    class_weight=st.sampled_from([None, "balanced"]),
)
def test_weights_count_repeated_rows(seed, step, kernel, class_weight):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((12, 20)), np.arange(12) % 2
    weight = rng.integers(0, 4, 12)
    weight[:2] = 1
    parameters = {
        "estimator": "svm", "step": step, "kernel": kernel, "class_weight": class_weight
    }  # fmt: skip
    found = fit(X, y, weight, **parameters)
    twice = fit(np.repeat(X, weight, axis=0), np.repeat(y, weight), **parameters)
    assert found.ranking_.tolist() == twice.ranking_.tolist()
    # a weight that is exactly 0 is rounding of the others in both
    rounding = 1e-12 * found.scores_.max()
    np.testing.assert_allclose(found.scores_, twice.scores_, rtol=1e-6, atol=rounding)


def test_kept_columns_stay_in_the_machine():
    rng = np.random.default_rng(7)
    X, y = np.round(8 * rng.standard_normal((15, 25))) / 8, np.arange(15) % 2
    found = fit(X, y, estimator="svm", keep=[4, 9])
    assert set(found.path_.features[:2].tolist()) == {4, 9}
    signs, left = 2.0 * y - 1, list(range(25))
    for column in found.path_.features[:1:-1].tolist():
        scores = np.abs(machine_weights(X[:, left], signs, np.ones(15)))
        scores[[left.index(4), left.index(9)]] = np.inf
        assert left[np.argmin(scores)] == column
        left.remove(column)


def test_gamma_scale_makes_rows_two_apart_on_average():
    rng = np.random.default_rng(8)
    X, y = rng.standard_normal((30, 7)) * np.arange(1, 8) + 5, np.arange(30) % 2
    found = fit(X, y, estimator="svm", kernel="rbf")
    assert found.gamma_ == pytest.approx(1 / X.var(axis=0).sum(), rel=1e-12)
    given = fit(X, y, estimator="svm", kernel="rbf", gamma=found.gamma_)
    assert given.ranking_.tolist() == found.ranking_.tolist()


def test_a_rule_that_no_line_tells():
    """Columns 0 and 1 only tell the classes together: a Gaussian kernel finds them."""
    rng = np.random.default_rng(9)
    X = rng.standard_normal((120, 10))
    y = X[:, 0] * X[:, 1] > 0
    for criterion in ("margin", "derivative"):
        found = fit(X, y, estimator="svm", kernel="rbf", C=10, kernel_criterion=criterion)
        assert set(found.path_.features[:2].tolist()) == {0, 1}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C=0 is out of range"),
        ({"kernel": "poly"}, "'linear' or 'rbf'"),
        ({"gamma": "auto"}, "'scale'"),
        ({"gamma": -1.0}, "gamma=-1.0"),
        ({"kernel_criterion": "span"}, "'margin' or 'derivative'"),
        ({"class_weight": "even"}, "use None, 'balanced' or a dict"),
        ({"class_weight": {3: 1.0}}, "names the class 3; the classes are 0, 1"),
        ({"class_weight": {1: -1.0}}, "must hold positive numbers"),
    ],
)
def test_what_is_refused(parameters, message):
    X, y = np.random.default_rng(0).standard_normal((12, 4)), np.arange(12) % 2
    with pytest.raises(ValueError, match=message):
        fit(X, y, estimator="svm", **parameters)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 2.0}])
def test_class_weights_are_for_one_label_per_row(class_weight):
    X, y = np.random.default_rng(0).standard_normal((12, 4)), np.arange(12) % 2
    with pytest.raises(ValueError, match="is for one label per row, and y has 2; fit a selector"):
        fit(X, np.column_stack([y, 1 - y]), estimator="svm", class_weight=class_weight)


def test_machines_are_for_classes():
    with pytest.raises(ValueError, match="estimator='svm' is for classes"):
        fit(np.eye(4), np.array([0.5, 1.5, 2.5, 4.0]), estimator="svm")
