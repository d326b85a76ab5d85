"""How a method looks at a table: the same few questions, several kinds of table."""

from handful.columns.base import Columns, group_indicator
from handful.columns.bits import Bits
from handful.columns.dense import Dense
from handful.columns.open import as_weight, is_dask, open
from handful.columns.planes import Layout, Planes
from handful.columns.probes import GaussianProbes, Permuted, Probed
from handful.columns.products import Products
from handful.columns.sparse import Sparse

__all__ = [
    "Bits",
    "Columns",
    "Dense",
    "GaussianProbes",
    "Layout",
    "Permuted",
    "Planes",
    "Probed",
    "Products",
    "Sparse",
    "as_weight",
    "group_indicator",
    "is_dask",
    "open",
]
