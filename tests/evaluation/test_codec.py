"""The way to JSON values and back: strict, exact, and precise about what does not fit."""

import json
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from handful.evaluation.codec import RecordError, plain, typed


@dataclass
class Inner:
    x: float
    labels: list[str] = field(default_factory=list)


@dataclass
class Outer:
    n: int
    name: str
    flag: bool
    maybe: int | None
    inner: Inner
    many: list[Inner]
    by_name: dict[str, list[float]]
    anything: Any = None


floats = st.floats(allow_nan=False)
inners = st.builds(Inner, floats, st.lists(st.text()))
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
outers = st.builds(
    Outer,
    st.integers(),
    st.text(),
    st.booleans(),
    st.none() | st.integers(),
    inners,
    st.lists(inners),
    st.dictionaries(st.text(), st.lists(floats)),
    json_values,
)


@given(outers)
def test_dataclasses_come_back_from_strict_json(value):
    text = json.dumps(plain(value), allow_nan=False)
    assert typed(json.loads(text), Outer) == value


@given(json_values)
def test_json_values_are_plain_already(value):
    assert plain(value) == value


def test_what_is_not_a_number_comes_back_as_that():
    written = plain([math.nan, math.inf, -math.inf])
    assert written == [None, "Infinity", "-Infinity"]
    back = typed(written, list[float])
    assert math.isnan(back[0])
    assert back[1:] == [math.inf, -math.inf]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.array([[1.0, np.nan]]), [[1.0, None]]),
        ((1, 2), [1, 2]),
        ({3: "a"}, {"3": "a"}),
        (math.sqrt, "sqrt"),
        (object(), "object"),
        (Inner, "Inner"),
    ],
)
def test_other_values(value, expected):
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected)


def test_estimators_are_their_parameters():
    found = plain(make_pipeline(Ridge(alpha=2.0)))
    assert found["class"] == "Pipeline"
    ((name, ridge),) = found["parameters"]["steps"]
    assert (name, ridge["class"], ridge["parameters"]["alpha"]) == ("ridge", "Ridge", 2.0)


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        ("3", int, "here should be int; it is '3'."),
        (True, int, "here should be int; it is True."),
        (3.5, int, "here should be int; it is 3.5."),
        (None, str, "here should be str; it is None."),
        (1, bool, "here should be bool; it is 1."),
        (10**400, float, "here should be float; it is 10000"),
        ("x" * 99, float, "here should be float; it is 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...."),
        ({}, list[int], "here should be list[int]; it is {}."),
        ([1, "a"], list[int], "here[1] should be int; it is 'a'."),
        ({"a": [1, None]}, dict[str, list[int]], "here.a[1] should be int; it is None."),
        ("a", int | None, "here should be null or int."),
        ([], Inner, "here should be an object with the fields of Inner."),
        ({"labels": []}, Inner, "here lacks 'x'; it is not a complete record."),
        ({"x": 1, "labels": [None]}, Inner, "here.labels[0] should be str; it is None."),
    ],
)
def test_what_does_not_fit_is_named_with_its_place(content, kind, message):
    with pytest.raises(RecordError) as caught:
        typed(content, kind, "here")
    assert str(caught.value).startswith(message)


def test_keys_of_later_versions_are_passed_over():
    assert typed({"x": 1, "later": 2}, Inner) == Inner(1.0)
