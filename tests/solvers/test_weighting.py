"""The weighting's parts: compiled classifiers, draws, steps, projections, energies."""

import numpy as np
import oracles_weighting as oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from scipy.sparse import csc_array
from sklearn.svm import SVC

from handful import _core
from handful.solvers.weighting.exact import Energy, moved, multisets, projected

MACHINES = ["svm", "euclidean", "hamming", "tree"]


def trial(X, y, machine, *, C=1.0, tolerance=1e-3, n_neighbors=3, balanced=False):
    codes = np.atleast_2d(y).astype(np.int32)
    n_classes = [int(code.max()) + 1 for code in codes]
    columns = np.arange(X.shape[1])
    given = machine, C, tolerance, n_neighbors, balanced
    return _core.Trial(X, columns, codes, n_classes, *given)


def judged(X, y, machine, subset, learn, test, **more):
    rows = np.array([[[learn, test]]], dtype=np.int32)
    return trial(X, y, machine, **more).judge(np.array([subset]), rows, 1)[0]


@st.composite
def problems(draw, n_classes=(2, 4)):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows, n_columns = draw(st.integers(4, 40)), draw(st.integers(1, 12))
    X = rng.standard_normal((n_rows, n_columns))
    if draw(st.booleans()):
        X = np.round(X)
    y = rng.integers(0, draw(st.integers(*n_classes)), n_rows)
    y[: y.max() + 1] = np.arange(y.max() + 1)
    learn, test = rng.integers(n_rows, size=(2, draw(st.integers(1, 40))))
    subset = rng.integers(n_columns, size=draw(st.integers(1, 6)))
    return X, y, subset, learn, test


# ---- compiled classifiers ----


@given(problems(), st.integers(1, 6), st.sampled_from(["euclidean", "hamming"]), st.booleans())
@settings(max_examples=300, deadline=None)
def test_nearest_neighbours(problem, n_neighbors, metric, balanced):
    X, y, subset, learn, test = problem
    said = oracles.neighbours(X[:, np.unique(subset)], y, learn, test, n_neighbors, metric)
    expected = oracles.wrong_share(said, y[test], balanced)
    found = judged(X, y, metric, subset, learn, test, n_neighbors=n_neighbors, balanced=balanced)
    assert found == pytest.approx(expected, abs=1e-12)


@given(problems(), st.booleans())
@settings(max_examples=200, deadline=None)
def test_tree(problem, balanced):
    X, y, subset, learn, test = problem
    X = X[:, np.unique(subset)]
    order = np.array(oracles.in_order(learn))
    # rows in order of their first draw, as often as they were drawn
    grown = oracles.tree(X, y, np.repeat(order, [(learn == row).sum() for row in order]))
    said = np.array([oracles.asked(grown, X[row]) for row in test])
    found = judged(X, y, "tree", np.arange(X.shape[1]), learn, test, balanced=balanced)
    assert found == pytest.approx(oracles.wrong_share(said, y[test], balanced), abs=1e-12)


@given(problems(), st.sampled_from([0.01, 1.0, 10.0]), st.booleans())
@settings(max_examples=60, deadline=None)
def test_support_vector_machine(problem, C, balanced):
    X, y, subset, learn, test = problem
    X = X[:, np.unique(subset)]
    low, high = [], []
    partitions = [y] if y.max() == 1 else [y == code for code in range(y.max() + 1)]
    for code in partitions:
        code = code.astype(int)
        if len(set(code[learn])) == 1:
            value = np.full(len(test), 2.0 * code[learn[0]] - 1)
        else:
            machine = SVC(kernel="linear", C=C, tol=1e-5).fit(X[learn], code[learn])
            value = machine.decision_function(X[test])
            at_bound = np.abs(machine.dual_coef_) > C * (1 - 1e-4)
            if at_bound.all():  # any intercept of an interval is as good
                value[:] = 0
        # rows so near the plane that either answer is as good
        near = np.abs(value) < 2e-3
        truth, said = code[test], (value > 0).astype(int)
        low.append(oracles.wrong_share(np.where(near, truth, said), truth, balanced))
        high.append(oracles.wrong_share(np.where(near, 1 - truth, said), truth, balanced))
    given = {"C": C, "tolerance": 1e-5, "balanced": balanced}
    found = judged(X, y, "svm", np.arange(X.shape[1]), learn, test, **given)
    assert np.mean(low) - 1e-12 <= found <= np.mean(high) + 1e-12


