"""Data to learn and to measure on: the bundled leukaemia table, the papers' generators, OpenML."""

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

__all__ = [
    "Problem",
    "make_latent_signals",
    "make_linear_process",
    "make_linear_separator",
    "make_neural_network",
    "make_nonlinear_toy",
    "make_ternary",
    "make_xor",
]
