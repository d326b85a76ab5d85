"""Tables that cannot be used: each is refused by name, before any work."""

import re
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator

from handful import columns
from handful.columns import Dense, Sparse


def opened(X, **options):
    return columns.open(BaseEstimator(), X, **options)


GOOD = [1.0, 2.0, 3.0, 5.0]
TEXT = list("abca")


def refused(X, message, error=ValueError):
    with pytest.raises(error, match=re.escape(message)):
        opened(X)


# ---- cells ----


@pytest.mark.parametrize(
    "make", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array]
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({(0, 2): np.nan}, "Input X contains NaN in column 2. Fill or drop"),
        ({(3, 1): np.inf}, "Input X contains infinity in column 1."),
        ({(3, 1): -np.inf, (0, 1): np.inf}, "Input X contains infinity in column 1."),
        ({(0, 4): np.nan, (1, 0): np.nan}, "Input X contains NaN in columns 0, 4."),
        ({(0, j): np.nan for j in range(5)}, "Input X contains NaN in columns 0, 1, 2 and 2 more."),
        ({(0, 4): np.inf, (1, 0): np.nan}, "Input X contains NaN in column 0."),
    ],
)
def test_gaps_are_named(make, dtype, cells, message):
    X = np.ones((6, 5), dtype=dtype)
    for cell, value in cells.items():
        X[cell] = value
    refused(make(X), message)
    with config_context(assume_finite=True):
        assert opened(make(X)).shape == (6, 5)


def test_gaps_are_named_by_the_frames_columns():
    refused(pd.DataFrame({"age": GOOD, "dose": [1, None, 2, 3]}), "NaN in column 'dose'")
    refused(
        pd.DataFrame({"dose": pd.array([1, None, 2, 3], dtype="Int64")}), "NaN in column 'dose'"
    )
    refused(pl.DataFrame({"age": GOOD, "dose": [1, None, 2, 3]}), "NaN in column 'dose'")


def test_large_numbers_whose_sum_overflows_are_finite():
    X = np.full((3, 4), np.finfo(np.float32).max, dtype=np.float32)
    assert opened(X).shape == (3, 4)


# ---- columns ----


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pd.DataFrame({"age": GOOD, "sex": TEXT}), "Column 'sex' holds text ('a'). Encode it"),
        (pd.DataFrame({"sex": pd.Categorical(TEXT)}), "Column 'sex' holds text ('a'). Encode it"),
        (pl.DataFrame({"age": GOOD, "sex": TEXT}), "Column 'sex' holds text ('a'). Encode it"),
        ([[1, "a"], [2, "b"]], "Column 1 holds text ('a'). Encode it as numbers first"),
        (np.array([["1", "x"], ["2", "y"]]), "Column 0 holds text ('1'). Encode it"),
        (np.array([[1, "x"], [2, "y"]], dtype=object), "Column 1 holds text ('x'). Encode it"),
        (
            pd.DataFrame({"age": GOOD, "when": pd.date_range("2020", periods=4)}),
            "Column 'when' holds dates or times (datetime64",
        ),
        (
            pd.DataFrame({"took": pd.to_timedelta(range(4), unit="D")}),
            "Column 'took' holds dates or times (timedelta64",
        ),
        (
            pl.DataFrame({"age": GOOD, "when": [date(2020, 1, day) for day in (1, 2, 3, 4)]}),
            "Column 'when' holds dates or times (Date). Turn them into numbers first",
        ),
        (np.array(["2020", "2021"], "M8[Y]").reshape(2, 1), "X holds values of type datetime64[Y]"),
        (pd.DataFrame(np.ones((4, 3)), columns=list("aba")), "Column name 'a' stands 2 times"),
        (np.ones((4, 2)) * 1j, "Complex data not supported"),
        (sparse.csr_array(np.eye(4) * 1j), "Complex data not supported"),
    ],
)
def test_columns_that_are_no_numbers(X, message):
    refused(X, message)


def test_objects_are_named():
    refused(
        np.array([[1, {}], [2, {}]], dtype=object), "Column 1 holds a value of type dict", TypeError
    )


def test_text_that_spells_numbers_in_a_frame_is_read():
    assert opened(pd.DataFrame({"n": list("1234")})).gather().tolist() == [[1], [2], [3], [4]]


# ---- shape ----


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.arange(4.0), "Expected 2D array, got 1D array instead"),
        (pd.Series(GOOD), "Expected a 2-dimensional container"),
        (np.ones((2, 2, 2)), "Found array with dim 3"),
        (np.ones((4, 0)), "Found array with 0 feature(s) (shape=(4, 0))"),
        (np.ones((0, 4)), "Found array with 0 sample(s) (shape=(0, 4))"),
        (np.ones((1, 4)), "Found array with 1 sample(s) (shape=(1, 4))"),
        (Dense(np.ones((1, 4))), "Found a table with 1 sample(s) (shape=(1, 4))"),
        ([], "Expected 2D array, got 1D array instead"),
        ([[1, 2], [3]], "inhomogeneous"),
        (None, "Expected 2D array, got scalar array instead"),
    ],
)
def test_what_is_no_table(X, message):
    refused(X, message)


# ---- what is kept and what is copied ----


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float32", "float64"])
def test_arrays_are_taken_as_they_are(dtype):
    for X in (np.ones((5, 3), dtype), np.asfortranarray(np.ones((5, 3), dtype))):
        assert np.shares_memory(opened(X).native, X)
        assert opened(X).dtype == X.dtype


@pytest.mark.parametrize(
    ("dtype", "taken"), [("float16", "float32"), ("longdouble", "float64"), ("object", "float64")]
)
def test_other_numbers_become_the_nearest_kind(dtype, taken):
    table = opened(np.array([[1, 2.5], [3, 0]], dtype=dtype))
    assert table.dtype == taken
    assert table.gather().tolist() == [[1.0, 2.5], [3.0, 0.0]]


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_array, sparse.coo_array])
def test_sparse_matrices_stay_sparse(make):
    assert isinstance(opened(make(np.eye(4))), Sparse)


def test_names_are_noted_and_forgotten():
    estimator = BaseEstimator()
    assert columns.open(estimator, pd.DataFrame({"a": GOOD})).label(0) == "'a'"
    assert estimator.feature_names_in_.tolist() == ["a"]
    assert columns.open(estimator, np.ones((4, 2))).names is None
    assert estimator.n_features_in_ == 2
    columns.open(estimator, Dense(np.ones((4, 1)), np.array(["b"], dtype=object)))
    assert estimator.feature_names_in_.tolist() == ["b"]
    columns.open(estimator, Dense(np.ones((4, 1))))
    assert not hasattr(estimator, "feature_names_in_")


# ---- weights ----


def test_weights():
    assert columns.as_weight(None, 3) is None
    assert columns.as_weight([1, 2, 0], 3).tolist() == [1.0, 2.0, 0.0]
    assert columns.as_weight(2, 3).tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 2], "sample_weight.shape == (2,), expected (3,)"),
        ([[1], [2], [3]], "sample_weight.shape == (3, 1), expected (3,)"),
        ([1, -0.5, 2], "sample_weight is negative (-0.5) at row 1."),
        ([0, 0, 0], "sample_weight is zero for every row"),
        ([1, np.nan, 1], "Input sample_weight contains NaN"),
        ([1, np.inf, 1], "Input sample_weight contains infinity"),
    ],
)
def test_weights_that_are_refused(weight, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        columns.as_weight(weight, 3)