@pytest.mark.parametrize("machine", MACHINES)
def test_every_table_judges_alike(machine):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (30, 20)).astype(np.float64)
    y, subsets = rng.integers(0, 3, 30), rng.integers(20, size=(50, 6))
    rows = rng.integers(30, size=(1, 50, 2, 25), dtype=np.int32)
    expected = trial(X, y, machine).judge(subsets, rows, 1)
    tables = [np.asfortranarray(X), X[::-1][::-1], X.astype(np.float32), X.astype(np.int8),
              csc_array(X)]  # fmt: skip
    for table in tables:
        for threads in (1, 3):
            assert trial(table, y, machine).judge(subsets, rows, threads).tobytes() == (
                expected.tobytes()
            )
    # tasks are averaged, and which class has which number does not matter
    both = trial(X, np.array([y, (y + 1) % 3]), machine).judge(subsets, rows, 1)
    np.testing.assert_allclose(both, expected, rtol=1e-12)


# ---- draws and steps ----


def start(n, seed=0):
    weights = np.random.default_rng(seed).random(n) + 0.2
    return weights / weights.sum()


@pytest.mark.parametrize("optimizer", ["riemannian", "multiplicative", "euclidean", "diffusion"])
def test_features_are_drawn_as_often_as_they_weigh(optimizer):
    rng = np.random.default_rng(3)
    n = 30
    weights = _core.build_weights(optimizer, start(n), 0.02, 1000)
    for _ in range(200):  # so that the lazy ones have something to catch up with
        features = rng.choice(n, 4, replace=False)
        size = 1e-6 if optimizer in ("euclidean", "diffusion") else 0.02
        weights.step(features, rng.standard_normal(4), size, rng.standard_normal(n))
    drawn = np.bincount(weights.draw(rng.random(200_000)), minlength=n)
    found = weights.values()
    if optimizer == "diffusion":
        assert (drawn[found == 0] == 0).all()
        drawn, found = drawn[found > 0], found[found > 0]
    assert stats.chisquare(drawn, found * drawn.sum()).pvalue > 1e-4


@given(st.integers(0, 2**32), st.integers(1, 40), st.sampled_from([1, 7, 1000]))
@settings(max_examples=100, deadline=None)
def test_steps_follow_their_formulas(seed, n, lag):
    rng = np.random.default_rng(seed)
    first = start(n, seed)
    step_of = {
        "riemannian": oracles.riemannian_step,
        "multiplicative": oracles.multiplicative_step,
        "euclidean": oracles.euclidean_step,
    }
    for optimizer, step in step_of.items():
        weights, expected = _core.build_weights(optimizer, first, 0.0, lag), first
        for _ in range(20):
            features = rng.choice(n, rng.integers(1, n + 1), replace=False)
            gradient = rng.normal(0, 1, len(features))
            loss = np.zeros(n)
            loss[features] = gradient
            # far from the boundary, where the Euclidean one stops
            size = 1e-3 / n**2 if optimizer == "euclidean" else 10.0 ** rng.uniform(-4, 0.5)
            assert weights.step(features, gradient, size, None)
            expected = step(expected, loss, size)
        np.testing.assert_allclose(weights.values(), expected, rtol=1e-9, atol=1e-300)


def test_steps_of_the_diffusion():
    rng = np.random.default_rng(5)
    expected = start(12)
    weights = _core.build_weights("diffusion", expected, 0.3, 1)
    for _ in range(300):
        features = weights.draw(rng.random(3))
        features = np.unique(features)
        gradient, noise = rng.random(len(features)), rng.standard_normal(12)
        loss = np.zeros(12)
        loss[features] = gradient
        expected = oracles.diffusion_step(expected, loss, 0.01, 0.3, noise)
        weights.step(features, gradient, 0.01, noise)
        np.testing.assert_allclose(weights.values(), expected, atol=1e-12)


