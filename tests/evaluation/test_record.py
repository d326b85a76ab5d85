"""Records: whole and exact through JSON, true to the selector and its table, never half read."""

import copy
import json
import math
import operator
from collections import Counter
from dataclasses import replace
from functools import reduce

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from records import NAMES, record
from scipy import sparse

from handful import FilterSelector
from handful.evaluation import Selection, read_record
from handful.evaluation.codec import RecordError
from handful.evaluation.record import MAX_PROFILES, MAX_STEPS, SCHEMA, Steps
from handful.path import Path
from handful.report import render
from handful.stopping import EmpiricalProbe

# ---- through JSON ----

quick = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None)
floats = st.floats(allow_nan=False)


@pytest.mark.parametrize("name", NAMES)
def test_json_holds_all_of_a_record(name):
    text = record(name).to_json()
    back = Selection.from_json(text)
    assert back == record(name)
    assert back.to_json() == text


@st.composite
def selections(draw):
    n = draw(st.integers(0, 4))
    each = {"min_size": n, "max_size": n}
    steps = sorted(draw(st.sets(st.integers(1, 30), max_size=4)))
    same = {"min_size": len(steps), "max_size": len(steps)}
    path = Steps(
        30,
        draw(st.booleans()),
        steps,
        draw(st.lists(st.integers(0), **same)),
        draw(st.lists(floats, **same)),
        [],
    )
    return replace(
        record("nothing"),
        n_features=n,
        features=draw(st.lists(st.text(), **each)),
        indices=draw(st.lists(st.integers(0), **each)),
        scores=draw(st.lists(floats, **each)),
        descriptions=draw(st.just([]) | st.lists(st.text(), **each)),
        path=path,
        stopping={"rule": draw(st.text()), "curve": draw(st.lists(floats))},
        warnings=draw(st.lists(st.text())),
        command=draw(st.text()),
        seed=draw(st.none() | st.integers()),
        time={"seconds": draw(st.none() | st.floats(0, 1e9))},
    )


@quick
@given(selections())
def test_any_record_comes_back_exactly_and_has_a_page(made):
    text = made.to_json()
    assert Selection.from_json(text) == made
    assert render(made) == render(Selection.from_json(text))


def test_unknown_scores_come_back_too():
    made = replace(record("one"), scores=[math.nan])
    (score,) = Selection.from_json(made.to_json()).scores
    assert math.isnan(score)


def test_files(tmp_path):
    place = tmp_path / "selection.json"
    text = record("one").to_json(place)
    assert place.read_bytes().decode() == text
    assert read_record(place) == record("one")
    with pytest.raises(FileExistsError, match="--force"):
        record("one").to_json(place)
    record("number").to_json(place, force=True)
    assert read_record(place) == record("number")
    record("one").report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes().decode() == render(record("one"))


def test_names_that_utf_8_cannot_hold(tmp_path):
    """The name of a file on Linux is any bytes; Python shows the odd ones as lone surrogates."""
    made = replace(record("one"), features=["caf\udce9"])
    made.to_json(tmp_path / "selection.json")
    made.report(tmp_path / "page.html")
    assert read_record(tmp_path / "selection.json").features == ["caf?"]


# ---- what cannot be read ----

GOOD = json.loads(record("smallest size").to_json())


def changed(place, value):
    """The JSON of a good record with another value at a place; `...` leaves the key out."""
    content = copy.deepcopy(GOOD)
    *outer, last = place.split(".")
    holder = reduce(operator.getitem, outer, content)
    if value is ...:
        del holder[last]
    else:
        holder[last] = value
    return json.dumps(content)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "This is not JSON, so it is not a record."),
        ("{" * 100_000, "This is not JSON, so it is not a record."),
        ("[]", "This JSON is not a record of handful: it has no 'schema'."),
        ('{"features": []}', "This JSON is not a record of handful: it has no 'schema'."),
        (changed("schema", "1"), "The schema '1' is not one of handful's."),
        (changed("schema", True), "The schema True is not one of handful's."),
        (
            changed("schema", SCHEMA + 1),
            f"The record has schema {SCHEMA + 1}; this handful reads up to {SCHEMA}. Upgrade "
            "handful to the version that wrote it.",
        ),
        (changed("kind", ["selection"]), "There is no record of kind ['selection']; known: "),
        (changed("kind", ...), "There is no record of kind None; known: "),
        (changed("data", ...), "record lacks 'data'; it is not a complete record."),
        (changed("data.rows", "38"), "record.data.rows should be int; it is '38'."),
        (changed("features", ["a"]), "record.features has 1 entries for 10 features."),
        (changed("descriptions", ["a"]), "record.descriptions has 1 entries for 10 features."),
        (changed("path.steps", [2, 1]), "record.path should list steps in ascending order"),
        (changed("path.chance", [0.5]), "record.path should list steps in ascending order"),
        (changed("stopping.rule", ...), "record.stopping lacks 'rule'."),
        (changed("stopping.rule", "EmpiricalProbe"), "record.stopping lacks 'risk' of Empirical"),
        (
            changed("stopping", {"rule": "AnalyticProbe", "risk": 0.1, "curve": [0.0]}),
            "record.stopping.curve has 1 risks for 10 features.",
        ),
        (changed("stopping.sizes", [5, 2]), "record.stopping.sizes should be numbers of columns"),
        (changed("stopping.standard_error", [0.1]), "record.stopping.standard_error has 1 values"),
        (changed("time.seconds", "quick"), "record.time.seconds should be null or float."),
    ],
)
def test_each_fault_has_its_message(text, message):
    with pytest.raises(RecordError) as caught:
        Selection.from_json(text)
    assert str(caught.value).startswith(message)


