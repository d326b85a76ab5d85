"""The page of a comparison against its own raw scores and lists, counted here once more."""

import json
import re
from dataclasses import replace
from math import inf, nan
from time import perf_counter

import numpy as np
import pytest
from pages import NUMBER, Page, numbers_of, stands_for
from records import HOSTILE, record

from handful.evaluation import Comparison
from handful.evaluation.comparison import Compared, Curve, Failure, Fold, Metric, Ranking, Scores
from handful.evaluation.summary import Found
from handful.report import findings, render, words
from handful.report.outcome import Outcome, limits, lower_is_better, points


def plain(text):
    return text.replace("\N{NO-BREAK SPACE}", " ")


def page(made):
    return Page(render(made))


def text_of(made, ident):
    """The text of a section."""
    (section,) = [one for one in page(made).all("section") if one["id"] == ident]
    return plain(section["text"])


# ---- the answer ----


def scores_of(made, metric):
    """Scores by method and classifier: folds by sizes."""
    found = {}
    for one in made.scores:
        found.setdefault((one.method, one.classifier), []).append(one.values[metric])
    return {key: np.array(values) for key, values in found.items()}


def test_the_answer_is_what_the_scores_and_lists_say():
    made = record("compared")
    scores = scores_of(made, "balanced_error")
    winner = min(scores, key=lambda key: scores[key].mean(axis=0).min())
    mean = scores[winner].mean(axis=0)
    error = scores[winner].std(axis=0, ddof=1) / np.sqrt(10)
    best = mean.argmin()
    place = np.flatnonzero(mean <= mean[best] + error[best])[0]
    size = made.sizes[place]
    lists = [one.indices[:size] for one in made.rankings if one.method == winner[0]]
    own = lists.pop()  # the last is made from all rows
    often = sum(sum(j in one for one in lists) >= 9 for j in own)
    assert len(lists) == 10
    assert plain(findings.headline(Outcome(made))) == (
        f"{size} genes give {100 * mean[place]:.1f} % ± {100 * error[place]:.1f} balanced error; "
        f"{often} of them come back in 9 of 10 folds"
    )
    assert f"Chosen by {winner[0]}, learnt by {winner[1]}." in findings.lead(Outcome(made))


def answer(made):
    return plain(findings.headline(Outcome(made)))


def test_the_answer_fits_what_was_compared():
    own = answer(record("compared own sizes"))
    assert re.match(r"[\d.]+ columns( on average)? give \d", own)
    assert re.search(r"of the \d+ chosen from all rows comes? back in 9 of 10 folds$", own)
    curve = Outcome(record("compared own sizes")).winner
    longer = replace(curve, sizes=[2.4], best=2.4, one_standard_error=2.4)
    assert answer(replace(record("compared own sizes"), curves=[longer])).startswith(
        "2.4 columns on average give"
    )
    assert re.fullmatch(
        r"\d columns give [\d.]+ % balanced error", answer(record("compared one fold"))
    )
    assert "mean absolute error; " in answer(record("compared numbers"))


@pytest.mark.parametrize(
    ("first", "others", "said"),
    [
        ([10, 10], 9, "all of them come back in 9 of 10 folds"),
        ([9, 10], 8, "2 of them come back in 9 of 10 folds"),
        ([9, 8], 0, "1 of them comes back in 9 of 10 folds"),
        ([8, 8], 8, "none of them comes back in 9 of 10 folds"),
    ],
)
def test_how_many_come_back(first, others, said):
    made = record("compared")
    returned = [
        replace(one, counts=[[*first, *[others] * n][:n] for n in one.sizes])
        for one in made.returned
    ]
    assert Outcome(made).size("fisher") > 2
    assert answer(replace(made, returned=returned)).partition("; ")[2] == said


def test_where_every_fold_failed_somewhere_the_page_says_so():
    made = record("compared failing")
    (constant,) = {one.classifier for one in Outcome(made).ranked}
    assert constant == "constant"
    without = replace(made, curves=[one for one in made.curves if one.classifier != "constant"])
    assert answer(without) == "No method could be measured at every size"
    assert "How much the columns repeat" in render(without)


def test_errors_are_shown_as_errors():
    made = record("compared numbers")
    outcome = Outcome(made)
    assert lower_is_better(outcome.metric)
    means = [points(curve)[curve.sizes.index(curve.best)].value for curve in outcome.ranked]
    assert means == sorted(means)
    assert min(means) > 0
    for curve in outcome.ranked:
        for point in points(curve):
            assert 0 <= point.lower <= point.value <= point.upper


def test_intervals_stay_within_what_the_measure_can_be():
    curve = Curve("m", "c", "balanced_error", 3, [1.0], [0.01], [0.1], [-0.3], [1.4], 1.0, 1.0)
    (point,) = points(curve)
    assert (point.lower, point.upper) == (0, 1)
    assert limits("neg_log_loss") == (0, inf)
    unknown = replace(curve, lower=[nan], upper=[nan])
    assert np.isnan(points(unknown)[0].lower)


