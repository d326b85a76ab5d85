"""Records on the terminal: every width, every name, nothing that commands the terminal."""

import re
import unicodedata

import numpy as np
import pytest
from records import COMPARISONS
from records import record as sample

from handful import FilterSelector
from handful.columns.dense import Dense
from handful.evaluation import Selection
from handful.report import terminal

WIDTHS = [40, 60, 80, 140]


def record(names, descriptions=None, keep=5, labels=("ill", "well"), **about):
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    strength = np.linspace(3, 0.1, len(names))
    table = Dense(rng.standard_normal((30, len(names))) + y[:, None] * strength, np.array(names))
    y = np.array(labels)[y]
    selector = FilterSelector(n_features_to_select=keep).fit(table, y)
    return Selection.of(selector, table, y, descriptions=descriptions, **about)


def wide(line):
    """Places on a terminal, counted in another way than the module does."""
    shown = [c for c in line if unicodedata.category(c) not in ("Mn", "Me", "Cf")]
    return sum(2 if unicodedata.east_asian_width(c) in ("W", "F") else 1 for c in shown)


NAMES = ["plain", "n" * 200, "遺伝子" * 20, "e\u0301" * 30, "x\x1b[31m\ny\tz", "=cmd()", "שלום"]
ABOUT = [f"gene {j} " + "with many words " * 9 for j in range(7)]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_no_line_is_longer_than_the_terminal_and_none_commands_it(width, ascii_only):
    made = record(NAMES, ABOUT, keep=7, labels=["l" * 100, "遺伝子 " * 9])
    text = terminal.selection(made, width, ascii_only=ascii_only)
    assert max(wide(line) for line in text.splitlines()) <= width
    assert all(c == "\n" or c.isprintable() or unicodedata.category(c) == "Cf" for c in text)
    assert not ascii_only or text.isascii()


def test_rows_hold_rank_name_description_and_score():
    made = record(["a", "b", "c"], ["first", "second", "third"], keep=3, called="genes")
    lines = terminal.selection(made, 80).splitlines()
    heading = lines.index(next(line for line in lines if line.startswith("rank")))
    assert lines[heading].split() == ["rank", "gene", "description", "score"]
    for place, line in enumerate(lines[heading + 1 :]):
        rank, name, about, score, bar = line.split()
        assert (int(rank), name) == (place + 1, made.features[place])
        assert about == made.descriptions[place]
        assert float(score) == pytest.approx(made.scores[place], abs=5e-4)
        assert len(bar) == pytest.approx(16 * made.scores[place] / made.scores[0], abs=1)


def test_long_lists_are_cut_and_say_so():
    made = record([f"g{j}" for j in range(60)], keep=55)
    text = terminal.selection(made, 80)
    assert text.endswith(f"\nand {55 - terminal.MAX_ROWS} more")
    assert len(re.findall(r"^ +\d+  g", text, re.MULTILINE)) == terminal.MAX_ROWS


def test_paint_marks_headings_and_bars_alone():
    made = record(["a", "b", "c"], keep=2)
    plain = terminal.selection(made, 80)
    painted = terminal.selection(made, 80, paint=lambda text, kind: f"<{kind}>{text}</{kind}>")
    assert re.sub(r"</?(heading|bar|quiet)>", "", painted) == plain
    assert painted.count("<bar>") == 2
    assert painted.startswith("<heading>")


@pytest.mark.parametrize(
    ("scores", "bars"),
    [
        ([4, 2, 0.01], ["████", "██", ""]),
        ([np.inf, 2, 1], ["████", "████", "██"]),
        ([0, 0, np.nan], ["", "", ""]),
        ([-1, -2, -4], ["█", "██", "████"]),
    ],
)
def test_bars_are_shares_of_the_largest(scores, bars):
    shares = terminal._shares(scores)
    assert [terminal.bar(share, 4) for share in shares] == bars


# ---- comparisons ----


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_fit_and_command_nothing(name, ascii_only, width):
    text = terminal.comparison(sample(name), width, ascii_only=ascii_only)
    assert max(wide(line) for line in text.splitlines()) <= width
    assert all(c == "\n" or c.isprintable() or unicodedata.category(c) == "Cf" for c in text)
    assert not ascii_only or text.isascii()


def test_a_comparison_has_a_line_for_each_method_and_classifier():
    made = sample("compared")
    text = terminal.comparison(made, 100, ascii_only=True)
    lines = [line for line in text.splitlines() if re.search("naive Bayes  |neighbours  ", line)]
    assert len(lines) == 6
    for line in lines:
        method, classifier, use, error, best, at_best, stability = re.split("  +", line)
        curve = made.curve(method, classifier)
        assert (float(use), float(best)) == (curve.one_standard_error, curve.best)
        for said, size in ((error, curve.one_standard_error), (at_best, curve.best)):
            place = curve.sizes.index(size)
            mean, give = (float(part) for part in re.findall(r"[\d.]+", said))
            assert mean == pytest.approx(100 * curve.mean[place], abs=0.051)
            assert give == pytest.approx(100 * curve.standard_error[place], abs=0.051)
        (index,) = [
            one.index for one in made.agreement if (one.method, one.size) == (method, int(use))
        ]
        assert float(stability) == pytest.approx(index, abs=0.0051)
    narrow = terminal.comparison(made, 60)
    assert "stability" not in narrow
    assert len(narrow.splitlines()) > 8
