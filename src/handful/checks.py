"""One sentence for every parameter that is out of range: what was given and what is needed."""

import difflib
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any


def one_of(name: str, value: Any, options: Iterable[str]) -> None:
    """Raise unless `value` is one of the named options.

    Examples
    --------
    >>> one_of("rule", "worst", ("best", "one_standard_error"))
    Traceback (most recent call last):
    ValueError: rule='worst' is not known; use 'best' or 'one_standard_error'.
    """
    options = list(options)
    if not isinstance(value, str) or value not in options:
        *most, last = map(repr, options)
        listed = f"{', '.join(most)} or {last}" if most else last
        raise ValueError(f"{name}={value!r} is not known; use {listed}.")


def whole(name: str, value: Any, low: int = 1, high: int | None = None) -> None:
    """Raise unless `value` is a whole number not below `low` and not above `high`."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, not {value!r}.")
    if value < low:
        raise ValueError(f"{name}={value} must be at least {low}.")
    if high is not None and int(value) > high:
        raise ValueError(f"{name}={value} must be at most {high}.")


def real(
    name: str, value: Any, low: float, high: float = float("inf"), *, closed: str = ""
) -> None:
    """Raise unless `value` is a number between the bounds.

    `closed` names the bounds that are allowed themselves: "", "low", "high" or "both".

    Examples
    --------
    >>> real("risk", 1.5, 0, 1)
    Traceback (most recent call last):
    ValueError: risk=1.5 is out of range; it must lie in (0, 1).
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, not {value!r}.")
    number = float(value)
    above = number >= low if closed in ("low", "both") else number > low
    below = number <= high if closed in ("high", "both") else number < high
    if not (above and below):
        left = "[" if closed in ("low", "both") else "("
        right = "]" if closed in ("high", "both") else ")"
        raise ValueError(
            f"{name}={value} is out of range; it must lie in {left}{low}, {high}{right}."
        )


def unknown(what: str, name: str, names: Iterable[str]) -> ValueError:
    """The error for a name that is not known: with the nearest one that is, or all of them.

    Examples
    --------
    >>> raise unknown("method", "cmin", ["cmim", "fisher"])
    Traceback (most recent call last):
    ValueError: There is no method 'cmin'; did you mean 'cmim'?
    >>> raise unknown("method", "best", ["cmim", "fisher"])
    Traceback (most recent call last):
    ValueError: There is no method 'best'; there are cmim, fisher.
    """
    names = list(names)
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(names)}."
    return ValueError(f"There is no {what} {name!r}; {hint}")
