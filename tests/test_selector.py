"""The base of all selectors: what it does around a method's ranking, and what it refuses."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from handful import FilterSelector
from handful.path import Path
from handful.selector import Selector, weighted_fit
from handful.stopping import AnalyticProbe, CrossValidated, EmpiricalProbe, StabilityThreshold


class LastFirst(Selector):
    """A method in a few lines: the last column first."""

    _several_targets = True
    fit = weighted_fit

    def __init__(self, n_features_to_select="auto", *, length=None, random_state=None):
        self.n_features_to_select = n_features_to_select
        self.length = length
        self.random_state = random_state

    def _rank(self, table, target, n, rng, n_jobs):
        features = np.arange(table.shape[1])[::-1][: self.length][:n]
        fitted = {"target_": target, "draw_": float(rng.random()), "rows_": table.gather()}
        note = "so it was wished"
        return Path(features, features / 2, note=note, warning="learns nothing", fitted=fitted)


X = np.arange(60.0).reshape(10, 6)
Y = np.array(list("ab") * 5)


# ---- what it does ----


def test_what_a_method_found_is_on_the_selector():
    found = LastFirst(2).fit(X, Y)
    assert found.selection_order_.tolist() == [5, 4]
    assert found.support_.tolist() == [False] * 4 + [True] * 2
    assert found.ranking_.tolist() == [3, 3, 3, 3, 2, 1]
    np.testing.assert_array_equal(found.scores_, [np.nan] * 4 + [2.0, 2.5])
    assert found.transform(X).tolist() == X[:, [4, 5]].tolist()
    assert found.stopping_.warning == "learns nothing"
    assert (found.stopping_.rule, found.stopping_.asked) == ("Fixed", 2)
    assert found.target_.classes.tolist() == ["a", "b"]


def test_the_same_seed_the_same_draws():
    def draw(seed):
        return LastFirst(1, random_state=seed).fit(X, Y).draw_

    assert draw(3) == draw(3) != draw(4)
    assert draw(None) != draw(None)
    assert draw(np.random.RandomState(3)) == draw(3)


def test_rows_without_weight_are_not_there():
    weight = np.array([1, 0, 2, 1, 0, 3, 1, 1, 0, 1])
    found = LastFirst(1).fit(X, Y, sample_weight=weight)
    kept = weight > 0
    assert found.rows_.tolist() == X[kept].tolist()
    assert found.target_.weight.tolist() == weight[kept].tolist()
    assert found.target_.original.tolist() == Y[kept].tolist()


def test_groups_lose_the_rows_without_weight_too():
    seen = []

    class Splitter:
        def split(self, X, y, groups):
            seen.append(groups.tolist())
            yield np.array([0, 1, 2, 3]), np.array([4, 5])

        def get_n_splits(self, *_):
            return 1

    weight = np.array([1, 1, 1, 1, 0, 0, 0, 0, 1, 1])
    rule = CrossValidated(sizes=[1], cv=Splitter())
    LastFirst(rule).fit(X, Y, sample_weight=weight, groups=np.arange(10))
    assert seen == [[0, 1, 2, 3, 8, 9]]


def test_sparse_labels_and_several_targets():
    labels = np.eye(10, 3, dtype=int)
    for y in (labels, sparse.csr_array(labels)):
        found = LastFirst(1).fit(X, y)
        assert found.target_.columns().tolist() == (2 * labels - 1).tolist()
        assert not hasattr(found, "classes_")


def test_weights_are_a_named_parameter_where_two_equals_two_rows():
    named = [LastFirst(3), LastFirst(AnalyticProbe()), FilterSelector("f")]
    unnamed = [LastFirst(EmpiricalProbe()), FilterSelector("mutual_info"), FilterSelector(np.std)]
    assert [has_fit_parameter(selector, "sample_weight") for selector in named] == [True] * 3
    assert [has_fit_parameter(selector, "sample_weight") for selector in unnamed] == [False] * 3
    # where it is not, it is understood all the same
    rule = StabilityThreshold(n_resamples=3, random_state=0)
    assert LastFirst(rule).fit(X, Y, sample_weight=np.ones(10)).n_features_ == 1


def test_weights_and_groups_can_be_routed():
    request = get_routing_for_object(FilterSelector()).fit.requests
    assert set(request) == {"sample_weight", "groups"}


# ---- warnings ----


@pytest.mark.parametrize("asked", [5, 0.9, "auto"])
def test_fewer_than_asked_is_one_warning_that_says_why(asked):
    number = {0.9: 5, "auto": 6}.get(asked, 5)
    with pytest.warns(UserWarning, match=f"^{number} features were asked for and 4") as caught:
        LastFirst(asked, length=4).fit(X, Y)
    assert [str(w.message) for w in caught] == [
        f"{number} features were asked for and 4 are kept: so it was wished."
    ]
    assert caught[0].filename == __file__


def test_one_column_that_was_asked_for_is_one():
    with pytest.warns(UserWarning, match="^1 feature was asked for and 0 are kept: so it was"):
        LastFirst(1, length=0).fit(X, Y)


def test_nothing_to_warn_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert LastFirst(None, length=4).fit(X, Y).n_features_ == 4
        assert LastFirst(4, length=4).fit(X, Y).n_features_ == 4


def test_an_empty_path_is_one_warning():
    with pytest.warns(UserWarning, match="No feature is kept, since none could be ranked: so it"):
        assert LastFirst(None, length=0).fit(X, Y).n_features_ == 0


@pytest.mark.parametrize(
    "rule", [EmpiricalProbe(), StabilityThreshold(n_resamples=2, n_features=1)]
)
def test_rules_that_find_no_path_warn_and_keep_nothing(rule):
    with pytest.warns(UserWarning, match="No feature is kept") as caught:
        found = LastFirst(rule, length=0).fit(X, Y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert found.transform(X).shape == (10, 0)


# ---- what is refused ----


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "FilterSelector requires y to be passed, but the target y is None."),
        (Y[:9], "X has 10 rows and y has 9: inconsistent numbers of samples"),
        ([], "X has 10 rows and y has 0: inconsistent numbers of samples"),
        (3, "X has 10 rows and y has 1: inconsistent numbers of samples"),
        (["a"] * 10, "y holds 1 class only ('a')"),
        ([0.5] * 10, "The target is constant (0.5)"),
        (np.eye(10, 2, dtype=int), "y has 2 columns (shape (10, 2)); this method takes one target"),
    ],
)
def test_targets(y, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        FilterSelector().fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"sample_weight": np.ones(9)}, "sample_weight.shape == (9,), expected (10,)"),
        ({"sample_weight": [-1] + [1] * 9}, "sample_weight is negative (-1.0) at row 0."),
        ({"sample_weight": [0, 1] * 5}, "y holds 1 class only ('b')"),
        ({"groups": np.ones(11)}, "X has 10 rows and groups has 11: inconsistent numbers"),
    ],
)
def test_weights_and_groups(parameters, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        FilterSelector().fit(X, Y, **parameters)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (0, "n_features_to_select=0 is out of range: this table has n_features=6"),
        (7, "n_features_to_select=7 is out of range: this table has n_features=6"),
        (1.5, "n_features_to_select=1.5 is out of range: a fraction lies in (0, 1)"),
        ("best", "n_features_to_select='best' is not known; did you mean 'auto'?"),
        (EmpiricalProbe(risk=2), "risk=2 is out of range; it must lie in (0, 1)."),
        (EmpiricalProbe(n_rounds=5), "n_rounds=5 cannot show a risk of 0.05: at least"),
        (CrossValidated(cv=6), "cv=6 folds need 6 rows of every class; class 'a' has 5."),
        (CrossValidated(cv=11), "cv=11 folds need as many rows; there are 10."),
        (AnalyticProbe(), "use EmpiricalProbe, which works with all"),
    ],
)
def test_numbers_and_rules(wanted, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        FilterSelector(n_features_to_select=wanted).fit(X, Y)


def test_a_number_out_of_range_is_refused_before_any_work():
    def never(X, y):
        raise AssertionError("called")

    with pytest.raises(ValueError, match="out of range"):
        FilterSelector(never, n_features_to_select=7).fit(X, Y)


def test_a_method_for_classes_refuses_numbers():
    with pytest.raises(ValueError, match="for classification, and y asks for regression"):
        LastFirst().fit(X, X[:, 0] + 0.5)


def test_transform_refuses_what_fit_would():
    table = pd.DataFrame(X, columns=list("abcdef"))
    found = FilterSelector().set_params(n_features_to_select=2).fit(table, Y)
    with pytest.raises(ValueError, match="NaN in column 'c'"):
        found.transform(table.assign(c=np.nan))
    with pytest.raises(ValueError, match="Column 'c' holds text"):
        found.transform(table.assign(c="x"))
    with pytest.raises(ValueError, match="feature names should match"):
        found.transform(table[list("fedcba")])
    with pytest.raises(ValueError, match="5 features, but FilterSelector is expecting 6"):
        FilterSelector().fit(X, Y).transform(X[:, :5])


def test_transform_before_fit():
    with pytest.raises(Exception, match="not fitted yet"):
        FilterSelector().transform(X)
    assert isinstance(FilterSelector(), BaseEstimator)
