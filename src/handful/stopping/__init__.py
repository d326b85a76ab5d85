"""Stopping rules: how many of a path to keep. Every rule works with every selector.

==========================  ==========================================================
``n_features_to_select``    keeps
==========================  ==========================================================
an int                      that many
a fraction in (0, 1)        ``max(1, int(fraction * n_features))``
``"auto"``                  ``min(10, n_features)``
``None``                    everything that can be ranked
`EmpiricalProbe`            features while random ones rarely come before them
`AnalyticProbe`             the same, from the chances that some methods know exactly
`CrossValidated`            the size with the best cross-validated score
`StabilityThreshold`        features that come back in most resamples
==========================  ==========================================================
"""

from handful.stopping.base import Decision, Ranker, StoppingRule, resolve
from handful.stopping.curve import CrossValidated, SizeCurve, over_sizes, size_curve, usual_sizes
from handful.stopping.folds import refuse_shared_groups, split_rows
from handful.stopping.probe import AnalyticProbe, EmpiricalProbe
from handful.stopping.scoring import Answers, OwnScorer, Scorer, resolve_scorer
from handful.stopping.stability import StabilityThreshold

__all__ = [
    "AnalyticProbe",
    "Answers",
    "CrossValidated",
    "Decision",
    "EmpiricalProbe",
    "OwnScorer",
    "Ranker",
    "Scorer",
    "SizeCurve",
    "StabilityThreshold",
    "StoppingRule",
    "over_sizes",
    "refuse_shared_groups",
    "resolve",
    "resolve_scorer",
    "size_curve",
    "split_rows",
    "usual_sizes",
]
