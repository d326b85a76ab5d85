"""How reports write numbers: short, the same everywhere, with a comma between thousands."""

import math
from itertools import pairwise

MINUS = "\N{MINUS SIGN}"


def number(value: float) -> str:
    """A measured number with three significant digits.

    Examples
    --------
    >>> number(0.61234), number(-7129.4), number(4.2e-9), number(float("inf")), number(12.0)
    ('0.612', '−7,129', '4.2e−9', '∞', '12')
    """
    if math.isnan(value):
        return "unknown"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    size = abs(value)
    if value == 0:
        return "0"
    if size >= 1e9 or size < 1e-4:
        mantissa, exponent = f"{value:.2e}".split("e")
        if "." in mantissa:
            mantissa = mantissa.rstrip("0").rstrip(".")
        text = f"{mantissa}e{int(exponent)}"
    elif size >= 100:
        text = f"{value:,.0f}"
    else:
        digits = 2 - math.floor(math.log10(size))
        text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return text.replace("-", MINUS)


def count(value: int) -> str:
    """A whole number, complete.

    Examples
    --------
    >>> count(139351)
    '139,351'
    """
    return f"{value:,}".replace("-", MINUS)


def percent(share: float) -> str:
    """A share of one as a percentage with up to two digits after the point.

    Examples
    --------
    >>> print(percent(0.05), percent(0.0312), percent(1), percent(0.0004), sep=", ")
    5 %, 3.1 %, 100 %, 0.04 %
    """
    value = 100 * share
    text = f"{value:.1f}" if abs(value) >= 1 else f"{value:.2f}"
    return text.rstrip("0").rstrip(".").replace("-", MINUS) + "\N{NO-BREAK SPACE}%"


def hundredths(value: float) -> str:
    """An index from about 0 to 1.

    Examples
    --------
    >>> hundredths(0.2884), hundredths(-0.0005), hundredths(float("nan"))
    ('0.29', '0.00', 'unknown')
    """
    if math.isnan(value):
        return "unknown"
    return f"{round(value, 2) + 0.0:.2f}".replace("-", MINUS)


def seconds(value: float) -> str:
    """A duration.

    Examples
    --------
    >>> seconds(0.0031), seconds(2.34), seconds(312)
    ('3 ms', '2.3 s', '5 min 12 s')
    """
    if value < 1:
        return f"{max(1, round(1000 * value))} ms"
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s"


def axis(values: list[float]) -> list[str]:
    """Numbers along an axis, ascending, with as many digits as tell neighbours apart.

    Examples
    --------
    >>> axis([0.998, 0.999, 1.0]), axis([0.0, 20000.0]), axis([0.0, 5e-9])
    (['0.998', '0.999', '1.000'], ['0', '20,000'], ['0', '5e−9'])
    """
    steps = [after - before for before, after in pairwise(values) if after > before]
    digits = max(0, -math.floor(math.log10(min(steps)) + 1e-9)) if steps else 7
    if digits > 6 or max(abs(values[0]), abs(values[-1])) >= 1e9:
        return [number(value) for value in values]
    return [f"{value:,.{digits}f}".replace("-", MINUS) for value in values]


def aligned(values: list[float]) -> list[str]:
    """Numbers for one column of a table: as many digits after the point for all.

    Enough for two significant digits of the smallest, unless that makes more than five of the
    largest. Numbers too different in size even for that are written each on its own.

    Examples
    --------
    >>> aligned([0.61234, 0.6, 0.0712]), aligned([272.4, 3.14]), aligned([1250.0, 0.002])
    (['0.612', '0.600', '0.071'], ['272.4', '3.1'], ['1,250', '0.002'])
    """
    finite = [abs(value) for value in values if math.isfinite(value) and value]
    if not finite:
        return [number(value) for value in values]
    large, small = (math.floor(math.log10(edge(finite))) for edge in (max, min))
    digits = max(0, min(max(2 - large, 1 - small), 4 - large))
    if small < -digits or large >= 9 or digits > 6:
        return [number(value) for value in values]
    return [
        f"{value:,.{digits}f}".replace("-", MINUS) if math.isfinite(value) else number(value)
        for value in values
    ]
