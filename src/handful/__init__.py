"""handful picks the handful of columns that matter, out of thousands or millions.

Names load on first use, so that ``import handful`` and the command line's help stay quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from handful import datasets, evaluation, stopping
    from handful.classifiers.subset_vote import SubsetVoteClassifier
    from handful.methods.boosting import BoostedStumps
    from handful.methods.elimination import RecursiveElimination
    from handful.methods.ensemble import StabilityEnsemble
    from handful.methods.fast_correlation import FastCorrelationFilter
    from handful.methods.filters import FilterSelector
    from handful.methods.gram_schmidt import GramSchmidt
    from handful.methods.information import InformationSelector
    from handful.methods.random_selector import RandomSelector
    from handful.methods.trees import TreeFrequency
    from handful.methods.weighting import OptimalFeatureWeighting
    from handful.methods.zero_norm import ZeroNorm

    __version__: str

__all__ = [
    "BoostedStumps",
    "FastCorrelationFilter",
    "FilterSelector",
    "GramSchmidt",
    "InformationSelector",
    "OptimalFeatureWeighting",
    "RandomSelector",
    "RecursiveElimination",
    "StabilityEnsemble",
    "SubsetVoteClassifier",
    "TreeFrequency",
    "ZeroNorm",
    "__version__",
    "datasets",
    "evaluation",
    "stopping",
]

_HOME = {
    "BoostedStumps": "handful.methods.boosting",
    "FastCorrelationFilter": "handful.methods.fast_correlation",
    "FilterSelector": "handful.methods.filters",
    "GramSchmidt": "handful.methods.gram_schmidt",
    "InformationSelector": "handful.methods.information",
    "OptimalFeatureWeighting": "handful.methods.weighting",
    "RandomSelector": "handful.methods.random_selector",
    "RecursiveElimination": "handful.methods.elimination",
    "StabilityEnsemble": "handful.methods.ensemble",
    "SubsetVoteClassifier": "handful.classifiers.subset_vote",
    "TreeFrequency": "handful.methods.trees",
    "ZeroNorm": "handful.methods.zero_norm",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value: Any = import_module("importlib.metadata").version("handful")
    elif name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in __all__:
        value = import_module(f"handful.{name}")
    else:
        raise AttributeError(f"module 'handful' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
