"""The sentences of a comparison's report: the answer first, then what it rests on."""

from math import isnan

from handful.evaluation.comparison import Compared, Comparison, Failure
from handful.report.numbers import count, number
from handful.report.outcome import Listed, Outcome, Point
from handful.report.text import REMARK, shown
from handful.report.words import give_or_take, in_units, measure, parameter, verb

HOW_CURVES = (
    "The mean over folds of a model that saw neither the rows it is tested on nor a ranking made "
    "with them. The band is one standard error on both sides; the ring marks the smallest size "
    "within one standard error of the best."
)
HOW_STABLE = (
    "How alike the lists of different folds are: 1 is the same list in every fold, 0 as alike as "
    "lists drawn by lot (index of Nogueira, Sechidis and Brown). The band is the 95 % interval."
)
HOW_RELATED = (
    "Strength of the correlation among the first of each list, in the order of choice: dark cells "
    "off the diagonal say the same thing twice."
)
HOW_DIFFERENT = (
    "Corrected resampled t test, which allows for folds that share training rows; the interval is "
    "the 95 % one. Not corrected for the number of comparisons."
)

# parameters that change nothing in a result
_UNTOLD = ("verbose", "n_jobs")


def headline(outcome: Outcome) -> str:
    """The answer in one sentence."""
    if outcome.winner is None:
        return "No method could be measured at every size"
    scoring = outcome.metric.name
    point = outcome.smallest(outcome.winner)
    reached = f"{give_or_take(scoring, point.value, point.error)} {measure(scoring)}"
    said = f"{_so_many(point.size, outcome.record)} {verb('give', _plural(point.size))} {reached}"
    again = _come_back(outcome.listed(outcome.winner.method), outcome)
    return f"{said}; {again}" if again else said


def _so_many(size: float, record: Comparison) -> str:
    called = record.data.called
    if size == 1:
        return f"1 {called.removesuffix('s')}"
    return f"{number(size)} {called}" + ("" if size == int(size) else " on average")


def _plural(size: float) -> int:
    return 1 if size == 1 else 2


def _come_back(listed: Listed, outcome: Outcome) -> str:
    """How many features of the list come back often."""
    total, n_folds = len(listed.counts), listed.n_folds
    if not total:
        return ""
    folds = share_of_folds(listed.needed, n_folds)
    if total == 1:
        return f"it comes back in {share_of_folds(listed.counts[0], n_folds)}"
    if outcome.size(outcome.winner.method if outcome.winner else "") is None:
        those = f"of the {count(total)} chosen from all rows"
    else:
        those = "of them"
    some = {0: "none", total: "all"}.get(listed.often, count(listed.often))
    return f"{some} {those} {verb('come', 1 if listed.often < 2 else 2)} back in {folds}"


def share_of_folds(some: int, n_folds: int) -> str:
    """Some of the folds, in words.

    Examples
    --------
    >>> share_of_folds(9, 10), share_of_folds(5, 5)
    ('9 of 10 folds', 'all 5 folds')
    """
    return f"all {count(n_folds)} folds" if some == n_folds else f"{some} of {count(n_folds)} folds"


def lead(outcome: Outcome) -> str:
    """Below the answer: whose it is, how sure, and why this size."""
    winner, record = outcome.winner, outcome.record
    if winner is None:
        return "In every fold something failed; the failures are listed below."
    point, best = outcome.smallest(winner), outcome.best(winner)
    parts = [f"Chosen by {shown(winner.method)}, learnt by {shown(winner.classifier)}."]
    if not isnan(point.lower):
        parts.append(f"The 95 % interval goes {interval(outcome, point)}.")
    if best.size != point.size:
        reached = in_units(winner.metric, best.value)
        parts.append(
            f"No smaller number is within one standard error of the best, {number(best.size)} with "
            f"{reached}."
        )
    if len(outcome.ranked) > 1:
        parts.append(
            f"It is the best of {count(len(outcome.ranked))} combinations on the same "
            f"{count(record.data.rows)} rows, so expect slightly worse on new ones."
        )
    return " ".join(parts)


def interval(outcome: Outcome, point: Point) -> str:
    """The ends of an interval in words; "" where they are unknown."""
    if isnan(point.lower):
        return ""
    scoring = outcome.metric.name
    return f"from {in_units(scoring, point.lower)} to {in_units(scoring, point.upper)}"


def folds(record: Comparison) -> str:
    """How the rows were divided."""
    trains, tests = ([getattr(f, part) for f in record.folds] for part in ("train", "test"))
    said = [
        count(low) if low == high else f"{count(low)} to {count(high)}"
        for low, high in ((min(trains), max(trains)), (min(tests), max(tests)))
    ]
    some = "1 division" if len(record.folds) == 1 else f"{count(len(record.folds))} folds"
    return f"{some}: {said[0]} rows to learn from, {said[1]} to test on"


def asked(record: Comparison) -> list[tuple[str, str]]:
    """What was asked, as pairs of a name and a value."""
    data = record.data
    pairs = [("table", data.name), ("target", data.target)]
    pairs += [(shown(one.name), _what(one)) for one in (*record.methods, *record.classifiers)]
    pairs += [
        ("measures", ", ".join(measure(metric.name) for metric in record.metrics)),
        ("sizes", ", ".join(map(count, record.sizes)) or "each method's own"),
        ("folds", folds(record)),
    ]
    also = [name for name, so in (("weights", record.weighted), ("groups", record.grouped)) if so]
    if also:
        pairs.append(("rows have", " and ".join(also)))
    pairs.append(("seed", str(record.seed)))
    return [(name, shown(value, REMARK)) for name, value in pairs]


def _what(one: Compared) -> str:
    given = {name: value for name, value in one.parameters.items() if name not in _UNTOLD}
    return parameter({"class": one.what, "parameters": given})


def failure(one: Failure, called: str) -> str:
    """What went wrong where."""
    where = [shown(one.method)]
    if one.classifier is not None:
        where.append(f"under {shown(one.classifier)}")
    where.append("on all rows" if one.fold is None else f"in fold {count(one.fold)}")
    if one.size is not None:
        where.append(f"with {count(one.size)} {called}")
    return f"{' '.join(where)}: {shown(one.message, REMARK)}"


def p_value(value: float) -> str:
    """A p-value as papers print it.

    Examples
    --------
    >>> p_value(0.0004), p_value(0.0312), p_value(0.9)
    ('< 0.001', '0.031', '0.900')
    """
    if isnan(value):
        return "unknown"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def signed(scoring: str, value: float) -> str:
    """A difference with its sign."""
    said = in_units(scoring, value)
    return f"+{said}" if value > 0 else said
