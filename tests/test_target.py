"""What y is taken for, and what is refused."""

import re
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest

from handful.target import encode

BOTH = ("classification", "regression")


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([1, 0, 1], [0, 1]),
        ([2.0, 7.0, 2.0], [2, 7]),
        ([True, False, True], [False, True]),
        (["b", "a", "b"], ["a", "b"]),
        (np.array(["b", "a", "b"], dtype=object), ["a", "b"]),
        (pd.Series(["b", "a", "b"], dtype="category"), ["a", "b"]),
        (pd.Series([3, 1, 3], dtype="Int64"), [1, 3]),
        (pl.Series(["b", "a", "b"]), ["a", "b"]),
        (np.array([3, 1, 2], dtype=np.uint8), [1, 2, 3]),
        (np.array([1, -1, 1], dtype=object), [-1, 1]),
    ],
)
def test_classes(y, classes):
    target = encode(y, tasks=BOTH)
    assert target.task == "classification"
    assert target.classes.tolist() == classes
    assert [classes[code] for code in target.codes] == list(y)
    assert target.original.tolist() == list(y)


@pytest.mark.parametrize("y", [[0.5, 1, 2], np.array([0.5, 1, 2], object), np.float32([0.5, 1, 2])])
def test_numbers(y):
    target = encode(y, tasks=BOTH)
    assert (target.task, target.classes, target.n_classes) == ("regression", None, 0)
    assert target.values.tolist() == [0.5, 1.0, 2.0]
    assert target.columns().tolist() == [[0.5], [1.0], [2.0]]


def test_the_task_may_be_said():
    assert encode([1, 2, 3], tasks=BOTH, task="regression").values.tolist() == [1.0, 2.0, 3.0]
    assert encode([1, 2, 3], tasks=BOTH, task="classification").n_classes == 3


def test_signs_and_columns():
    two = encode(["b", "a", "b"], tasks=BOTH)
    assert two.signs.tolist() == [1.0, -1.0, 1.0]
    assert two.columns().tolist() == [[1.0], [-1.0], [1.0]]
    three = encode(["c", "a", "b"], tasks=BOTH)
    assert three.columns().tolist() == [[-1, -1, 1], [1, -1, -1], [-1, 1, -1]]
    with pytest.raises(ValueError, match="signs are for two classes, not 3"):
        _ = three.signs


def test_rows_forget_the_classes_that_are_gone():
    target = encode(list("abcab"), tasks=BOTH, weight=np.arange(1.0, 6.0))
    part = target.rows(np.array([1, 2, 4]))
    assert part.classes.tolist() == ["b", "c"]
    assert part.signs.tolist() == [-1.0, 1.0, -1.0]
    assert part.weight.tolist() == [2.0, 3.0, 5.0]
    numbers = encode([0.5, 1.5, 2.5], tasks=BOTH).rows(np.array([2, 0]))
    assert (numbers.values.tolist(), numbers.original.tolist()) == ([2.5, 0.5], [2.5, 0.5])


def test_several_labels_and_several_numbers():
    labels = encode(np.array([[0, 1], [1, 1], [1, 0]]), tasks=BOTH, several=True)
    assert (labels.task, labels.codes) == ("classification", None)
    assert labels.columns().tolist() == [[-1, 1], [1, 1], [1, -1]]
    with pytest.raises(ValueError, match="codes are for one label per row"):
        _ = labels.class_codes
    numbers = encode(np.array([[0.5, 1], [1, 2.5]]), tasks=BOTH, several=True)
    assert numbers.columns().tolist() == [[0.5, 1], [1, 2.5]]
    assert numbers.rows(np.array([1])).columns().tolist() == [[1, 2.5]]


def test_a_column_of_y_is_a_row_of_y_with_a_warning():
    with pytest.warns(UserWarning, match="column-vector y was passed"):
        assert encode(np.array([[1], [0]]), tasks=BOTH).original.shape == (2,)


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        (["a", "a"], {}, "y holds 1 class only ('a'); at least two are needed"),
        ([7, 7, 7], {}, "y holds 1 class only (7)"),
        ([0.5, 0.5], {}, "The target is constant (0.5); nothing to learn."),
        ([3, 3], {"task": "regression"}, "The target is constant (3); nothing to learn."),
        ([[0.5, 2], [1, 2]], {"several": True}, "The target column 1 is constant (2)"),
        ([[0, 1], [1, 1]], {"several": True}, "The target column 1 is constant (1)"),
        ([[0, 1], [1, 0]], {}, "y has 2 columns (shape (2, 2)); this method takes one target"),
        ([[1, 2], [3, 4], [5, 1]], {"several": True}, "y is multiclass-multioutput; several"),
        ([0.5, 1.2], {"tasks": ("classification",)}, "and y asks for regression; FilterSelector"),
        ([0.5, 1.2], {"task": "classification"}, "label type: continuous. Classes are labels"),
        ([0, 1], {"task": "ranking"}, "task='ranking' is not known; use 'auto', 'classification'"),
        (["a", "b"], {"task": "regression"}, "y holds text (first 'a'); regression needs numbers."),
        (["a", None], {}, "Input y contains NaN. The first is at row 1; drop such rows."),
        (pd.Series(["b", "a", None]), {}, "Input y contains NaN. The first is at row 2"),
        ([1.0, np.nan], {}, "Input y contains NaN. The first is at row 1"),
        ([0.5, np.inf], {}, "Input y contains infinity or a value too large"),
        (np.array(["a", 1], dtype=object), {}, "numbers only or text only; found int, str."),
        ([date(2020, 1, 1), date(2021, 1, 1)], {}, "found date."),
        (np.array(["2020", "2021"], "M8[Y]"), {}, "y holds values of type datetime64[Y]"),
        ([1j, 2], {}, "y holds values of type complex128; turn them into numbers or text."),
        ([b"a", b"b"], {}, "y holds values of type |S1; turn them into numbers or text."),
    ],
)  # fmt: skip
def test_what_is_refused(y, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        encode(y, **({"tasks": BOTH} | options))
