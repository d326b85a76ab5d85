"""Discretiser: numbers cut into a few levels, which is what information is counted over.

Where to cut? Into bins with equally many rows, or of equal width, without a look at the classes; or
where the classes change. Fayyad and Irani cut where the classes are purest on both sides, and cut
the sides again, as long as the cut pays: naming it must cost fewer bits than it saves in naming the
classes of the rows. So a column that says nothing about the classes is not cut at all, and one that
says much gets as many levels as it deserves.

References
----------
Fayyad and Irani, "Multi-Interval Discretization of Continuous-Valued Attributes for Classification
Learning", IJCAI 1993.

Examples
--------
>>> from sklearn.datasets import load_iris
>>> X, y = load_iris(return_X_y=True)
>>> [cuts.round(2).tolist() for cuts in Discretiser("mdl").fit(X, y).cuts_]
[[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]]
"""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.validation import check_is_fitted

from handful import checks, columns
from handful.path import TIE
from handful.target import encode


class Discretiser(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Columns of numbers as columns of levels: 0, 1, 2 and so on.

    Parameters
    ----------
    strategy : {"quantile", "uniform", "mdl"}
        "quantile" (default): levels with about equally many rows. "uniform": of equal width. Both
        by scikit-learn's KBinsDiscretizer. "mdl": Fayyad and Irani's cuts, for classes.
    n_bins : int
        Levels of each column, fewer where it has few distinct values; "mdl" finds its own number.
    missing : {"error", "category"}
        What NaN means: "error" (default) refuses it; to "category" it is a level of its own, above
        all others. Cuts are learned from the values that are there.

    Attributes
    ----------
    cuts_ : list of ndarray
        Of each column where its levels begin, from the second on; empty where it is not cut.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    handful.InformationSelector : Cuts by itself, so that no other table is made.

    Notes
    -----
    A value at a cut belongs to the upper level. The answer is an array of the smallest unsigned
    whole numbers that hold all levels. "mdl" cuts halfway between two values, of cuts that are as
    good at the lowest, and takes a fraction of a millisecond per column and cut; shuffled rows and
    relabelled classes leave the levels alone, and so does whatever keeps the order of a column's
    values.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0], [50.0], [60.0]])
    >>> Discretiser(n_bins=3).fit_transform(X).ravel().tolist()
    [0, 0, 1, 1, 2, 2]
    >>> Discretiser("uniform", n_bins=3).fit_transform(X).ravel().tolist()
    [0, 0, 0, 0, 2, 2]
    """

    def __init__(
        self, strategy: str = "quantile", *, n_bins: int = 5, missing: str = "error"
    ) -> None:
        self.strategy = strategy
        self.n_bins = n_bins
        self.missing = missing

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn where to cut.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,), optional
            The classes, which "mdl" needs.
        """
        checks.one_of("strategy", self.strategy, ("quantile", "uniform", "mdl"))
        checks.whole("n_bins", self.n_bins, 2)
        checks.one_of("missing", self.missing, ("error", "category"))
        table = columns.open(self, X)
        codes = self._codes(y, table.shape[0]) if self.strategy == "mdl" else None
        self.cuts_: list[NDArray[np.float64]] = []
        for _, block in table.blocks():
            known = ~np.isnan(block)
            if codes is None and known.all():
                self.cuts_ += _bins(block, self.n_bins, self.strategy)
                continue
            for values, here in zip(block.T, known.T, strict=True):
                if codes is None:
                    self.cuts_ += _bins(values[here, None], self.n_bins, self.strategy)
                else:
                    self.cuts_.append(mdl_cuts(values[here], codes[here]))
        return self

    def _codes(self, y: Any, n_rows: int) -> NDArray[np.int32]:
        if y is None:
            raise ValueError("strategy='mdl' requires y to be passed, but the target y is None.")
        codes = encode(y, tasks=("classification",)).class_codes
        if len(codes) != n_rows:
            raise ValueError(f"X has {n_rows} rows and y has {len(codes)}; give one label per row.")
        return codes

    def transform(self, X: Any) -> NDArray[np.unsignedinteger]:
        """The level of each value.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_rows, n_columns)
        """
        check_is_fitted(self)
        table = columns.open(self, X, reset=False)
        missing = self.missing == "category"
        highest = max(len(cuts) for cuts in self.cuts_) + missing
        levels = np.empty(table.shape, np.min_scalar_type(highest), order="F")
        for cols, block in table.blocks():
            for column, values in zip(range(cols.start, cols.stop), block.T, strict=True):
                cuts = self.cuts_[column]
                levels[:, column] = np.searchsorted(cuts, values, side="right")
                if missing:
                    levels[np.isnan(values), column] = len(cuts) + 1
        return levels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.strategy == "mdl"
        tags.transformer_tags.preserves_dtype = []
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "category"
        return tags


