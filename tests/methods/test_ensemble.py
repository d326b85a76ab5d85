"""StabilityEnsemble against a matrix of weights written out, machine by machine."""

import tracemalloc

import numpy as np
import oracles_ensemble
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import RidgeClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from handful import StabilityEnsemble
from handful.columns import Dense
from handful.datasets import load_leukaemia, make_nonlinear_toy
from handful.evaluation import read_record
from handful.evaluation.run import select
from handful.methods.catalogue import find, name_of
from handful.solvers.resamples import draw
from handful.stopping import CrossValidated


def problem(seed, n_classes=2, n_rows=24, n_columns=9):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_rows) % n_classes)
    X = rng.standard_normal((n_rows, n_columns))
    X[:, 0] += y
    X[:, 1] -= y == 1
    return X, y


def fit(X, y, weight=None, **parameters):
    parameters = {"n_features_to_select": 1, "random_state": 0, "n_resamples": 6, **parameters}
    return StabilityEnsemble(**parameters).fit(X, y, sample_weight=weight)


def drawn(y, n_resamples=6, fraction=0.8):
    """The signs and counts that ``random_state=0`` leads to."""
    rng = np.random.default_rng(int(np.random.RandomState(0).randint(2**31)))
    pairs = oracles_ensemble.pairs_of(y)
    return [(signs, draw(signs, n_resamples, fraction, rng).counts) for signs in pairs]


MACHINES = {
    "svm": ({}, lambda X, signs, counts: oracles_ensemble.linear_machine(X, signs, 1.0 * counts)),
    "costly": (
        {"C": 50.0},
        lambda X, signs, counts: oracles_ensemble.linear_machine(
            X, signs, 50.0 * counts, oracles_ensemble.exact_svm
        ),
    ),
    "ridge": (
        {"estimator": "ridge", "alpha": 0.5},
        lambda X, signs, counts: oracles_ensemble.ridge_machine(X, signs, counts, 0.5),
    ),
    "rbf": (
        {"kernel": "rbf", "gamma": 0.2, "C": 3.0},
        lambda X, signs, counts: oracles_ensemble.rbf_machine(X, signs, 3.0 * counts, 0.2),
    ),
}


# ---- one ensemble ----


@pytest.mark.parametrize("kind", MACHINES)
@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), n_classes=st.integers(2, 3))
def test_stability_and_rate_are_those_of_the_slow_twin(kind, seed, n_classes):
    parameters, machine = MACHINES[kind]
    X, y = problem(seed, n_classes)
    X = np.round(8 * X) / 8  # libsvm's float32 kernels hold such numbers exactly
    found = fit(X, y, n_features_to_select=None, **parameters)
    stability, rate = oracles_ensemble.ensemble(X, drawn(y), machine)
    np.testing.assert_allclose(found.stability_, stability, rtol=1e-4)
    np.testing.assert_allclose(found.out_of_bag_, [[9, rate]], rtol=1e-12)
    np.testing.assert_array_equal(found.scores_, found.stability_)
    assert (np.diff(found.path_.scores) <= 0).all()


def test_a_weight_of_changing_sign_is_not_stable():
    """The paper's figure 4 in two columns: a large weight that means nothing, a small one."""
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    X = np.column_stack([0.02 * (y + 0.1 * rng.standard_normal(30)), rng.standard_normal(30)])
    found = fit(X, y, n_resamples=100)
    assert found.selection_order_.tolist() == [0]
    weights = np.abs(SVC(kernel="linear").fit(X, y).coef_[0])
    assert weights[1] > weights[0]


def test_constant_columns_have_no_stability():
    X, y = problem(0)
    X[:, 4] = 7.0
    assert np.flatnonzero(np.isnan(fit(X, y).stability_)).tolist() == [4]


def test_not_all_weights_at_once():
    X = np.random.default_rng(0).standard_normal((12, 50_000)).astype(np.float32)
    y = np.arange(12) % 2
    tracemalloc.start()
    fit(X, y, n_resamples=500)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500 * 50_000 * 8 / 4


# ---- the combined method ----


@pytest.mark.parametrize("kind", ["costly", "ridge", "rbf"])
@pytest.mark.parametrize("patience", [None, 1, 3])
def test_the_combined_method_is_table_iii(kind, patience):
    parameters, machine = MACHINES[kind]
    for seed in range(4):
        X, y = problem(seed, n_classes=2 + seed % 2)
        found = fit(X, y, eliminate=0.3, patience=patience, n_features_to_select=None, **parameters)
        order, rates = oracles_ensemble.combined(X, drawn(y), machine, 0.3, patience)
        assert found.path_.features.tolist() == order
        np.testing.assert_allclose(found.out_of_bag_, rates)
        best = max(rate for _, rate in rates)
        assert found.n_features_ == min(n for n, rate in rates if rate >= best - 1e-12)


