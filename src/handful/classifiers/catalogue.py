"""Catalogue: classifiers and regressors under the short names that the command line uses.

Most are scikit-learn's, the others this package's; those that need it stand behind a scaler. A new
one adds one entry here. Nothing heavy is imported until an entry is built.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from handful import checks

CLASSES, NUMBERS = "classification", "regression"


@dataclass(frozen=True)
class Classifier:
    """A model for classes, for numbers or for both, and what it is good for.

    `makers` says by task which class of which module it is, and its parameters.
    """

    name: str
    idea: str
    makers: Mapping[str, tuple[str, str, Mapping[str, Any]]] = field(hash=False)
    scaled: bool = False
    # takes no sparse tables
    dense: bool = False

    @property
    def tasks(self) -> tuple[str, ...]:
        return tuple(self.makers)

    def build(self, task: str = CLASSES, *, sparse: bool = False) -> Any:
        """The estimator for a task; for sparse tables as these need it."""
        if task not in self.makers:
            raise ValueError(f"The classifier {self.name!r} is for {self.tasks[0]}, not {task}.")
        module, name, parameters = self.makers[task]
        model = getattr(importlib.import_module(module), name)(**parameters)
        if self.scaled:
            from sklearn.pipeline import make_pipeline
            from sklearn.preprocessing import StandardScaler

            # subtracted means would fill a sparse table
            return make_pipeline(StandardScaler(with_mean=not sparse), model)
        if self.dense and sparse:
            from sklearn.pipeline import make_pipeline

            from handful.classifiers.dense import Dense

            return make_pipeline(Dense(), model)
        return model


def _model(module: str, name: str, **parameters: Any) -> tuple[str, str, Mapping[str, Any]]:
    return f"sklearn.{module}", name, MappingProxyType(parameters)


def _own(module: str, name: str, **parameters: Any) -> tuple[str, str, Mapping[str, Any]]:
    return f"handful.classifiers.{module}", name, MappingProxyType(parameters)


CLASSIFIERS: tuple[Classifier, ...] = (
    Classifier(
        "naive-bayes",
        "a normal distribution of every column in every class, columns taken as independent",
        {CLASSES: _model("naive_bayes", "GaussianNB")},
        dense=True,
    ),
    Classifier(
        "bernoulli-bayes",
        "the same for columns that are above zero or not, such as words and bits",
        {CLASSES: _model("naive_bayes", "BernoulliNB")},
    ),
    Classifier(
        "boolean-bayes",
        "the same for two classes, with the fewest errors on the training rows",
        {CLASSES: _own("naive_bayes", "BooleanNaiveBayes")},
    ),
    Classifier(
        "linear-svm",
        "the plane between the classes with the widest margin",
        {
            CLASSES: _model("svm", "LinearSVC"),
            # the squared loss has a quick solver; the plain one often stops before it is done
            NUMBERS: _model("svm", "LinearSVR", loss="squared_epsilon_insensitive", dual=False),
        },
        scaled=True,
    ),
    Classifier(
        "svm",
        "the widest margin along curves: Gaussian kernel",
        {CLASSES: _model("svm", "SVC"), NUMBERS: _model("svm", "SVR")},
        scaled=True,
    ),
    Classifier(
        "logistic",
        "a linear model of the classes' odds",
        {CLASSES: _model("linear_model", "LogisticRegression", max_iter=1000)},
        scaled=True,
    ),
    Classifier(
        "ridge",
        "least squares with small coefficients",
        {
            CLASSES: _model("linear_model", "RidgeClassifier"),
            NUMBERS: _model("linear_model", "Ridge"),
        },
        scaled=True,
    ),
    Classifier(
        "knn",
        "the five nearest rows decide",
        {
            CLASSES: _model("neighbors", "KNeighborsClassifier"),
            NUMBERS: _model("neighbors", "KNeighborsRegressor"),
        },
        scaled=True,
    ),
    Classifier(
        "weighted-knn",
        "the nearest rows decide; cross-validation says how many, and what a rare class counts",
        {CLASSES: _own("weighted_knn", "WeightedKNN")},
        scaled=True,
    ),
    Classifier(
        "boosted-stumps",
        "the vote of fifty questions about single columns, each for the errors of those before",
        {CLASSES: _own("boosted_stumps", "BoostedStumpsClassifier")},
    ),
    Classifier(
        "tree",
        "questions about one column at a time",
        {
            CLASSES: _model("tree", "DecisionTreeClassifier"),
            NUMBERS: _model("tree", "DecisionTreeRegressor"),
        },
    ),
    Classifier(
        "forest",
        "the vote of a hundred trees on resampled rows",
        {
            CLASSES: _model("ensemble", "RandomForestClassifier"),
            NUMBERS: _model("ensemble", "RandomForestRegressor"),
        },
    ),
)


def find(name: str) -> Classifier:
    """The classifier of this name.

    Examples
    --------
    >>> find("knn").build("regression")[-1]
    KNeighborsRegressor()
    >>> find("naive-baies")
    Traceback (most recent call last):
    ValueError: There is no classifier 'naive-baies'; did you mean 'naive-bayes'?
    """
    for classifier in CLASSIFIERS:
        if classifier.name == name:
            return classifier
    raise checks.unknown("classifier", name, [classifier.name for classifier in CLASSIFIERS])
