"""SubsetVoteClassifier against votes counted by hand."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful import SubsetVoteClassifier

X, y = load_iris(return_X_y=True)
names = np.array(["setosa", "versicolor", "virginica"])[y]


@parametrize_with_checks(
    [
        SubsetVoteClassifier(n_classifiers=3, subset_size=5),
        SubsetVoteClassifier("knn", n_classifiers=3, subset_size=5),
        SubsetVoteClassifier("tree", n_classifiers=3, subset_size=5),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("base", ["tree", "knn", LogisticRegression()], ids=str)
def test_members_that_know_all_classes_vote(base):
    model = SubsetVoteClassifier(base, n_classifiers=7, random_state=1).fit(X, names)
    assert len(model.members_) == 7
    said = np.stack([member.model.predict(X[:, member.columns]) for member in model.members_])
    votes = np.stack([(said == k).sum(axis=0) for k in range(3)], axis=1)
    np.testing.assert_allclose(model.predict_proba(X), votes / 7, rtol=1e-15)
    assert (model.predict(X) == model.classes_[votes.argmax(axis=1)]).all()


def test_one_against_all():
    model = SubsetVoteClassifier(n_classifiers=4, subset_size=3, random_state=2).fit(X, names)
    assert [member.of for member in model.members_] == [0] * 4 + [1] * 4 + [2] * 4
    votes = np.zeros((150, 3))
    for columns, machine, of in model.members_:
        alone = SVC(kernel="linear").fit(X[:, columns], y == of)
        assert (machine.predict(X[:, columns]) == alone.predict(X[:, columns])).all()
        votes[:, of] += alone.predict(X[:, columns])
    assert (votes.sum(axis=1) == 0).any()
    votes[votes.sum(axis=1) == 0] = 1
    expected = votes / votes.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-15)
    two = SubsetVoteClassifier(n_classifiers=4, random_state=2).fit(X[:100], names[:100])
    assert [member.of for member in two.members_] == [-1] * 4


def test_columns_are_drawn_by_their_weights():
    table = np.random.default_rng(0).standard_normal((40, 50))
    weights = np.zeros(50)
    weights[[3, 8]] = 3.0, 1.0
    model = SubsetVoteClassifier(
        "tree", weights=weights, n_classifiers=400, subset_size=1, random_state=0
    ).fit(table, table[:, 3] > 0)
    drawn = np.concatenate([member.columns for member in model.members_])
    assert set(drawn.tolist()) == {3, 8}
    # 300 expected, by a binomial law
    assert abs((drawn == 3).sum() - 300) < 4 * np.sqrt(400 * 3 / 16)


def test_the_same_members_for_any_number_of_jobs():
    one = SubsetVoteClassifier(DecisionTreeClassifier(random_state=0), random_state=5)
    two = clone(one).set_params(n_jobs=2)
    np.testing.assert_array_equal(one.fit(X, y).predict_proba(X), two.fit(X, y).predict_proba(X))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SubsetVoteClassifier(weights=[1.0, 2.0]), r"weights has shape \(2,\).* the 4 columns"),
        (SubsetVoteClassifier(weights=[1.0, -2.0, 0, 0]), "a finite number from 0 on"),
        (SubsetVoteClassifier(weights=np.zeros(4)), "weights is zero for every column"),
        (SubsetVoteClassifier("forest"), "base='forest' is not known; use 'svm', 'knn' or 'tree'"),
        (SubsetVoteClassifier(n_classifiers=0), "n_classifiers=0 must be at least 1"),
        (SubsetVoteClassifier(subset_size=0), "subset_size=0 must be at least 1"),
        (SubsetVoteClassifier("knn", metric="cosine"), "metric='cosine' is not known"),
    ],
)
def test_bad_parameters(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    with pytest.raises(TypeError, match="or a classifier, not 7"):
        SubsetVoteClassifier(7).fit(X, y)
