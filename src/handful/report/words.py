"""The sentences of a selection report: the answer first, then why it stopped there."""

from collections.abc import Callable
from math import isnan

from handful.evaluation.comparison import Comparison
from handful.evaluation.record import Data, Selection
from handful.report.numbers import axis, count, number, percent, seconds
from handful.report.text import REMARK, shown

_PROBES = ("EmpiricalProbe", "AnalyticProbe")
_MEASURES = {
    "r2": "R²",
    "auc": "AUC",
    "roc_auc": "ROC AUC",
    "f1_macro": "macro F1",
    "f1_micro": "micro F1",
}
SHARES = ("balanced_error", "accuracy", "balanced_accuracy")

HOW_CROSS_VALIDATED = (
    "The mean over folds, and one standard error on both sides, of a model that saw neither the "
    "rows it is scored on nor a ranking made with them. The size was chosen on the same folds, so "
    "expect slightly worse on new rows."
)


def goal(data: Data, n: int = 2) -> str:
    """What the columns are for, after a subject of `n` things.

    Examples
    --------
    >>> from handful.evaluation.record import ClassCount
    >>> classes = [ClassCount("ALL", 27), ClassCount("AML", 11)]
    >>> table = Data("genes.csv", 38, 7129, "classification", "type", "genes", classes, [], "")
    >>> goal(table), goal(table, 1)
    ('tell ALL from AML', 'tells ALL from AML')
    """
    if data.task == "regression":
        return f"{verb('predict', n)} {data.target}"
    tell = verb("tell", n)
    if len(data.classes) == 2:
        return f"{tell} {data.classes[0].label} from {data.classes[1].label}"
    return f"{tell} the {count(len(data.classes))} classes of {data.target} apart"


def headline(record: Selection) -> str:
    """The answer in one sentence."""
    data, n = record.data, record.n_features
    rule = record.stopping.get("rule")
    if n == 0:
        some = f"None of the {count(data.columns)} {data.called}"
        if rule == "StabilityThreshold":
            return f"{some} comes back often enough to be kept"
        if rule in _PROBES:
            return f"{some} {goal(data, 1)} better than random ones would"
        return f"{some} could be kept"
    some = f"{count(n)} of {count(data.columns)} {data.called}"
    if rule in _PROBES:
        return f"{some} {goal(data, n)} better than random ones would"
    if rule == "CrossValidated":
        return f"{some} {goal(data, n)} with {_achieved(record)}"
    if rule == "StabilityThreshold":
        often = percent(record.stopping["threshold"])
        return f"{some} {verb('come', n)} back in at least {often} of the resamples"
    return f"{some}, chosen to {goal(data)}"


def lead(record: Selection) -> str:
    """The sentence below: which column comes first, and how the number came about."""
    parts = []
    if record.features:
        said = record.features[0]
        if record.descriptions:
            said += f" ({record.descriptions[0]})"
        parts.append(f"First comes {said}.")
    parts.append(reason(record))
    return " ".join(parts)


def reason(record: Selection) -> str:
    """Why it stopped there."""
    why, n, called = record.stopping, record.n_features, record.data.called
    rule = why.get("rule")
    if rule in _PROBES:
        allowed = f"the allowed risk is {percent(why['risk'])}"
        if not why["curve"]:
            return f"No column can be ranked; {allowed}."
        if n:
            return f"Keeping {count(n)} has a risk of {_risk(why['curve'][n - 1])}; {allowed}."
        return f"Keeping even one has a risk of {percent(why['curve'][0])}; {allowed}."
    if rule == "CrossValidated":
        if why["choice"] == "best":
            return f"No other size did better in cross-validation on {_rows(record)}."
        return f"No smaller size is within one standard error of the best, on {_rows(record)}."
    if rule == "StabilityThreshold":
        return f"Each resample of the rows voted for its best {count(why['n_voted'])} {called}."
    if rule == "BestOutOfBag":
        return (
            f"With no other number did machines on resampled rows do better on rows that they had "
            f"not seen; there were {_rows(record)}."
        )
    if rule == "Fixed":
        asked = why.get("asked")
        if asked is None:
            return f"Everything that can be ranked is kept; there were {_rows(record)}."
        if asked > n:
            return f"{count(asked)} were asked for, and no more can be ranked."
        return f"The number was asked for; there were {_rows(record)}."
    return f"{shown(str(rule))} decided, on {_rows(record)}."


def _risk(share: float) -> str:
    """No risk is none."""
    return f"less than {percent(1e-4)}" if share < 5e-5 else percent(share)


def measure(scoring: str) -> str:
    """What a scorer measures, in words; scorers of errors are shown as errors.

    Examples
    --------
    >>> measure("balanced_error"), measure("neg_mean_squared_error"), measure("r2")
    ('balanced error', 'mean squared error', 'R²')
    """
    if scoring in _MEASURES:
        return _MEASURES[scoring]
    return shown(scoring.removeprefix("neg_").replace("_", " "))


