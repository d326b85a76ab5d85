"""Catalogue: every method under the short name that the command line and the reports use.

A new method adds one entry here. Nothing heavy is imported until an entry is built.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from handful import checks

CLASSES, NUMBERS = "classification", "regression"


@dataclass(frozen=True)
class Method:
    """A selector with the parameters that make it this method, and what it is good for."""

    name: str
    module: str
    selector: str
    parameters: Mapping[str, Any] = field(hash=False)
    tasks: tuple[str, ...]
    idea: str
    when: str
    # whether its path holds the chance of a random column, which AnalyticProbe needs
    knows_chance: bool = False

    def build(self, **parameters: Any) -> Any:
        """The selector, with further parameters."""
        selector = getattr(importlib.import_module(self.module), self.selector)
        return selector(**self.parameters, **parameters)


def _information(criterion: str, idea: str, when: str) -> Method:
    fixed = MappingProxyType({"criterion": criterion})
    module = "handful.methods.information"
    name = criterion.replace("_", "-")
    return Method(name, module, "InformationSelector", fixed, (CLASSES,), idea, when)


def _filter(score: str, tasks: tuple[str, ...], idea: str, when: str, **more: Any) -> Method:
    name, fixed = score.replace("_", "-"), MappingProxyType({"score": score})
    module = "handful.methods.filters"
    return Method(name, module, "FilterSelector", fixed, tasks, idea, when, **more)


def _elimination(estimator: str, tasks: tuple[str, ...], idea: str, when: str) -> Method:
    fixed = MappingProxyType({"estimator": estimator})
    module = "handful.methods.elimination"
    return Method(f"rfe-{estimator}", module, "RecursiveElimination", fixed, tasks, idea, when)


def _ensemble(name: str, estimator: str, eliminate: float | None, idea: str, when: str) -> Method:
    fixed = MappingProxyType({"estimator": estimator, "eliminate": eliminate})
    module = "handful.methods.ensemble"
    return Method(name, module, "StabilityEnsemble", fixed, (CLASSES,), idea, when)


METHODS: tuple[Method, ...] = (
    Method(
        "gram-schmidt",
        "handful.methods.gram_schmidt",
        "GramSchmidt",
        MappingProxyType({}),
        (CLASSES, NUMBERS),
        "the column closest to what the chosen ones leave of the target, again and again",
        "numbers or classes that a linear model can learn; --risk is computed, not sampled",
        knows_chance=True,
    ),
    _information(
        "cmim",
        "the column that still informs about the classes whichever chosen column is known",
        "first choice for classes: few columns that do not repeat each other, in milliseconds",
    ),
    _information(
        "jmi",
        "the column that, beside each of the chosen ones, informs most about the classes",
        "columns that only tell something together; steady choices from few rows",
    ),
    _information(
        "jmim",
        "the same, judged by the chosen column beside which it informs least",
        "like jmi, but stricter with columns that repeat one of the chosen",
    ),
    _information(
        "mrmr",
        "much information about the classes, little about the chosen columns on average",
        "the best known of its kind, to compare with published results",
    ),
    _information(
        "mrmr_quotient",
        "the same as a quotient instead of a difference",
        "published results that use this form",
    ),
    _information(
        "disr",
        "jmi relative to the entropy of what it counts",
        "columns of very different numbers of levels",
    ),
    _information(
        "cife",
        "information about the classes that no chosen column gives, by pairs",
        "the criteria of the family side by side; alone it stops early on wide tables",
    ),
    _information(
        "icap",
        "the same, where a column may share with the chosen ones but not gain from them",
        "the criteria of the family side by side",
    ),
    _information(
        "condred",
        "information about the classes, and about the chosen columns within each class",
        "columns that work together; repeats are not punished",
    ),
    _information(
        "mim",
        "the columns that each inform most about the classes",
        "a ranking of single columns by information; copies of one signal are all kept",
    ),
    _elimination(
        "ridge",
        (CLASSES, NUMBERS),
        "ridge regression on all columns, without its weakest, without the next, down to one",
        "few columns that a linear model needs together, from very wide tables; milliseconds",
    ),
    _elimination(
        "svm",
        (CLASSES,),
        "the same with a support vector machine: the rows near the border decide",
        "SVM-RFE, the published standard for gene expression; a tenth of a second for 7,000 genes",
    ),
    _elimination(
        "rocchio",
        (CLASSES,),
        "the columns in which the class centroids lie furthest apart",
        "the comparator of the other eliminations; copies of one signal are all kept",
    ),
    _ensemble(
        "svm-se",
        "svm",
        None,
        "the columns whose weight varies least over support vector machines on resampled rows",
        "few rows and thousands of columns, when the list must hold on other rows; milliseconds",
    ),
    _ensemble(
        "svm-se-combined",
        "svm",
        0.05,
        "the same after the least stable twentieth has gone, again and again",
        "the same where most columns are noise",
    ),
    _ensemble(
        "ridge-se",
        "ridge",
        None,
        "the columns whose weight varies least over ridge regressions on resampled rows",
        "the same with many weak columns",
    ),
    Method(
        "zero-norm",
        "handful.methods.zero_norm",
        "ZeroNorm",
        MappingProxyType({}),
        (CLASSES,),
        "the columns left to a linear machine that rescales them by its weights, again and again",
        "the fewest columns that together separate classes which do not overlap",
    ),
    Method(
        "ofw",
        "handful.methods.weighting",
        "OptimalFeatureWeighting",
        MappingProxyType({}),
        (CLASSES,),
        "the columns in whose company small classifiers err least, learned from thousands of them",
        "when a certain classifier is to do well; scale columns of different units first",
    ),
    Method(
        "fcbf",
        "handful.methods.fast_correlation",
        "FastCorrelationFilter",
        MappingProxyType({}),
        (CLASSES,),
        "the most relevant columns, without those that a better one already stands for",
        "classes and many near copies; says by itself how many columns stand for all",
    ),
    Method(
        "tree-frequency",
        "handful.methods.trees",
        "TreeFrequency",
        MappingProxyType({}),
        (CLASSES,),
        "the columns that fifty randomised trees ask about in their first five layers",
        "classes made of groups that differ in different columns; slower than most",
    ),
    Method(
        "boosted-stumps",
        "handful.methods.boosting",
        "BoostedStumps",
        MappingProxyType({}),
        (CLASSES,),
        "the column that is right where the chosen ones are wrong, again and again",
        "clean labels, and groups of rows that the most informative columns leave aside",
    ),
    _filter(
        "fisher",
        (CLASSES,),
        "distance of the class means against the spread within the classes",
        "numeric columns, when every relevant column is wanted, repeats included",
    ),
    _filter(
        "correlation",
        (CLASSES, NUMBERS),
        "Golub's signal to noise ratio; for numbers the absolute correlation",
        "gene expression in two classes, where it is the published baseline",
    ),
    _filter(
        "f",
        (CLASSES, NUMBERS),
        "the F statistic of one column at a time",
        "a quick first look; its --risk is computed, not sampled, so it costs nothing",
        knows_chance=True,
    ),
    _filter(
        "chi2",
        (CLASSES,),
        "the chi-squared statistic of counts against the classes",
        "word counts and other columns without negative values",
    ),
    _filter(
        "mutual_info",
        (CLASSES, NUMBERS),
        "mutual information estimated from nearest neighbours",
        "numeric columns whose relation to the target may bend; slow on wide tables",
    ),
    Method(
        "random",
        "handful.methods.random_selector",
        "RandomSelector",
        MappingProxyType({}),
        (CLASSES, NUMBERS),
        "columns drawn by lot",
        "the baseline that shows how much of a result is due to the choosing",
    ),
)


def find(name: str) -> Method:
    """The method of this name.

    Examples
    --------
    >>> find("cmim").selector
    'InformationSelector'
    >>> find("cmin")
    Traceback (most recent call last):
    ValueError: There is no method 'cmin'; did you mean 'cmim'?
    """
    for method in METHODS:
        if method.name == name:
            return method
    raise checks.unknown("method", name, [method.name for method in METHODS])


def name_of(selector: Any) -> str:
    """The short name of a selector, or its class name where it has none of its own."""
    given = selector.get_params(deep=False)
    for method in METHODS:
        fixed = method.parameters.items()
        # of one type first: some parameters are estimators or arrays
        if type(selector).__name__ == method.selector and all(
            isinstance(given.get(key), type(value)) and given[key] == value for key, value in fixed
        ):
            return method.name
    return type(selector).__name__
