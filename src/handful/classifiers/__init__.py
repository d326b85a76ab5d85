"""Classifiers: what scikit-learn lacks, and the short names of those that a comparison may use."""

from handful.classifiers.scut import SCut

__all__ = ["SCut"]
