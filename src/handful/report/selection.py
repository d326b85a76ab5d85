"""The page of one selection: what its template is given, every number from the record."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from handful.evaluation.profiles import drawable
from handful.evaluation.record import Selection
from handful.report import profiles, words
from handful.report.charts import Chart, Curve, thinned
from handful.report.numbers import aligned, count, number, percent
from handful.report.parts import MOST_WARNINGS, Figure, classes
from handful.report.text import REMARK, readable, shortened, shown

# So many features stand in the first table; the others follow at the end of the page.
_FIRST = 40
# A page stays below 1 MB: of very many columns, or very long names, the record lists the rest.
_BYTES_OF_TABLES = 420_000
_BYTES_OF_PICTURES = 380_000
_BYTES_OF_ROW = 130
# A line drawn from more points than this looks the same.
_MOST_POINTS = 400


@dataclass(frozen=True)
class Row:
    """One kept feature; its bar starts at `start` and is `size` wide, in percent."""

    rank: str
    name: str
    description: str
    score: str
    chance: str
    start: float
    size: float


def context(record: Selection) -> dict[str, Any]:
    """Everything that `selection.html` shows."""
    record = readable(record)
    rows, pictures, warnings = _rows(record), _pictures(record), _warnings(record)
    figures = [figure for figure in (_scores(record), _reason(record)) if figure]
    called = record.data.called
    headings = {
        "features": f"Selected {called}" if rows else "",
        **{figure.ident: figure.heading for figure in figures},
        "pictures": f"Selected {called} by {record.data.target}" if pictures else "",
        "asked": "What was asked",
        "data": "The table",
        "repeat": "To repeat it",
        "warnings": "Warnings" if warnings else "",
        "others": f"The other selected {called}" if len(rows) > _FIRST else "",
    }
    return {
        "record": record,
        "headings": {ident: heading for ident, heading in headings.items() if heading},
        "headline": words.headline(record),
        "lead": words.lead(record),
        "score_name": words.score_name(record),
        "has_chance": bool(record.path.chance),
        "first": rows[:_FIRST],
        "rest": rows[_FIRST:],
        "unlisted": count(record.n_features - len(rows)) if len(rows) < record.n_features else "",
        "figures": figures,
        "pictures": pictures,
        "asked": words.asked(record),
        "shape": words.shape(record.data),
        "classes": classes(record.data),
        "made_with": words.made_with(record),
        "warnings": warnings,
    }


def _rows(record: Selection) -> list[Row]:
    scores = _written_scores(record)
    starts, sizes = _bars(record.scores)
    chances = dict(zip(record.path.indices, record.path.chance, strict=False))
    answer, spent = [], 0
    for i, name in enumerate(record.features):
        description = record.descriptions[i] if record.descriptions else ""
        spent += _BYTES_OF_ROW + len((escape(name) + escape(description)).encode())
        if spent > _BYTES_OF_TABLES:
            break
        index = record.indices[i]
        chance = number(chances[index]) if index in chances else ""
        answer.append(Row(count(i + 1), name, description, scores[i], chance, starts[i], sizes[i]))
    return answer


def _written_scores(record: Selection) -> list[str]:
    if record.stopping["rule"] == "StabilityThreshold":
        return [percent(score) for score in record.scores]
    return aligned(record.scores)


def _bars(scores: Sequence[float]) -> tuple[list[float], list[float]]:
    """Where each bar starts and how wide it is, in percent of the space from the least to the
    largest score and 0; infinite scores get all of it, unknown ones nothing."""
    finite = [score for score in scores if drawable([score])]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    space = high - low or 1.0
    starts, sizes = [], []
    for score in scores:
        clipped = 0.0 if score != score else min(max(score, low), high)
        starts.append(round(100 * (min(clipped, 0.0) - low) / space, 1))
        sizes.append(round(100 * abs(clipped) / space, 1))
    return starts, sizes


def _scores(record: Selection) -> Figure | None:
    """The score of each step; a stability threshold's own scores are the shares it decides by."""
    path, called = record.path, record.data.called
    if len(path.steps) < 2 or record.stopping["rule"] == "StabilityThreshold":
        return None
    curve = _curve(path.steps, path.scores, record.n_features)
    first, last = number(path.scores[0]), number(path.scores[-1])
    chart = Chart(
        "scores",
        "Score of each step",
        f"The score is {first} for the first of the {called} and {last} at step "
        f"{count(path.steps[-1])}. {_kept(record)}",
        curve,
        f"number of {called}",
        words.score_name(record),
        cut=_cut(record),
    )
    caption = "The score at each step of the ranking; the upright line is the cut."
    return Figure("scores", "How the scores fall", chart.draw(), caption)


