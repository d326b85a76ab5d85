"""Pictures: scales, ticks and the places of what is drawn, against plain arithmetic."""

import math
import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from markupsafe import Markup

from handful.evaluation.profiles import profile
from handful.report import profiles
from handful.report.charts import WIDTHS, Chart, Curve
from handful.report.svg import Scale, element, log_ticks, polyline, ticks

reals = st.floats(-1e99, 1e99)


def drawn(markup, kind=None):
    """The pictures of a markup as parsed XML."""
    root = ET.fromstring(f"<all>{markup}</all>")
    return [one for one in root if kind is None or kind in one.get("class").split()]


def having(picture, tag, name):
    return [one for one in picture.iter(tag) if name in one.get("class", "").split()]


# ---- elements, scales, ticks ----


@given(st.text(), st.text())
def test_what_is_written_is_read_back(text, value):
    assume(not re.search("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", text + value))
    found = ET.fromstring(element("text", text, class_=value, stroke_width=2, dx=None))
    assert (found.text or "") == text
    assert found.attrib == {"class": value, "stroke-width": "2"}


def test_markup_is_not_escaped_twice():
    assert element("g", element("a", "<")) == Markup("<g><a>&lt;</a></g>")


@given(reals, reals, reals, st.booleans())
def test_a_scale_keeps_order_and_stays_inside(a, b, c, down):
    low, middle, high = sorted((a, b, c))
    start, end = (90, 10) if down else (10, 90)
    scale = Scale(low, high, start, end)
    assert 10 <= scale(middle) <= 90
    if low < high:
        assert scale(low) == start
        assert scale(high) == end
    assert Scale(low, high, start, end)(math.inf) == end
    assert Scale(low, high, start, end)(-math.inf) == start


def test_a_logarithmic_scale_gives_each_factor_the_same_space():
    scale = Scale(2, 2000, 0, 30, log=True)
    assert [scale(value) for value in (2, 20, 200, 2000)] == pytest.approx([0, 10, 20, 30])


@given(reals, reals, st.integers(2, 8))
@example(0.0, 5e-324, 5)
@example(-1e99, 1e99, 5)
def test_ticks_are_round_few_and_inside(a, b, about):
    low, high = sorted((a, b))
    assume(high - low > 1e-9 * max(abs(low), abs(high)) or low == high or high < 1e-300)
    found = ticks(low, high, about)
    assert len(found) <= 2 * about + 2
    slack = 1e-6 * (high - low)
    assert all(low - slack <= value <= high + slack for value in found)
    steps = [after - before for before, after in pairwise(found)]
    if steps:
        assert steps == pytest.approx([steps[0]] * len(steps), rel=1e-5)
        assert f"{steps[0]:.0e}"[0] in "125"


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_logarithmic_ticks_are_inside(a, b):
    low, high = sorted((a, b))
    found = log_ticks(low, high)
    assert len(found) <= 8
    assert all(low <= value <= high and str(value).rstrip("0") in "125" for value in found)


def test_a_line_goes_through_its_points():
    assert polyline([(0, 1), (2.25, 3)], class_="line") == Markup(
        '<path d="M0 1L2.2 3" fill="none" class="line"/>'
    )


# ---- charts ----


def chart(curve, **more):
    return Chart("c", "title", "description", curve, "across", "up", **more)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_chart_places_its_points_on_its_own_axes(width):
    xs, ys, errors = [1, 2, 5, 10], [0.4, 0.3, 0.1, 0.2], [0.1, 0.0, 0.05, 0.1]
    (picture,) = drawn(chart(Curve(xs, ys, errors), cut=(5, "5 kept")).draw(), width)
    dots = having(picture, "circle", "dot")
    heights = {
        float(one.text): float(one.get("y")) - 4
        for one in having(picture, "text", "end")
        if "tick" in one.get("class")
    }
    (zero, at_zero), (one, at_one) = sorted(heights.items())[:: len(heights) - 1]
    for dot, y in zip(dots, ys, strict=True):
        expected = at_zero + (y - zero) * (at_one - at_zero) / (one - zero)
        assert float(dot.get("cy")) == pytest.approx(expected, abs=0.15)
    places = {float(tick.text): float(tick.get("x")) for tick in having(picture, "text", "middle")}
    for dot, x in zip(dots, xs, strict=True):
        if x in places:
            assert float(dot.get("cx")) == pytest.approx(places[x], abs=0.15)
    assert places
    assert ["open" in dot.get("class") for dot in dots] == [False, False, False, True]
    bars = [float(bar.get("y1")) - float(bar.get("y2")) for bar in having(picture, "line", "error")]
    assert bars == pytest.approx([bars[0], 0, bars[0] / 2, bars[0]], abs=0.25)
    (cut,) = having(picture, "line", "cut")
    assert float(cut.get("x1")) == pytest.approx(float(dots[2].get("cx")), abs=0.15)


def test_many_points_are_a_line_without_dots():
    n = 500
    (picture, _) = drawn(chart(Curve(range(1, n + 1), np.linspace(1, 0, n))).draw())
    assert not having(picture, "circle", "dot")
    (line,) = having(picture, "path", "line")
    assert line.get("d").count("L") == n - 1


