"""Data to learn and to measure on: the bundled leukaemia table, the papers' generators, OpenML."""

from handful.datasets.bundled import load_leukaemia
from handful.datasets.generators import (
    Problem,
    make_latent_signals,
    make_linear_process,
    make_linear_separator,
    make_neural_network,
    make_nonlinear_toy,
    make_ternary,
    make_xor,
)
from handful.datasets.openml import CATALOGUE, Published, fetch, load

__all__ = [
    "CATALOGUE",
    "Problem",
    "Published",
    "fetch",
    "load",
    "load_leukaemia",
    "make_latent_signals",
    "make_linear_process",
    "make_linear_separator",
    "make_neural_network",
    "make_nonlinear_toy",
    "make_ternary",
    "make_xor",
]
