"""Times of several programs in one run, one after the other again and again.

A busy machine slows all of them alike: trust the ratios of their medians where not the seconds.
"""

from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter
from typing import Any


def seconds(work: Callable[[], Any]) -> float:
    """The time of one call."""
    start = perf_counter()
    work()
    return perf_counter() - start


def medians(works: Mapping[str, Callable[[], Any]], n_runs: int) -> dict[str, float]:
    """The median time of each."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(n_runs):
        for name, work in works.items():
            times[name].append(seconds(work))
    return {name: median(found) for name, found in times.items()}


def verdict(value: float, limit: float, *, at_least: bool = False) -> str:
    """The value beside its limit, as a table shows it."""
    holds = value >= limit if at_least else value <= limit
    return f"{value:.3g} (limit {limit:g}: {'holds' if holds else 'FAILS'})"
