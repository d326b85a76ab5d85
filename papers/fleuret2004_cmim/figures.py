"""Figures 5 to 7 as pictures, from what the tables show."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from pairs import FIGURE_5, Errors
from speed import Evaluated

COLOURS = {"CMIM + naive Bayes": "#0b6e4f", "AdaBoost": "#b3261e"}
OTHER = "#9aa5a1"


def draw_figure_5(measured: dict[str, Errors], path: Path) -> None:
    """Training and test error by number of features; bars are one standard deviation of rounds."""

    def panels(axes: list[Any]) -> None:
        for axis, (name, errors) in zip(axes, measured.items(), strict=True):
            for pair, colour in COLOURS.items():
                selector, classifier = [*pair.split(" + "), "alone"][:2]
                found = np.array([errors.of(selector, f"{classifier}, {n}") for n in FIGURE_5])
                train, test = found.mean(axis=1).T
                spread = found[:, :, 1].std(axis=1, ddof=1)
                axis.errorbar(FIGURE_5, test, spread, color=colour, capsize=2, label=pair)
                axis.plot(FIGURE_5, train, "--", color=colour)
            axis.set(title=name, xlabel="features", ylim=(0, None))
        axes[0].set_ylabel("error (%): test, training dashed")
        axes[-1].legend(frameon=False)

    _save(path, len(measured), panels)


def draw_figure_6(found: Evaluated, path: Path) -> None:
    """The share of conditional informations evaluated, in each step and since the beginning."""

    def panels(axes: list[Any]) -> None:
        titles = "of those of the step", "of those since the beginning"
        for axis, title, so_far in zip(axes, titles, (False, True), strict=True):
            for name, in_step in (("the paper's algorithm", found.paper), ("handful", found.own)):
                share = found.share(in_step, so_far=so_far)
                colour = OTHER if name != "handful" else COLOURS["CMIM + naive Bayes"]
                axis.plot(np.arange(len(share)) + 2, share, color=colour, label=name)
            axis.set(title=title, xlabel="column chosen", ylim=(0, None))
        axes[0].set_ylabel("evaluated (%)")
        axes[0].legend(frameon=False)

    _save(path, 2, panels)


def draw_figure_7(found: Evaluated, path: Path) -> None:
    """How many columns need so many evaluations, by the paper's algorithm."""

    def panels(axes: list[Any]) -> None:
        (axis,) = axes
        count = np.bincount(found.calls)
        axis.semilogy(np.flatnonzero(count), count[count > 0], ".", color=OTHER)
        slope, level = found.decline()
        needs = np.arange(1, len(count) - 1)
        axis.semilogy(needs, np.exp(level + slope * needs), color=COLOURS["CMIM + naive Bayes"])
        axis.set(xlabel="evaluations needed", ylabel="columns")

    _save(path, 1, panels)


def _save(path: Path, n_panels: int, panels: Callable[[list[Any]], None]) -> None:
    """Draw and write the same bytes for the same numbers."""
    style = {"svg.fonttype": "none", "svg.hashsalt": path.name, "font.size": 9,
             "axes.spines.top": False, "axes.spines.right": False}  # fmt: skip
    with mpl.rc_context(style):
        figure = Figure(figsize=(4.6 * max(n_panels, 1), 3.2), layout="constrained")
        panels(list(figure.subplots(1, n_panels, squeeze=False)[0]))
        figure.savefig(path, metadata={"Date": None})
