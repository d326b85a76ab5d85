"""Codec: dataclasses to plain JSON values and back, checked against the fields' own types.

JSON has no NaN and no infinity: here NaN is null and the infinities are the strings "Infinity" and
"-Infinity", which come back as floats wherever a field's type is float.
"""

import dataclasses
import math
import types
from collections.abc import Mapping
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
from sklearn.base import BaseEstimator

_INFINITIES = {"Infinity": math.inf, "-Infinity": -math.inf}


class RecordError(ValueError):
    """A record that cannot be read, with a message that says what to do."""


def plain(value: Any) -> Any:
    """Any value as strict JSON values; what has no such form is named instead.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"scores": np.array([1.0, np.nan, np.inf]), "n": np.int64(3)})
    {'scores': [1.0, None, 'Infinity'], 'n': 3}
    >>> from sklearn.linear_model import Ridge
    >>> plain(Ridge(alpha=2.0))["class"]
    'Ridge'
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return _plain_float(value)
    if isinstance(value, BaseEstimator):
        return {"class": type(value).__name__, "parameters": plain(value.get_params(deep=False))}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return {field.name: plain(getattr(value, field.name)) for field in fields}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return getattr(value, "__qualname__", type(value).__qualname__)


def _plain_float(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def typed(content: Any, kind: Any, where: str = "record") -> Any:
    """`content`, read from JSON, as the type `kind`; `where` names the place in messages.

    Knows dataclasses, lists, dictionaries with text keys, unions, and the plain types. Keys that a
    dataclass does not have are passed over.

    Examples
    --------
    >>> typed([1, None, "-Infinity"], list[float])
    [1.0, nan, -inf]
    >>> typed("12", int, "record.n_features")
    Traceback (most recent call last):
    handful.evaluation.codec.RecordError: record.n_features should be int; it is '12'.
    """
    if kind is Any:
        return content
    if dataclasses.is_dataclass(kind):
        return _dataclass(content, kind, where)
    origin = get_origin(kind)
    if origin is list and isinstance(content, list):
        (inner,) = get_args(kind)
        return [typed(item, inner, f"{where}[{i}]") for i, item in enumerate(content)]
    if origin is dict and isinstance(content, dict):
        inner = get_args(kind)[1]
        return {key: typed(item, inner, f"{where}.{key}") for key, item in content.items()}
    if origin in (Union, types.UnionType):
        return _first_that_fits(content, kind, where)
    if kind is float:
        content = _float(content)
    fits = isinstance(kind, type) and origin is None and isinstance(content, kind)
    if fits and (kind is bool or not isinstance(content, bool)):
        return content
    shown = repr(content)
    shown = shown if len(shown) <= 40 else shown[:37] + "..."
    raise RecordError(f"{where} should be {_name(kind)}; it is {shown}.")


def _name(kind: Any) -> str:
    return str(kind) if get_origin(kind) else getattr(kind, "__name__", str(kind))


def _float(content: Any) -> Any:
    if content is None:
        return math.nan
    if isinstance(content, str):
        return _INFINITIES.get(content, content)
    if isinstance(content, int) and not isinstance(content, bool):
        try:
            return float(content)
        except OverflowError:
            return content
    return content


def _first_that_fits(content: Any, kind: Any, where: str) -> Any:
    # None is tried first: a float would take it for NaN
    options = sorted(get_args(kind), key=lambda option: option is not type(None))
    for option in options:
        try:
            return typed(content, option, where)
        except RecordError:
            continue
    names = ["null" if option is type(None) else _name(option) for option in options]
    raise RecordError(f"{where} should be {' or '.join(names)}.")


def _dataclass(content: Any, kind: Any, where: str) -> Any:
    if not isinstance(content, dict):
        raise RecordError(f"{where} should be an object with the fields of {kind.__name__}.")
    hints = get_type_hints(kind)
    values = {}
    for field in dataclasses.fields(kind):
        if field.name in content:
            place = f"{where}.{field.name}"
            values[field.name] = typed(content[field.name], hints[field.name], place)
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise RecordError(f"{where} lacks {field.name!r}; it is not a complete record.")
    return kind(**values)
