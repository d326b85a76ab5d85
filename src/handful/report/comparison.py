"""The page of a comparison: what its template is given, every number from the record."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan
from typing import Any

from handful.evaluation.comparison import Agreement, Comparison, Curve, Metric, Redundancy
from handful.report import findings, matrix, profiles, words
from handful.report.charts import thinned
from handful.report.numbers import count, hundredths, number, seconds
from handful.report.outcome import Outcome, lower_is_better, points
from handful.report.parts import MOST_WARNINGS, Figure, classes
from handful.report.series import Series, SeriesChart
from handful.report.text import readable_comparison, shortened, shown

# So many features of the winner's list are shown, and of each other method's.
_FIRST, _OTHERS = 40, 10
_PICTURED = 12
_MOST_FAILURES = 20
# Of a longer curve some points are drawn.
_MOST_POINTS = 30
# A page stays below 2 MB: the record has what is left out.
_BYTES_OF_CHARTS = 900_000
_BYTES_OF_MATRICES = 300_000
_BYTES_OF_PROFILES = 300_000
_MOST_ROWS = 200


@dataclass(frozen=True)
class Standing:
    """A method under a classifier: the sizes to use, with what they reach."""

    method: str
    classifier: str
    size: str
    reached: str
    interval: str
    best_size: str
    best: str


@dataclass(frozen=True)
class Row:
    """A feature of the winner's list: in how many folds it came back, and who chose it too."""

    rank: str
    name: str
    description: str
    folds: str
    share: float
    also: str


def context(record: Comparison) -> dict[str, Any]:
    """Everything that `comparison.html` shows."""
    page = _Page(readable_comparison(record))
    record, outcome = page.record, page.outcome
    shown_parts = {
        "curves": page.curves(outcome.metric),
        "standings": page.standings(),
        "rows": page.rows(),
        "others": page.others(),
        "stability": page.stability(),
        "agreement": page.agreement(),
        "matrices": page.matrices(),
        "pictures": page.pictures(),
        "contrasts": page.contrasts(),
        "more_curves": [figure for one in record.metrics[1:] for figure in page.curves(one)],
        "costs": page.costs(),
        "failures": page.failures(),
        "warnings": record.warnings[:MOST_WARNINGS],
    }
    return {
        "record": record,
        "headline": findings.headline(outcome),
        "lead": findings.lead(outcome),
        "measure": words.measure(outcome.metric.name),
        "called": record.data.called,
        "winner": "" if outcome.winner is None else shown(outcome.winner.method),
        "n_folds": count(outcome.n_folds),
        "n_failures": count(len(record.failures)),
        "against": shown(record.methods[0].name),
        "how_curves": findings.HOW_CURVES,
        "how_related": findings.HOW_RELATED,
        "how_different": findings.HOW_DIFFERENT,
        "asked": findings.asked(record),
        "shape": words.shape(record.data),
        "classes": classes(record.data),
        "made_with": words.made_with(record),
        "headings": _headings(record, outcome, shown_parts),
        **shown_parts,
    }


def _headings(record: Comparison, outcome: Outcome, parts: dict[str, Any]) -> dict[str, str]:
    """The sections that have something to show."""
    called, measure = record.data.called, words.measure(outcome.metric.name)
    headings = {
        "curves": f"{measure[0].upper()}{measure[1:]} by size",
        "standings": "How many each needs",
        "rows": f"Which {called}, and how often they came back",
        "agreement": "How stable the lists are",
        "matrices": f"How much the {called} repeat each other",
        "pictures": f"First {called} by {record.data.target}",
        "others": "What the other methods chose",
        "contrasts": "Is the difference more than chance?",
        "more_curves": "Other measures",
        "costs": "What it cost",
        "failures": "What failed",
    }
    headings = {ident: heading for ident, heading in headings.items() if parts[ident]}
    always = {"asked": "What was asked", "data": "The table", "repeat": "To repeat it"}
    return headings | always | ({"warnings": "Warnings"} if parts["warnings"] else {})


