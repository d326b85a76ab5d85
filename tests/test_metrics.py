"""Balanced error, stability and probe fraction against worked examples and slow twins."""

import copy
import json
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import accuracy_score, balanced_accuracy_score, roc_auc_score

from handful.metrics import (
    Stability,
    accuracy,
    area_under_curve,
    balanced_error,
    probe_fraction,
    stability_difference,
    stability_index,
)

# ---- balanced error ----


def test_balanced_error_by_hand():
    # class 0: 1 of 4 wrong; class 1: 1 of 2 wrong; class 2: 0 of 1 wrong
    error = balanced_error([0, 0, 0, 0, 1, 1, 2], [0, 0, 2, 0, 1, 0, 2])
    assert error == pytest.approx((1 / 4 + 1 / 2 + 0) / 3, abs=1e-15)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1))
def test_balanced_error_is_one_minus_balanced_accuracy(pairs):
    truth, answer = zip(*pairs, strict=True)
    assume(len(set(truth)) > 1)
    known = [label if label in truth else truth[0] for label in answer]
    expected = 1 - balanced_accuracy_score(truth, known)
    assert balanced_error(truth, known) == pytest.approx(expected, abs=1e-12)


def test_balanced_error_counts_an_unknown_answer_as_an_error():
    assert balanced_error([0, 0, 1, 1], [0, 5, 1, 1]) == 0.25


def test_balanced_error_refuses_other_shapes():
    with pytest.raises(ValueError, match=r"\(3,\) and the predictions \(2,\)"):
        balanced_error([0, 1, 1], [0, 1])
    with pytest.raises(ValueError, match="empty"):
        balanced_error([], [])


# ---- weights, accuracy, area under the curve ----

_ANSWERS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.integers(0, 3)), min_size=1
).filter(lambda rows: any(weight for *_, weight in rows))


@given(_ANSWERS)
def test_a_weight_counts_rows(rows):
    truth, answer, weight = (np.array(part) for part in zip(*rows, strict=True))
    again = np.repeat(np.arange(len(rows)), weight)
    for measure in (balanced_error, accuracy):
        weighted = measure(truth, answer, sample_weight=weight)
        assert weighted == pytest.approx(measure(truth[again], answer[again]), abs=1e-12)
    expected = accuracy_score(truth, answer, sample_weight=weight)
    assert accuracy(truth, answer, sample_weight=weight) == pytest.approx(expected, abs=1e-12)


def test_accuracy_of_several_labels_wants_all_of_them():
    truth, answer = [[1, 0], [1, 1], [0, 0]], [[1, 0], [1, 0], [0, 0]]
    assert accuracy(truth, answer) == accuracy_score(truth, answer) == 2 / 3


def _area(scores, member):
    """Every pair of a member and another row."""
    pairs = [
        Fraction(a > b) + Fraction(a == b, 2)
        for a, inside in zip(scores, member, strict=True)
        for b, outside in zip(scores, member, strict=True)
        if inside and not outside
    ]
    return sum(pairs, Fraction(0)) / len(pairs)


_SCORED = st.lists(st.tuples(st.sampled_from("abc"), st.lists(st.integers(-3, 3), min_size=3,
                   max_size=3)), min_size=2)  # fmt: skip


@given(_SCORED)
def test_area_is_the_share_of_pairs_in_order(rows):
    truth = np.array([label for label, _ in rows])
    scores = np.array([values for _, values in rows], dtype=float)
    present = np.unique(truth)
    assume(len(present) > 1)
    areas = [_area(scores[:, "abc".index(c)].tolist(), (truth == c).tolist()) for c in present]
    expected = float(sum(areas, Fraction(0)) / len(areas))
    assert area_under_curve(truth, scores, classes=list("abc")) == pytest.approx(expected)
    if len(present) == 2:
        column = scores[:, 0]
        assert area_under_curve(truth, column) == pytest.approx(
            roc_auc_score(truth == present[1], column)
        )


def test_area_takes_decision_values_probabilities_and_weights():
    rng = np.random.default_rng(0)
    truth, raw = rng.integers(0, 3, 60), rng.standard_normal((60, 3))
    raw[np.arange(60), truth] += 1
    chances = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    expected = roc_auc_score(truth, chances, multi_class="ovr")
    assert area_under_curve(truth, chances) == pytest.approx(expected, abs=1e-12)
    weight = rng.integers(0, 4, 60)
    two = truth > 0
    expected = roc_auc_score(two, raw[:, 1], sample_weight=weight)
    area = area_under_curve(two, raw[:, 1], sample_weight=weight)
    assert area == pytest.approx(expected, abs=1e-12)
    both = np.column_stack([-raw[:, 1], raw[:, 1]])
    assert area_under_curve(two, both, sample_weight=weight) == pytest.approx(area, abs=1e-12)


