"""New columns made from those of a table."""

from handful.features.monomials import Monomials

__all__ = ["Monomials"]
