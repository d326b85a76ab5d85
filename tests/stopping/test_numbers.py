"""The rules that are a number: what each stands for, and what is refused."""

import re

import numpy as np
import pytest
from rankers import problem, ranker_of

from handful.stopping import EmpiricalProbe, resolve


@pytest.mark.parametrize(
    ("wanted", "number"),
    [
        (1, 1),
        (40, 40),
        (np.int64(3), 3),
        (0.25, 10),
        (0.26, 10),
        (0.001, 1),
        (np.float32(0.5), 20),
        ("auto", 10),
        (None, None),
    ],
)
def test_what_a_number_stands_for(wanted, number):
    assert resolve(wanted, 40).get_params() == {"n_features": number}


def test_auto_keeps_no_more_than_there_are():
    assert resolve("auto", 4).get_params() == {"n_features": 4}


def test_a_rule_stands_for_itself():
    rule = EmpiricalProbe()
    assert resolve(rule, 40) is rule


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (0, "n_features_to_select=0 is out of range: this table has n_features=40; use a number "
            "from 1 to 40, a fraction in (0, 1), 'auto' or None."),
        (41, "n_features_to_select=41 is out of range"),
        (-1, "n_features_to_select=-1 is out of range"),
        (0.0, "n_features_to_select=0.0 is out of range: a fraction lies in (0, 1)"),
        (1.0, "for a number of features give an int, for all of them None"),
        (float("nan"), "n_features_to_select=nan is out of range"),
        ("all", "n_features_to_select='all' is not known; did you mean 'auto'?"),
    ],
)  # fmt: skip
def test_what_is_out_of_range(wanted, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        resolve(wanted, 40)


@pytest.mark.parametrize("wanted", [True, [3], EmpiricalProbe, 1 + 2j])
def test_what_is_no_number(wanted):
    with pytest.raises(TypeError, match=r"must be an int, a fraction, 'auto', None or a rule"):
        resolve(wanted, 40)


@pytest.mark.parametrize(("wanted", "kept"), [(3, 3), (None, 11), (12, 11)])
def test_a_number_keeps_the_beginning_of_the_path(wanted, kept):
    X, y = problem()
    X[:, 5] = 1.0  # a constant column is never chosen
    decision = resolve(wanted, 12).choose(ranker_of(X, y))
    assert decision.n_features == len(decision.path) == kept
    assert 5 not in decision.path.features
