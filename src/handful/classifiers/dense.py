"""Dense: a sparse table as an array, for a model that takes no other."""

from typing import Any

from scipy.sparse import issparse
from sklearn.base import BaseEstimator, TransformerMixin


class Dense(TransformerMixin, BaseEstimator):
    """Turns sparse tables into arrays and leaves others alone; for the few columns of a selection.

    Examples
    --------
    >>> from scipy.sparse import eye_array
    >>> Dense().fit_transform(eye_array(2, format="csr")).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def fit(self, X: Any, y: Any = None) -> "Dense":
        return self

    def transform(self, X: Any) -> Any:
        return X.toarray() if issparse(X) else X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.requires_fit = False
        return tags
