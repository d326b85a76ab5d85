"""Reasons: what stopping rules leave behind, as far as reports read it, checked rule by rule."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from handful.evaluation.codec import RecordError, typed

# Rules may leave more than this; it is kept as it is.
_TYPES = {
    "rule": str,
    "n_features": int,
    "warning": str | None,
    "asked": int | None,
    "risk": float,
    "threshold": float,
    "n_voted": int,
    "scoring": str,
    "choice": str,
    "sizes": list[int],
    "curve": list[float],
    "standard_error": list[float],
}

_PROBE = ("risk", "curve")
_NEEDED = {
    "Fixed": ("asked",),
    "EmpiricalProbe": _PROBE,
    "AnalyticProbe": _PROBE,
    "CrossValidated": ("scoring", "choice", "sizes", "curve", "standard_error"),
    "StabilityThreshold": ("threshold", "n_voted", "curve"),
    "BestOutOfBag": ("sizes", "curve"),
}


def checked(stopping: Mapping[str, Any], n_features: int) -> dict[str, Any]:
    """A selection's `stopping` with the types that reports rely on.

    Raises
    ------
    RecordError
        Where something that belongs to the rule is missing or does not fit.

    Examples
    --------
    >>> checked({"rule": "EmpiricalProbe", "risk": 0.05}, 3)
    Traceback (most recent call last):
    handful.evaluation.codec.RecordError: record.stopping lacks 'curve' of EmpiricalProbe.
    """
    known = {
        key: typed(value, _TYPES[key], f"record.stopping.{key}")
        for key, value in stopping.items()
        if key in _TYPES
    }
    rule = known.get("rule")
    if rule is None:
        raise RecordError("record.stopping lacks 'rule'.")
    for key in _NEEDED.get(rule, ()):
        if key not in known:
            raise RecordError(f"record.stopping lacks {key!r} of {rule}.")
    if _NEEDED.get(rule) is _PROBE and len(known["curve"]) < n_features:
        raise RecordError(
            f"record.stopping.curve has {len(known['curve'])} risks for {n_features} features."
        )
    if rule == "CrossValidated":
        _check_sizes(known)
    return {**stopping, **known}


def _check_sizes(known: Mapping[str, Any]) -> None:
    sizes = known["sizes"]
    if not sizes or sizes[0] < 1 or any(b <= a for a, b in pairwise(sizes)):
        raise RecordError("record.stopping.sizes should be numbers of columns in ascending order.")
    for key in ("curve", "standard_error"):
        if len(known[key]) != len(sizes):
            raise RecordError(
                f"record.stopping.{key} has {len(known[key])} values for {len(sizes)} sizes."
            )
