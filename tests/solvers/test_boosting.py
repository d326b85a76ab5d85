"""Boosting with single questions against trying every stump, and against what is known of it."""

from itertools import islice

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from handful.columns import Dense
from handful.solvers.boosting import Boosting
from handful.solvers.questions import ask


def boosting(X, y, **parameters):
    return Boosting(ask(Dense(X), 4), y, int(y.max()) + 1, **parameters)


@st.composite
def problems(draw):
    """Boolean columns of which some are about the classes, with copies."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows, n_classes = draw(st.integers(6, 40)), draw(st.integers(2, 4))
    y = rng.permutation(np.arange(n_rows) % n_classes)
    X = rng.random((n_rows, draw(st.integers(1, 8)))) < 0.5
    X ^= (rng.random(X.shape) < 0.5 * rng.random(X.shape[1])) & (y == 0)[:, None]
    return np.hstack([X, X[:, :1]]), y


@given(problems(), st.sampled_from([0.0, 0.5, 5.0]))
@settings(max_examples=120, deadline=None)
def test_every_round_takes_the_best_of_all_stumps(problem, softness):
    X, y = problem
    expected = oracles.boosted(X.T.tolist(), y.tolist(), int(y.max()) + 1, 6, softness)
    rounds = boosting(X, y, softness=softness)
    for question, yes, no, vote, edge, weights in expected:
        assert rounds.weights == pytest.approx(weights, rel=1e-6)
        stump = next(rounds)
        assert stump.edge == pytest.approx(edge, abs=1e-9)
        if stump[:3] != (question, yes, no):
            # as good as the other, but for what rounding leaves in weights and sums
            said = np.where(X[:, question], yes, no)
            right = np.array(weights)[said == y].sum()
            n_classes = int(y.max()) + 1
            assert right - (1 - right) / (n_classes - 1) == pytest.approx(stump.edge, abs=1e-9)
            break
        assert stump.vote == pytest.approx(vote, rel=1e-6)


@given(problems())
@settings(max_examples=100, deadline=None)
def test_a_stump_knows_nothing_about_the_rows_as_it_leaves_them(problem):
    """AdaBoost's weights make the last stump as good as a guess; the loss falls in every round."""
    X, y = problem
    n_classes = int(y.max()) + 1
    rounds, questions = boosting(X, y), ask(Dense(X), 4)
    for stump in islice(rounds, 5):
        said = np.where(questions.answer(stump.question), stump.yes, stump.no)
        right = rounds.weights[said == y].sum()
        if right < 1 - 1e-9:
            assert right == pytest.approx(1 / n_classes, abs=1e-9)
        assert 0 < stump.edge <= 1 + 1e-12


def test_the_first_vote_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.random((90, 5)) < 0.5
    X[:, 2] = (y == 1) ^ (rng.random(90) < 0.1)
    stump = next(boosting(X, y))
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=1).fit(X, y)
    assert stump.question == theirs.estimators_[0].tree_.feature[0] == 2
    # their weight is twice the exponent, without the share that wrong answers have in a margin
    assert stump.vote == pytest.approx(theirs.estimator_weights_[0] * 2 * (3 - 1) / 3)


def test_a_column_that_makes_no_error_is_the_whole_vote():
    y = np.array([0, 1, 1, 0, 1])
    X = np.column_stack([np.arange(5) > 2, y == 0]).astype(bool)
    (stump,) = boosting(X, y)
    assert (stump.question, stump.yes, stump.no, stump.vote, stump.edge) == (1, 0, 1, 1.0, 1.0)


def test_constant_columns_are_no_questions_and_nothing_to_learn_is_the_end():
    y = np.array([0, 0, 0, 1])
    X = np.ones((4, 2), dtype=bool)
    assert list(boosting(X, y)) == []
    X[:, 1] = [True, False, True, False]
    assert next(boosting(X, y)).question == 1
    balanced = np.array([0, 1, 0, 1])
    assert list(boosting(np.array([[0], [0], [1], [1]], dtype=bool), balanced)) == []


def test_a_soft_margin_lets_a_wrong_label_go():
    """The weight of one row that is labelled wrongly, after ten rounds, falls with softness."""
    rng = np.random.default_rng(3)
    y = np.arange(200) % 2
    X = (rng.random((200, 30)) < 0.15) ^ (y == 1)[:, None]
    noisy = y.copy()
    noisy[0] = 1 - y[0]
    weight = []
    for softness in (0.0, 10.0, 50.0):
        rounds = boosting(X, noisy, softness=softness)
        list(islice(rounds, 10))
        weight.append(rounds.weights[0])
    assert weight[0] > 0.1
    assert (np.diff(weight) < 0).all()
