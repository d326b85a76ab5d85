"""Pages read as a browser, a screen reader and a suspicious reviewer would read their text."""

import json
import re
import sys
from dataclasses import replace
from importlib import import_module, resources
from itertools import pairwise

import pytest
from pages import NUMBER, Page, numbers_of, stands_for
from records import COMPARISONS, HOSTILE, NAMES, record

from handful.evaluation import Record
from handful.evaluation.profiles import Group, Profile
from handful.evaluation.record import ClassCount
from handful.report import render

each = pytest.mark.parametrize("name", [*NAMES, *COMPARISONS])


@each
def test_the_same_record_gives_the_same_bytes(name):
    page = render(record(name))
    assert page == render(Record.from_json(record(name).to_json()))
    assert len(page.encode()) < 1_000_000


@each
def test_the_page_asks_for_nothing(name):
    page = render(record(name))
    elements = Page(page).elements
    assert not {"script", "iframe", "object", "embed", "img"} & {one["tag"] for one in elements}
    for element in elements:
        assert not [key for key in element if key.startswith("on")]
        assert not {"src", "srcset", "action", "xlink:href"} & set(element)
        assert element.get("href", "#").startswith(("#", "data:,"))
    style = re.search("<style>(.*?)</style>", page, re.DOTALL)
    assert not re.search(r"url\(|@import|http", style[1])
    policy = next(one for one in elements if "http-equiv" in one)["content"]
    assert policy.startswith("default-src 'none';")


