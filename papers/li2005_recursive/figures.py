"""The paper's figures as pictures, from what the tables show."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from texts import Curve

COLOURS = {"ridge": "#0b6e4f", "SVM": "#b3261e"}
OTHER = "#9aa5a1"
WINDOW = 30  # categories, as in the paper


def draw_correlations(matrices: dict[tuple[str, str], np.ndarray], path: Path) -> None:
    """Figure 4: the brighter, the more correlated; best genes first."""

    def panels(axes: np.ndarray) -> None:
        for axis, ((name, way), matrix) in zip(axes.T.flat, matrices.items(), strict=True):
            axis.imshow(matrix, cmap="gray", vmin=0, vmax=1)
            axis.set(title=f"{name}, {way}", xticks=[], yticks=[])

    _save(path, (2, 3), panels)


def draw_sizes(curves: dict[tuple[str, str], Curve], path: Path) -> None:
    """Macro- and micro-averaged F1 where all categories have as many words."""

    def panels(axes: np.ndarray) -> None:
        for axis, average in zip(axes.flat, ("macro", "micro"), strict=True):
            for (kind, way), found in curves.items():
                line = "-" if way == "recursive" else "--"
                axis.semilogx(
                    found.sizes,
                    getattr(found, average),
                    line,
                    color=COLOURS[kind],
                    label=f"{kind}, {way}",
                )
            axis.set(title=f"{average}-averaged F1", xlabel="words of each category")
        axes.flat[0].legend(frameon=False)

    _save(path, (1, 2), panels)


def draw_frequencies(all_words: Curve, own: Curve, frequency: np.ndarray, path: Path) -> None:
    """Figure 3: F1 of each category, rarest first, and local regressions."""

    def panels(axes: np.ndarray) -> None:
        order = np.argsort(frequency, kind="stable")
        place = np.arange(len(order))
        for found, name, colour in (
            (all_words, "all words", OTHER),
            (own, "recursive, own number", COLOURS["ridge"]),
        ):
            f1 = found.f1[0][order]
            axes.flat[0].plot(place, f1, ".", color=colour)
            axes.flat[0].plot(place, _smooth(f1), color=colour, label=name)
        axes.flat[0].set(xlabel="category, the rarest first", ylabel="F1, ridge")
        axes.flat[0].legend(frameon=False)

    _save(path, (1, 1), panels)


def _smooth(values: np.ndarray) -> np.ndarray:
    """A straight line through the window around each place."""
    answer = np.empty(len(values))
    for place in range(len(values)):
        start = min(max(0, place - WINDOW // 2), max(0, len(values) - WINDOW))
        window = np.arange(start, min(start + WINDOW, len(values)))
        answer[place] = np.polynomial.Polynomial.fit(window, values[window], 1)(place)
    return answer


def _save(path: Path, shape: tuple[int, int], panels: Callable[[Any], None]) -> None:
    """Draw and write the same bytes for the same numbers."""
    style = {"svg.fonttype": "none", "svg.hashsalt": path.name, "font.size": 9,
             "axes.spines.top": False, "axes.spines.right": False}  # fmt: skip
    with mpl.rc_context(style):
        size = (4.4 * shape[1], 3.4 * shape[0]) if shape[0] == 1 else (8, 5.6)
        figure = Figure(figsize=size, layout="constrained")
        panels(figure.subplots(*shape, squeeze=False))
        figure.savefig(path, metadata={"Date": None})
