"""Classifiers: what scikit-learn lacks, and the short names of those that a comparison may use."""

from handful.classifiers.boosted_stumps import BoostedStumpsClassifier
from handful.classifiers.naive_bayes import BooleanNaiveBayes
from handful.classifiers.scut import SCut
from handful.classifiers.weighted_knn import WeightedKNN

__all__ = ["BooleanNaiveBayes", "BoostedStumpsClassifier", "SCut", "WeightedKNN"]
