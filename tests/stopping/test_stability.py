"""Stability selection against a direct count of votes."""

import re

import numpy as np
import oracles
import pytest
from rankers import mean_difference, problem, rank, ranker_of

from handful import RandomSelector
from handful.path import Path
from handful.stopping import StabilityThreshold


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("threshold", [0.6, 0.75, 1.0])
def test_the_definition(seed, threshold):
    X, y = problem(n_rows=24, seed=seed, n_relevant=6)
    rule = StabilityThreshold(threshold, n_resamples=20, n_features=4)
    ranker = ranker_of(X, y, seed=7)
    decision = rule.choose(ranker)
    votes = np.zeros(12, dtype=int)
    for number in range(20):
        rows = rule.resample(ranker, np.random.default_rng([7, number]))
        votes[mean_difference(X[rows], y[rows])[:4]] += 1
    assert decision.why["frequency"].tolist() == (votes / 20).tolist()
    expected = oracles.stability_order(votes, mean_difference(X, y), threshold, 20)
    assert decision.path.features[: decision.n_features].tolist() == expected
    assert sorted(decision.path.features.tolist()) == np.flatnonzero(votes).tolist()
    assert decision.path.scores.tolist() == sorted(votes[votes > 0] / 20, reverse=True)


def test_ties_stand_by_the_full_data_however_far_down_its_ranking():
    """The full data begins with features that no resample votes for."""
    X, y = problem(n_rows=20, n_columns=30)
    order = [*range(20, 0, -1), 0, *range(21, 30)]

    def misleading(table, target, n, rng, n_jobs):
        found = order if table.shape[0] == 20 else [3, 7, 5]
        return Path(found[:n], np.zeros(len(found[:n])))

    rule = StabilityThreshold(n_features=3, n_resamples=10)
    decision = rule.choose(ranker_of(X, y, rank=misleading))
    assert decision.path.features.tolist() == [7, 5, 3]
    assert decision.n_features == 3


@pytest.mark.parametrize(
    ("threshold", "n_columns", "voted"),
    [
        (0.6, 20, 2),
        (0.6, 45, 3),
        (0.6, 44, 2),
        (0.9, 5, 2),
        (0.75, 50, 5),
        (0.6, 4, 1),
        (1.0, 9, 3),
    ],
)
def test_how_many_are_voted_for(threshold, n_columns, voted):
    # floor(sqrt((2 threshold - 1) d)) in exact arithmetic
    X, y = problem(n_columns=n_columns, n_relevant=2)
    rule = StabilityThreshold(threshold, n_resamples=2)
    assert rule.choose(ranker_of(X, y)).why["n_voted"] == voted


def test_resamples_leave_out_rows_of_every_class_alike():
    y = np.array([0] * 20 + [1] * 6 + [2])
    rule, seen = StabilityThreshold(fraction=0.5), np.zeros(27)
    ranker = ranker_of(np.zeros((27, 2)), y)
    for seed in range(200):
        rows = rule.resample(ranker, np.random.default_rng(seed))
        assert np.bincount(y[rows]).tolist() == [10, 3, 1]
        assert (np.diff(rows) > 0).all()
        seen[rows] += 1
    # each row of a class is drawn as often as any other, within five standard deviations
    assert (np.abs(seen[:26] - 100) < 5 * np.sqrt(50)).all()


def test_numbers_are_resampled_as_a_whole():
    ranker = ranker_of(np.zeros((9, 2)), np.linspace(0, 1, 9))
    rows = StabilityThreshold(fraction=0.4).resample(ranker, np.random.default_rng(0))
    assert len(set(rows.tolist())) == 4


def test_what_the_full_ranking_found_is_kept():
    def found(table, target, n, rng, n_jobs):
        path = rank(table, target, n, rng, n_jobs)
        rows = {"n_rows_": table.shape[0]}
        return Path(path.features, path.scores, warning="learns nothing", fitted=rows)

    X, y = problem()
    path = StabilityThreshold(n_resamples=3).choose(ranker_of(X, y, rank=found)).path
    assert path.fitted == {"n_rows_": 40}
    assert path.warning == "learns nothing"


def test_keeping_nothing_is_a_matter_of_coming_back_and_not_of_chance():
    X, y = problem()
    never = RandomSelector(StabilityThreshold(1.0, random_state=0), random_state=0)
    with pytest.warns(UserWarning, match="keeps no feature: none comes back often enough"):
        assert never.fit(X, y).n_features_ == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"threshold": 0.5}, "threshold=0.5 is out of range; it must lie in (0.5, 1]."),
        ({"threshold": 1.1}, "threshold=1.1 is out of range; it must lie in (0.5, 1]."),
        ({"n_resamples": 1}, "n_resamples=1 must be at least 2."),
        ({"fraction": 1.0}, "fraction=1.0 is out of range; it must lie in (0, 1)."),
        ({"n_features": 0}, "n_features=0 must be at least 1."),
    ],
)
def test_what_is_refused(parameters, message):
    X, y = problem()
    with pytest.raises(ValueError, match=re.escape(message)):
        StabilityThreshold(**parameters).choose(ranker_of(X, y))
