"""Figures 1 to 3, drawn from what was measured."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from methods import METHODS, Results
from problems import digits

mpl.use("Agg")
DOTS = 110
PLAIN = {"Software": None}  # no version in the file


def curves(measured: list[Results], place: Path) -> None:
    """Figures 1 and 2: recognition rate on test rows against the number of features."""
    figure = Figure(figsize=(11, 7), layout="constrained")
    for results, axes in zip(measured, figure.subplots(2, 2).flat, strict=True):
        for method in METHODS:
            rates = np.array(results.rates[method]).mean(axis=0)
            axes.plot(results.problem.sizes, rates, label=method)
        axes.set_title(results.problem.name)
        axes.set_xlabel("features")
        axes.set_ylabel("rate")
    axes.legend()
    figure.savefig(place, dpi=DOTS, metadata=PLAIN)


def pixel_maps(measured: list[Results], printed: dict[str, Any], place: Path) -> None:
    """Figure 3: the digits' means, and the chosen pixels with their place in the ranking."""
    pairs = {"usps_3_5": (3, 5), "usps_6_8": (6, 8)}
    figure = Figure(figsize=(23, 7.2), layout="constrained")
    grid = figure.subplots(2, 7)
    for results, row in zip([r for r in measured if r.problem.key in pairs], grid, strict=True):
        pair = pairs[results.problem.key]
        images, labels = digits(*pair)
        for digit, axes in zip(pair, row[:2], strict=True):
            _image(axes, images[labels == digit].mean(axis=0), f"mean of {digit}")
        for method, axes in zip(METHODS, row[2:], strict=True):
            number = printed[results.problem.key][method.removesuffix(" by sign")][1]
            order = results.orders[method][0][:number]
            _image(axes, np.isin(np.arange(256), order), f"{method}, {number} pixels")
            for rank, pixel in enumerate(order.tolist(), 1):
                y, x = divmod(pixel, 16)
                axes.text(x, y, str(rank), color="white", fontsize=6, ha="center", va="center")
    figure.savefig(place, dpi=DOTS, metadata=PLAIN)


def _image(axes: Any, values: np.ndarray, title: str) -> None:
    axes.imshow(values.reshape(16, 16), cmap="gray_r")
    axes.set_title(title)
    axes.set_xticks([])
    axes.set_yticks([])