def test_area_without_a_class_or_its_scores():
    assert math.isnan(area_under_curve([1, 1], [0.2, 0.3]))
    # "c" was never learned: 1/2 for it, and a row of "c" is one more that is not "a" or not "b"
    scores = [[3.0, 0.0], [0.0, 3.0], [1.0, 1.0]]
    assert area_under_curve(list("abc"), scores, classes=["a", "b"]) == pytest.approx(2.5 / 3)
    with pytest.raises(ValueError, match="2 columns for 3 classes"):
        area_under_curve(list("abc"), scores)


@pytest.mark.parametrize("weight", [[1, 2], [1, -1, 1], [[1], [1], [1]]])
def test_weights_must_fit(weight):
    with pytest.raises(ValueError, match="one number from 0 up for every row"):
        accuracy([0, 1, 1], [0, 1, 0], sample_weight=weight)


# ---- stability ----


def _pairwise(masks):
    """The index as the mean chance-corrected overlap of all pairs, in exact arithmetic.

    Nogueira et al. show that the variance form equals the mean over ordered pairs of
    (overlap - k_i k_j / d) with the mean size in the correction and the denominator.
    """
    n_runs, n_features = len(masks), len(masks[0])
    mean_size = Fraction(sum(map(sum, masks)), n_runs)
    overlaps = [
        sum(a * b for a, b in zip(masks[i], masks[j], strict=True))
        for i in range(n_runs)
        for j in range(n_runs)
        if i != j
    ]
    overlap = Fraction(sum(overlaps), len(overlaps))
    by_chance = mean_size**2 / n_features
    return (overlap - by_chance) / (mean_size - by_chance)


def _interval(masks, z):
    """The paper's interval, its formulas written out loop by loop."""
    n_runs, n_features = len(masks), len(masks[0])
    p = [sum(row[f] for row in masks) / n_runs for f in range(n_features)]
    k = [sum(row) for row in masks]
    k_mean = sum(k) / n_runs
    denominator = k_mean / n_features * (1 - k_mean / n_features)
    spread = sum(n_runs / (n_runs - 1) * share * (1 - share) for share in p) / n_features
    index = 1 - spread / denominator
    parts = []
    for row, size in zip(masks, k, strict=True):
        overlap = sum(z_f * p_f for z_f, p_f in zip(row, p, strict=True)) / n_features
        correction = 2 * size * k_mean / n_features**2 - size / n_features - k_mean / n_features + 1
        product = size * k_mean / n_features**2
        parts.append((overlap - product + index / 2 * correction) / denominator)
    mean_part = sum(parts) / n_runs
    variance = 4 / n_runs**2 * sum((part - mean_part) ** 2 for part in parts)
    half = z * math.sqrt(variance)
    return index, index - half, index + half


def test_stability_by_hand():
    # p = (1, 3/4, 1/4, 0), k = 2 in every run: mean s^2 = 4/3 * (3/16 + 3/16) / 4 = 1/8,
    # k/d (1 - k/d) = 1/4, so the index is 1 - 1/2
    masks = [[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]]
    stability = stability_index(masks)
    assert float(stability) == pytest.approx(0.5, abs=1e-15)
    # overlap of run i: (1 + 3/4) / 4 = 7/16 three times, (1 + 1/4) / 4 = 5/16 once; the other terms
    # are the same in every run, so phi_i - mean = (1/32, 1/32, -3/32, 1/32) * 4
    # and the variance is 4/16 * 16 * (3 + 9) / 1024 = 3/64
    assert stability.variance == pytest.approx(3 / 64, abs=1e-15)
    assert stability.upper - 0.5 == pytest.approx(1.959963984540054 * math.sqrt(3 / 64), abs=1e-12)
    assert stability.lower - 0.5 == pytest.approx(-1.959963984540054 * math.sqrt(3 / 64), abs=1e-12)


_SHAPES = st.tuples(st.integers(2, 7), st.integers(2, 9))


@given(_SHAPES.flatmap(lambda shape: arrays(np.int8, shape, elements=st.integers(0, 1))))
@settings(max_examples=200)
def test_stability_equals_the_slow_forms(masks):
    stability = stability_index(masks.astype(bool))
    if masks.sum() in (0, masks.size):
        assert math.isnan(stability)
        assert math.isnan(stability.lower)
        assert math.isnan(stability.upper)
        return
    rows = masks.tolist()
    assert float(stability) == pytest.approx(float(_pairwise(rows)), abs=1e-12)
    index, lower, upper = _interval(rows, 1.959963984540054)
    assert (float(stability), stability.lower, stability.upper) == pytest.approx(
        (index, lower, upper), abs=1e-10
    )
    assert -1 / (len(rows) - 1) - 1e-12 <= stability <= 1 + 1e-12