def _reason(record: Selection) -> Figure | None:
    """The curve by which the rule decided, where it has one."""
    draw = {
        "EmpiricalProbe": _risk,
        "AnalyticProbe": _risk,
        "CrossValidated": _cross_validated,
        "StabilityThreshold": _stability,
    }.get(record.stopping["rule"])
    return draw(record) if draw else None


def _risk(record: Selection) -> Figure | None:
    why, called, n = record.stopping, record.data.called, record.n_features
    risks = why["curve"]
    if len(risks) < 2:
        return None
    allowed = percent(why["risk"])
    chart = Chart(
        "risk",
        "Risk against the number kept",
        f"The allowed risk is {allowed}. Keeping 1 has a risk of {percent(risks[0])}, keeping "
        f"{count(len(risks))} one of {percent(risks[-1])}. {_kept(record)}",
        _curve(range(1, len(risks) + 1), risks, n),
        f"number of {called}",
        "risk",
        cut=_cut(record),
        level=(why["risk"], f"allowed: {allowed}"),
        label=words.percents,
    )
    return Figure("risk", "The risk of keeping more", chart.draw(), words.how_risk(record))


def _cross_validated(record: Selection) -> Figure | None:
    why, called = record.stopping, record.data.called
    scoring, sizes = why["scoring"], why["sizes"]
    values = [words.measured(scoring, value) for value in why["curve"]]
    errors = [abs(error) for error in why["standard_error"]]
    name = words.measure(scoring)
    told = "; ".join(
        f"{count(size)}: {words.in_units(scoring, value)} ± {words.in_units(scoring, error)}"
        for size, value, error in list(zip(sizes, values, errors, strict=True))[:30]
    )
    if len(sizes) < 2:
        return None
    known = [i for i, value in enumerate(values) if value == value and errors[i] == errors[i]]
    chart = Chart(
        "size",
        f"{name.capitalize()} against the number kept",
        f"{name.capitalize()} by number of {called}, with one standard error: {told}. "
        f"{_kept(record)}",
        Curve([sizes[i] for i in known], [values[i] for i in known], [errors[i] for i in known]),
        f"number of {called}",
        name,
        cut=_cut(record),
        from_zero=words.is_error(scoring),
        label=words.labels(scoring),
    )
    picture = chart.draw() if known else Markup("")
    return Figure("size", f"{name.capitalize()} by size", picture, words.HOW_CROSS_VALIDATED)


def _stability(record: Selection) -> Figure | None:
    why, path, called = record.stopping, record.path, record.data.called
    if len(path.steps) < 2:
        return None
    threshold = percent(why["threshold"])
    chart = Chart(
        "stability",
        f"How often the {called} come back",
        f"The first came back in {percent(path.scores[0])} of the resamples, number "
        f"{count(path.steps[-1])} in {percent(path.scores[-1])}; {threshold} is needed. "
        f"{_kept(record)}",
        _curve(path.steps, path.scores, record.n_features),
        f"{called}, most frequent first",
        words.score_name(record),
        cut=_cut(record),
        level=(why["threshold"], f"needed: {threshold}"),
        label=words.percents,
    )
    heading = f"How often the {called} come back"
    return Figure("stability", heading, chart.draw(), words.how_stable(record))


def _curve(steps: Sequence[int], values: Sequence[float], kept: int) -> Curve:
    """The curve from few enough points, the two at the cut among them; unknown values left out."""
    places = thinned(len(steps), _MOST_POINTS, (kept - 1, kept))
    known = [place for place in places if values[place] == values[place]]
    return Curve([steps[place] for place in known], [values[place] for place in known])


def _cut(record: Selection) -> tuple[float, str]:
    return record.n_features, f"{count(record.n_features)} kept"


def _kept(record: Selection) -> str:
    return f"Kept: {count(record.n_features)}."


def _pictures(record: Selection) -> list[Figure]:
    """The first kept columns against the target."""
    rank = {index: i for i, index in enumerate(record.indices)}
    answer, spent = [], 0
    for profile in record.profiles:
        if profile.index not in rank:
            continue
        i = rank[profile.index]
        name = record.features[i]
        ident = f"column-{i + 1}"
        picture = profiles.draw(profile, ident, shortened(name, 60), record.data.target)
        description = record.descriptions[i] if record.descriptions else ""
        spent += len(picture.encode()) + len((escape(name) + escape(description)).encode())
        if spent > _BYTES_OF_PICTURES:
            break
        answer.append(Figure(ident, name, picture, description))
    return answer


def _warnings(record: Selection) -> list[str]:
    own = shown(record.stopping.get("warning") or "", REMARK)
    listed = [own] if own and own not in record.warnings else []
    return [*listed, *record.warnings][:MOST_WARNINGS]
