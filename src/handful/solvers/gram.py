"""Inner products of rows about the columns' means, for machines with an intercept."""

import numpy as np
from numpy.typing import NDArray

from handful.columns import Columns

# Where the means outweigh what varies by more, too many digits would go with them.
_DIGITS = 1e-6


def centred_gram(table: Columns) -> NDArray[np.float64]:
    """Inner products of the rows of ``table - means``, in float64.

    Examples
    --------
    >>> from handful.columns import Dense
    >>> centred_gram(Dense(np.array([[1e9], [1e9 + 2.0]]))).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    gram = table.row_gram()
    whole = np.trace(gram)
    gram -= gram.mean(axis=0)
    gram -= gram.mean(axis=1)[:, None]
    if np.trace(gram) < _DIGITS * whole:
        return scaled_gram(table, np.ones(table.shape[1]))
    return (gram + gram.T) / 2


def scaled_gram(table: Columns, scale: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inner products of the rows of ``(table - means) * scale``; no copy of the table."""
    gram = np.zeros((table.shape[0], table.shape[0]))
    for cols, block in table.blocks():
        centred = block.astype(np.float64)
        # twice: what rounding leaves of large means goes with the second
        centred -= centred.mean(axis=0)
        centred -= centred.mean(axis=0)
        centred *= scale[cols]
        gram += centred @ centred.T
    return gram
