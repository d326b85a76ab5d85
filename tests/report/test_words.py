"""The sentences, rule by rule, and numbers as people write them."""

import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import NAMES, record

from handful.report import words
from handful.report.numbers import MINUS, aligned, axis, number, percent
from handful.report.text import NAME, readable, shown

finite = st.floats(-1e15, 1e15)


def value(text):
    """What a written number says."""
    return float(text.replace(",", "").replace(MINUS, "-").replace("∞", "inf"))


HEADLINES = {
    "number": "20 of 7,129 genes, chosen to tell ALL from AML",
    "probe": "{n} of 7,129 genes tell ALL from AML better than random ones would",
    "analytic": "{n} of 7,129 genes tell ALL from AML better than random ones would",
    "best size": "{n} of 7,129 genes tell ALL from AML with {error} balanced error",
    "smallest size": "{n} of 7,129 genes tell ALL from AML with {error} balanced error",
    "stable": "{n} of 7,129 genes come back in at least 60 % of the resamples",
    "long": "2,000 of 7,129 genes, chosen to tell ALL from AML",
    "numbers": "8 of 40 columns, chosen to predict yield (g)",
    "numbers by size": "{n} of 40 columns predict yield (g) with {error} R²",
    "many classes": "4 of 40 columns, chosen to tell the 15 classes of y apart",
    "binary": "6 of 40 columns, chosen to tell 0 from 1",
    "nothing": "None of the 40 columns tells 0 from 1 better than random ones would",
    "one": "1 of 40 columns tells 0 from 1 better than random ones would",
}


@pytest.mark.parametrize("name", HEADLINES)
def test_the_answer_in_one_sentence(name):
    made = record(name)
    why, error = made.stopping, ""
    if why["rule"] == "CrossValidated":
        at = why["sizes"].index(made.n_features)
        score, deviation = why["curve"][at], why["standard_error"][at]
        error = f"{percent(-score)} ± {percent(deviation)[:-2]}"
        if why["scoring"] == "r2":
            error = f"{number(score)} ± {number(deviation)}"
    said = words.headline(made).replace("\N{NO-BREAK SPACE}", " ")
    expected = HEADLINES[name].format(n=made.n_features, error=error)
    assert said == expected.replace("\N{NO-BREAK SPACE}", " ")


def test_the_reason_of_the_ensembles_own_rule():
    made = replace(
        record("one"), stopping={"rule": "BestOutOfBag", "sizes": [1, 2], "curve": [0.9, 0.8]}
    )
    said = words.reason(made).replace("\N{NO-BREAK SPACE}", " ")
    assert said.startswith("With no other number did machines on resampled rows do better on rows")


def test_the_reason_names_both_risks():
    made = replace(
        record("one"), stopping={"rule": "EmpiricalProbe", "risk": 0.1, "curve": [0.04, 0.3]}
    )
    assert words.reason(made).replace("\N{NO-BREAK SPACE}", " ") == (
        "Keeping 1 has a risk of 4 %; the allowed risk is 10 %."
    )
    assert words.lead(made).startswith("First comes x5. Keeping 1")
    sure = replace(made, stopping=made.stopping | {"curve": [1e-40]})
    assert "a risk of less than 0.01\N{NO-BREAK SPACE}%;" in words.reason(sure)


def test_a_probe_rule_without_any_rank():
    why = {"rule": "AnalyticProbe", "risk": 0.1, "curve": []}
    assert words.reason(replace(record("nothing"), stopping=why)).startswith("No column can be")


def test_a_shorter_ranking_than_asked():
    made = replace(record("one"), stopping={"rule": "Fixed", "asked": 9})
    assert words.reason(made) == "9 were asked for, and no more can be ranked."
    everything = replace(made, stopping={"rule": "Fixed", "asked": None})
    assert words.reason(everything) == (
        "Everything that can be ranked is kept; there were 150 rows."
    )


def test_rules_of_other_people():
    made = replace(record("one"), stopping={"rule": "MyRule"})
    assert words.headline(made) == "1 of 40 columns, chosen to tell 0 from 1"
    assert words.reason(made) == "MyRule decided, on 150 rows."


def test_what_was_asked_holds_the_rule_with_its_parameters():
    pairs = dict(words.asked(record("probe")))
    assert pairs["method"] == "fisher"
    assert pairs["n_features_to_select"] == (
        "EmpiricalProbe(kind=permuted, n_rounds=19, probes=all, random_state=0, risk=0.05)"
    )
    assert pairs["seed"] == "0"


# ---- numbers ----


@given(finite)
def test_a_number_keeps_three_digits(x):
    assert value(number(x)) == pytest.approx(x, rel=0.0051, abs=0)


@given(st.floats(0, 1))
def test_a_share_keeps_two_digits_after_the_point(x):
    said = percent(x).removesuffix("\N{NO-BREAK SPACE}%")
    assert abs(value(said) - 100 * x) <= (0.0501 if x >= 0.01 else 0.00501)


@given(st.lists(finite, min_size=1))
def test_a_column_of_numbers_is_right_to_two_digits(values):
    for x, said in zip(values, aligned(values), strict=True):
        assert value(said) == pytest.approx(x, rel=0.051, abs=0)


@given(st.lists(st.floats(0.5, 900), min_size=1))
def test_a_column_of_like_numbers_has_its_points_in_line(values):
    places = {len(said.partition(".")[2]) for said in aligned(values)}
    assert len(places) == 1


@given(st.floats(-1e8, 1e8), st.integers(-5, 6), st.integers(2, 6))
def test_an_axis_tells_neighbours_apart(start, exponent, n):
    step = 10.0**exponent
    values = [(round(start / step) + k) * step for k in range(n)]
    said = axis(values)
    assert len(set(said)) == n
    for x, label in zip(values, said, strict=True):
        assert value(label) == pytest.approx(x, rel=1e-12, abs=step / 1e6)


# ---- names ----


@given(st.text(max_size=300))
def test_names_are_one_bounded_line_that_turns_nothing_around(name):
    said = shown(name)
    assert len(said) <= NAME + 2
    assert not re.search("[\x00-\x1f\x7f\u2028\u2029\u202a-\u202e\ud800-\udfff]", said)
    assert said.count("\u2068") == said.count("\u2069")


@given(st.from_regex(r"[ -~]{0,120}", fullmatch=True))
def test_plain_names_are_left_alone(name):
    assert shown(name) == name


@pytest.mark.parametrize("name", NAMES)
def test_numbers_are_the_same_in_the_readable_record(name):
    made, said = record(name), readable(record(name))
    assert (said.scores, said.indices, said.stopping) == (made.scores, made.indices, made.stopping)
    assert said.path == made.path


def test_infinity_and_the_unknown():
    assert number(math.inf) == "∞"
    assert aligned([math.nan, 1.5]) == ["unknown", "1.50"]
