"""Nothing leaks: on pure noise no method is better than a coin, unless it is asked too early."""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from handful.evaluation import balanced_error, compare
from handful.methods import catalogue
from handful.stopping import CrossValidated

N_ROWS, N_COLUMNS = 50, 5000
SIZES = [1, 5, 20]
CLASSIFIERS = {"Bayes": GaussianNB(), "near": KNeighborsClassifier()}
# nearest neighbours in each of 5,000 columns take minutes
SLOW = {"mutual_info", "mutual-info"}
METHODS = [
    method.name
    for method in catalogue.METHODS
    if "classification" in method.tasks and method.name not in SLOW
]


@pytest.fixture(scope="module")
def noise():
    rng = np.random.default_rng(20)
    y = np.repeat(["sick", "well"], N_ROWS // 2)
    return rng.random((N_ROWS, N_COLUMNS)), rng.permutation(y)


@pytest.mark.parametrize("method", METHODS)
def test_no_method_learns_from_noise(noise, method):
    chosen = {method: catalogue.find(method).build()}
    found = compare(chosen, CLASSIFIERS, *noise, sizes=SIZES, cv="5x2", random_state=0)
    assert not found.failures
    for classifier in CLASSIFIERS:
        curve = found.curve(method, classifier)
        for mean, lower, upper in zip(curve.mean, curve.lower, curve.upper, strict=True):
            assert lower < 0.5 < upper
            assert mean > 0.35


def test_choosing_the_size_inside_learns_nothing_either(noise):
    rule = CrossValidated(GaussianNB(), sizes=SIZES, cv=3)
    chosen = {"own": catalogue.find("fisher").build(n_features_to_select=rule)}
    found = compare(chosen, CLASSIFIERS, *noise, cv="5x2", random_state=0)
    curve = found.curve("own", "Bayes")
    assert curve.lower[0] < 0.5 < curve.upper[0]


def test_the_wrong_order_looks_far_better(noise):
    """Select on all rows, then split: what compare does not do."""
    X, y = noise
    kept = catalogue.find("fisher").build(n_features_to_select=20).fit(X, y).selection_order_
    answer = cross_val_predict(GaussianNB(), X[:, kept], y, cv=5)
    assert balanced_error(y, answer) < 0.2