def test_a_euclidean_step_out_of_the_simplex_is_refused_or_clipped():
    first = np.array([0.1, 0.3, 0.6])
    gradient, features = np.array([1.0]), np.array([0])
    weights = _core.build_weights("euclidean", first, 0.0, 1)
    assert not weights.step(features, gradient, 0.1, None)
    np.testing.assert_allclose(weights.values(), first, atol=1e-15)
    clipped = _core.build_weights("clipped", first, 0.0, 1)
    assert clipped.step(features, gradient, 0.1, None)
    loss = np.array([1.0, 0, 0])
    expected = oracles.projection(oracles.euclidean_step(first, loss, 0.1))
    assert expected[0] == 0
    np.testing.assert_allclose(clipped.values(), expected, atol=1e-12)


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=12))
@settings(max_examples=200, deadline=None)
def test_projection_is_the_papers_and_the_nearest_point(values):
    x = np.array(values)
    found = _core.build_weights("clipped", x, 0.0, 1).values()
    np.testing.assert_allclose(found, oracles.projection(x), atol=1e-12)
    near = optimize.minimize(
        lambda z: ((z - x) ** 2).sum(), found, jac=lambda z: 2 * (z - x), method="SLSQP",
        bounds=[(0, None)] * len(x), constraints={"type": "eq", "fun": lambda z: z.sum() - 1},
    )  # fmt: skip
    np.testing.assert_allclose(found, near.x, atol=1e-5)


# ---- energies ----


def some_errors(n, k, seed):
    """An error for every multiset, and as a function of a draw."""
    subsets, orders = multisets(n, k)
    errors = np.random.default_rng(seed).random(len(subsets))
    table = {tuple(subset): error for subset, error in zip(subsets.tolist(), errors, strict=True)}
    return Energy(subsets, orders, errors), lambda draw: table[tuple(sorted(draw))]


@pytest.mark.parametrize(("n", "k"), [(1, 1), (4, 1), (5, 2), (4, 3), (3, 4)])
def test_the_exact_energy_and_its_gradient(n, k):
    exact, error = some_errors(n, k, seed=n)
    weights = start(n)
    value, gradient = exact.at(weights)
    assert value == pytest.approx(oracles.energy(weights, error, k), rel=1e-12)
    np.testing.assert_allclose(gradient / weights, oracles.gradient(weights, error, k), rtol=1e-12)
    assert weights @ projected(gradient, weights) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("baseline", [0.0, 0.4])
@pytest.mark.parametrize("geometry", ["euclidean", "riemannian"])
def test_gradients_of_draws_are_unbiased_with_and_without_a_baseline(geometry, baseline):
    n, k, n_draws = 5, 2, 200_000
    exact, _ = some_errors(n, k, seed=8)
    weights = start(n)
    rng = np.random.default_rng(0)
    drawn = _core.build_weights("multiplicative", weights, 0.0, 1).draw(rng.random(n_draws * k))
    drawn = np.sort(drawn.reshape(n_draws, k), axis=1)
    place = {tuple(subset): i for i, subset in enumerate(exact.subsets.tolist())}
    q = exact.errors[[place[tuple(draw)] for draw in drawn.tolist()]] - baseline
    counts = np.stack([(drawn == j).sum(axis=1) for j in range(n)], axis=1)
    gradient = exact.at(weights)[1]
    if geometry == "euclidean":
        each = counts * q[:, None] / weights
        each -= each.mean(axis=1, keepdims=True)
        expected = gradient / weights - (gradient / weights).mean()
    else:
        each = counts * q[:, None]
        each -= np.outer(each @ weights / (weights @ weights), weights)
        expected = projected(gradient, weights)
        assert np.abs(each @ weights).max() < 1e-13
    error = each.std(axis=0) / np.sqrt(n_draws)
    assert (np.abs(each.mean(axis=0) - expected) < 4.5 * error).all()


@given(st.integers(0, 2**32), st.integers(2, 6), st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_the_exact_energy_never_rises_by_small_steps(seed, n, k):
    exact, _ = some_errors(n, k, seed)
    weights = start(n, seed)
    value, gradient = exact.at(weights)
    for _ in range(200):
        weights = moved(weights, gradient, 0.05)
        new, gradient = exact.at(weights)
        assert new <= value + 1e-15
        value = new
    assert abs(weights.sum() - 1) < 1e-12