def is_error(scoring: str) -> bool:
    """Whether a scorer stands for an error, which scorers count as negative."""
    return scoring == "balanced_error" or scoring.startswith("neg_")


def measured(scoring: str, value: float) -> float:
    """The measure itself: scorers turn the sign of errors so that larger is better."""
    return abs(value) if is_error(scoring) else value


def in_units(scoring: str, value: float) -> str:
    """Shares as percentages, all else as a number."""
    return percent(value) if scoring in SHARES else number(value)


def give_or_take(scoring: str, value: float, error: float) -> str:
    """A measure with its standard error, where that is known.

    Examples
    --------
    >>> give_or_take("accuracy", 0.969, 0.012).replace("\N{NO-BREAK SPACE}", " ")
    '96.9 % ± 1.2'
    """
    said = in_units(scoring, value)
    if isnan(error):
        return said
    error_said = in_units(scoring, error).removesuffix("\N{NO-BREAK SPACE}%")
    return f"{said}\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{error_said}"


def labels(scoring: str) -> Callable[[list[float]], list[str]]:
    """How an axis of this measure writes its numbers."""
    return percents if scoring in SHARES else axis


def percents(values: list[float]) -> list[str]:
    """Shares along an axis."""
    return [percent(value) for value in values]


def score_name(record: Selection) -> str:
    """What the scores of a selection's path are."""
    if record.stopping["rule"] == "StabilityThreshold":
        return "share of resamples"
    return f"{record.method} score"


def how_risk(record: Selection) -> str:
    """How to read the risks of a probe rule."""
    called = record.data.called
    if record.stopping["rule"] == "AnalyticProbe":
        return (
            "The chance that a random column would have come before the last of so many "
            f"{called}, computed from the method's own distribution."
        )
    return (
        "Random columns were ranked together with the real ones, again and again. The risk is the "
        f"share of rounds in which one of them came before the last of so many {called}."
    )


def how_stable(record: Selection) -> str:
    """How to read the shares of a stability threshold."""
    voted, called = count(record.stopping["n_voted"]), record.data.called
    return f"In how many resamples of the rows each was among the best {voted} {called}."


def shape(data: Data) -> list[tuple[str, str]]:
    """The table's size and its target, as pairs of a name and a value."""
    pairs = [
        ("rows", count(data.rows)),
        (data.called, count(data.columns)),
        ("task", data.task),
    ]
    if len(data.spread) == 3:
        low, middle, high = (number(value) for value in data.spread)
        pairs.append((data.target, f"from {low} to {high}, median {middle}"))
    return pairs


def asked(record: Selection) -> list[tuple[str, str]]:
    """What was asked, as pairs of a name and a value."""
    data = record.data
    pairs = [
        ("table", data.name),
        ("target", data.target),
        ("method", record.method),
    ]
    pairs += [
        (shown(name), shown(parameter(value), REMARK))
        for name, value in record.parameters.items()
        if value is not None and name not in ("verbose", "n_jobs")
    ]
    seed = "none" if record.seed is None else str(record.seed)
    return [*pairs, ("seed", seed)]


def made_with(record: Selection | Comparison) -> list[tuple[str, str]]:
    """Where and with what, as pairs of a name and a value."""
    pairs = [*record.versions.items(), ("platform", record.platform)]
    if record.time.get("finished"):
        pairs.append(("finished", str(record.time["finished"])))
    if record.time.get("seconds") is not None:
        pairs.append(("time taken", seconds(record.time["seconds"])))
    pairs.append(("content (SHA-256)", record.data.sha256))
    return [(shown(name), shown(value)) for name, value in pairs]


def _achieved(record: Selection) -> str:
    why = record.stopping
    if record.n_features not in why["sizes"]:
        return f"the best cross-validated {measure(why['scoring'])}"
    place = why["sizes"].index(record.n_features)
    scoring = why["scoring"]
    value = measured(scoring, why["curve"][place])
    return f"{give_or_take(scoring, value, why['standard_error'][place])} {measure(scoring)}"


def parameter(value: object) -> str:
    """The value of a parameter; an estimator with its own."""
    if isinstance(value, dict) and isinstance(value.get("parameters"), dict):
        inside = ", ".join(
            f"{name}={parameter(item)}"
            for name, item in value["parameters"].items()
            if item is not None
        )
        return f"{value.get('class')}({inside})"
    if isinstance(value, list):
        # of a pipeline's steps, pairs of a name and an estimator, the estimators
        steps = [item[-1] if isinstance(item, list) and item else item for item in value]
        return f"[{', '.join(map(parameter, steps))}]"
    return str(value)


def _rows(record: Selection) -> str:
    return f"{count(record.data.rows)} rows"


def verb(said: str, n: int) -> str:
    """A verb after a subject of `n` things."""
    return f"{said}s" if n == 1 else said
