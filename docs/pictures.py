"""Draw the pictures of the documentation anew: python docs/pictures.py

Needs Chromium, for the pictures of the report.
"""

import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from playwright.sync_api import sync_playwright

from handful import FilterSelector, GramSchmidt, OptimalFeatureWeighting
from handful.datasets import load_leukaemia, make_linear_process, make_ternary
from handful.stopping import AnalyticProbe, CrossValidated, EmpiricalProbe, StabilityThreshold

STYLE = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
PLACE = Path(__file__).parent / "_static"
KEPT, OTHER, LIMIT = "#0b6e4f", "#9aa5a1", "#b3261e"


def draw_rules() -> None:
    """What three stopping rules look at, on the leukaemia data with the Fisher score."""
    X, y = load_leukaemia(return_X_y=True)
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.0), layout="constrained")

    probe = _fitted(EmpiricalProbe(risk=0.05, random_state=0), X, y)
    risks = probe.stopping_.curve[: 3 * probe.n_features_]
    sizes = np.arange(1, len(risks) + 1)
    axes[0].bar(sizes, risks, color=_colours(sizes, probe.n_features_))
    axes[0].axhline(probe.stopping_.risk, color=LIMIT, linestyle="--")
    axes[0].set_title(f"EmpiricalProbe keeps {probe.n_features_}", loc="left")
    axes[0].set_ylabel("share of rounds in which\na random gene came sooner")

    crossed = _fitted(CrossValidated(rule="one_standard_error"), X, y)
    curve = crossed.stopping_
    axes[1].errorbar(curve.sizes, -curve.curve, curve.standard_error, color=OTHER, capsize=2)
    chosen = curve.sizes == crossed.n_features_
    axes[1].plot(curve.sizes[chosen], -curve.curve[chosen], "o", color=KEPT)
    best = int(np.argmax(curve.curve))
    axes[1].axhline(curve.standard_error[best] - curve.curve[best], color=LIMIT, linestyle="--")
    axes[1].set_xscale("log")
    axes[1].xaxis.set_major_formatter("{x:g}")
    axes[1].set_title(f"CrossValidated keeps {crossed.n_features_}", loc="left")
    axes[1].set_ylabel("balanced error")

    stable = _fitted(StabilityThreshold(0.6, random_state=0), X, y)
    shares = stable.path_.scores[: 3 * stable.n_features_]
    sizes = np.arange(1, len(shares) + 1)
    axes[2].bar(sizes, shares, color=_colours(sizes, stable.n_features_))
    axes[2].axhline(stable.stopping_.threshold, color=LIMIT, linestyle="--")
    axes[2].set_title(f"StabilityThreshold keeps {stable.n_features_}", loc="left")
    axes[2].set_ylabel("share of resamples\nthat chose the gene")

    for axis in axes:
        axis.set_xlabel("genes")
    figure.savefig(PLACE / "stopping.png", dpi=160)
    plt.close(figure)


def _fitted(rule, X, y):
    return FilterSelector("fisher", n_features_to_select=rule).fit(X, y)


def _colours(sizes, kept):
    return np.where(sizes <= kept, KEPT, OTHER)


def draw_weights() -> None:
    """What the feature weighting learns about the ternary variables, for three sizes of subsets."""
    X, y, _ = make_ternary(500, random_state=0)
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 2.6), layout="constrained", sharey=True)
    for axis, size in zip(axes, (2, 3, 4), strict=True):
        axis.set_xticks([1, 4, 8, 12, 15])
        model = OptimalFeatureWeighting(
            base="knn", metric="hamming", n_neighbors=5, subset_size=size, random_state=0
        ).fit(X, y)
        numbers = np.arange(1, 16)
        colours = np.where(np.isin(numbers, (1, 4, 8)), KEPT, OTHER)
        axis.bar(numbers, model.weights_[:15], color=colours)
        axis.axhline(0.01, color=LIMIT, linestyle="--")
        axis.set_title(f"subsets of {size}", loc="left")
        axis.set_xlabel("variable; green serves two classes")
    axes[0].set_ylabel("weight")
    figure.savefig(PLACE / "weighting_ternary.svg", metadata={"Date": None})
    plt.close(figure)


