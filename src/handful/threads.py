"""How many threads linear algebra takes: one where work is shared out already."""

from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_thread() -> Any:
    """A context in which BLAS and OpenMP compute in one thread.

    So folds and rounds side by side do not fight for the processors, small products do not wait for
    threads to wake up, and the last bits of a result do not depend on how many there are.
    """
    return _thread_pools().limit(limits=1)


def in_use() -> int:
    """How many threads BLAS computes in at the moment; what stands in for it takes as many."""
    pools = _thread_pools().info()
    return max((pool["num_threads"] for pool in pools if pool["user_api"] == "blas"), default=1)


@cache
def _thread_pools() -> ThreadpoolController:
    """Looked for once per process: that takes longer than many a fit."""
    return ThreadpoolController()
