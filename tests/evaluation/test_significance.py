"""Tests of differences against printed tables, SciPy, worked examples and their own promises."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_1samp, ttest_rel

from handful.evaluation import corrected_resampled_test, paired_test, two_proportion_score

# ---- the two-proportion score ----

# Fleuret (2004), tables 1 to 3: the reference error in percent, the number of tests (25 rounds of
# 500 images or 100 molecules), and by test error in percent the score as printed.
TABLES = {
    "faces": (
        (1.52, 12500),
        {1.12: -2.77, 1.21: -2.11, 1.45: -0.45, 1.69: 1.07, 1.85: 2.02, 2.13: 3.60, 2.28: 4.40}
        | {2.46: 5.32, 2.75: 6.73, 3.28: 9.11, 5.67: 17.73, 24.77: 57.93},
    ),
    "noisy faces": (
        (1.95, 12500),
        {1.37: -3.59, 1.49: -2.79, 2.39: 2.38, 2.99: 5.30, 5.36: 14.42, 9.46: 25.94, 12.19: 32.23}
        | {20.58: 48.75, 24.99: 56.68},
    ),
    "thrombin": (
        (11.72, 2500),
        {12.99: 1.36, 13.60: 1.99, 13.65: 2.05, 18.77: 6.97, 23.14: 10.76, 34.11: 19.54}
        | {45.68: 28.63, 50.00: 32.19},
    ),
}


@pytest.mark.parametrize("table", TABLES)
def test_score_is_the_one_the_paper_prints(table):
    (reference, n), rows = TABLES[table]
    for error, printed in rows.items():
        # the errors were rounded to 0.01 % before they were printed: each score within their reach
        reach = [
            two_proportion_score((error + a) / 100, (reference + b) / 100, n)
            for a in (-0.005, 0.005)
            for b in (-0.005, 0.005)
        ]
        assert min(reach) - 0.005 <= printed <= max(reach) + 0.005
        assert max(reach) - min(reach) < 0.2


def test_score_by_hand():
    # (0.5 - 0.2) / sqrt(0.25 / 100 + 0.16 / 400)
    score = two_proportion_score(0.5, 0.2, 100, 400)
    assert score == pytest.approx(0.3 / math.sqrt(0.0025 + 0.0004), abs=1e-12)
    assert two_proportion_score(0.2, 0.5, 400, 100) == pytest.approx(-score, abs=1e-12)
    assert two_proportion_score(0, 0, 10) == 0
    assert two_proportion_score(1, 0, 10) == math.inf


def test_score_is_about_normal_without_a_difference():
    rng = np.random.default_rng(0)
    errors = rng.binomial(500, 0.2, size=(4000, 2)) / 500
    scores = [two_proportion_score(a, b, 500) for a, b in errors]
    # 4,000 trials: the standard error of a share of 5 % is 0.34 %, of a standard deviation 1.1 %
    assert np.mean(np.abs(scores) > 1.96) == pytest.approx(0.05, abs=0.011)
    assert np.std(scores) == pytest.approx(1, abs=0.034)


# ---- the corrected resampled t test ----


def test_corrected_test_by_hand():
    # mean 0.2, variance 0.1 / 4 = 0.025; times (1/5 + 20/80) = 0.01125
    found = corrected_resampled_test([0.1, 0.3, 0.2, 0.0, 0.4], n_train=80, n_test=20)
    assert found.difference == pytest.approx(0.2, abs=1e-15)
    assert found.statistic == pytest.approx(0.2 / math.sqrt(0.01125), abs=1e-12)
    assert found.degrees == 4
    # 2.7764451 is the 97.5 % point of Student's t with 4 degrees of freedom
    assert found.upper - found.difference == pytest.approx(
        2.7764451051977987 * math.sqrt(0.01125), abs=1e-12
    )
    assert found.lower == pytest.approx(0.4 - found.upper, abs=1e-12)


_ROWS = st.lists(st.floats(-1, 1).map(lambda x: round(x, 6)), min_size=2, max_size=12)


@given(_ROWS, st.floats(0.5, 0.99))
@settings(max_examples=100)
def test_correction_is_all_that_differs_from_scipy(differences, level):
    if np.std(differences) < 1e-6:
        return
    plain = ttest_1samp(differences, 0)
    found = corrected_resampled_test(differences, n_train=9, n_test=3, level=level)
    # sqrt(1/n + 1/3) in place of sqrt(1/n)
    factor = math.sqrt(1 + len(differences) / 3)
    assert found.statistic == pytest.approx(plain.statistic / factor, rel=1e-9, abs=1e-12)
    without = paired_test(differences, np.zeros(len(differences)), level=level)
    interval = plain.confidence_interval(level)
    assert (without.lower, without.upper) == pytest.approx(tuple(interval), rel=1e-9, abs=1e-9)
    assert without.p_value == pytest.approx(plain.pvalue, rel=1e-9, abs=1e-12)


def test_overlapping_folds_need_the_correction():
    """Two coins as classifiers: repeated folds of the same rows, no difference in truth."""
    rng = np.random.default_rng(3)
    n_rows, n_test, n_folds, n_trials = 100, 20, 20, 600
    plain = corrected = 0
    for _ in range(n_trials):
        wrong = rng.integers(0, 2, (2, n_rows))
        tests = [rng.permutation(n_rows)[:n_test] for _ in range(n_folds)]
        differences = [float(wrong[0, rows].mean() - wrong[1, rows].mean()) for rows in tests]
        plain += paired_test(differences, np.zeros(n_folds)).p_value < 0.05
        found = corrected_resampled_test(differences, n_train=n_rows - n_test, n_test=n_test)
        corrected += found.p_value < 0.05
    assert plain / n_trials > 0.25
    # standard error 0.9 %
    assert corrected / n_trials < 0.05 + 3 * 0.009


# ---- the paired test over categories ----


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=20))
@settings(max_examples=100)
def test_paired_test_is_scipys(pairs):
    first, second = np.round(np.array(pairs).T, 6)
    if np.std(first - second) < 1e-6:
        return
    expected = ttest_rel(first, second)
    found = paired_test(first, second)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-12)
    assert found.degrees == expected.df


@pytest.mark.parametrize(("shift", "statistic", "p_value"), [(0.0, 0.0, 1.0), (0.1, math.inf, 0.0)])
def test_equal_differences_have_no_spread(shift, statistic, p_value):
    scores = np.array([0.3, 0.5, 0.9])
    found = paired_test(scores + shift, scores)
    assert (found.statistic, found.p_value) == (statistic, p_value)
    assert found.lower == found.upper == found.difference


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: two_proportion_score(1.52, 0.1, 10), "error=1.52"),
        (lambda: two_proportion_score(0.1, 0.1, 0), "n=0"),
        (lambda: corrected_resampled_test([0.1], n_train=8, n_test=2), "at least two"),
        (lambda: corrected_resampled_test([0.1, 0.2], n_train=0, n_test=2), "n_train=0"),
        (lambda: paired_test([0.1, 0.2], [0.1, 0.2, 0.3]), r"\(2,\) and second \(3,\)"),
        (lambda: paired_test([0.1, 0.2], [0.1, 0.3], level=95), "level=95"),
    ],
)
def test_significance_refuses_what_it_cannot_judge(call, message):
    with pytest.raises(ValueError, match=message):
        call()
