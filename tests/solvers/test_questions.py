"""Questions: where columns are cut, what is asked of boolean tables, and what the answers tell."""

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array
from sklearn.metrics import mutual_info_score

from handful.columns import Bits, Dense, Permuted, Probed, Sparse
from handful.solvers.dependence import dependence
from handful.solvers.questions import ask


@st.composite
def tables(draw):
    """Columns of few and of many values, skewed, constant, of any number type."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows, n_columns = draw(st.integers(2, 60)), draw(st.integers(1, 8))
    spread = rng.choice([1, 2, 3, 6, 500], n_columns)
    X = np.floor(spread * rng.random((n_rows, n_columns)) ** rng.choice([1, 4], n_columns))
    return X.astype(draw(st.sampled_from([np.float64, np.float32, np.int64])))


@given(tables(), st.integers(2, 7))
@settings(max_examples=300, deadline=None)
def test_levels_are_those_of_the_slow_twin(X, n_bins):
    for table in (Dense(X), Sparse(csc_array(X))):
        questions = ask(table, n_bins)
        assert (np.diff(questions.feature) >= 0).all()
        for j, column in enumerate(X.T.tolist()):
            assert questions.varying[j] == (len(set(column)) > 1)
            if questions.varying[j]:
                expected = oracles.levels(column, n_bins, n_bins)
                assert questions.levels(j).tolist() == expected
        answers = X[:, questions.feature] >= questions.threshold
        for q in range(len(questions)):
            assert (questions.answer(q) == answers[:, q]).all()


@given(tables(), st.integers(2, 7), st.integers(2, 4), st.booleans())
@settings(max_examples=200, deadline=None)
def test_dependence_is_that_of_the_slow_twin(X, n_bins, n_codes, symmetrical):
    codes = np.arange(len(X)) % n_codes
    questions = ask(Dense(X), n_bins)
    found = dependence(questions, codes, symmetrical=symmetrical)
    for j, column in enumerate(X.T.tolist()):
        levels = oracles.levels(column, n_bins, n_bins)
        if len(set(levels)) == 1:
            assert np.isnan(found[j])
        else:
            expected = oracles.closeness(levels, codes.tolist(), symmetrical=symmetrical)
            assert found[j] == pytest.approx(expected, abs=1e-12)
            if not symmetrical:
                assert found[j] == pytest.approx(mutual_info_score(levels, codes), abs=1e-12)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.float32, np.float64])
def test_tables_of_0_and_1_are_asked_as_they_are(dtype):
    X = (np.random.default_rng(0).random((30, 9)) < 0.4).astype(dtype)
    for table in (Dense(X), Sparse(csc_array(X)), Bits.packed(X)):
        assert ask(table, 4).answers is table
    shuffled = Probed(Permuted(Dense(X), np.arange(30)[::-1]), Dense(X))
    assert ask(shuffled, 4).answers is shuffled
    assert ask(shuffled, 4).levels(2).tolist() == X[::-1, 2].astype(int).tolist()


@pytest.mark.parametrize("value", [0.5, -1.0, 2.0, 1 - 1e-9])
def test_other_numbers_are_cut(value):
    X = np.eye(5)
    X[2, 3] = value
    questions = ask(Dense(X), 4)
    assert isinstance(questions.answers, Bits)
    assert np.bincount(questions.feature).tolist() == [1, 1, 1, 2, 1]


def test_a_cut_lies_between_its_neighbours_however_near():
    low = 1.0
    high = np.nextafter(low, 2)
    questions = ask(Dense(np.array([[low], [high]])), 3)
    assert questions.answer(0).tolist() == [False, True]


def test_questions_about_some_columns_are_numbered_anew():
    X = np.random.default_rng(1).integers(0, 5, (40, 6)).astype(float)
    X[:, 2] = 7
    kept = np.array([1, 2, 5])
    some, alone = ask(Dense(X), 4).about(kept), ask(Dense(X[:, kept]), 4)
    assert some.feature.tolist() == alone.feature.tolist()
    assert some.threshold.tolist() == alone.threshold.tolist()
    assert some.varying.tolist() == alone.varying.tolist() == [True, False, True]
    assert some.levels(2).tolist() == alone.levels(2).tolist()
    scores = np.arange(len(some), dtype=float)
    assert some.best(scores).tolist()[0] == np.count_nonzero(some.feature == 0) - 1
    assert np.isnan(some.best(scores)[1])
