"""Every classifier of the catalogue builds, learns what is easy, and says what it is for."""

import pytest
from scipy import sparse
from sklearn.base import is_classifier, is_regressor
from sklearn.datasets import make_classification, make_regression

from handful.classifiers.catalogue import CLASSIFIERS, find

TASKS = [(one.name, task) for one in CLASSIFIERS for task in one.tasks]


@pytest.mark.parametrize(("name", "task"), TASKS)
def test_all_learn_what_is_easy(name, task):
    model = find(name).build(task)
    if task == "regression":
        assert is_regressor(model)
        X, y = make_regression(200, 5, noise=0.1, random_state=0)
        y = (y - y.mean()) / y.std()
    else:
        assert is_classifier(model)
        X, y = make_classification(200, 5, class_sep=2, flip_y=0, random_state=0)
    assert model.fit(X[:150], y[:150]).score(X[150:], y[150:]) > 0.5


@pytest.mark.parametrize("name", [one.name for one in CLASSIFIERS])
def test_all_take_sparse_tables(name):
    X, y = make_classification(60, 5, random_state=0)
    model = find(name).build(sparse=True)
    assert model.fit(sparse.csr_matrix(X), y).predict(sparse.csr_matrix(X)).shape == (60,)


def test_naive_bayes_is_the_same_for_sparse_tables():
    X, y = make_classification(60, 5, random_state=0)
    dense, light = find("naive-bayes").build(), find("naive-bayes").build(sparse=True)
    expected = dense.fit(X, y).predict_proba(X)
    found = light.fit(sparse.csr_array(X), y).predict_proba(sparse.csr_array(X))
    assert found.tolist() == expected.tolist()


def test_names_are_their_own_and_unknown_ones_are_refused():
    names = [one.name for one in CLASSIFIERS]
    assert len(set(names)) == len(names)
    assert all(one.idea for one in CLASSIFIERS)
    with pytest.raises(ValueError, match="no classifier 'trees'; did you mean 'tree'"):
        find("trees")
    with pytest.raises(ValueError, match="'naive-bayes' is for classification, not regression"):
        find("naive-bayes").build("regression")
