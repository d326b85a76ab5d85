"""One selection from start to record: fitted, timed, and what was said on the way."""

from time import perf_counter
from typing import Any

from numpy.typing import NDArray

from handful.columns import Columns
from handful.evaluation.hearing import hearing
from handful.evaluation.record import Selection


def select(
    selector: Any, table: Columns, y: NDArray, *, notes: tuple[str, ...] = (), **about: Any
) -> Selection:
    """Fit a selector; its record holds the notes, then the fit's warnings, each once.

    `about` goes to `Selection.of`.

    Examples
    --------
    >>> import numpy as np
    >>> from handful import FilterSelector
    >>> from handful.columns.dense import Dense
    >>> table = Dense(np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0]]))
    >>> record = select(FilterSelector(n_features_to_select=2), table, np.array([0, 0, 1, 1]))
    >>> record.features, len(record.warnings)
    (['x0'], 1)
    """
    said = list(notes)
    with hearing(said) as said_by:
        start = perf_counter()
        selector.fit(table, y)
        seconds = perf_counter() - start
        said_by("")
    said = list(dict.fromkeys(said))
    return Selection.of(selector, table, y, warnings=said, seconds=seconds, **about)
