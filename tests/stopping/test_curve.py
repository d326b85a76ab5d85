"""The curve of scores over sizes against a plain loop, and that nothing leaks into it."""

import re

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rankers import mean_difference, problem, rank, ranker_of
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import Ridge
from sklearn.metrics import balanced_accuracy_score, r2_score
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut, StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from handful.stopping import CrossValidated, SizeCurve, resolve_scorer, size_curve, usual_sizes

NAMES = np.array(["no", "yes"])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_plain_loop(n_jobs):
    X, y = problem()
    y = NAMES[y]
    sizes, splits = np.array([1, 2, 5, 12]), list(StratifiedKFold(4).split(X, y))
    _, scorer = resolve_scorer("balanced_accuracy")
    found = size_curve(ranker_of(X, y, n_jobs=n_jobs), GaussianNB(), scorer, sizes, splits)
    expected = oracles.scores_by_size(
        mean_difference, GaussianNB(), balanced_accuracy_score, X, y, sizes, splits
    )
    np.testing.assert_allclose(found.scores, expected, rtol=1e-14)
    assert found.mean.tolist() == found.scores.mean(axis=0).tolist()


def test_a_plain_loop_for_numbers():
    X, y = problem(n_rows=30)
    y = X[:, 0] + 0.3 * X[:, 5]
    sizes, splits = np.array([1, 3]), list(KFold(3).split(X))
    _, scorer = resolve_scorer("r2")
    found = size_curve(ranker_of(X, y), Ridge(), scorer, sizes, splits)
    expected = oracles.scores_by_size(mean_difference, Ridge(), r2_score, X, y, sizes, splits)
    np.testing.assert_allclose(found.scores, expected, rtol=1e-12)