def test_how_many_are_kept():
    X, y = problem(1)
    best = fit(X, y, eliminate=0.2, n_features_to_select=None)
    assert best.stopping_.rule == "BestOutOfBag"
    assert best.stopping_.curve[best.stopping_.sizes.tolist().index(best.n_features_)] == (
        best.out_of_bag_[:, 1].max()
    )
    for wanted in ("paper", None):
        same = fit(X, y, eliminate=0.2, n_features_to_select=wanted)
        assert same.selection_order_.tolist() == best.selection_order_.tolist()
    for wanted in (4, "auto", 0.5):
        other = fit(X, y, eliminate=0.2, n_features_to_select=wanted)
        assert other.path_.features.tolist() == best.path_.features.tolist()
        assert other.n_features_ == {4: 4, "auto": 9, 0.5: 4}[wanted]
    assert fit(X, y, n_features_to_select=None).n_features_ == 9


def test_a_record_of_the_best_out_of_bag(tmp_path):
    X, y = problem(1)
    made = select(StabilityEnsemble(eliminate=0.2, random_state=0), Dense(X), y)
    (tmp_path / "made.json").write_text(made.to_json(), encoding="utf-8")
    assert read_record(tmp_path / "made.json").stopping == made.stopping
    assert made.stopping["sizes"][-1] == 9
    nothing = select(StabilityEnsemble(eliminate=0.2), Dense(np.ones((24, 2))), y)
    assert (nothing.n_features, nothing.stopping["sizes"]) == (0, [])


@pytest.mark.parametrize(
    ("parameters", "model"),
    [
        ({"C": 0.3}, SVC(kernel="linear", C=0.3, gamma="scale")),
        ({"kernel": "rbf", "gamma": 0.1}, SVC(C=1.0, gamma=0.1)),
        ({"estimator": "ridge", "alpha": 3.0}, RidgeClassifier(3.0)),
    ],
)
def test_without_a_number_the_forward_choice_of_the_paper(parameters, model):
    X, y = problem(2, n_rows=40)
    found = fit(X, y, n_features_to_select="paper", **parameters)
    rule = CrossValidated(model, scoring="accuracy")
    expected = fit(X, y, n_features_to_select=rule, **parameters)
    assert found.stopping_.rule == "CrossValidated"
    np.testing.assert_array_equal(found.stopping_.fold_scores, expected.stopping_.fold_scores)
    assert found.selection_order_.tolist() == expected.selection_order_.tolist()
    assert StabilityEnsemble().n_features_to_select == "paper"


def test_clouds_that_no_line_separates():
    found = 0
    for seed in range(5):
        X, y, relevant = make_nonlinear_toy(100, 22, random_state=seed)
        X, relevant = np.roll(X, 9, axis=1), relevant + 9  # ties would choose the first columns
        ensemble = fit(
            MinMaxScaler().fit_transform(X), y, eliminate=0.05, kernel="rbf", C=100, gamma=1.0,
            n_resamples=20, n_features_to_select=2,
        )  # fmt: skip
        found += sorted(ensemble.selection_order_.tolist()) == relevant.tolist()
    assert found == 5


# ---- properties ----


@pytest.mark.parametrize("parameters", [{}, {"eliminate": 0.2}, {"kernel": "rbf", "gamma": 0.2}])
def test_what_leaves_the_answer_alone(parameters):
    X, y = problem(3)
    X = np.round(64 * X) / 64  # so that shifting is exact
    expected = fit(X, y, n_features_to_select=None, **parameters).path_.features

    def path(X, y, **more):
        return fit(X, y, n_features_to_select=None, **parameters, **more).path_.features.tolist()

    assert path(X.astype(np.float32), y) == expected.tolist()
    assert path(X + np.arange(9) * 8, y) == expected.tolist()
    assert path(X, np.array(["b", "a"])[y]) == expected.tolist()
    order = np.random.default_rng(0).permutation(9)
    assert order[path(X[:, order], y)].tolist() == expected.tolist()
    assert path(X, y, n_jobs=2) == expected.tolist()