def test_faults_in_files_name_the_file(tmp_path):
    place = tmp_path / "page.html"
    place.write_bytes(b"caf\xe9")
    with pytest.raises(RecordError, match=r"page\.html is not text in UTF-8"):
        read_record(place)
    place.write_text("<html>")
    with pytest.raises(RecordError, match=r"page\.html: This is not JSON"):
        read_record(place)


def places(content, at=()):
    """Every place in a JSON value."""
    items = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in items:
        yield (*at, key)
        if isinstance(value, dict | list):
            yield from places(value, (*at, key))


def different(found):
    """One place of each kind: entries of a list are alike."""
    kinds = {tuple("*" if isinstance(key, int) else key for key in at): at for at in found}
    return list(kinds.values())


FUZZED = {name: json.loads(record(name).to_json()) for name in ("smallest size", "one", "binary")}
ODD = [None, True, 0, -1, 3, 10**400, 1e308, -0.5, "", "Infinity", "x", [], [1], [[]], {}, {"": 1}]


@st.composite
def damaged_contents(draw):
    """The JSON of a record with up to three values replaced or left out."""
    content = copy.deepcopy(FUZZED[draw(st.sampled_from(list(FUZZED)))])
    for _ in range(draw(st.integers(1, 3))):
        *outer, last = draw(st.sampled_from(different(places(content))))
        holder = reduce(operator.getitem, outer, content)
        if draw(st.booleans()):
            holder[last] = copy.deepcopy(draw(st.sampled_from(ODD)))
        else:
            del holder[last]
    return json.dumps(content)


def read_or_none(text):
    """The record, or None where it is refused in one line; any other error is a failure."""
    try:
        return Selection.from_json(text)
    except RecordError as error:
        message = str(error)
    assert "\n" not in message
    return None


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(damaged_contents())
def test_a_damaged_record_is_refused_or_has_a_page(text):
    read = read_or_none(text)
    if read is not None:
        assert Selection.from_json(read.to_json()).to_json() == read.to_json()
        assert "</html>" in render(read)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_damaged_text_is_refused_or_read(data):
    text = record("one").to_json()
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    damaged = text[:start] + data.draw(st.text(max_size=3)) + text[end:]
    read = read_or_none(damaged)
    assert read is None or read.to_json()


# ---- of a selector and its table ----

rng = np.random.default_rng(5)
COUNTS = rng.poisson(0.7, size=(30, 12))
LABELS = np.array(["ill", "well"])[(COUNTS[:, 4] + COUNTS[:, 9] > 1).astype(int)]
NAMES_OF_COLUMNS = [f"word {j}" for j in range(12)]
FRAME = pd.DataFrame(COUNTS, columns=NAMES_OF_COLUMNS)


def selection(X, y=LABELS, kept=3, **about):
    selector = FilterSelector(score="chi2", n_features_to_select=kept).fit(X, y)
    return selector, Selection.of(selector, X, y, **about)


def test_a_record_says_what_the_selector_did():
    remarks = [f"about {j}" for j in range(12)]
    selector, found = selection(FRAME, descriptions=remarks, seconds=2.5, warnings=["careful"])
    order = selector.selection_order_
    assert found.indices == list(order)
    assert found.features == [f"word {j}" for j in order]
    assert found.descriptions == [f"about {j}" for j in order]
    assert found.scores == [selector.scores_[j] for j in order]
    assert found.n_features == 3
    assert found.method == "chi2"
    assert found.parameters["n_features_to_select"] == 3
    assert (found.stopping["rule"], found.stopping["asked"]) == ("Fixed", 3)
    assert found.path.steps == [1, 2, 3]
    assert found.warnings == ["careful"]
    assert found.time["seconds"] == 2.5
    assert [profile.index for profile in found.profiles] == found.indices
    assert set(found.versions) >= {"python", "handful", "numpy", "scikit-learn"}


