"""From a user's Dask array or data frame to a table, and from a table's kept columns back."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.columns.distributed.grid import Distributed
from handful.columns.distributed.run import compute, delayed


def open_collection(X: Any, *, allow_nan: bool) -> Distributed:
    """The table of a Dask array or data frame; only its metadata are looked at."""
    import dask.array as da

    if not isinstance(X, da.Array):
        return _open_frame(X, allow_nan=allow_nan)
    if X.ndim != 2:
        raise ValueError(f"X is a Dask array of {X.ndim} dimensions; a table has 2.")
    if np.isnan(X.shape).any():
        raise ValueError(
            "X is a Dask array with unknown chunk sizes; call X.compute_chunk_sizes() first, which "
            "reads it once, or make it of a data frame with to_dask_array(lengths=True)."
        )
    if X.dtype.kind not in "biuf":
        raise ValueError(f"X holds values of type {X.dtype}; numbers are needed.")
    array = X
    if X.dtype in (np.float16, np.longdouble):
        array = X.astype(np.float32 if X.dtype == np.float16 else np.float64)
    return Distributed(array, allow_nan=allow_nan)


def _open_frame(X: Any, *, allow_nan: bool) -> Distributed:
    """A data frame as an array; partitions are checked against the frame as they come."""
    import dask.array as da

    if not hasattr(X, "npartitions") or X.ndim != 2:
        raise TypeError(f"X is a {type(X).__name__} of Dask; give an array or a data frame.")
    names = list(X.columns)
    twice = sorted({str(name) for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(
            f"Column name {twice[0]!r} stands {names.count(twice[0])} times in the table; every "
            "column needs a name of its own."
        )
    dtypes = [_number_type(name, kind) for name, kind in X.dtypes.items()]
    dtype = np.result_type(*dtypes) if dtypes else np.dtype(np.float64)
    # one column is enough to count rows: a Parquet file's others are not even read
    lengths = compute([delayed(len)(part) for part in X[names[:1]].to_delayed()])
    blocks = [
        da.from_delayed(
            delayed(_as_array)(part, names, dtypes, dtype, number),
            (length, len(names)),
            dtype=dtype,
        )
        for number, (part, length) in enumerate(zip(X.to_delayed(), lengths, strict=True))
    ]
    places = [f"partition {number}" for number in range(len(blocks))]
    array = da.concatenate(blocks)
    return Distributed(array, np.array(names, dtype=object), places, allow_nan=allow_nan)


def _number_type(name: Any, kind: Any) -> np.dtype:
    """What NumPy makes of a column; refused where that is no number."""
    found = getattr(kind, "numpy_dtype", kind)
    if isinstance(found, np.dtype) and found.kind in "biuf":
        # a nullable column may have gaps, which only floats can show
        return found if found is kind else np.dtype(np.float64)
    raise ValueError(
        f"Column {name!r} holds {kind}, not numbers. Encode it as numbers first, or leave it out: "
        f"X.drop(columns=[{name!r}])."
    )


def _as_array(
    part: Any, names: Sequence[Any], dtypes: Sequence[np.dtype], dtype: np.dtype, number: int
) -> NDArray:
    """A partition as an array, if it is what its frame says it is."""
    if list(part.columns) != names:
        missing = [name for name in names if name not in set(part.columns)]
        more = [name for name in part.columns if name not in set(names)]
        what = "has its columns in another order"
        if missing or more:
            what = f"lacks column {missing[0]!r}" if missing else f"also has a column {more[0]!r}"
        raise ValueError(
            f"Partition {number} of X {what}; every partition needs the columns of the frame."
        )
    for name, kind, wanted in zip(names, part.dtypes, dtypes, strict=True):
        if not np.can_cast(_number_type(name, kind), wanted, "same_kind"):
            raise ValueError(
                f"Partition {number} of X holds {kind} in column {name!r}, where the frame says "
                f"{wanted}; give the frame the right type, for example with astype."
            )
    gaps = {"na_value": np.nan} if dtype.kind == "f" else {}
    return part.to_numpy(dtype, **gaps)


def kept_columns(selector: Any, X: Any, kept: NDArray[np.intp]) -> Any:
    """The collection's kept columns, as a collection: nothing is computed."""
    n_columns = len(X.columns) if hasattr(X, "columns") else X.shape[1]
    if n_columns != selector.n_features_in_:
        raise ValueError(
            f"X has {n_columns} features, but {type(selector).__name__} is expecting "
            f"{selector.n_features_in_} features as input."
        )
    if not hasattr(X, "columns"):
        return X[:, kept]
    fitted = getattr(selector, "feature_names_in_", None)
    if fitted is not None and list(X.columns) != fitted.tolist():
        place = next(j for j, name in enumerate(X.columns) if name != fitted[j])
        raise ValueError(
            f"Column {place} of X is {X.columns[place]!r}, and was {fitted[place]!r} when "
            f"{type(selector).__name__} was fitted; give the same columns in the same order."
        )
    return X[[X.columns[j] for j in kept]]
