"""SCut against a search over all thresholds, and category by category against its own parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB

from handful.classifiers import SCut
from handful.classifiers.scut import best_threshold

X, Y = make_multilabel_classification(300, n_classes=6, n_labels=1, random_state=0)


@given(
    st.lists(st.tuples(st.integers(-4, 4), st.booleans()), min_size=1).filter(
        lambda rows: any(member for _, member in rows)
    )
)
def test_no_threshold_is_better(rows):
    scores, member = (np.array(part) for part in zip(*rows, strict=True))

    def f1(threshold):
        return f1_score(member, scores >= threshold)

    threshold = best_threshold(scores, member)
    best = max(f1(candidate) for candidate in np.unique(scores))
    assert f1(threshold) == pytest.approx(best, abs=1e-12)
    # the highest of the best, and halfway to the next score below
    above = scores[scores >= threshold].min()
    assert all(f1(candidate) < best - 1e-12 for candidate in np.unique(scores[scores > above]))
    below = scores[scores < above]
    assert threshold == (above + below.max() if below.size else 2 * above) / 2


@pytest.mark.parametrize(
    "model", [RidgeClassifier(), LogisticRegression(solver="liblinear")], ids=str
)
def test_every_category_is_tuned_by_itself(model):
    tuned = SCut(model, cv=3).fit(X[:200], Y[:200])
    method = "decision_function"
    for label in range(6):
        member = Y[:200, label]
        scores = cross_val_predict(model, X[:200], member, cv=StratifiedKFold(3), method=method)
        assert tuned.thresholds_[label] == best_threshold(scores, member)
        fitted = clone(model).fit(X[:200], member)
        expected = fitted.decision_function(X[200:]) >= tuned.thresholds_[label]
        assert (tuned.predict(X[200:])[:, label] == expected).all()


def test_rare_categories_gain():
    plain = OneVsRestClassifier(RidgeClassifier()).fit(X[:200], Y[:200])
    tuned = SCut(RidgeClassifier()).fit(X[:200], Y[:200])
    before, after = (
        f1_score(Y[200:], model.predict(X[200:]), average="macro") for model in (plain, tuned)
    )
    assert after > before


def test_too_few_members_keep_the_classifiers_own_threshold():
    labels = np.zeros((40, 4), dtype=int)
    labels[0, 0] = 1  # one member: no folds
    labels[:, 1] = 1  # nobody else
    labels[::2, 3] = 1  # and column 2 has no member
    for model, threshold in ((RidgeClassifier(), 0.0), (GaussianNB(), 0.5)):
        tuned = SCut(model).fit(X[:40], labels)
        assert tuned.thresholds_[0] == threshold
        answer = tuned.predict(X)
        assert answer[:, 1].all()
        assert not answer[:, 2].any()


def test_sparse_tables_and_labels():
    dense = SCut(RidgeClassifier()).fit(X, Y)
    thin = SCut(RidgeClassifier()).fit(sparse.csr_matrix(X), sparse.csr_matrix(Y))
    np.testing.assert_allclose(thin.thresholds_, dense.thresholds_, atol=1e-2)
    assert thin.predict(sparse.csr_matrix(X)).shape == Y.shape


def test_one_label_per_row_is_refused():
    with pytest.raises(ValueError, match=r"a column per category, not y of shape \(300,\)"):
        SCut(RidgeClassifier()).fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="cv=1"):
        SCut(RidgeClassifier(), cv=1).fit(X, Y)
    with pytest.raises(ValueError, match="fallback=2"):
        SCut(RidgeClassifier(), fallback=2).fit(X, Y)