class _Page:
    """A comparison on its way to the template."""

    def __init__(self, record: Comparison) -> None:
        self.record, self.outcome = record, Outcome(record)
        self._places = {method.name: i for i, method in enumerate(record.methods)}
        self._spent = 0

    def name(self, j: int) -> str:
        return self.record.names.get(str(j), f"x{j}")

    def curves(self, metric: Metric) -> list[Figure]:
        """A picture per classifier with all methods, on one vertical axis."""
        every = [one for one in self.record.curves if one.metric == metric.name and one.n_folds]
        heights = [y for one in every for p in points(one) for y in _ends(p.value, p.error)]
        figures = []
        for i, classifier in enumerate(self.record.classifiers):
            drawn = [one for one in every if one.classifier == classifier.name]
            if not drawn:
                continue
            name = shown(classifier.name)
            measure = words.measure(metric.name)
            ident = f"curve-{self.record.metrics.index(metric) + 1}-{i + 1}"
            chart = SeriesChart(
                ident,
                f"{measure} of {name} by number of {self.record.data.called}",
                self._told(drawn),
                [self._series(one) for one in drawn],
                f"number of {self.record.data.called}",
                measure,
                from_zero=lower_is_better(metric),
                label=words.labels(metric.name),
                heights=heights,
            )
            picture = chart.draw()
            self._spent += len(picture.encode())
            if self._spent > _BYTES_OF_CHARTS:
                break
            figures.append(Figure(ident, name, picture, ""))
        return figures

    def _told(self, curves: Iterable[Curve]) -> str:
        """The best and the smallest good size of every curve."""
        said = []
        for one in curves:
            best, smallest = self.outcome.best(one), self.outcome.smallest(one)
            reached = words.give_or_take(one.metric, best.value, best.error)
            said.append(
                f"{shown(one.method)}: best {number(best.size)} with {reached}, smallest within "
                f"one standard error {number(smallest.size)}"
            )
        return "; ".join(said) + "."

    def _series(self, curve: Curve) -> Series:
        drawn = points(curve)
        marked = {curve.sizes.index(size) for size in (curve.best, curve.one_standard_error)}
        drawn = [drawn[i] for i in thinned(len(drawn), _MOST_POINTS, marked)]
        ends = [_ends(point.value, point.error) for point in drawn]
        return Series(
            shown(curve.method),
            self._places[curve.method],
            [point.size for point in drawn],
            [point.value for point in drawn],
            [low for low, _ in ends],
            [high for _, high in ends],
            ring=curve.one_standard_error if len(drawn) > 1 else None,
        )

    def standings(self) -> list[Standing]:
        answer = []
        for curve in self.outcome.ranked[:_MOST_ROWS]:
            point, best = self.outcome.smallest(curve), self.outcome.best(curve)
            scoring = curve.metric
            answer.append(
                Standing(
                    shown(curve.method),
                    shown(curve.classifier),
                    number(point.size),
                    words.give_or_take(scoring, point.value, point.error),
                    findings.interval(self.outcome, point),
                    number(best.size),
                    words.give_or_take(scoring, best.value, best.error),
                )
            )
        return answer

    def rows(self) -> list[Row]:
        """The winner's own list."""
        if self.outcome.winner is None:
            return []
        winner = self.outcome.winner.method
        return self._rows(winner, _FIRST)

    def others(self) -> list[tuple[str, list[Row]]]:
        """The lists of the other methods, shorter."""
        winner = self.outcome.winner
        listed = [
            (shown(one.name), self._rows(one.name, _OTHERS))
            for one in self.record.methods
            if winner is None or one.name != winner.method
        ]
        return [(method, rows) for method, rows in listed if rows]

    def _rows(self, method: str, most: int) -> list[Row]:
        listed = self.outcome.listed(method)
        others = {
            shown(one.name): set(self.outcome.listed(one.name).indices)
            for one in self.record.methods
            if one.name != method
        }
        rows = []
        for i, j in enumerate(listed.indices[:most]):
            some = listed.counts[i] if listed.counts else 0
            also = ", ".join(name for name, chosen in others.items() if j in chosen)
            rows.append(
                Row(
                    count(i + 1),
                    self.name(j),
                    self.record.descriptions.get(str(j), ""),
                    f"{count(some)} of {count(listed.n_folds)}" if listed.counts else "",
                    round(100 * some / listed.n_folds, 1) if listed.counts else 0.0,
                    shortened(also, 120),
                )
            )
        return rows

    def stability(self) -> list[Figure]:
        """The index against the size, all methods in one picture."""
        found = [(m.name, self.outcome.agreement(m.name)) for m in self.record.methods]
        found = [(name, [one for one in every if not isnan(one.index)]) for name, every in found]
        series = [self._stable(name, every) for name, every in found if every]
        if not series:
            return []
        told = []
        for name, every in found:
            if every:
                first, last = every[0], every[-1]
                ends = " to ".join(hundredths(one.index) for one in (first, last))
                told.append(f"{shown(name)}: {ends}")
        called = self.record.data.called
        chart = SeriesChart(
            "stability",
            f"Stability by number of {called}",
            f"The index at the smallest and the largest size. {'; '.join(told)}.",
            series,
            f"number of {called}",
            "stability index",
        )
        return [Figure("stability", "", chart.draw(), findings.HOW_STABLE)]

    def _stable(self, method: str, every: list[Agreement]) -> Series:
        every = [every[i] for i in thinned(len(every), _MOST_POINTS)]
        return Series(
            shown(method),
            self._places[method],
            [self._size_of(one) for one in every],
            [one.index for one in every],
            [one.lower for one in every],
            [one.upper for one in every],
        )

    def _size_of(self, one: Agreement) -> float:
        """What was asked for; of a method that decides by itself the mean number it kept."""
        if one.size is not None:
            return float(one.size)
        return next(
            (curve.sizes[0] for curve in self.record.curves if curve.method == one.method), 0.0
        )

    def agreement(self) -> list[tuple[str, ...]]:
        """Method, size, index, its interval, the two other measures."""
        rows = []
        for method in self.record.methods:
            one = self.outcome.agreement_at(method.name)
            if one is not None:
                size = number(self._size_of(one))
                ends = (one.lower, one.upper)
                between = "" if any(map(isnan, ends)) else " to ".join(map(hundredths, ends))
                alike = hundredths(one.index), between, hundredths(one.jaccard)
                rows.append((shown(method.name), size, *alike, f"{one.hamming:.1f}"))
        return rows

    def matrices(self) -> list[Figure]:
        """The correlations among the first features of every method, the winner's first."""
        first = self.outcome.winner.method if self.outcome.winner else ""
        figures, spent = [], 0
        for one in sorted(self.record.redundancy, key=lambda one: one.method != first):
            n = min(len(one.indices), matrix.MOST)
            if n < 2:
                continue
            picture = self._matrix(one, n)
            spent += len(picture.encode())
            if spent > _BYTES_OF_MATRICES:
                break
            figures.append(Figure(one.method, shown(one.method), picture, ""))
        return figures

    def _matrix(self, one: Redundancy, n: int) -> Any:
        names = [self.name(j) for j in one.indices[:n]]
        values = [row[:n] for row in one.correlation[:n]]
        pairs = [(abs(values[i][j]), i, j) for i in range(n) for j in range(i)]
        known = [pair for pair in pairs if not isnan(pair[0])]
        said = "No correlation is known."
        if known:
            strongest, i, j = max(known)
            said = f"The strongest is {number(strongest)}, between {names[j]} and {names[i]}."
        title = f"Correlations among the first {count(n)} of {shown(one.method)}"
        ident = f"matrix-{self._places[one.method] + 1}"
        return matrix.draw(values, names, ident, title, said)

    def pictures(self) -> list[Figure]:
        """The winner's first features against the target."""
        if self.outcome.winner is None:
            return []
        listed = self.outcome.listed(self.outcome.winner.method).indices[:_PICTURED]
        known = {profile.index: profile for profile in self.record.profiles}
        figures, spent = [], 0
        for j in listed:
            if j in known:
                name, description = self.name(j), self.record.descriptions.get(str(j), "")
                target = self.record.data.target
                picture = profiles.draw(known[j], f"column-{j}", shortened(name, 60), target)
                spent += len(picture.encode())
                if spent > _BYTES_OF_PROFILES:
                    break
                figures.append(Figure(f"column-{j}", name, picture, description))
        return figures

    def contrasts(self) -> list[tuple[str, ...]]:
        """Method, classifier, difference, interval, p-value."""
        scoring = self.outcome.metric.name
        sign = -1 if scoring.startswith("neg_") else 1
        rows = []
        for one in self.outcome.contrasts()[:_MOST_ROWS]:
            low, high = sorted((sign * one.lower, sign * one.upper))
            rows.append(
                (
                    shown(one.method),
                    shown(one.classifier),
                    findings.signed(scoring, sign * one.difference),
                    f"{findings.signed(scoring, low)} to {findings.signed(scoring, high)}",
                    findings.p_value(one.p_value),
                )
            )
        return rows

    def costs(self) -> list[tuple[str, ...]]:
        """Method, seconds of one ranking (mean), of all its fits and scores, and of everything."""
        time, rows = self.record.time, []
        for method in self.record.methods:
            ranks = time.get("rank", {}).get(method.name)
            if not ranks:
                continue
            models = sum(
                sum(spent)
                for part in ("fit", "score")
                for spent in time.get(part, {}).get(method.name, {}).values()
            )
            told = (sum(ranks) / len(ranks), models, sum(ranks) + models)
            rows.append((shown(method.name), *map(seconds, told)))
        return rows

    def failures(self) -> list[str]:
        called = self.record.data.called
        listed = [findings.failure(one, called) for one in self.record.failures[:_MOST_FAILURES]]
        more = len(self.record.failures) - len(listed)
        return [*listed, f"and {count(more)} more, in the JSON record"] if more else listed


def _ends(value: float, error: float) -> tuple[float, float]:
    return value - error, value + error
