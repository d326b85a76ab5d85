"""The figures, drawn beside README.md."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
COLOURS = ("#9aa5a1", "#0b6e4f", "#b3261e", "#3b5b92", "#8a6d1f", "#5d3a7a")

mpl.use("agg")
mpl.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False})


def curves(
    name: str,
    panels: Mapping[str, Mapping[str, tuple[Sequence[float], np.ndarray]]],
    x: str,
    y: str,
    *,
    logarithmic: bool = False,
) -> None:
    """By panel and line: places, and measured values with one row per seed."""
    figure, axes = plt.subplots(
        1, len(panels), figsize=(4.2 * len(panels), 3.0), layout="constrained", squeeze=False
    )
    for axis, (title, lines) in zip(axes[0], panels.items(), strict=True):
        for colour, (label, (places, runs)) in zip(COLOURS, lines.items(), strict=False):
            axis.plot(places, runs.mean(axis=0), color=colour, label=label)
            axis.fill_between(places, runs.min(axis=0), runs.max(axis=0), color=colour, alpha=0.15)
        axis.set(title=title, xlabel=x, ylabel=y, xscale="log" if logarithmic else "linear")
        axis.legend(frameon=False)
    _save(figure, name)


def maps(name: str, images: Mapping[str, np.ndarray]) -> None:
    """Weights where their detectors lie, dark where they are large."""
    figure, axes = plt.subplots(1, len(images), figsize=(2.2 * len(images), 2.5))
    largest = max(image.max() for image in images.values())
    for axis, (title, image) in zip(axes, images.items(), strict=True):
        axis.imshow(image, cmap="Greys", vmin=0, vmax=largest)
        axis.set_title(title)
        axis.set_axis_off()
    _save(figure, name)


def bars(name: str, panels: Mapping[str, np.ndarray], labels: Sequence[str]) -> None:
    """Weights of the first variables, one panel for each k."""
    figure, axes = plt.subplots(
        len(panels), 1, figsize=(6.4, 4.2), layout="constrained", sharex=True
    )
    for axis, (title, heights) in zip(axes, panels.items(), strict=True):
        axis.bar(labels, heights, color=COLOURS[1])
        axis.set_title(title, loc="left")
        axis.set_ylabel("weight (%)")
    _save(figure, name)


def _save(figure: plt.Figure, name: str) -> None:
    figure.savefig(HERE / f"{name}.png", dpi=110, metadata={"Software": None})
    plt.close(figure)


def shown(name: str, text: str) -> str:
    """The picture in a cell of a table."""
    return f"![{text}]({name}.png)"