def _bins(block: NDArray, n_bins: int, strategy: str) -> list[NDArray[np.float64]]:
    """scikit-learn's inner edges, of each column."""
    if not len(block):
        return [np.empty(0)] * block.shape[1]
    bins = KBinsDiscretizer(n_bins, encode="ordinal", strategy=strategy, subsample=None)
    if "quantile_method" in bins.get_params():
        bins.set_params(quantile_method="averaged_inverted_cdf")
    with warnings.catch_warnings():
        # a column with few distinct values has fewer bins: that is what is wanted
        warnings.simplefilter("ignore", UserWarning)
        bins.fit(block)
    return [edges[1:-1] for edges in bins.bin_edges_]


def mdl_cuts(values: NDArray, codes: NDArray) -> NDArray[np.float64]:
    """Fayyad and Irani's cuts of one column, ascending.

    Examples
    --------
    >>> mdl_cuts(np.arange(12.0), np.repeat([0, 1, 0], 4)).tolist()
    []
    >>> mdl_cuts(np.arange(60.0), np.repeat([0, 1, 0], 20)).tolist()
    [19.5, 39.5]
    """
    order = np.argsort(values, kind="stable")
    values = values[order].astype(np.float64)
    classes = np.arange(codes.max(initial=-1) + 1)
    below = np.zeros((len(values) + 1, len(classes)), dtype=np.intp)
    np.cumsum(codes[order, None] == classes, axis=0, out=below[1:])
    steps = np.flatnonzero(values[1:] != values[:-1]) + 1
    rows = []
    unseen = [(0, len(values))]
    while unseen:
        first, last = unseen.pop()
        cut = _best_cut(below, first, last, steps)
        if cut is not None:
            rows.append(cut)
            unseen += [(first, cut), (cut, last)]
    rows.sort()
    low, high = values[np.array(rows, dtype=np.intp) - 1], values[rows]
    middle = low + (high - low) / 2
    return np.where(middle > low, middle, high)


def _best_cut(below: NDArray, first: int, last: int, steps: NDArray) -> int | None:
    """The first row above the cut that leaves the purest sides, None where it does not pay."""
    steps = steps[np.searchsorted(steps, first, "right") : np.searchsorted(steps, last)]
    if not len(steps):
        return None
    lower, upper = below[steps] - below[first], below[last] - below[steps]
    whole = below[last] - below[first]
    size = last - first
    # bits that it takes to name the classes of all rows of a side
    of_lower, of_upper, of_whole = _bits(lower), _bits(upper), _bits(whole)
    left = of_lower + of_upper
    best = int(np.flatnonzero(left <= left.min() + TIE * size)[0])
    entropies = (
        of_whole / size,
        of_lower[best] / (steps[best] - first),
        of_upper[best] / (last - steps[best]),
    )
    n_classes = [np.count_nonzero(counts) for counts in (whole, lower[best], upper[best])]
    in_all, *in_sides = (n * entropy for n, entropy in zip(n_classes, entropies, strict=True))
    # log2(3^k - 2), whatever k
    choices = n_classes[0] * np.log2(3) + np.log2(1 - 2 * 3.0 ** -n_classes[0])
    price = np.log2(size - 1) + choices - in_all + sum(in_sides)
    return int(steps[best]) if of_whole - left[best] > price + TIE * size else None


def _bits(counts: NDArray) -> NDArray[np.float64]:
    """Size times entropy in bits, over the last axis."""
    total = counts.sum(axis=-1)
    return _times_log2(total) - _times_log2(counts).sum(axis=-1)


def _times_log2(counts: NDArray) -> NDArray[np.float64]:
    return counts * np.log2(np.maximum(counts, 1))