@pytest.mark.parametrize("estimator", ["svm", "ridge"])
def test_weights_multiply_the_cost_of_errors(estimator):
    X, y = problem(4)
    doubled = fit(X, y, np.full(24, 2.0), estimator=estimator, C=1.0, alpha=1.0)
    expected = fit(X, y, estimator=estimator, C=2.0, alpha=0.5)
    np.testing.assert_allclose(doubled.stability_, expected.stability_, rtol=1e-9)
    weight = np.where(np.arange(24) < 20, 1.0, 0.0)
    without = fit(X[:20], y[:20], estimator=estimator)
    with_zero = fit(X, y, weight, estimator=estimator)
    assert with_zero.stability_.tobytes() == without.stability_.tobytes()


@pytest.mark.parametrize("alpha", [1e-20, 1e-12, 1e-3])
def test_ridge_with_hardly_a_penalty(alpha):
    """Columns that depend on each other: what least squares of the smallest length answers."""
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((20, 3)))
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    y = (X[:, 0] + rng.standard_normal(20) > 0).astype(int)
    found = fit(X, y, estimator="ridge", alpha=alpha, n_features_to_select=None)
    ((signs, counts),) = drawn(y)
    weights = []
    for count in counts:
        Z, values = np.repeat(X, count.astype(int), axis=0), np.repeat(signs, count.astype(int))
        U, sizes, V = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)
        shares = np.where(sizes > 1e-9, sizes / (sizes**2 + alpha), 0)
        weights.append(V.T @ (shares * (U.T @ (values - values.mean()))))
    expected = np.abs(np.mean(weights, axis=0)) / np.std(weights, axis=0)
    np.testing.assert_allclose(found.stability_, expected, rtol=1e-6)


def test_gamma_by_scale_of_weighted_rows():
    X, y = problem(5)
    weight = np.random.default_rng(0).integers(1, 5, len(y))
    gamma = 1 / np.repeat(X, weight, axis=0).var(axis=0).sum()
    named, given = (fit(X + 3, y, weight, kernel="rbf", gamma=value) for value in ("scale", gamma))
    np.testing.assert_allclose(named.stability_, given.stability_, rtol=1e-9)


def test_gamma_by_scale():
    X, y = problem(5)
    X[:, 3] = 2.0
    named, given = (
        fit(X, y, kernel="rbf", gamma=value) for value in ("scale", 1 / X.var(axis=0).sum())
    )
    np.testing.assert_allclose(named.stability_, given.stability_, rtol=1e-9)


def test_more_machines_agree_more_with_other_machines():
    data = load_leukaemia()

    def agreement(n_resamples):
        one, other = (
            fit(
                data.data,
                data.target,
                n_resamples=n_resamples,
                random_state=seed,
                n_features_to_select=50,
            ).support_
            for seed in (1, 2)
        )
        return np.sum(one & other)

    assert 10 < agreement(20) < agreement(500)


def test_short_names():
    for name in ("svm-se", "svm-se-combined", "ridge-se"):
        assert name_of(find(name).build()) == name
    assert name_of(StabilityEnsemble()) == "svm-se"
    assert name_of(StabilityEnsemble(eliminate=0.1)) == "StabilityEnsemble"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": "tree"}, "estimator='tree' is not known; use 'svm' or 'ridge'"),
        ({"n_resamples": 1}, "n_resamples=1 must be at least 2"),
        ({"fraction": 1.5}, "fraction=1.5 is out of range"),
        ({"eliminate": 1.0}, "eliminate=1.0 is out of range"),
        ({"eliminate": 0.1, "patience": 0}, "patience=0 must be at least 1"),
        ({"C": 0.0}, "C=0.0 is out of range"),
        ({"alpha": -1.0}, "alpha=-1.0 is out of range"),
        ({"kernel": "poly"}, "kernel='poly' is not known; use 'linear' or 'rbf'"),
        ({"kernel": "rbf", "gamma": "auto"}, "gamma='auto' is not known; use 'scale'"),
        ({"estimator": "ridge", "kernel": "rbf"}, "kernel='rbf' is for estimator='svm'"),
        ({"patience": 2}, "patience=2 is for eliminations; give eliminate=0.05"),
        ({"n_features_to_select": "papers"}, "'papers' is not known; use 'paper' or 'auto'"),
    ],
)
def test_parameters_out_of_range(parameters, message):
    X, y = problem(0)
    with pytest.raises(ValueError, match=message):
        fit(X, y, **parameters)


def test_numbers_are_refused():
    X, _ = problem(0)
    with pytest.raises(ValueError, match="This method is for classification"):
        fit(X, np.linspace(0, 1, 24))