def test_a_cut_at_nothing_opens_all_dots_and_draws_no_line():
    (picture, _) = drawn(chart(Curve([1, 2], [0.5, 0.4]), cut=(0, "0 kept")).draw())
    assert len(having(picture, "circle", "open")) == 2
    assert not having(picture, "line", "cut")


@given(
    st.lists(st.floats(allow_nan=False), min_size=1, max_size=6),
    st.booleans(),
    st.none() | st.floats(allow_nan=False),
)
def test_any_numbers_stay_inside_the_picture(ys, from_zero, level):
    curve = Curve(range(1, len(ys) + 1), ys, [abs(y) for y in ys])
    named = None if level is None else (level, "allowed")
    markup = chart(curve, level=named, from_zero=from_zero, cut=(1, "1 kept")).draw()
    assert not re.search(r"nan|inf\b", markup)
    for picture in drawn(markup):
        width, height = map(float, picture.get("viewBox").split()[2:])
        for one in picture.iter():
            for key, most in {"cx": width, "x1": width, "x2": width, "cy": height}.items():
                assert 0 <= float(one.get(key, 0)) <= most


# ---- profiles ----


def test_a_spread_shows_every_value_and_the_median():
    column = np.array([0.0, 1.0, 4.0, 2.0, 6.0, 10.0, 3.5, 9.0])
    y = np.array(["a"] * 4 + ["b"] * 4)
    markup = profiles.draw(profile(0, column, y, "classification"), "p", "gene", "type")
    (picture,) = drawn(markup)
    assert picture.find("desc").text == "Median of gene by type: a: 1.5, b: 7.5."
    for colour, values in (("c0", column[:4]), ("c1", column[4:])):
        places = [float(dot.get("cx")) for dot in having(picture, "circle", colour)]
        line = np.polyfit(np.sort(values), places, 1)
        # the same straight line for both classes, one dot per value
        assert np.polyval(line, np.sort(values)) == pytest.approx(places, abs=0.1)
        assert line == pytest.approx(np.array([21.6, 90.0]), abs=0.1)


def test_equal_values_stand_beside_each_other():
    y = np.array(["a"] * 5 + ["b"] * 5)
    column = np.array(
        [1.5] * 5
        + [
            0.0,
            2.0,
            4.0,
            5.0,
            6.0,
        ]
    )
    (picture,) = drawn(profiles.draw(profile(0, column, y, "classification"), "p", "x", "y"))
    dots = having(picture, "circle", "c0")
    assert len({dot.get("cx") for dot in dots}) == 1
    assert len({dot.get("cy") for dot in dots}) == 5


def test_bars_are_as_wide_as_the_shares():
    column = np.repeat([0.0, 1.0, 0.0, 1.0], [30, 10, 5, 15])
    y = np.repeat(["ill", "well"], [40, 20])
    (picture,) = drawn(profiles.draw(profile(0, column, y, "classification"), "p", "word", "state"))
    assert picture.find("desc").text == (
        "Rows with the value 1 of word, by state: ill: 10 of 40, well: 15 of 20."
    )
    legend, bars = 2, having(picture, "rect", "shade")
    widths = [float(bar.get("width")) + 1 for bar in bars[legend:]]
    whole = widths[0] + widths[1]
    assert np.array(widths) / whole == pytest.approx([0.75, 0.25, 0.25, 0.75], abs=0.01)
    assert [bar.find("title").text for bar in bars[legend:]] == ["0: 30", "1: 10", "0: 5", "1: 15"]


def test_levels_against_a_number_say_what_the_axis_is():
    y = np.array([1.0, 2.0, 5.0, 7.0])
    column = np.array([0.0, 0.0, 1.0, 1.0])
    (picture,) = drawn(profiles.draw(profile(0, column, y, "regression"), "p", "switch", "yield"))
    assert picture.find("desc").text == "Median of yield by switch: 0: 1.5, 1: 6."
    assert "yield" in [one.text for one in having(picture, "text", "tick")]


def test_points_show_the_correlation():
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    y = 2 * x + rng.normal(size=80)
    (picture,) = drawn(profiles.draw(profile(0, x, y, "regression"), "p", "dose", "answer"))
    dots = having(picture, "circle", "value")
    cx = np.array([float(dot.get("cx")) for dot in dots])
    cy = np.array([float(dot.get("cy")) for dot in dots])
    expected = np.corrcoef(x, y)[0, 1]
    assert -np.corrcoef(cx, cy)[0, 1] == pytest.approx(expected, abs=1e-3)


@given(
    st.lists(st.floats(-1e99, 1e99) | st.sampled_from([0.0, 1.0]), min_size=2, max_size=9),
    st.sampled_from(["classification", "regression"]),
    st.integers(1, 3),
)
def test_any_column_has_a_picture(values, task, n_classes):
    column = np.array(values)
    y = np.arange(len(column)) % n_classes
    (picture,) = drawn(profiles.draw(profile(0, column, y, task), "p", "x", "y"))
    assert not re.search(r"nan|inf\b", ET.tostring(picture, "unicode"))
