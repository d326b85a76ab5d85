"""Products made ahead: the same walk in fewer passes over the table."""

import numpy as np
import oracles
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from handful import GramSchmidt
from handful.columns import Dense, dense
from handful.datasets import load_leukaemia
from handful.solvers import orthogonal
from handful.solvers.ahead import Ahead, likely
from handful.solvers.orthogonal import Walk


def path_with(large, X, y, n=None, **parameters):
    """The path where tables of at least so many bytes are read with several vectors at once."""
    weight = parameters.pop("sample_weight", None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dense, "LARGE", large)
        patch.setattr(orthogonal, "WIDE", 0)
        return GramSchmidt(n, **parameters).fit(X, y, sample_weight=weight).path_


@settings(deadline=None, max_examples=80)
@pytest.mark.filterwarnings("ignore:.*features were asked for")
@given(
    n_rows=st.integers(8, 50),
    n_columns=st.integers(1, 60),
    n_targets=st.integers(1, 3),
    kind=st.sampled_from([np.float32, np.float64]),
    order=st.sampled_from("CF"),
    intercept=st.booleans(),
    weighted=st.booleans(),
    seed=st.integers(0, 10**6),
)
# nothing but rounding is left of the candidates, and nothing of some
@example(8, 39, 1, np.float64, "F", False, False, 8)
def test_same_path_in_fewer_passes(
    n_rows, n_columns, n_targets, kind, order, intercept, weighted, seed
):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns)) @ (
        np.eye(n_columns) + rng.standard_normal((n_columns, n_columns)) / 2
    )
    X = (X + rng.uniform(-3, 3, n_columns)).astype(kind, order=order)
    Y = X[:, :3] @ rng.standard_normal((min(3, n_columns), n_targets))
    Y = Y + rng.standard_normal(Y.shape)
    y = Y[:, 0] if n_targets == 1 else Y
    parameters = {
        "fit_intercept": intercept,
        "sample_weight": rng.uniform(0.1, 2, n_rows) if weighted else None,
    }
    ahead, plain = (path_with(large, X, y, **parameters) for large in (0, np.inf))
    # with as many targets as dimensions left everything is a tie, down to rounding
    settled = max(n_rows - n_targets - 2, 0)
    assert ahead.features[:settled].tolist() == plain.features[:settled].tolist()
    np.testing.assert_allclose(ahead.scores[:settled], plain.scores[:settled], rtol=1e-8)
    features, _ = oracles.gram_schmidt(X, Y, n_columns, parameters["sample_weight"], intercept)
    assert ahead.features[:settled].tolist() == features[:settled]


def test_copies_and_mixtures_are_refused_alike():
    rng = np.random.default_rng(0)
    base = rng.standard_normal((60, 12))
    mixtures = base @ rng.standard_normal((12, 20))
    X = np.hstack([base, base[:, ::-1], mixtures, np.ones((60, 1))])
    y = base @ rng.standard_normal(12) + rng.standard_normal(60)
    ahead = path_with(0, X, y)
    assert ahead.features.tolist() == path_with(np.inf, X, y).features.tolist()
    assert len(ahead) == 12


def test_nearly_collinear_columns_have_lost_their_products():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((50, 10))
    X = np.hstack([X, X[:, :5] + 1e-7 * rng.standard_normal((50, 5))])
    y = X[:, 0] - X[:, 10] * 0.9 + X[:, 6] + 0.1 * rng.standard_normal(50)
    ahead, plain = path_with(0, X, y), path_with(np.inf, X, y)
    assert ahead.features.tolist() == plain.features.tolist()
    np.testing.assert_allclose(ahead.scores, plain.scores, rtol=1e-7)


def test_genes_come_in_the_same_order():
    data = load_leukaemia(split="all")
    activity = data.data.astype(np.float64)
    ahead, plain = (path_with(large, activity, data.target, 50) for large in (0, np.inf))
    assert ahead.features.tolist() == plain.features.tolist()


def test_fewer_passes_than_steps(monkeypatch):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((300, 1_000))
    y = X[:, :20] @ rng.standard_normal(20) + rng.standard_normal(300)
    monkeypatch.setattr(dense, "LARGE", 0)
    monkeypatch.setattr(orthogonal, "WIDE", 1_000)
    passes = []
    read = Dense.tdot
    monkeypatch.setattr(Dense, "tdot", lambda *given: passes.append(1) or read(*given))
    assert len(GramSchmidt(40).fit(X, y).path_) == 40
    assert len(passes) <= 15


def test_likely_columns_are_those_a_walk_chooses():
    rng = np.random.default_rng(3)
    X, Y = rng.standard_normal((40, 12)), rng.standard_normal((40, 1))
    X[:, 1:6] += X[:, :1]
    walk = Walk(Dense(X), Y, None, False)
    steps = [step.feature for step in walk]
    assert likely(X, Y, 7).tolist() == steps[:7]
    assert likely(X, Y, 100).tolist() == steps
    twice = np.hstack([X[:, :3], X[:, :3]])
    assert len(likely(twice, Y, 6)) == 3


def test_products_follow_what_is_taken_out():
    rng = np.random.default_rng(4)
    X, left = rng.standard_normal((30, 9)), rng.standard_normal((30, 4))
    ahead = Ahead(np.array([5, 2, 7, 1]), left.copy(), left.T @ X)
    basis = np.linalg.qr(rng.standard_normal((30, 3)))[0]
    for vector in basis.T:
        ahead.take_out(vector, vector @ X)
    rest = left - basis @ (basis.T @ left)
    for place, feature in enumerate([5, 2, 7, 1]):
        expected = rest[:, place] @ X / np.linalg.norm(rest[:, place])
        np.testing.assert_allclose(ahead.product(feature), expected, rtol=1e-12, atol=1e-13)
        assert ahead.product(feature) is None  # given away
    assert ahead.product(3) is None


def test_a_direction_that_is_nearly_used_up_is_not_relied_on():
    vector = np.array([1.0, 0.0])
    for part, kept in ((0.4, False), (0.6, True)):
        left = np.array([[np.sqrt(1 - part**2)], [part]])
        ahead = Ahead(np.array([0]), left, left.T.copy())
        ahead.take_out(vector, vector)
        assert (ahead.product(0) is not None) == kept
