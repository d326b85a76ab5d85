"""Agreement: the other indices in use for how alike the subsets of several runs are.

`handful.metrics.stability_index` has what these lack: a correction for chance with any sizes, and
an interval. They are here for comparison with published figures.
"""

from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handful.metrics import runs


def kuncheva_index(masks: ArrayLike, *, n_features: int | None = None) -> float:
    """Kuncheva's consistency: the mean over pairs of runs of ``(r d - k^2) / (k (d - k))``.

    r features are shared by two runs that chose k of d each. For subsets of one size this is what
    `stability_index` gives; for others it is not defined.

    Parameters
    ----------
    masks : array-like of shape (n_runs, n_features)
    n_features : int, optional
        How many features there are, where `masks` leaves out columns that no run chose.

    References
    ----------
    Kuncheva (2007), A stability index for feature selection, IASTED Artificial Intelligence and
    Applications.

    Examples
    --------
    >>> kuncheva_index([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]])
    0.3333333333333333
    """
    chosen, d = runs(masks, n_features)
    sizes = np.unique(chosen.sum(axis=1))
    if len(sizes) > 1:
        raise ValueError(
            f"The runs chose from {sizes[0]:g} to {sizes[-1]:g} features; Kuncheva's index needs "
            "one size. Use stability_index."
        )
    k = sizes[0]
    if k in (0, d):
        return nan
    return float(np.mean((_shared(chosen) * d - k**2) / (k * (d - k))))


def jaccard_index(masks: ArrayLike) -> float:
    """The mean over pairs of runs of shared features by features chosen in either.

    It is not corrected for chance: large subsets agree more than small ones without any reason.
    Two empty subsets agree fully.

    Parameters
    ----------
    masks : array-like of shape (n_runs, n_features)

    Examples
    --------
    >>> jaccard_index([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]])
    0.5555555555555555
    """
    chosen, _ = runs(masks)
    shared = _shared(chosen)
    either = _pair_sums(chosen) - shared
    return float(np.mean(np.where(either == 0, 1.0, shared / np.maximum(either, 1))))


def hamming_distance(masks: ArrayLike) -> float:
    """The mean over pairs of runs of the number of features that only one of the two chose.

    Parameters
    ----------
    masks : array-like of shape (n_runs, n_features)

    Examples
    --------
    >>> hamming_distance([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]])
    1.3333333333333333
    """
    chosen, _ = runs(masks)
    return float(np.mean(_pair_sums(chosen) - 2 * _shared(chosen)))


def _shared(chosen: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many features each pair of runs shares."""
    return (chosen @ chosen.T)[np.triu_indices(len(chosen), 1)]


def _pair_sums(chosen: NDArray[np.float64]) -> NDArray[np.float64]:
    sizes = chosen.sum(axis=1)
    first, second = np.triu_indices(len(chosen), 1)
    return sizes[first] + sizes[second]