def draw_steps() -> None:
    """Energy and effective genes of leukaemia, for the default step and for others."""
    X, y = load_leukaemia(split="all", return_X_y=True)
    X = np.log10(np.clip(X, 100, 16_000))
    X = X[:, np.sort(np.argsort(-X.std(axis=0))[:3_859])]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.2), layout="constrained")
    for size, colour in ((None, KEPT), (1.0, OTHER), (20.0, "#b8860b"), (200.0, LIMIT)):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Steps were too large", UserWarning)
            model = OptimalFeatureWeighting(subset_size=100, step_size=size, random_state=0).fit(
                X, y
            )
        history = model.history_
        trained = 8 * history.iteration
        label = "default step" if size is None else f"step {size:g}"
        axes[0].plot(trained, 100 * history.average, color=colour, label=label)
        axes[1].plot(trained, np.exp(history.entropy), color=colour)
    axes[1].set_yscale("log")
    axes[0].set_ylabel("energy, %")
    axes[1].set_ylabel("effective number of genes")
    axes[0].legend(frameon=False)
    for axis in axes:
        axis.set_xlabel("trained classifiers")
    figure.savefig(PLACE / "weighting_steps.svg", metadata={"Date": None})
    plt.close(figure)


def draw_probes() -> None:
    """The same path asked about one probe, and about the best of as many as there are columns."""
    X, y, relevant = make_linear_process(100, 1_000, noise_variance=0.1, random_state=1)
    figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.2), layout="constrained", sharex=True)
    titles = {1: "one random column", "all": "the best of 1,000"}
    path = GramSchmidt(AnalyticProbe(0.05)).fit(X, y).path_
    for axis, (probes, against) in zip(axes, titles.items(), strict=True):
        # a risk of nearly 1 shows the whole curve; what is kept at 5 % comes from the rule itself
        rule = AnalyticProbe(0.999_999, probes=probes)
        curve = GramSchmidt(rule).fit(X, y).stopping_.curve[: len(path)]
        kept = GramSchmidt(AnalyticProbe(0.05, probes=probes)).fit(X, y).n_features_
        steps = np.arange(1, len(curve) + 1)
        true = np.isin(path.features[: len(curve)], relevant)
        for which, colour, label in ((true, KEPT, "relevant"), (~true, OTHER, "noise")):
            axis.plot(steps[which], curve[which], "o", color=colour, label=label, markersize=4)
        axis.axhline(0.05, color=LIMIT, linestyle="--")
        axis.axvspan(0.5, kept + 0.5, color=KEPT, alpha=0.08)
        axis.set_title(f"probes={probes!r} keeps {kept}", loc="left")
        axis.set_ylabel(f"chance that {against}\nwould have come sooner")
        axis.set_xlabel("step of the path")
    axes[1].legend(loc="center right", frameon=False)
    figure.savefig(PLACE / "probes.png", dpi=160)
    plt.close(figure)


def take_report() -> None:
    """The first screen of the demo's report, as on a desk and as on a phone."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        command = [sys.executable, "-m", "handful", "demo"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, width, height in [("report", 1200, 900), ("report-phone", 390, 844)]:
            view = {"width": width, "height": height}
            page = browser.new_page(viewport=view, device_scale_factor=1.5, color_scheme="light")
            page.goto((Path(folder) / "demo-report.html").as_uri())
            page.screenshot(path=PLACE / f"{name}.png")
        browser.close()


def draw_scale() -> None:
    """What travels between files, workers and the driver."""
    figure, axes = plt.subplots(figsize=(9.6, 3.6), layout="constrained")
    axes.set(xlim=(0, 96), ylim=(0, 36))
    axes.axis("off")
    box = {"boxstyle": "round,pad=0.6", "facecolor": "white", "edgecolor": OTHER}
    for number, height in enumerate((30, 18, 6)):
        axes.text(8, height, "files or chunks", ha="center", va="center", bbox=box)
        worker = f"worker {number + 1}\nits columns as bits,\npacked once"
        axes.text(43, height, worker, ha="center", va="center", bbox=box | {"edgecolor": KEPT})
        _arrow(axes, (16, height), (33, height), OTHER)
        _arrow(axes, (53, height), (74, 18 + (height - 18) / 6), OTHER, "<->")
    axes.text(24.5, 31, "once", ha="center", color=OTHER)
    axes.text(85, 18, "driver\na bound of every\ncolumn", ha="center", va="center", bbox=box)
    axes.text(67, 29, "columns to count, a floor;\nscores back", ha="center", color=OTHER)
    for low, high in ((10, 14), (22, 26)):
        _arrow(axes, (43, low), (43, high), KEPT, "<->")
        axes.text(44, (low + high) / 2, "the chosen column", va="center", color=KEPT)
    figure.savefig(PLACE / "scale.svg", metadata={"Date": None})


def _arrow(axes, start, end, colour, style="->") -> None:
    how = {"arrowstyle": style, "color": colour, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", xytext=start, xy=end, arrowprops=how)


if __name__ == "__main__":
    mpl.rcParams.update(STYLE)
    draw_rules()
    draw_weights()
    draw_steps()
    draw_probes()
    draw_scale()
    take_report()
