"""Monomials: products of variables as columns, so that a linear method sees how they act together.

What no single variable says, a product may: exclusive-or is the product of its two inputs. There
are many products, and only a few matter; so they need not be stored. With ``output="lazy"`` the
columns are made block by block while a selector looks at them, and only the chosen ones are kept.

References
----------
Stoppiglia, Dreyfus, Dubois and Oussar (2003), "Ranking a Random Feature for Variable and Feature
Selection", JMLR 3, sections 5 and 6.1.2.

Examples
--------
>>> from sklearn.pipeline import make_pipeline
>>> from handful import GramSchmidt
>>> from handful.datasets import make_xor
>>> from handful.features import Monomials
>>> from handful.stopping import AnalyticProbe
>>> X, y, relevant = make_xor(random_state=0)
>>> rule = AnalyticProbe(0.01, probes="all")
>>> pipeline = make_pipeline(Monomials(2, output="lazy"), GramSchmidt(rule)).fit(X, y)
>>> monomials, selector = pipeline[0], pipeline[1]
>>> monomials.get_feature_names_out()[selector.selection_order_].tolist()
['x0·x1']
>>> monomials.variables(selector.selection_order_).tolist(), relevant.tolist()
([0, 1], [0, 1])
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from handful import checks
from handful.columns import Products


class Monomials(TransformerMixin, BaseEstimator):
    """All products of up to `degree` different variables, with the variables and the constant.

    Parameters
    ----------
    degree : int
    output : {"dense", "lazy"}
        "dense": an array. "lazy": a table that only handful's selectors can read, which makes its
        columns as they are asked for; a selector's ``transform`` of it is an array again.

    Attributes
    ----------
    n_features_in_, feature_names_in_
        As in scikit-learn.
    n_output_features_ : int

    Notes
    -----
    For 52 variables and degree 2 there are 1,326 products, 52 variables and 1 constant; for 2,000
    there are 2 million columns. The columns stand in the order of scikit-learn's
    ``PolynomialFeatures(degree, interaction_only=True)``. float32 stays float32, all else becomes
    float64. Scale the variables first where their units differ much.

    Examples
    --------
    >>> Monomials(2).fit_transform([[2.0, 3.0, 5.0]]).tolist()
    [[1.0, 2.0, 3.0, 5.0, 6.0, 10.0, 15.0]]
    """

    def __init__(self, degree: int = 2, *, output: str = "dense") -> None:
        self.degree = degree
        self.output = output

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the number and names of the variables.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_variables)
        y : ignored
        """
        checks.whole("degree", self.degree)
        checks.one_of("output", self.output, ("dense", "lazy"))
        table = self._table(X, reset=True)
        self.n_output_features_ = table.shape[1]
        return self

    def transform(self, X: Any) -> Any:
        """The products.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_variables)
        """
        check_is_fitted(self)
        table = self._table(X, reset=False)
        return table if self.output == "lazy" else table.gather()

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of all products, such as ``x1·x2``; the constant is ``1``.

        Parameters
        ----------
        input_features : sequence of str or None
            Names of the variables, where `fit` saw none.
        """
        factors = self._plan(input_features).factors(np.arange(self.n_output_features_))
        names = [str(name) for name in self._names(input_features)]
        joined = ["·".join([names[i] for i in product]) or "1" for product in factors]
        return np.array(joined, dtype=object)

    def variables(self, columns: Any) -> NDArray[np.intp]:
        """The variables that appear in some of the products, ascending.

        Parameters
        ----------
        columns : sequence of int
            Indices of products, for example ``selector.selection_order_``.
        """
        products = self._plan(None).factors(columns)
        return np.array(sorted({i for product in products for i in product}), dtype=np.intp)

    def _table(self, X: Any, reset: bool) -> Products:
        variables = validate_data(self, X, reset=reset, dtype=(np.float64, np.float32))
        return Products(variables, self.degree, getattr(self, "feature_names_in_", None))

    def _names(self, input_features: Any) -> Any:
        names = getattr(self, "feature_names_in_", None)
        if input_features is None:
            return [f"x{i}" for i in range(self.n_features_in_)] if names is None else names
        if names is not None and not np.array_equal(names, input_features):
            raise ValueError("input_features is not equal to feature_names_in_")
        if len(input_features) != self.n_features_in_:
            raise ValueError(
                "input_features should have length equal to number of features "
                f"({self.n_features_in_}), got {len(input_features)}"
            )
        return input_features

    def _plan(self, names: Any) -> Products:
        """The table of no rows, which knows which column is which product."""
        check_is_fitted(self)
        return Products(np.empty((0, self.n_features_in_)), self.degree, names)
