"""Profiles against sums done the slow way, and their bounds."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from handful.evaluation.codec import RecordError
from handful.evaluation.profiles import (
    MAX_GROUPS,
    MAX_POINTS,
    MAX_VALUES,
    Group,
    Profile,
    class_label,
    profile,
)

CLASSES = np.array(["b", "a", "b", "c", "a", "b", "b", "a"])
MEASURED = np.array([2.5, 0.1, 3.5, 9.0, 0.3, 1.5, 7.25, 0.2])


def test_measurements_by_class():
    found = profile(3, MEASURED, CLASSES, "classification")
    assert (found.index, found.kind, found.of) == (3, "spread", "column")
    assert [(group.group, group.rows) for group in found.groups] == [("a", 3), ("b", 4), ("c", 1)]
    assert found.groups[0].values == [0.1, 0.2, 0.3]
    # b: 1.5 2.5 3.5 7.25, with quartiles between the ranks
    assert found.groups[1].summary == [1.5, 2.25, 3.0, 4.4375, 7.25]
    assert found.groups[2].summary == [9.0] * 5


@given(
    arrays(np.int8, 12, elements=st.integers(-2, 2)),
    arrays(np.int8, 12, elements=st.integers(0, 3)),
)
def test_levels_are_counted_by_class(column, y):
    found = profile(0, column.astype(float), y, "classification")
    counted = Counter(zip(y.tolist(), column.tolist(), strict=True))
    assert found.kind == "counts"
    assert found.levels == sorted(set(column.tolist()))
    for label, group in zip(sorted(set(y.tolist())), found.groups, strict=True):
        assert group.group == str(label)
        assert group.counts == [counted[label, level] for level in found.levels]
        assert group.rows == sum(group.counts)


def test_a_numeric_target_by_the_level_of_a_column():
    column = np.array([1.0, 0.0, 1.0, 0.0])
    found = profile(0, column, np.array([5.0, 1.0, 7.0, 3.0]), "regression")
    assert (found.kind, found.of) == ("spread", "target")
    assert [(group.group, group.values) for group in found.groups] == [
        ("0", [1.0, 3.0]),
        ("1", [5.0, 7.0]),
    ]


def test_two_numbers_per_row():
    y = MEASURED**2
    found = profile(0, MEASURED, y, "regression")
    assert found.kind == "points"
    assert found.points == [[x, x**2] for x in MEASURED.tolist()]


def test_halves_are_measurements_and_two_values_are_levels():
    y = np.array([0, 1, 0, 1])
    halves = profile(0, np.array([0.5, 1.5, 2.5, 0.5]), y, "classification")
    two = profile(0, np.array([0.5, 1.5, 1.5, 0.5]), y, "classification")
    assert (halves.kind, two.kind) == ("spread", "counts")


def test_large_tables_stay_bounded():
    rng = np.random.default_rng(0)
    n = 10_007
    column, y = rng.normal(size=n), np.sort(rng.integers(0, 40, n) ** 2)
    points = profile(0, column, y.astype(float) + 0.5, "regression").points
    assert MAX_POINTS / 2 < len(points) <= MAX_POINTS
    classes = profile(0, column, y, "classification").groups
    assert len(classes) == MAX_GROUPS
    assert not any(group.values for group in classes)
    most_rows = {str(label) for label, _ in Counter(y.tolist()).most_common(MAX_GROUPS)}
    assert {group.group for group in classes} == most_rows
    few = profile(0, column[:MAX_VALUES], np.arange(MAX_VALUES) % 2, "classification")
    assert sum(len(group.values) for group in few.groups) == MAX_VALUES


@given(arrays(float, st.integers(1, 6), elements=st.floats(-1e90, 1e90)))
def test_a_summary_is_ascending_and_inside_the_data(column):
    (group,) = profile(0, column, np.zeros(len(column)), "classification").groups
    if group.summary:
        assert group.summary == sorted(group.summary)
        assert (group.summary[0], group.summary[4]) == (column.min(), column.max())


@pytest.mark.parametrize(
    ("label", "expected"),
    [(np.float64(2), "2"), (2.5, "2.5"), (np.bool_(False), "False"), ("x", "x"), (-3, "-3")],
)
def test_class_labels(label, expected):
    assert class_label(label) == expected


SUMMARY = [0.0, 1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    "content",
    [
        {"kind": "pie"},
        {"kind": "spread"},
        {"kind": "spread", "groups": [Group("a", 1, SUMMARY[:4])]},
        {"kind": "spread", "groups": [Group("a", 1, SUMMARY[::-1])]},
        {"kind": "spread", "groups": [Group("a", 1, [*SUMMARY[:4], float("inf")])]},
        {"kind": "spread", "groups": [Group("a", 1, SUMMARY, [float("nan")])]},
        {"kind": "counts", "groups": [Group("a", 1, counts=[1])]},
        {"kind": "counts", "levels": [0.0, 1.0], "groups": [Group("a", 1, counts=[1])]},
        {"kind": "counts", "levels": [0.0, 1.0], "groups": [Group("a", 1, counts=[2, -1])]},
        {"kind": "counts", "levels": [0.0], "groups": [Group("a", 0, counts=[0])]},
        {"kind": "points"},
        {"kind": "points", "points": [[1.0]]},
        {"kind": "points", "points": [[1.0, 1e308]]},
    ],
)
def test_what_cannot_be_drawn_is_refused(content):
    with pytest.raises(RecordError, match="profile of column 5 is not a complete one"):
        Profile(index=5, **content)
