"""Tasks to the scheduler that is there: threads, or the cluster of the Client that is open."""

import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import dask.base
import numpy as np
from dask.delayed import delayed

__all__ = ["BadCell", "compute", "delayed", "persist"]

_lost: tuple[type[BaseException], ...] = ()
with suppress(ModuleNotFoundError):  # Dask alone has threads and no cluster
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError
    from distributed.comm.core import CommClosedError

    _lost = (KilledWorker, FutureCancelledError, CommClosedError, TimeoutError)


class BadCell(ValueError):
    """What is wrong with a cell, its column's number, and where in the collection it is."""

    def __init__(self, what: str, column: int, place: str) -> None:
        super().__init__(what, column, place)


def compute(tasks: Sequence[Any]) -> list[Any]:
    """The answers of all tasks, once the last one is there: one round trip."""
    with _Guarded():
        return list(dask.base.compute(*tasks))


def persist(tasks: Sequence[Any]) -> list[Any]:
    """The same tasks, whose answers stay where they are computed."""
    with _Guarded():
        return list(dask.base.persist(*tasks))


class _Guarded:
    """One error for whatever a cluster may say when it cannot go on; no warning of large graphs."""

    def __enter__(self) -> None:
        self._quiet = warnings.catch_warnings()
        self._quiet.__enter__()
        # a target and an order have a number for every row, and go out once
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._quiet.__exit__(kind, error, trace)
        if isinstance(error, _lost):
            said = " ".join(str(error).split())[:200]
            raise ConnectionError(
                f"The Dask cluster could not finish ({kind.__name__}: {said}). Nothing was "
                "selected; start the cluster again, perhaps with more memory for each worker, and "
                "fit again."
            ) from error


def check_cells(block: np.ndarray, first: int, place: str, *, allow_nan: bool) -> None:
    """Raise `BadCell` where a cell is not a finite number; `first` numbers the block's columns."""
    if block.dtype.kind != "f" or not block.size:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.sum(block)):
            return
    for what, found in (("NaN", np.isnan), ("infinity", np.isinf)):
        columns = np.flatnonzero(found(block).any(axis=0))
        if columns.size and not (allow_nan and what == "NaN"):
            raise BadCell(what, first + int(columns[0]), place)