def test_the_command_repeats_the_selection():
    _, found = selection(FRAME, kept=EmpiricalProbe(0.2, n_rounds=9, random_state=1))
    namespace = {"FilterSelector": FilterSelector, "EmpiricalProbe": EmpiricalProbe}
    again = eval(found.command, {**namespace, "X": FRAME, "y": LABELS})
    assert list(again.selection_order_) == found.indices
    assert found.seed == 1


def test_the_table_is_described():
    data = selection(FRAME, name="words.csv", target="state", called="words")[1].data
    assert (data.name, data.target, data.called) == ("words.csv", "state", "words")
    assert (data.rows, data.columns, data.task) == (30, 12, "classification")
    counted = Counter(LABELS.tolist())
    assert [(one.label, one.rows) for one in data.classes] == sorted(counted.items())
    y = COUNTS @ np.linspace(0.1, 1, 12)
    selector = FilterSelector(score="f", n_features_to_select=2).fit(COUNTS, y)
    numeric = Selection.of(selector, COUNTS, y).data
    assert numeric.spread == [y.min(), np.median(y), y.max()]
    assert numeric.classes == []


STORED = {
    "array": COUNTS,
    "floats": COUNTS.astype(float),
    "single precision": COUNTS.astype(np.float32),
    "by column": np.asfortranarray(COUNTS),
    "rows": sparse.csr_array(COUNTS),
    "columns": sparse.csc_matrix(COUNTS),
}
FRAMES = {"pandas": FRAME, "polars": pl.DataFrame(COUNTS, schema=NAMES_OF_COLUMNS)}


@pytest.mark.parametrize(("tables", "named"), [(STORED, False), (FRAMES, True)])
def test_every_kind_of_table_makes_the_same_record(tables, named):
    found = [replace(selection(X)[1], time={}) for X in tables.values()]
    for other in found[1:]:
        assert other.features == found[0].features
        assert other.data == found[0].data
        assert other.path == found[0].path
        assert other.profiles == found[0].profiles
    assert found[0].features[0] == f"{'word ' if named else 'x'}{found[0].indices[0]}"


@pytest.mark.parametrize(
    "other",
    [
        FRAME.rename(columns={"word 3": "word three"}),
        FRAME[NAMES_OF_COLUMNS[::-1]],
        FRAME.iloc[::-1],
        FRAME.replace({4: 5}),
    ],
)
def test_another_table_has_another_fingerprint(other):
    assert selection(other)[1].data.sha256 != selection(FRAME)[1].data.sha256


def test_another_target_has_another_fingerprint():
    y = np.where(LABELS == "ill", "sick", "well")
    assert selection(FRAME, y)[1].data.sha256 != selection(FRAME)[1].data.sha256


def test_a_wide_selection_has_a_bounded_record():
    X = np.random.default_rng(0).normal(size=(20, 5000))
    y = np.arange(20) % 2
    selector = FilterSelector(n_features_to_select=None).fit(X, y)
    found = Selection.of(selector, X, y)
    assert len(found.features) == found.path.length == 5000
    assert len(found.profiles) == MAX_PROFILES
    assert found.path.steps[:MAX_STEPS] == list(range(1, MAX_STEPS + 1))
    assert found.path.steps[-1] == 5000
    assert len(found.path.steps) <= 2 * MAX_STEPS
    for step, index, score in zip(
        found.path.steps, found.path.indices, found.path.scores, strict=True
    ):
        assert index == selector.path_.features[step - 1]
        assert score == selector.path_.scores[step - 1]


def test_steps_of_a_path_that_knows_chances():
    steps = Steps.of(Path([4, 0], [2.0, 1.0], [0.1, 0.2], complete=True))
    assert steps == Steps(2, True, [1, 2], [4, 0], [2.0, 1.0], [0.1, 0.2])


def test_columns_beyond_drawing_are_left_out():
    X = np.random.default_rng(0).normal(size=(30, 4))
    X[0, 1] = 1e200
    selector = FilterSelector(lambda X, y: [1, 4, 3, 2], n_features_to_select=4).fit(X, LABELS)
    found = Selection.of(selector, X, LABELS)
    assert found.indices == [1, 2, 3, 0]
    assert [profile.index for profile in found.profiles] == [2, 3, 0]


def test_several_targets_are_refused():
    selector, _ = selection(FRAME)
    with pytest.raises(RecordError, match=r"shows one target; y has the shape \(30, 2\)"):
        Selection.of(selector, FRAME, np.column_stack([LABELS, LABELS]))