# ---- tables ----


def test_the_standings_are_in_order_and_complete():
    made = record("compared")
    rows = [
        one["text"]
        for one in page(made).all("th")
        if one["scope"] == "row" and re.search("naive Bayes|neighbours", one["text"])
    ]
    scores = scores_of(made, "balanced_error")
    ranked = sorted(scores, key=lambda key: scores[key].mean(axis=0).min())
    assert [row.strip() for row in rows[: len(ranked)]] == [f"{m} {c}" for m, c in ranked]


def test_the_list_says_how_often_each_came_back_and_who_else_chose_it():
    made = record("compared")
    outcome = Outcome(made)
    winner, size = outcome.winner.method, outcome.size(outcome.winner.method)
    lists = {
        one.name: [r.indices[:size] for r in made.rankings if r.method == one.name]
        for one in made.methods
    }
    own = lists[winner][-1]
    (section,) = re.findall('<section id="rows".*?</section>', render(made), re.DOTALL)
    found = re.findall("<tr><td.*?</tr>", section)
    assert len(found) == size
    for row, j in zip(found, own, strict=True):
        n = sum(j in one for one in lists[winner][:-1])
        assert f"<b>{made.names[str(j)]}</b>" in row
        assert f"<b>{n} of 10</b>" in row
        assert f"width:{10.0 * n}%" in row
        others = [name for name in lists if name != winner and j in lists[name][-1]]
        assert ("also: " + ", ".join(others) in row) == bool(others)


def test_costs_are_the_sums_of_the_recorded_seconds():
    made = record("compared")
    time = {
        "rank": {"fisher": [1.0, 3.0]},
        "fit": {"fisher": {"naive Bayes": [0.5, 1.5], "neighbours": [2.0]}},
        "score": {"fisher": {"naive Bayes": [0.25, 0.75]}},
    }
    text = " ".join(text_of(replace(made, time=time), "costs").split())
    assert text.endswith("fisher2.0 s5.0 s9.0 s")
    assert "costs" not in render(replace(made, time={}))


def test_differences_are_those_at_the_size_to_use():
    made = record("compared")
    size = Outcome(made).size("fisher")
    scores, place = scores_of(made, "balanced_error"), made.sizes.index(size)
    text = text_of(made, "contrasts")
    for method in ("correlation", "lot"):
        for model in ("naive Bayes", "neighbours"):
            gap = (scores[method, model] - scores["fisher", model]).mean(axis=0)[place]
            assert findings.signed("balanced_error", gap).replace("\N{NO-BREAK SPACE}", " ") in text


def test_the_strongest_correlation_is_named():
    made = record("compared")
    for one in made.redundancy:
        n = min(20, len(one.indices))
        strengths = np.tril(np.abs(np.array(one.correlation)[:n, :n]), -1)
        i, j = np.unravel_index(strengths.argmax(), strengths.shape)
        pair = [made.names[str(one.indices[k])] for k in (j, i)]
        assert f"{words.number(strengths.max())}, between {' and '.join(pair)}." in render(made)


def test_failures_are_announced_and_listed():
    made = record("compared failing")
    assert made.failures
    text = plain(render(made))
    n = len(made.failures)
    assert f"{n} parts failed; they are left out here and listed below." in text
    assert text_of(made, "failures").count("ValueError: an odd number of columns") == 20
    assert f"and {n - 20} more" in text
    one = replace(made, failures=[Failure("fisher", None, None, None, "OSError: no disk")])
    assert "One part failed" in render(one)
    assert "fisher on all rows: OSError: no disk" in text_of(one, "failures")


def test_one_fold_shows_no_shares():
    made = record("compared one fold")
    idents = {one["id"] for one in page(made).all("section")}
    assert not idents & {"agreement", "contrasts"}
    assert "came back" not in text_of(made, "rows").split("\n", 2)[2]


@pytest.mark.parametrize("name", ["compared", "compared numbers", "compared own sizes"])
def test_every_number_is_in_the_record_or_follows_from_it(name):
    made = record(name)
    content = made.to_json()
    strings = "\n".join(re.findall(r'"((?:[^"\\]|\\.)*)"', content))
    spent = made.time
    sums = [sum(ranks) / len(ranks) for ranks in spent["rank"].values()]
    for method in spent["rank"]:
        parts = [spent[part][method].values() for part in ("fit", "score")]
        models = sum(sum(one) for part in parts for one in part)
        sums += [models, models + sum(spent["rank"][method])]
    limits_of_shares = [0, 1, 95]
    known = [*numbers_of(json.loads(content)), *sums, *limits_of_shares]
    # counts: features that came back, folds that are needed, combinations, ranks
    known += range(max(len(one.indices) for one in made.rankings) + 1)
    said = page(made).all("h1", "p", "td", "dd", "desc")
    for one in said:
        for text in NUMBER.findall(one["text"]):
            fits = text in strings or any(stands_for(text, x) for x in known)
            assert fits, f"{text!r} in {one['text']!r}"


# ---- pictures ----