def test_noise_is_scored_as_noise():
    """The classical leak: rank on all rows, then cross-validate, and noise looks learnable."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 800)), rng.permutation(np.arange(40) % 2)
    splits = list(StratifiedKFold(5).split(X, y))
    _, scorer = resolve_scorer("accuracy")
    honest = size_curve(ranker_of(X, y), GaussianNB(), scorer, np.array([20]), splits)
    order = mean_difference(X, y)
    leaky = oracles.scores_by_size(
        lambda *_: order, GaussianNB(), lambda a, b: np.mean(a == b), X, y, [20], splits
    )
    assert leaky.mean() > 0.9
    assert 0.3 < honest.mean[0] < 0.7


def test_rankings_and_models_see_training_rows_only():
    X, y = problem(n_rows=24)
    X[:, -1] = np.arange(24)  # each row can be told
    splits, ranked, fitted = list(StratifiedKFold(3).split(X, y)), [], []

    def spying_rank(table, target, n, rng, n_jobs):
        ranked.append(set(table.column(11).tolist()))
        return rank(table, target, n, rng, n_jobs)

    class Spy(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            fitted.append(len(X))
            return super().fit(X, y)

    _, scorer = resolve_scorer("accuracy")
    size_curve(ranker_of(X, y, rank=spying_rank), Spy(), scorer, np.array([1, 2]), splits)
    assert ranked == [set(train.tolist()) for train, _ in splits]
    assert fitted == [16] * 6


def test_users_see_the_target_as_they_gave_it():
    class Recorder(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            seen.append(set(y))
            return self

    def score(estimator, X, y):
        seen.append(set(y))
        return 1.0

    class Splitter(StratifiedKFold):
        def split(self, X, y, groups=None):
            seen.append(set(y))
            return super().split(X, y, groups)

    X, y = problem()
    seen: list[set[str]] = []
    rule = CrossValidated(Recorder(), sizes=[2], cv=Splitter(2), scoring=score)
    rule.choose(ranker_of(X, NAMES[y]))
    assert seen == [{"no", "yes"}] * 5


def test_a_size_beyond_the_path_takes_all_of_it():
    X, y = problem()
    X[:, 3:] = 1.0  # only three columns can be ranked
    splits = list(StratifiedKFold(2).split(X, y))
    _, scorer = resolve_scorer("accuracy")
    curve = size_curve(ranker_of(X, y), GaussianNB(), scorer, np.array([3, 5, 9]), splits)
    assert (curve.scores == curve.scores[:, :1]).all()
    assert CrossValidated(sizes=[9]).choose(ranker_of(X, y)).n_features == 3


tables_of_scores = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(st.sampled_from([0.1, 0.5, 0.7, 0.9]), min_size=n, max_size=n),
                       min_size=1, max_size=6)
)  # fmt: skip


@given(tables_of_scores)
def test_the_best_size_and_the_smallest_as_good(scores):
    table = np.array(scores)
    curve = SizeCurve(np.arange(1, table.shape[1] + 1) * 10, table)
    means = [sum(column) / len(column) for column in table.T.tolist()]
    best = next(i for i, mean in enumerate(means) if mean >= max(means) - 1e-12)
    assert curve.best() == 10 * (best + 1)
    error = table[:, best].std(ddof=1) / np.sqrt(len(table)) if len(table) > 1 else 0.0
    near = next(i for i, mean in enumerate(means) if mean >= max(means) - error - 1e-12)
    assert curve.best("one_standard_error") == 10 * (near + 1)


@pytest.mark.parametrize("n", [1, 2, 4, 10, 11, 150, 200, 5000])
def test_usual_sizes_rise_to_the_end(n):
    sizes = usual_sizes(n)
    assert (np.diff(sizes) > 0).all()
    assert (sizes[0], sizes[-1]) == (1, min(n, 200))


def test_the_choice_is_the_curves():
    X, y = problem(shift=0.8)
    decision = CrossValidated(cv=4, sizes=[5, 1, 3, 5]).choose(ranker_of(X, y))
    why = decision.why
    assert why["sizes"].tolist() == [1, 3, 5]
    assert decision.n_features == why["sizes"][np.argmax(why["curve"])]
    assert why["fold_scores"].shape == (4, 3)
    assert decision.path.features.tolist() == mean_difference(X, y)[: decision.n_features]
    assert why["scoring"] == "balanced_error"
    assert CrossValidated(sizes=[2]).choose(ranker_of(X, X[:, 0])).why["scoring"] == "r2"


def test_groups_stay_together():
    X, y = problem()
    groups, seen = np.arange(40) // 4, []

    def score(estimator, X, y):
        seen.append(len(y))
        return 1.0

    rule = CrossValidated(sizes=[1], cv=LeaveOneGroupOut(), scoring=score)
    rule.choose(ranker_of(X, y, groups=groups))
    assert seen == [4] * 10
    with pytest.raises(ValueError, match="'groups' parameter should not be None"):
        CrossValidated(cv=GroupKFold(2)).choose(ranker_of(X, y))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "worst"}, "rule='worst' is not known; use 'best' or 'one_standard_error'."),
        ({"sizes": []}, "sizes=[] must hold numbers from 1 to n_features=12."),
        ({"sizes": [3, 13]}, "sizes=[3, 13] must hold numbers from 1 to n_features=12."),
        ({"sizes": [0]}, "sizes=0 must be at least 1."),
        ({"cv": 41}, "cv=41 folds need as many rows; there are 40."),
        ({"cv": 21}, "cv=21 folds need 21 rows of every class; class 0 has 20. Use fewer folds."),
        ({"scoring": "balanced_eror"}, "There is no score 'balanced_eror'; did you mean"),
        ({"scoring": "?"}, "there are balanced_error, accuracy, auc, adjusted_mutual_info_score"),
        ({"scoring": lambda *of: float("nan")}, "gave NaN in fold 0 with 1 features"),
        ({"cv": [(np.arange(20), np.arange(20, 40))]}, "rows of fold 0 hold 1 class only (0)"),
    ],
)
def test_what_is_refused(parameters, message):
    X, y = problem()
    with pytest.raises(ValueError, match=re.escape(message)):
        CrossValidated(**parameters).choose(ranker_of(X, np.sort(y)))


def test_folds_in_which_nothing_can_be_ranked():
    X, y = np.zeros((8, 2)), np.array([0, 1] * 4)
    X[6:] = 1.0
    folds = [([0, 1, 2, 3], [4, 5, 6, 7])]
    with pytest.raises(ValueError, match="In fold 0 no feature could be ranked"):
        CrossValidated(cv=folds).choose(ranker_of(X, y))
