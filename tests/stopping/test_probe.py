"""Probes against a direct reading of their definitions."""

import re

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rankers import mean_difference, problem, rank, ranker_of

from handful.columns import Dense, Sparse
from handful.path import Path
from handful.stopping import AnalyticProbe, EmpiricalProbe

# ---- the empirical probe ----


def probe_tables(rule, X, n_rounds, seed):
    """The probes that a rule draws, as arrays."""
    return [
        rule.draw(Dense(X), np.random.default_rng([seed, number])).gather()
        for number in range(n_rounds)
    ]


@pytest.mark.parametrize("kind", ["permuted", "gaussian"])
@pytest.mark.parametrize("probes", ["all", 3])
@pytest.mark.parametrize("risk", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("values", ["continuous", "few"])
def test_the_definition(kind, probes, risk, values):
    X, y = problem(seed=4, n_relevant=5, shift=0.9)
    X = np.round(X) if values == "few" else X  # with ties between features and probes
    rule = EmpiricalProbe(risk, n_rounds=39, probes=probes, kind=kind)
    decision = rule.choose(ranker_of(X, y, seed=11))
    tables = probe_tables(rule, X, 39, seed=11)
    reached, n = oracles.probe_rounds(mean_difference, X, y, tables, risk)
    assert decision.why["reached"].tolist() == reached
    assert decision.n_features == n
    curve = [(1 + sum(count < m for count in reached)) / 40 for m in range(1, max(reached) + 2)]
    assert decision.why["curve"].tolist() == curve
    assert decision.path.features.tolist() == mean_difference(X, y)[: len(curve)]


def test_permuted_probes_are_the_columns_with_their_rows_shuffled_together():
    X, _ = problem()
    probes = EmpiricalProbe().draw(Dense(X), np.random.default_rng(0)).gather()
    order = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in probes]
    assert sorted(order) == list(range(len(X)))
    assert order != sorted(order)
    np.testing.assert_array_equal(probes, X[order])


def test_fewer_probes_are_drawn_anew_in_each_round():
    X = np.arange(60.0).reshape(5, 12)
    rule = EmpiricalProbe(probes=4)
    drawn = [rule.draw(Dense(X), np.random.default_rng(i)).gather() for i in range(30)]
    places = [tuple(sorted(int(value) % 12 for value in table[0])) for table in drawn]
    assert all(len(set(place)) == 4 for place in places)
    assert len(set(places)) > 20
    assert set(sum(places, ())) == set(range(12))


def test_a_tie_counts_for_the_probe():
    # every column is as good as any other, shuffled or not
    X, y = np.tile([[0.0], [1.0]], (10, 6)), np.repeat([0, 1], 10)
    decision = EmpiricalProbe(0.5, n_rounds=9).choose(ranker_of(X, y))
    assert decision.why["reached"].tolist() == [0] * 9
    assert decision.n_features == 0


@pytest.mark.parametrize(("risk", "n_rounds"), [(0.05, 19), (0.1, 9), (1 / 3, 2), (0.01, 99)])
def test_the_fewest_rounds_that_can_show_a_risk(risk, n_rounds):
    X, y = problem(n_relevant=1, shift=8)
    enough = EmpiricalProbe(risk, n_rounds=n_rounds).choose(ranker_of(X, y))
    assert enough.n_features >= 1
    with pytest.raises(ValueError, match=f"1 / risk - 1 = {n_rounds} rounds are needed"):
        EmpiricalProbe(risk, n_rounds=n_rounds - 1).choose(ranker_of(X, y))


def test_rounds_may_stop_at_the_first_probe():
    """A method that ends its path there, as it is allowed to, changes nothing."""

    def rank_until_probe(table, target, n, rng, n_jobs):
        path = rank(table, target, n, rng, n_jobs)
        found = np.flatnonzero(path.features < table.n_probes)
        return path.first(int(found[0]) + 1) if found.size else path

    X, y = problem(seed=2)
    whole = EmpiricalProbe().choose(ranker_of(X, y))
    short = EmpiricalProbe().choose(ranker_of(X, y, rank=rank_until_probe))
    assert short.why["reached"].tolist() == whole.why["reached"].tolist()


def test_the_seed_is_the_rules_own_or_else_the_selectors():
    X, y = problem(seed=3, shift=0.7)

    def reached(rule_seed, seed):
        rule = EmpiricalProbe(random_state=rule_seed)
        return rule.choose(ranker_of(X, y, seed=seed)).why["reached"].tolist()

    assert reached(None, 1) == reached(None, 1) != reached(None, 2)
    assert reached(5, 1) == reached(5, 2) != reached(6, 1)