def linear(colour):
    """Red, green and blue in proportion to light (sRGB)."""
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(first, second):
    """The ratio of luminances, as the Web Content Accessibility Guidelines define it."""
    light, dark = sorted(
        (linear(one) @ [0.2126, 0.7152, 0.0722] for one in (first, second)), reverse=True
    )
    return (light + 0.05) / (dark + 0.05)


# What is left of light for eyes without one kind of cone: Machado, Oliveira and Fernandes (2009).
EYES = {
    "all cones": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}


def seen(colour, eyes):
    """A colour in CIELAB, where distances are as large as people find them."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    light = np.clip(np.array(EYES[eyes]) @ linear(colour), 0, 1)
    x, y, z = np.cbrt(np.array(to_xyz) @ light / [0.9505, 1, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("theme", [0, 1])
def test_colours_of_curves_are_told_apart_by_everyone(theme, eyes):
    """A distance of 2.3 is just noticeable; most comparisons have at most four methods."""
    style = render(record("compared"))
    colours = [re.findall(rf"--c{i}: (#\w+);", style)[theme] for i in range(8)]
    paper = re.findall(r"--paper: (#\w+);", style)[theme]
    assert min(contrast(colour, paper) for colour in colours) >= 3
    places = [seen(colour, eyes) for colour in colours]
    for some, least in ((places[:4], 20), (places, 10)):
        assert min(np.linalg.norm(a - b) for i, a in enumerate(some) for b in some[:i]) > least


def test_each_method_has_one_look_in_all_pictures():
    text = render(record("compared"))
    pictures = re.findall(r'<svg[^>]*class="picture chart wide">.*?</svg>', text, re.DOTALL)
    assert len(pictures) == 5
    looks = [re.findall(r'class="mark (c\d)"', one) for one in pictures]
    assert all(look == ["c0", "c1", "c2"] * 2 for look in looks)


# ---- limits ----


def large(n_methods=10, n_folds=50, d=7129, sizes=(1, 2, 5, 10, 20, 50, 100, 1000, 7129)):
    """A comparison as `compare` would leave it, without the work."""
    rng = np.random.default_rng(0)
    methods = [Compared(f"method {m}", "fisher", {"score": "fisher"}) for m in range(n_methods)]
    models = [Compared(name, "GaussianNB", {}) for name in ("Bayes", "neighbours", "tree")]
    metrics = [Metric("balanced_error", False), Metric("auc", True)]
    folds = [Fold(58, 14, "")] * n_folds
    rankings = [
        Ranking(m.name, fold, rng.permutation(d).tolist())
        for m in methods
        for fold in [*range(n_folds), None]
    ]
    scores = [
        Scores(m.name, c.name, fold, list(sizes), {
            metric.name: rng.random(len(sizes)).tolist() for metric in metrics
        })
        for m in methods for c in models for fold in range(n_folds)
    ]  # fmt: skip
    found = Found(methods, models, metrics, folds, rankings, scores, d)
    own = [one for one in rankings if one.fold is None]
    made = record("compared")
    return replace(
        made,
        data=replace(made.data, columns=d),
        methods=methods,
        classifiers=models,
        metrics=metrics,
        sizes=list(sizes),
        folds=folds,
        rankings=rankings,
        scores=scores,
        curves=found.curves(),
        agreement=found.agreement([10]),
        returned=found.returned(own, [10]),
        redundancy=[replace(made.redundancy[0], method=m.name) for m in methods],
        contrasts=found.contrasts(),
        names={str(j): f"gene number {j}" for j in range(d)},
        descriptions={str(j): "what it is known for " * 6 for j in range(d)},
        time={},
    )


def test_a_large_comparison_is_a_small_page_in_little_time():
    made = large()
    render(record("compared"))  # what is loaded on first use
    start = perf_counter()
    text = render(made)
    took = perf_counter() - start
    assert took < 3
    assert len(text.encode()) < 2_000_000
    assert text.count("method 9") > 5


@pytest.mark.parametrize("long", ["<" * 3000, "温" * 3000])
def test_pages_stay_small_whatever_the_names(long):
    made = large(n_folds=2)
    made = replace(
        made,
        names=dict.fromkeys(made.names, long),
        descriptions=dict.fromkeys(made.descriptions, long),
        command=long * 10,
        warnings=[long] * 300,
        failures=[Failure("method 1", "Bayes", 0, 2, long)] * 300,
        data=replace(made.data, name=long, target=long, called=long),
    )
    assert len(render(made).encode()) < 2_000_000


def test_hostile_names_are_text():
    text = render(record("compared hostile"))
    for live in ("<script", "<svg onload", "<img", "<b>sick", "\u202e", "\x00", "\x1b"):
        assert live not in text
    named = [one["text"] for one in Page(text).all("b") if "th" in one["parents"]]
    assert {"<script>alert(1)</script>", HOSTILE[1]} <= set(named)


def test_a_comparison_from_json_is_the_same_page():
    made = record("compared own sizes")
    assert render(Comparison.from_json(made.to_json())) == render(made)
