"""Products that coming steps of a walk will need, made in the pass over the table for this one.

A pass that multiplies a large table by eight vectors takes little longer than one by a single
vector. So beside the direction of the chosen column, the pass serves what is left of those columns
that are likely to be chosen next. A step whose column was among them needs no pass: what the steps
in between took out of the column is taken out of its products as well.
"""

import numpy as np
from numpy.typing import NDArray

from handful.threads import one_thread

# A direction of which less than this is left has lost too many digits to the steps in between.
LEAST_LEFT = 0.5


class Ahead:
    """What is left of some columns, and the products of all columns with it.

    Parameters
    ----------
    features : ndarray
        The columns.
    left : ndarray of shape (n_rows, n)
        What is left of them.
    products : ndarray of shape (n, n_columns)
        Of all columns with what is left of these; overwritten.
    """

    def __init__(
        self,
        features: NDArray[np.intp],
        left: NDArray[np.float64],
        products: NDArray[np.float64],
    ) -> None:
        self._place = {int(feature): i for i, feature in enumerate(features)}
        self._left = left
        self._products = products
        self._size = np.linalg.norm(left, axis=0)

    @classmethod
    def nothing(cls) -> "Ahead":
        return cls(np.empty(0, dtype=np.intp), np.empty((0, 0)), np.empty((0, 0)))

    def product(self, feature: int) -> NDArray[np.float64] | None:
        """Of all columns with what is left of a column, at unit length, if that is known."""
        place = self._place.pop(feature, None)
        if place is None:
            return None
        length = float(np.linalg.norm(self._left[:, place]))
        if length < LEAST_LEFT * self._size[place]:
            return None
        return self._products[place] / length

    def take_out(self, vector: NDArray[np.float64], product: NDArray[np.float64]) -> None:
        """Take a chosen direction out, given the products of all columns with it."""
        for place in self._place.values():
            share = vector @ self._left[:, place]
            self._left[:, place] -= share * vector
            self._products[place] -= share * product


def likely(left: NDArray[np.float64], targets: NDArray[np.float64], n: int) -> NDArray[np.intp]:
    """The first n steps of a walk among a few columns, for what is left of columns and targets."""
    with one_thread():
        gram, inner = left.T @ left, left.T @ targets
    # a column of which nearly nothing is left is no likely one, and no number to divide by
    least = 1e-6 * np.diag(gram)
    chosen: list[int] = []
    for _ in range(min(n, len(gram))):
        square = np.diag(gram)
        able = square > least
        able[chosen] = False
        if not able.any():
            break
        share = np.einsum("ij,ij->i", inner, inner) / np.where(able, square, np.inf)
        best = int(np.argmax(np.where(able, share, -1.0)))
        part = gram[best] / gram[best, best]
        inner = inner - part[:, None] * inner[best]
        gram = gram - part[:, None] * gram[best]
        chosen.append(best)
    return np.array(chosen, dtype=np.intp)
