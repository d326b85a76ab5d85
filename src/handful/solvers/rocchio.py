"""Rocchio's classifier: the difference of the class centroids, the same whatever columns leave."""

import numpy as np
from numpy.typing import NDArray

from handful.columns import Columns
from handful.target import Target


class Rocchio:
    """``centroid of the class - b * centroid of the others``, for every class against the rest.

    Li and Yang (2005), section 4. A column's weight depends on that column alone, so that recursive
    elimination is no other than a single ranking.
    """

    def __init__(self, table: Columns, target: Target, b: float) -> None:
        weight = np.ones(target.n_rows) if target.weight is None else target.weight
        weights: list[NDArray[np.float64]] = []
        for signs in target.columns().T:
            positive, negative = weight * (signs > 0), weight * (signs < 0)
            weights.append(positive / positive.sum() - b * negative / negative.sum())
        self._scores = np.linalg.norm(table.weighted_sums(np.array(weights)), axis=0)

    def scores(self) -> NDArray[np.float64]:
        return self._scores

    def keep(self, places: NDArray[np.intp]) -> None:
        self._scores = self._scores[places]
