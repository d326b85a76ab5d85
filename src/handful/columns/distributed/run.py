"""Tasks to the scheduler that is there: threads, or the cluster of the Client that is open."""

import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import dask.base
import dask.threaded
import numpy as np
from dask.delayed import delayed

__all__ = ["ask", "check_cells", "compute", "delayed", "keep", "keep_one"]

_lost: tuple[type[BaseException], ...] = ()
with suppress(ModuleNotFoundError):  # Dask alone has threads and no cluster
    from distributed import KilledWorker
    from distributed.client import ClosedClientError, FutureCancelledError
    from distributed.comm.core import CommClosedError

    _lost = (
        KilledWorker,
        ClosedClientError,
        FutureCancelledError,
        CommClosedError,
        TimeoutError,
    )


def compute(tasks: Sequence[Any]) -> list[Any]:
    """The answers of all tasks, once the last one is there: one round trip."""
    with _Guarded():
        return list(dask.base.compute(*tasks))


def keep(tasks: Sequence[Any]) -> list[Any]:
    """The answers of all tasks, each where it was computed: on a cluster as futures."""
    client = _client()
    if client is None:
        return compute(tasks)
    with _Guarded():
        return client.compute(list(tasks))


def keep_one(work: Callable[..., Any], *given: Any) -> Any:
    """The answer of some work on what is kept, kept where it is computed."""
    client = _client()
    if client is None:
        return work(*given)
    with _Guarded():
        return client.submit(work, *given, pure=False)


def ask(work: Callable[..., Any], each: Sequence[tuple[Any, ...]]) -> list[Any]:
    """``work(*given)`` for each tuple of what is kept and of values: one round trip.

    Without the delayed objects of Dask, which take longer to make than many a question to answer.
    """
    client = _client()
    with _Guarded():
        if client is not None:
            return client.gather(client.map(work, *zip(*each, strict=True), pure=False))
        graph: dict[Any, Any] = {
            f"ask-{number}": (partial(work, *given),) for number, given in enumerate(each)
        }
        get: Any = dask.base.get_scheduler() or dask.threaded.get
        return list(get(graph, list(graph)))


def _client() -> Any:
    """The Client whose cluster Dask's work goes to, or None."""
    client = getattr(dask.base.get_scheduler(), "__self__", None)
    return client if hasattr(client, "submit") else None


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


def check_cells(block: np.ndarray, labels: Sequence[str], place: str, *, allow_nan: bool) -> None:
    """Raise where a cell is not a finite number; `labels` are how messages name the columns."""
    if block.dtype.kind != "f" or not block.size:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.sum(block)):
            return
    for what, found in (("NaN", np.isnan), ("infinity", np.isinf)):
        columns = np.flatnonzero(found(block).any(axis=0))
        if columns.size and not (allow_nan and what == "NaN"):
            raise ValueError(
                f"Input X contains {what} in column {labels[columns[0]]} ({place}). Fill or drop "
                "such cells first, for example with fillna or dropna of the collection."
            )
