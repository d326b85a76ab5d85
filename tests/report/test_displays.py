"""Displays: what is drawn is what the record holds."""

import sys

import numpy as np
import pytest
from records import record

from handful.report import CorrelationDisplay, RankingDisplay, SizeCurveDisplay, StabilityDisplay

plt = pytest.importorskip("matplotlib.pyplot")

DISPLAYS = [RankingDisplay, SizeCurveDisplay, StabilityDisplay, CorrelationDisplay]


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.mark.parametrize("display", DISPLAYS)
def test_a_display_draws_on_the_given_axes_and_again_on_others(display):
    _, ax = plt.subplots()
    drawn = display.from_record(record("compared"), ax=ax)
    assert drawn.ax_ is ax
    assert drawn.figure_ is ax.figure
    assert drawn.plot() is drawn
    assert drawn.ax_ is not ax
    drawn.figure_.canvas.draw()


def test_a_ranking_is_the_selection_best_first():
    made = record("number")
    drawn = RankingDisplay.from_record(made, most=7)
    labels = [text.get_text() for text in drawn.ax_.get_yticklabels()]
    assert labels == made.features[:7]
    assert [bar.get_width() for bar in drawn.bars_] == made.scores[:7]
    bottom, top = drawn.ax_.get_ylim()
    assert bottom > top  # the best is above


def test_a_ranking_of_a_comparison_says_how_often_each_came_back():
    made = record("compared")
    drawn = RankingDisplay.from_record(made, method="lot")
    size = len(drawn.names)
    lists = [set(one.indices[:size]) for one in made.rankings if one.method == "lot"][:-1]
    own = made.ranking("lot").indices[:size]
    assert drawn.names == [made.names[str(j)] for j in own]
    assert drawn.values == [sum(j in one for one in lists) / len(lists) for j in own]


def test_curves_are_means_with_a_standard_error_on_both_sides():
    made = record("compared")
    drawn = SizeCurveDisplay.from_record(made, classifier="neighbours", metric="auc")
    assert drawn.ax_.get_ylabel() == "AUC"
    assert drawn.ax_.get_xscale() == "log"
    assert [text.get_text() for text in drawn.ax_.get_legend().get_texts()] == [
        "fisher",
        "correlation",
        "lot",
    ]
    for line, band, method in zip(drawn.lines_, drawn.ax_.collections, drawn.bands, strict=True):
        scores = [
            one.values["auc"]
            for one in made.scores
            if (one.method, one.classifier) == (method, "neighbours")
        ]
        mean, error = np.mean(scores, 0), np.std(scores, 0, ddof=1) / np.sqrt(len(scores))
        np.testing.assert_allclose(line.get_ydata(), mean)
        np.testing.assert_array_equal(line.get_xdata(), made.sizes)
        corners = {tuple(np.round(corner, 9)) for corner in band.get_paths()[0].vertices}
        for ends in (mean - error, mean + error):
            assert corners >= set(zip(made.sizes, np.round(ends, 9), strict=True))


def test_scorers_of_errors_are_shown_as_errors():
    drawn = SizeCurveDisplay.from_record(record("compared numbers"))
    assert drawn.ax_.get_ylabel() == "mean absolute error"
    assert min(line.get_ydata().min() for line in drawn.lines_) > 0
    made = record("best size")
    drawn = SizeCurveDisplay.from_record(made)
    np.testing.assert_allclose(drawn.lines_[0].get_ydata(), np.abs(made.stopping["curve"]))


def test_stability_has_its_intervals():
    made = record("compared")
    drawn = StabilityDisplay.from_record(made)
    for method, band in drawn.bands.items():
        found = [one for one in made.agreement if one.method == method]
        assert band.values.tolist() == [one.index for one in found]
        assert band.upper.tolist() == [one.upper for one in found]
    points = StabilityDisplay.from_record(record("compared own sizes"))
    kept = {m: points.bands[m].sizes[0] for m in points.bands}
    made = record("compared own sizes")
    for method, size in kept.items():
        lists = [one.indices for one in made.rankings if one.method == method][:-1]
        assert size == np.mean([len(one) for one in lists])


def test_correlations_are_those_of_the_table():
    made = record("compared")
    drawn = CorrelationDisplay.from_record(made, method="fisher", most=5)
    (redundancy,) = [one for one in made.redundancy if one.method == "fisher"]
    expected = np.abs(np.array(redundancy.correlation)[:5, :5])
    np.testing.assert_array_equal(drawn.im_.get_array(), expected)
    assert drawn.names == [made.names[str(j)] for j in redundancy.indices[:5]]


def test_names_are_never_taken_for_formulas():
    drawn = RankingDisplay(["$x_", "a$b$"], [1.0, 2.0], "score").plot()
    drawn.figure_.canvas.draw()
    assert [text.get_text() for text in drawn.ax_.get_yticklabels()] == ["$x_", "a$b$"]


def test_what_cannot_be_drawn_is_named():
    with pytest.raises(TypeError, match="StabilityDisplay shows a comparison"):
        StabilityDisplay.from_record(record("number"))
    with pytest.raises(ValueError, match="decided by Fixed"):
        SizeCurveDisplay.from_record(record("number"))
    with pytest.raises(ValueError, match="method='fischer' is not in the record; it has fisher"):
        CorrelationDisplay.from_record(record("compared"), method="fischer")
    for display in (RankingDisplay, StabilityDisplay):
        with pytest.raises(ValueError, match="comparison of one fold"):
            display.from_record(record("compared one fold"))
    with pytest.raises(ValueError, match="Nothing could be measured under 'failing'"):
        SizeCurveDisplay.from_record(record("compared failing"), classifier="failing")


@pytest.mark.parametrize("display", DISPLAYS)
def test_without_matplotlib_the_message_says_what_to_install(display, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'handful\[report\]'"):
        display.from_record(record("compared"))
