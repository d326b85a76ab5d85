"""Discretiser: scikit-learn's bins, and Fayyad and Irani's cuts against a slow twin."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import mdl_cuts as slow_cuts
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful import InformationSelector
from handful.features import Discretiser
from handful.features.discretise import mdl_cuts


@parametrize_with_checks([Discretiser(strategy) for strategy in ("quantile", "uniform", "mdl")])
def test_is_a_transformer(estimator, check):
    check(estimator)


@given(
    st.integers(0, 2**32),
    st.integers(2, 120),
    st.integers(1, 60),
    st.integers(2, 6),
    st.floats(0, 1),
)
@settings(max_examples=300)
def test_cuts_are_those_of_the_slow_twin(seed, n_rows, n_values, n_classes, noise):
    rng = np.random.default_rng(seed)
    values = rng.integers(n_values, size=n_rows).astype(float)
    codes = (values * n_classes // n_values).astype(int)
    codes = np.where(rng.random(n_rows) < noise, rng.integers(n_classes, size=n_rows), codes)
    codes = np.unique(codes, return_inverse=True)[1]
    assert mdl_cuts(values, codes).tolist() == slow_cuts(values.tolist(), codes.tolist())


def test_the_cuts_of_iris_are_the_published_ones():
    """As the package discretization of R prints them."""
    found = Discretiser("mdl").fit(*load_iris(return_X_y=True)).cuts_
    published = [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]]
    for cuts, expected in zip(found, published, strict=True):
        np.testing.assert_allclose(cuts, expected, rtol=1e-12)


def test_hundreds_of_classes_are_no_overflow():
    codes = np.repeat(np.arange(700), 8)
    assert mdl_cuts(codes.astype(float), codes).tolist() == (np.arange(699) + 0.5).tolist()


def test_mdl_keeps_levels_under_whatever_keeps_the_order():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 6)), rng.integers(3, size=200)
    X[:, :3] += y[:, None]
    levels = Discretiser("mdl").fit_transform(X, y)
    assert levels.max() > 1
    assert (levels[:, 3:] == 0).all()
    assert (Discretiser("mdl").fit_transform(np.exp(X), y) == levels).all()
    names = np.array(["c", "a", "b"])[y]
    assert (Discretiser("mdl").fit_transform(X, names) == levels).all()
    shuffled = rng.permutation(200)
    assert (Discretiser("mdl").fit_transform(X[shuffled], y[shuffled]) == levels[shuffled]).all()
    assert (Discretiser("mdl").fit_transform(sparse.csr_array(X), y) == levels).all()


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
def test_bins_are_those_of_scikit_learn(strategy):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 8)) ** 3
    theirs = KBinsDiscretizer(7, encode="ordinal", strategy=strategy, subsample=None)
    if "quantile_method" in theirs.get_params():
        theirs.set_params(quantile_method="averaged_inverted_cdf")
    found = Discretiser(strategy, n_bins=7).fit(X[:200])
    assert (found.transform(X) == theirs.fit(X[:200]).transform(X)).all()
    assert found.transform(X).dtype == np.uint8


@pytest.mark.parametrize("strategy", ["quantile", "uniform", "mdl"])
def test_a_missing_value_is_a_level_of_its_own(strategy):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((90, 4)), np.arange(90) % 2
    X[:, 0] += 3 * y
    X[:, 1] = 7.0
    absent = rng.random((90, 4)) < 0.2
    absent[:, 2], absent[:, 3] = True, False
    gappy = np.where(absent, np.nan, X)
    found = Discretiser(strategy, n_bins=3, missing="category").fit(gappy, y)
    levels = found.transform(gappy)
    for column in range(4):
        here = ~absent[:, column]
        cuts = found.cuts_[column]
        assert (levels[~here, column] == len(cuts) + 1).all()
        if here.any():
            whole = Discretiser(strategy, n_bins=3).fit(X[here, column, None], y[here])
            assert cuts.tolist() == whole.cuts_[0].tolist()
            assert (levels[here, column] == whole.transform(X[here, column, None])[:, 0]).all()
    with pytest.raises(ValueError, match="NaN"):
        Discretiser(strategy).fit(gappy, y)


def test_in_a_pipeline_with_frames():
    X, y = load_iris(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(Discretiser("mdl"), InformationSelector(n_features_to_select=2))
    chosen = pipeline.set_output(transform="pandas").fit_transform(X, y)
    assert isinstance(chosen, pd.DataFrame)
    assert chosen.columns.tolist() == ["petal length (cm)", "petal width (cm)"]


def test_says_what_is_wrong():
    X, y = np.eye(4), [0, 1, 0, 1]
    with pytest.raises(ValueError, match="strategy='kmeans' is not known; use 'quantile', 'unif"):
        Discretiser("kmeans").fit(X)
    with pytest.raises(ValueError, match="strategy='mdl' requires y"):
        Discretiser("mdl").fit(X)
    with pytest.raises(ValueError, match="X has 4 rows and y has 3"):
        Discretiser("mdl").fit(X, y[:3])
    with pytest.raises(ValueError, match="n_bins=1 must be at least 2"):
        Discretiser(n_bins=1).fit(X)
    with pytest.raises(ValueError, match="regression"):
        Discretiser("mdl").fit(X, [0.1, 0.2, 0.3, 0.4])
