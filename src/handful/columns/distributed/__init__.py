"""Dask collections: out of core on one machine, or on the workers of a cluster."""

from handful.columns.distributed.collection import kept_columns, open_collection
from handful.columns.distributed.grid import Distributed
from handful.columns.distributed.shards import Shards

__all__ = ["Distributed", "Shards", "kept_columns", "open_collection"]
