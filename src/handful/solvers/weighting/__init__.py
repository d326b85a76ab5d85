"""Weighting: how likely each feature should be drawn, from how well drawn subsets classify."""

from handful.solvers.weighting.checkpoint import load, mark_of, saved
from handful.solvers.weighting.exact import learn_exactly
from handful.solvers.weighting.judges import Judge, judge_of
from handful.solvers.weighting.learning import learn
from handful.solvers.weighting.settings import (
    Settings,
    check,
    check_base,
    default_subset_size,
    settings_of,
    tasks_of,
)
from handful.solvers.weighting.state import State, complaints

__all__ = [
    "Judge",
    "Settings",
    "State",
    "check",
    "check_base",
    "complaints",
    "default_subset_size",
    "judge_of",
    "learn",
    "learn_exactly",
    "load",
    "mark_of",
    "saved",
    "settings_of",
    "tasks_of",
]
