"""New columns made from those of a table."""

from handful.features.discretise import Discretiser
from handful.features.edges import EdgeDetectors
from handful.features.monomials import Monomials

__all__ = ["Discretiser", "EdgeDetectors", "Monomials"]
