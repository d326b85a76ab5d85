"""Any estimator of scikit-learn as a model that loses its columns: it is fitted anew each time."""

from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from handful.columns import Columns
from handful.target import Target


class Fitted:
    """An estimator of scikit-learn, fitted on the columns that are left each time it is asked."""

    def __init__(
        self, estimator: Any, getter: Any, table: Columns, left: NDArray[np.intp], target: Target
    ) -> None:
        self._estimator, self._getter = estimator, getter
        self._table, self._left, self._target = table, left, target
        if target.weight is not None and not has_fit_parameter(estimator, "sample_weight"):
            raise ValueError(
                f"{type(estimator).__name__} takes no sample_weight; fit without, or use 'ridge'."
            )

    def scores(self) -> NDArray[np.float64]:
        estimator = clone(self._estimator)
        weight = self._target.weight
        extra = {} if weight is None else {"sample_weight": weight}
        estimator.fit(self._table.take(self._left).native, self._target.original, **extra)
        found = np.asarray(_importances(estimator, self._getter), dtype=np.float64)
        if found.shape[-1:] != self._left.shape:
            raise ValueError(
                f"{type(estimator).__name__} gives importances of shape {found.shape} for "
                f"{len(self._left)} columns; the last axis must be the columns'."
            )
        return np.linalg.norm(found.reshape(-1, len(self._left)), axis=0)

    def keep(self, places: NDArray[np.intp]) -> None:
        self._left = self._left[places]


def _importances(estimator: Any, getter: Any) -> Any:
    if callable(getter):
        return getter(estimator)
    if getter != "auto":
        try:
            return attrgetter(getter)(estimator)
        except AttributeError as error:
            raise ValueError(
                f"importance_getter={getter!r} is no attribute of a fitted "
                f"{type(estimator).__name__} ({error}); use 'auto', or name one that is."
            ) from error
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    for name in ("coef_", "feature_importances_"):
        if hasattr(last, name):
            found = getattr(last, name)
            return found.toarray() if hasattr(found, "toarray") else found
    raise ValueError(
        f"{type(last).__name__} has neither coef_ nor feature_importances_ once it is fitted; say "
        "with importance_getter where its importances are."
    )
