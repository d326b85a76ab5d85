"""Every kind of input that a selector takes, behind one fixture."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import settings
from numpy.typing import NDArray
from scipy import sparse

# on a busy machine any example may take long; in CI hypothesis's own profile applies otherwise
_USUAL = settings.get_profile(settings.get_current_profile_name())
settings.register_profile("unhurried", parent=_USUAL, deadline=None)
settings.load_profile("unhurried")

Make = Callable[[NDArray], Any]


def _names(X: NDArray) -> list[str]:
    return [f"c{j}" for j in range(X.shape[1])]


def _read_only(X: NDArray) -> NDArray:
    X = X.copy()
    X.flags.writeable = False
    return X


INPUTS: dict[str, Make] = {
    "C order": np.ascontiguousarray,
    "F order": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "read-only": _read_only,
    "list": lambda X: X.tolist(),
    "CSR": sparse.csr_array,
    "CSC": sparse.csc_array,
    "CSR matrix": sparse.csr_matrix,
    "COO": sparse.coo_array,
    "pandas": lambda X: pd.DataFrame(X, columns=_names(X)),
    "polars": lambda X: pl.DataFrame(X, schema=_names(X)),
}


@pytest.fixture(params=INPUTS, ids=str)
def as_input(request) -> Make:
    """Turns a NumPy array into one kind of input."""
    return INPUTS[request.param]


@pytest.fixture(params=["float64", "float32", "int64", "int8", "bool"])
def number_type(request) -> str:
    """The type of a table's cells."""
    return request.param
