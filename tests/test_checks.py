"""The sentences for parameters that are out of range."""

import re

import numpy as np
import pytest

from handful import checks


@pytest.mark.parametrize("value", [1, 5, np.int64(3), np.uint8(2)])
def test_whole_numbers(value):
    checks.whole("n", value)


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (0, ValueError, "n=0 must be at least 1."),
        (2.0, TypeError, "n must be a whole number, not 2.0."),
        (True, TypeError, "n must be a whole number, not True."),
        ("3", TypeError, "n must be a whole number, not '3'."),
        (None, TypeError, "n must be a whole number, not None."),
    ],
)
def test_what_is_no_whole_number(value, error, message):
    with pytest.raises(error, match=re.escape(message)):
        checks.whole("n", value)


@pytest.mark.parametrize(
    ("value", "closed", "message"),
    [
        (0, "", "it must lie in (0, 1)."),
        (1, "", "it must lie in (0, 1)."),
        (1, "low", "it must lie in [0, 1)."),
        (0, "high", "it must lie in (0, 1]."),
        (1.5, "both", "x=1.5 is out of range; it must lie in [0, 1]."),
        (float("nan"), "both", "x=nan is out of range; it must lie in [0, 1]."),
    ],
)
def test_bounds(value, closed, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        checks.real("x", value, 0, 1, closed=closed)


def test_bounds_that_are_closed():
    for value, closed in ((0, "low"), (1, "high"), (0, "both"), (1, "both"), (np.float32(0.5), "")):
        checks.real("x", value, 0, 1, closed=closed)


@pytest.mark.parametrize("value", [True, "0.5", None, 1j])
def test_what_is_no_number(value):
    with pytest.raises(TypeError, match="x must be a number, not"):
        checks.real("x", value, 0, 1)


def test_options_are_listed():
    checks.one_of("rule", "a", ("a", "b"))
    with pytest.raises(ValueError, match=re.escape("rule='c' is not known; use 'a', 'b' or 'd'.")):
        checks.one_of("rule", "c", ("a", "b", "d"))
    with pytest.raises(ValueError, match=re.escape("rule=1 is not known; use 'a'.")):
        checks.one_of("rule", 1, ("a",))