def test_stability_is_one_without_disagreement_and_least_with_none_shared():
    assert stability_index(np.tile([1, 0, 1, 0, 0], (6, 1))) == pytest.approx(1)
    assert stability_index(np.eye(4)) == pytest.approx(-1 / 3)


def test_level_sets_the_width():
    masks = np.random.default_rng(0).random((30, 20)) < 0.3
    widths = [stability_index(masks, level=level) for level in (0.5, 0.9)]
    halves = [(s.upper - s.lower) / 2 / math.sqrt(s.variance) for s in widths]
    assert halves == pytest.approx([0.6744897501960817, 1.6448536269514722], abs=1e-9)


@pytest.mark.parametrize(
    "frequencies",
    [np.linspace(0.02, 0.4, 60), np.r_[np.full(8, 0.9), np.full(72, 0.04)]],
    ids=["gradual", "sharp"],
)
def test_interval_covers_the_true_stability(frequencies):
    """100 runs that choose each feature independently: the true index is known exactly."""
    density = frequencies.mean()
    true = 1 - np.mean(frequencies * (1 - frequencies)) / (density * (1 - density))
    rng = np.random.default_rng(12)
    n_trials, covered, narrow = 1000, 0, 0
    for _ in range(n_trials):
        masks = rng.random((100, len(frequencies))) < frequencies
        stability = stability_index(masks)
        covered += stability.lower <= true <= stability.upper
        narrow += stability.upper - stability.lower < 0.3
    # the binomial error of 1,000 trials is 0.7 %; the interval is asymptotic, hence the wider floor
    assert 0.92 <= covered / n_trials <= 0.975
    assert narrow == n_trials


def test_stability_is_a_float_that_survives_a_copy():
    stability = stability_index([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]])
    for again in (copy.deepcopy(stability), pickle.loads(pickle.dumps(stability))):
        assert isinstance(again, Stability)
        assert vars(again) == vars(stability)
        assert again == stability
    assert json.loads(json.dumps(stability)) == float(stability)
    assert np.asarray([stability]).dtype == np.float64


@pytest.mark.parametrize(
    ("masks", "message"),
    [
        ([[1, 0, 1]], "one run"),
        ([1, 0, 1], "shape"),
        ([[0, 4, 2], [1, 4, 2]], "not indices"),
        ([["a", "b"], ["a", "c"]], "not indices or names"),
        ([[0, 4], [1, 4, 2]], "different lengths"),
        (np.zeros((0, 3)), "shape"),
        ([[0.0, np.nan], [1.0, 0.0]], "True and False"),
    ],
)
def test_stability_refuses_what_is_no_mask(masks, message):
    with pytest.raises(ValueError, match=message):
        stability_index(masks)


def test_stability_refuses_a_level_out_of_range():
    with pytest.raises(ValueError, match="level=95"):
        stability_index([[1, 0], [1, 0]], level=95)


def test_difference_of_two_stabilities_by_hand():
    first, second = Stability(0.8, 0.01, 0.95), Stability(0.5, 0.0225 - 0.01, 0.95)
    found = stability_difference(first, second)
    # 0.3 / sqrt(0.0225) = 2, and 4.55 % of a normal lies beyond 2
    assert (found.difference, found.statistic) == pytest.approx((0.3, 2.0), abs=1e-12)
    assert found.p_value == pytest.approx(0.04550026389635842, abs=1e-12)
    assert stability_difference(second, first).statistic == pytest.approx(-2.0, abs=1e-12)
    same = Stability(1.0, 0.0, 0.95)
    assert stability_difference(same, same).p_value == 1
    assert stability_difference(same, Stability(0.5, 0.0, 0.95)).p_value == 0


def test_equal_stabilities_are_rarely_told_apart():
    frequencies = np.linspace(0.02, 0.4, 60)
    rng = np.random.default_rng(5)
    n_trials, told = 1000, 0
    for _ in range(n_trials):
        one, other = (stability_index(rng.random((60, 60)) < frequencies) for _ in range(2))
        told += stability_difference(one, other).p_value < 0.05
    # the binomial error of 1,000 trials is 0.7 %
    assert 0.05 - 3 * 0.007 < told / n_trials < 0.05 + 3 * 0.007


# ---- probe fraction ----


def test_probe_fraction():
    assert probe_fraction([1, 1, 0, 1, 0], [0, 1, 1, 1, 0]) == pytest.approx(2 / 3)
    assert probe_fraction([True, False], [False, True]) == 0
    assert math.isnan(probe_fraction([False, False], [False, True]))
    with pytest.raises(ValueError, match="selected has 2 features and probes 3"):
        probe_fraction([1, 0], [1, 0, 0])
    with pytest.raises(ValueError, match="probes must hold True and False"):
        probe_fraction([1, 0, 0], [1, 2, 3])
