"""Reports: a record as one HTML page that a browser, a printer and a screen reader can read.

The displays draw the same pictures with matplotlib.
"""

from handful.report.displays import (
    Band,
    CorrelationDisplay,
    RankingDisplay,
    SizeCurveDisplay,
    StabilityDisplay,
)
from handful.report.render import render

__all__ = [
    "Band",
    "CorrelationDisplay",
    "RankingDisplay",
    "SizeCurveDisplay",
    "StabilityDisplay",
    "render",
]
