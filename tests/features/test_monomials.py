"""Monomials: scikit-learn's products, and the same table made lazily."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful import FilterSelector, GramSchmidt
from handful.columns import Dense, Products
from handful.datasets import make_xor
from handful.features import Monomials
from handful.stopping import AnalyticProbe, CrossValidated, EmpiricalProbe


@parametrize_with_checks([Monomials()])
def test_is_a_transformer(estimator, check):
    check(estimator)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 7), st.integers(1, 5), st.integers(0, 10**6))
def test_products_are_those_of_scikit_learn(n_variables, degree, seed):
    X = np.random.default_rng(seed).standard_normal((4, n_variables))
    theirs = PolynomialFeatures(min(degree, n_variables), interaction_only=True)
    expected, monomials = theirs.fit_transform(X), Monomials(degree)
    np.testing.assert_allclose(monomials.fit_transform(X), expected, rtol=1e-14)
    names = [name.replace(" ", "·") for name in theirs.get_feature_names_out()]
    assert monomials.get_feature_names_out().tolist() == names
    assert monomials.n_output_features_ == len(names)
    used = theirs.powers_.astype(bool)
    for columns in ([0], [len(names) - 1], range(len(names)), range(0, len(names), 3)):
        expected = np.flatnonzero(used[list(columns)].any(axis=0))
        assert monomials.variables(columns).tolist() == expected.tolist()


def test_the_papers_numbers_of_columns():
    monomials = Monomials(2, output="lazy")
    assert monomials.fit_transform(np.zeros((1, 52))).shape == (1, 1326 + 52 + 1)
    assert monomials.fit_transform(np.zeros((1, 2000))).shape == (1, 1_999_000 + 2000 + 1)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 9), st.integers(1, 4), st.sampled_from([np.float64, np.float32]), st.data())
def test_lazy_columns_answer_like_stored_ones(n_variables, degree, dtype, data):
    """In quarters every sum is exact."""
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    lazy = Products(rng.integers(-4, 5, (5, n_variables)).astype(dtype) / 2, degree)
    stored = Dense(lazy.native)
    assert (lazy.shape, lazy.dtype, lazy.work_dtype) == (stored.shape, dtype, stored.work_dtype)
    values, many = rng.integers(-4, 5, 5) / 4, rng.integers(-4, 5, (5, 3)) / 4
    assert (lazy.tdot(values) == stored.tdot(values)).all()
    assert (lazy.tdot(many) == stored.tdot(many)).all()
    weight = rng.integers(1, 5, 5) / 4
    assert (lazy.squared_lengths() == stored.squared_lengths()).all()
    assert (lazy.squared_lengths(weight) == stored.squared_lengths(weight)).all()
    cols = rng.permutation(lazy.shape[1])[:4]
    rows = rng.integers(0, 5, 6)
    assert (lazy.gather(rows, cols) == stored.gather(rows, cols)).all()
    assert (lazy.take(cols).native == stored.native[:, cols]).all()
    assert (lazy.rows(rows).native == stored.native[rows]).all()
    assert (lazy.varying() == stored.varying()).all()


@pytest.mark.parametrize("seed", range(3))
def test_xor_is_found_among_the_products(seed):
    X, y, relevant = make_xor(random_state=seed)
    rule = AnalyticProbe(0.01, probes="all")
    lazy, dense = (
        make_pipeline(Monomials(2, output=output), GramSchmidt(rule)).fit(X, y)
        for output in ("lazy", "dense")
    )
    monomials, selector = lazy
    assert monomials.variables(selector.selection_order_).tolist() == relevant.tolist()
    assert selector.path_.features.tolist() == dense[1].path_.features.tolist()
    np.testing.assert_array_equal(lazy.transform(X), X[:, :1] * X[:, 1:2])
    assert selector.stopping_.warning is None


def test_names_follow_through_a_pipeline():
    X, y, _ = make_xor(random_state=0)
    pipeline = make_pipeline(Monomials(2, output="lazy"), GramSchmidt(1), LogisticRegression())
    pipeline.fit(X, y)
    assert pipeline.score(X, y) > 0.95
    assert pipeline[:2].get_feature_names_out().tolist() == ["x0·x1"]


@pytest.mark.parametrize(
    "rule",
    [
        EmpiricalProbe(0.1, n_rounds=9, random_state=0),
        EmpiricalProbe(0.1, n_rounds=9, kind="gaussian", random_state=0),
        CrossValidated(sizes=[1, 2]),
    ],
)
def test_every_rule_works_on_lazy_columns(rule):
    X, y, _ = make_xor(n_noise=4, random_state=0)
    table = Monomials(3, output="lazy").fit_transform(X)
    selector = GramSchmidt(rule).fit(table, y)
    assert table.label(selector.selection_order_[0]) == "'x0·x1'"
    assert FilterSelector(n_features_to_select=1).fit(table, y).selection_order_ == [
        selector.selection_order_[0]
    ]


def test_two_million_columns_are_never_stored():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 2000))
    y = X[:, 3] * X[:, 1999] + X[:, 70] * X[:, 71] + 0.3 * rng.standard_normal(100)
    tracemalloc.start()
    pipeline = make_pipeline(Monomials(2, output="lazy"), GramSchmidt(3)).fit(X, y)
    reduced = pipeline.transform(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 500e6
    assert {3, 70, 71, 1999} <= set(pipeline[0].variables(pipeline[1].selection_order_))
    assert reduced.shape == (100, 3)


def test_too_many_products_to_rank():
    with pytest.raises(
        ValueError, match=r"Products of up to 9 of 500 variables are 5.1e\+18 columns"
    ):
        Monomials(9).fit(np.zeros((2, 500)))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"degree": 0}, "degree=0 must be at least 1"), ({"output": "sparse"}, "output='sparse'")],
)
def test_parameters_out_of_range(parameters, message):
    with pytest.raises(ValueError, match=message):
        Monomials(**parameters).fit(np.eye(3))
