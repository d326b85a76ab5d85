"""Classifiers of handful's own: scikit-learn's checks, and slow twins of what they tune."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array, csr_array
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful import BoostedStumps
from handful.classifiers import BooleanNaiveBayes, BoostedStumpsClassifier, WeightedKNN
from handful.columns import Bits
from handful.datasets import make_latent_signals
from handful.metrics import balanced_error


@parametrize_with_checks(
    [
        BooleanNaiveBayes(),
        BooleanNaiveBayes(error="balanced"),
        WeightedKNN(),
        BoostedStumpsClassifier(),
        BoostedStumpsClassifier(10, softness=1.0),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def cost(y, predicted, error, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    wrong = y != predicted
    if error == "plain":
        return np.average(wrong, weights=weight)
    return np.mean([np.average(wrong[y == k], weights=weight[y == k]) for k in (0, 1)])


@st.composite
def problems(draw):
    """Boolean tables of two classes, one of them rarer, with constant columns."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows = draw(st.integers(8, 50))
    y = np.zeros(n_rows, dtype=int)
    y[: draw(st.integers(3, n_rows // 2))] = 1
    y = rng.permutation(y)
    X = rng.random((n_rows, draw(st.integers(1, 6)))) < 0.4
    X ^= (rng.random(X.shape) < 0.4 * rng.random(X.shape[1])) & (y == 1)[:, None]
    X[:, rng.random(X.shape[1]) < 0.1] = True
    return X, y


# ---- naive Bayes ----


@given(problems(), st.sampled_from(["plain", "balanced"]), st.booleans(), st.booleans())
@settings(max_examples=200, deadline=None)
def test_no_bias_makes_fewer_errors(problem, error, weighted, sparse):
    X, y = problem
    weight = np.arange(len(y)) % 3 + 1.0 if weighted else None
    model = BooleanNaiveBayes(error=error).fit(csr_array(X) if sparse else X, y, weight)
    sums = X @ model.coef_
    found = cost(y, (sums + model.intercept_ > 0).astype(int), error, weight)
    values = np.unique(sums.round(9))  # rows with the same sum, but for rounding, stay together
    for bias in [1e3, -1e3, *-(values[1:] + values[:-1]) / 2]:
        assert found <= cost(y, (sums + bias > 0).astype(int), error, weight) + 1e-12
    assert (model.predict(X) == (sums + model.intercept_ > 0)).all()


@given(problems())
@settings(max_examples=100, deadline=None)
def test_coefficients_are_the_papers(problem):
    """log n00 + log n11 - log n10 - log n01, of counts with one more row of the average kind."""
    X, y = problem
    model = BooleanNaiveBayes(smoothing=1.0).fit(X, y)
    for j, column in enumerate(X.T):
        share = column.mean()
        if share in (0, 1):
            assert model.coef_[j] == 0
            continue
        n11, n10 = (np.sum(column[y == 1] == v) + s for v, s in ((1, share), (0, 1 - share)))
        n01, n00 = (np.sum(column[y == 0] == v) + s for v, s in ((1, share), (0, 1 - share)))
        assert model.coef_[j] == pytest.approx(
            np.log(n00) + np.log(n11) - np.log(n10) - np.log(n01)
        )


def test_without_smoothing_to_speak_of_it_is_scikit_learns_but_for_the_bias():
    X, y, _ = make_latent_signals(400, 30, random_state=0)
    X, y = X.astype(float), y.astype(int)
    ours = BooleanNaiveBayes(smoothing=1e-9).fit(X, y)
    theirs = BernoulliNB(alpha=1e-9).fit(X, y)
    log_odds = np.diff(theirs.predict_joint_log_proba(X), axis=1)[:, 0]
    shift = ours.decision_function(X) - log_odds
    assert shift == pytest.approx(np.full(400, shift[0]), abs=1e-6)
    assert ours.score(X, y) >= theirs.score(X, y)


def test_of_equally_good_biases_the_models_own_is_the_nearest():
    """A gap from -20 to 20 without errors anywhere in it: the bar stays close to even odds."""
    y = np.repeat([0, 1], 20)
    X = np.repeat((y == 1)[:, None], 6, axis=1)
    assert BooleanNaiveBayes().fit(X, y).decision_function(X) == pytest.approx(
        np.where(y == 1, 1, -1) * np.sum(BooleanNaiveBayes().fit(X, y).coef_) / 2
    )


def test_balanced_error_is_for_rare_classes():
    X, y, _ = make_latent_signals(1000, 30, n_positives=40, density=0.2, random_state=0)
    plain, balanced = (
        BooleanNaiveBayes(error=error).fit(X[:500], y[:500]).predict(X[500:])
        for error in ("plain", "balanced")
    )
    assert balanced_error(y[500:], balanced) < balanced_error(y[500:], plain)
    assert np.mean(balanced == 1) > np.mean(plain == 1)


def test_numbers_are_true_above_the_threshold():
    X = np.array([[0.4, 3.0], [0.6, 3.0], [0.7, -1.0], [0.2, -1.0]])
    y = [0, 1, 1, 0]
    model = BooleanNaiveBayes(threshold=0.5).fit(X, y)
    expected = BooleanNaiveBayes().fit(X > 0.5, y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    np.testing.assert_array_equal(model.decision_function(X), expected.decision_function(X > 0.5))


# ---- nearest neighbours ----


def test_cross_validated_errors_are_those_of_scikit_learns_neighbours():
    """Of numbers, so that distances do not tie."""
    rng = np.random.default_rng(0)
    y = (np.arange(90) % 3 == 0).astype(int)
    X = rng.standard_normal((90, 4)) + y[:, None]
    for error in ("plain", "balanced"):
        model = WeightedKNN((1, 4, 7), (0.3, 0.5, 0.8), error=error, cv=4).fit(X, y)
        for row, number in enumerate((1, 4, 7)):
            theirs = KNeighborsClassifier(number)
            share = cross_val_predict(theirs, X, y, cv=StratifiedKFold(4), method="predict_proba")
            for column, alpha in enumerate((0.3, 0.5, 0.8)):
                votes = np.rint(share[:, 1] * number)
                says = alpha * votes > (1 - alpha) * (number - votes) + 1e-9
                expected = cost(y, says.astype(int), error)
                assert model.cv_errors_[row, column] == pytest.approx(expected)
        best = np.argwhere(model.cv_errors_ <= model.cv_errors_.min() + 1e-12).tolist()
        assert [(1, 4, 7).index(model.n_neighbors_), (0.3, 0.5, 0.8).index(model.alpha_)] in best


@given(problems())
@settings(max_examples=40, deadline=None)
def test_equal_votes_are_scikit_learns_neighbours(problem):
    X, y = problem
    X = X + np.random.default_rng(0).random(X.shape) / 100  # no ties among distances
    ours = WeightedKNN(3, 0.5).fit(X, y)
    theirs = KNeighborsClassifier(3).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert (ours.n_neighbors_, ours.alpha_) == (3, 0.5)


def test_ties_of_votes_are_ties_whatever_the_rounding():
    """Three votes of five at a weight of 0.4: neither leads, so it is the first class."""
    X = np.array([[0.0]] * 5 + [[9.0]] * 5)
    y = np.array([1, 1, 1, 0, 0] * 2)
    model = WeightedKNN(5, 0.4).fit(X, y)
    assert model.decision_function([[0.0]]).tolist() == [0.0]
    assert model.predict([[0.0]]).tolist() == [0]


def test_of_equal_errors_the_most_even_votes_then_the_fewest_neighbours():
    X = np.repeat([[0.0], [9.0]], 40, axis=0)
    y = np.repeat(["a", "b"], 40)
    model = WeightedKNN().fit(X, y)
    assert not model.cv_errors_.any()
    assert (model.n_neighbors_, model.alpha_) == (1, 0.5)


def test_the_rare_class_counts_for_more_where_errors_are_balanced():
    X, y, _ = make_latent_signals(1000, 20, n_positives=60, density=0.3, random_state=0)
    plain, balanced = (
        WeightedKNN(error=error).fit(X[:700], y[:700]) for error in ("plain", "balanced")
    )
    assert balanced.alpha_ > 0.7
    score = [balanced_accuracy_score(y[700:], m.predict(X[700:])) for m in (plain, balanced)]
    assert score[1] > score[0]


def test_more_neighbours_than_rows_and_lonely_rows():
    X, y = np.arange(6.0)[:, None], [0, 0, 0, 1, 1, 1]
    assert WeightedKNN((1, 3, 99)).fit(X, y).cv_errors_.shape[0] == 2
    assert WeightedKNN(99).fit(X, y).n_neighbors_ == 4
    with pytest.raises(ValueError, match="One class has 1 row only"):
        WeightedKNN().fit(X, [0, 0, 0, 0, 0, 1])


# ---- the vote of boosted stumps ----


@pytest.mark.parametrize("softness", [0.0, 5.0])
def test_the_vote_asks_what_the_selector_selects(softness):
    X, y, _ = make_latent_signals(300, 500, random_state=0)
    model = BoostedStumpsClassifier(40, softness=softness).fit(X, y)
    selector = BoostedStumps(softness, max_rounds=40, n_features_to_select=None).fit(X, y)
    first = list(dict.fromkeys(model.features_.tolist()))
    assert selector.path_.features[: len(first)].tolist() == first
    assert len(model.votes_) == 40


def test_the_vote_is_the_sum_of_its_members():
    rng = np.random.default_rng(0)
    y = np.arange(150) % 3
    X = rng.standard_normal((150, 8)) + (y[:, None] == np.arange(8) % 3)
    model = BoostedStumpsClassifier(12).fit(X, y)
    votes = np.zeros((150, 3))
    for j, t, yes, no, vote in zip(
        model.features_, model.thresholds_, model.yes_, model.no_, model.votes_, strict=True
    ):
        votes[np.arange(150), np.where(X[:, j] >= t, yes, no)] += vote
    np.testing.assert_allclose(model.decision_function(X), votes / model.votes_.sum(), atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), votes.argmax(axis=1))
    assert model.score(X, y) > 0.7


def test_training_errors_fall_under_adaboosts_bound():
    """The share of training errors is at most the product of sqrt(1 - edge^2) over the rounds."""
    X, y, _ = make_latent_signals(300, 200, random_state=1)
    for n_rounds in (5, 20, 60):
        model = BoostedStumpsClassifier(n_rounds).fit(X, y)
        edge = np.tanh(model.votes_ / 2)
        assert 1 - model.score(X, y) <= np.prod(np.sqrt(1 - edge**2))


# ---- all ----


@pytest.mark.parametrize("model", [BooleanNaiveBayes(), WeightedKNN(), BoostedStumpsClassifier()])
def test_every_kind_of_table(model):
    X, y, _ = make_latent_signals(120, 25, random_state=0)
    expected = model.fit(X, y).decision_function(X)
    for table in (X.astype(float), X.astype(np.int8), csr_array(X), csc_array(X), Bits.packed(X)):
        np.testing.assert_allclose(model.fit(table, y).decision_function(table), expected)


@pytest.mark.parametrize(
    ("model", "y", "message"),
    [
        (BooleanNaiveBayes(error="mean"), [0, 1, 0, 1], "error='mean' is not known; use 'plain'"),
        (BooleanNaiveBayes(smoothing=0.0), [0, 1, 0, 1], "smoothing=0.0 is out of range"),
        (BooleanNaiveBayes(), [0, 1, 2, 1], "Only binary classification is supported"),
        (BooleanNaiveBayes(), [0, 1, 1], "X has 4 rows and y has 3"),
        (WeightedKNN(0), [0, 1, 0, 1], "n_neighbors=0 must be at least 1"),
        (WeightedKNN(alpha=[0.5, 1.2]), [0, 1, 0, 1], "alpha=1.2 is out of range"),
        (WeightedKNN(cv=1), [0, 1, 0, 1], "cv=1 must be at least 2"),
        (BoostedStumpsClassifier(0), [0, 1, 0, 1], "n_rounds=0 must be at least 1"),
        (BoostedStumpsClassifier(softness=-1), [0, 1, 0, 1], "softness=-1 is out of range"),
        (BoostedStumpsClassifier(n_bins=1), [0, 1, 0, 1], "n_bins=1 must be at least 2"),
    ],
)
def test_parameters_and_labels_out_of_range(model, y, message):
    with pytest.raises(ValueError, match=message):
        model.fit(np.eye(4), y)