def test_permuting_a_sparse_table_keeps_it_sparse():
    sparse = pytest.importorskip("scipy.sparse")
    table = Sparse(sparse.csc_array(np.eye(6)))
    probes = EmpiricalProbe().draw(table, np.random.default_rng(0))
    assert sparse.issparse(probes.native)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"risk": 0}, "risk=0 is out of range; it must lie in (0, 1)."),
        ({"risk": 1.0}, "risk=1.0 is out of range; it must lie in (0, 1)."),
        ({"risk": float("nan")}, "risk=nan is out of range"),
        ({"n_rounds": 18}, "n_rounds=18 cannot show a risk of 0.05: at least 1 / risk - 1 = 19"),
        ({"n_rounds": 0}, "n_rounds=0 must be at least 1."),
        ({"kind": "normal"}, "kind='normal' is not known; use 'permuted' or 'gaussian'."),
        ({"probes": "some"}, "probes='some' is not known; use 'all' or a whole number."),
        ({"probes": 0}, "probes=0 must be at least 1."),
        ({"probes": 13}, "probes=13 is more than the 12 columns there are to shuffle"),
    ],
)
def test_what_the_empirical_probe_refuses(parameters, message):
    X, y = problem()
    with pytest.raises(ValueError, match=re.escape(message)):
        EmpiricalProbe(**parameters).choose(ranker_of(X, y))


def test_more_gaussian_probes_than_columns():
    X, y = problem()
    rule = EmpiricalProbe(probes=100, kind="gaussian")
    assert rule.draw(Dense(X), np.random.default_rng(0)).shape == (40, 100)
    assert rule.choose(ranker_of(X, y)).n_features >= 1


# ---- the analytic probe ----


def with_chance(chance):
    """A method whose steps have these chances, however much of its path is asked for."""

    def rank(table, target, n, rng, n_jobs):
        path = Path(np.arange(len(chance)), np.zeros(len(chance)), chance, complete=True)
        return path if n is None else path.first(n)

    return rank


@settings(deadline=None)
@given(
    st.lists(st.floats(0, 1) | st.floats(0, 1e-3), min_size=1, max_size=60),
    st.floats(0.001, 0.999),
    st.sampled_from([1, "all"]),
)
def test_the_recurrence(chance, risk, probes):
    X, y = np.zeros((4, 60)), [0, 1, 0, 1]
    decision = AnalyticProbe(risk, probes=probes).choose(ranker_of(X, y, rank=with_chance(chance)))
    for slack in (1 - 1e-9, 1 + 1e-9):  # equal but for rounding on the line itself
        kept, curve = oracles.analytic_probe(chance, 60, risk * slack, probes)
        if decision.n_features == kept:
            break
    assert decision.n_features == kept
    np.testing.assert_allclose(decision.why["curve"], curve, rtol=1e-9, atol=1e-14)
    assert len(decision.path) == len(curve)


@pytest.mark.parametrize("length", [1, 15, 16, 17, 40])
def test_as_much_of_the_path_as_is_needed(length):
    asked = []

    def rank(table, target, n, rng, n_jobs):
        asked.append(n)
        chance = np.where(np.arange(60) < length, 1e-9, 0.9)
        return Path(np.arange(n), np.zeros(n), chance[:n])

    X, y = np.zeros((4, 60)), [0, 1, 0, 1]
    assert AnalyticProbe().choose(ranker_of(X, y, rank=rank)).n_features == length
    assert asked[-1] <= max(16, 2 * (length + 1))


def test_a_chance_that_is_not_known_is_not_relied_on():
    X, y = np.zeros((4, 9)), [0, 1, 0, 1]
    rank = with_chance([1e-9, np.nan, 1e-9])
    assert AnalyticProbe().choose(ranker_of(X, y, rank=rank)).n_features == 1


def test_a_method_without_chances_is_told_what_to_use():
    X, y = problem()
    with pytest.raises(ValueError, match="use EmpiricalProbe, which works with all"):
        AnalyticProbe().choose(ranker_of(X, y))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"risk": 1.5}, "risk=1.5 is out of range; it must lie in (0, 1)."),
        ({"probes": 2}, "probes=2 is not known; use 1 or 'all'."),
    ],
)
def test_what_the_analytic_probe_refuses(parameters, message):
    X, y = problem()
    with pytest.raises(ValueError, match=re.escape(message)):
        AnalyticProbe(**parameters).choose(ranker_of(X, y))