@each
def test_parts_are_named_and_in_order(name):
    page = Page(render(record(name)))
    idents = [one["id"] for one in page.elements if "id" in one]
    assert len(idents) == len(set(idents))
    for one in page.elements:
        for key in ("aria-labelledby", "href"):
            for target in one.get(key, "").split():
                assert not target.startswith("#") or target[1:] in idents
                assert key == "href" or target in idents
    levels = [int(one["tag"][1]) for one in page.all("h1", "h2", "h3")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert [len(page.all(tag)) for tag in ("main", "nav", "header", "footer")] == [1] * 4
    assert page.elements[0]["lang"] == "en"
    assert all(table["text"].strip() for table in page.all("caption"))
    assert len(page.all("caption")) == len(page.all("table"))
    assert all(one["scope"] in ("row", "col") for one in page.all("th"))


@each
def test_every_picture_has_its_words(name):
    page = Page(render(record(name)))
    by_id = {one["id"]: one for one in page.elements if "id" in one}
    pictures = page.all("svg")
    assert pictures or name == "nothing"
    for one in pictures:
        assert one["role"] == "img"
        title, description = (by_id[ident] for ident in one["aria-labelledby"].split())
        assert (title["tag"], description["tag"]) == ("title", "desc")
        assert title["text"].strip()
        assert description["text"].strip()


@pytest.mark.parametrize("name", sorted({*NAMES} - {"long", "hostile"}))
def test_every_number_is_in_the_record(name):
    content = json.loads(record(name).to_json())
    strings = "\n".join(re.findall(r'"((?:[^"\\]|\\.)*)"', record(name).to_json()))
    known = list(numbers_of(content))
    page = Page(render(record(name)))
    ranks = {f"{i + 1:,}" for i in range(record(name).n_features)}
    said = page.all("h1", "p", "td", "dd", "title", "desc", "figcaption")
    assert sum(len(NUMBER.findall(one["text"])) for one in said) > 10
    for one in said:
        for text in NUMBER.findall(one["text"]):
            fits = text in ranks or text in strings or any(stands_for(text, x) for x in known)
            assert fits, f"{text!r} in {one['text']!r}"


def test_the_table_lists_the_features_in_order():
    made = record("analytic")
    page = Page(render(made))
    n = made.n_features
    named = [one["text"] for one in page.all("th") if one["scope"] == "row"][:n]
    assert named == [f"{a} {b}" for a, b in zip(made.features, made.descriptions, strict=True)]
    cells = {
        kind: [one["text"] for one in page.all("td") if one["class"] == kind][:n]
        for kind in ("rank", "score", "number")
    }
    assert cells["rank"] == [str(i + 1) for i in range(n)]
    chances = dict(zip(made.path.indices, made.path.chance, strict=True))
    for i in range(n):
        assert stands_for(cells["score"][i], made.scores[i])
        assert stands_for(cells["number"][i], chances[made.indices[i]])


def test_bars_are_as_long_as_the_scores():
    made = replace(
        record("number"), scores=[4.0, 2.0, float("inf"), -4.0, float("nan")] + [0.0] * 15
    )
    bars = [one["style"] for one in Page(render(made)).all("b") if "i" in one["parents"]]
    assert bars[:6] == [
        "margin-left:50.0%;width:50.0%",
        "margin-left:50.0%;width:25.0%",
        "margin-left:50.0%;width:50.0%",
        "margin-left:0.0%;width:50.0%",
        "margin-left:50.0%;width:0.0%",
        "margin-left:50.0%;width:0.0%",
    ]


def test_long_lists_continue_at_the_end():
    page = Page(render(record("long")))
    named = [one["text"].split(" ")[0] for one in page.all("th") if one["scope"] == "row"]
    # the two classes stand between the first features and the others
    assert [name for name in named if name not in ("ALL", "AML")] == record("long").features


def test_hostile_names_are_text():
    page = render(record("hostile"))
    for live in ("<script", "<svg onload", "<img", "<b>sick", "\u202e", "\x00", "\x1b"):
        assert live not in page
    names = [one["text"] for one in Page(page).all("b") if "th" in one["parents"]]
    for name in HOSTILE:
        if name.isprintable() and len(name) < 100 and name.isascii():
            assert name in names
    assert "49" not in names  # {{ 7 * 7 }} is a name, not a template


@pytest.mark.parametrize("long", ["<" * 3000, "温" * 3000, "x" * 3_000_000])
def test_pages_stay_small_whatever_the_names(long):
    group = Group(long, 60, [0.0, 1.0, 2.0, 3.0, 4.0], [i / 15 for i in range(60)])
    made = record("long")
    made = replace(
        made,
        features=[long] * 2000,
        descriptions=[long] * 2000,
        profiles=[Profile(j, "spread", groups=[group] * 12) for j in made.indices[:24]],
        method=long,
        command=long,
        warnings=[long] * 300,
        parameters={"given": long},
        data=replace(
            made.data, name=long, target=long, called=long, classes=[ClassCount(long, 3)] * 900
        ),
    )
    page = render(made)
    assert len(page.encode()) < 1_000_000
    assert "more are in the JSON record only" in page
    assert "876 more classes" in page


def test_warnings_are_announced_and_listed():
    made = replace(record("one"), warnings=["Columns 3 and 4 are the same."])
    made.stopping["warning"] = None
    assert "warning" not in render(record("number")).split("</style>")[1]
    page = Page(render(made))
    assert [one["text"] for one in page.all("a") if one["href"] == "#warnings"] == [
        "There is a warning at the end of this page.",
        "Warnings",
    ]
    model = replace(made, stopping={**made.stopping, "warning": "The model cannot learn."})
    (listed,) = (one for one in Page(render(model)).all("ul") if one.get("class") == "warnings")
    assert listed["text"].split("\n")[1:-1] == [
        "The model cannot learn.",
        "Columns 3 and 4 are the same.",
    ]


def test_templates_are_part_of_the_package():
    folder = resources.files("handful.report") / "templates"
    names = {file.name for file in folder.iterdir()}
    assert {"page.html", "parts.html", "page.css", "selection.html", "comparison.html"} <= names


@pytest.mark.parametrize("missing", ["jinja2", "markupsafe"])
def test_without_jinja2_the_message_says_what_to_install(missing, monkeypatch):
    module = import_module("handful.report.render")
    module._environment.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "jinja2"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'handful\[report\]'"):
        record("one").report()
