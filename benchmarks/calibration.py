"""Does the probe keep its promise? The promised risk beside the measured share of false selections.

Pure noise and planted signals; 10 to 10,000 columns, 30 to 1,000 rows; independent and correlated;
normal, binary and heavy-tailed, the target of the same kind as the columns. For each the share of
runs in which `GramSchmidt` with `AnalyticProbe` keeps a column that means nothing, with its 95 %
binomial interval (Clopper and Pearson). Beside it, on one kind of data, what others find: Boruta,
Benjamini and Hochberg's procedure on F tests, and knockoffs.

    python benchmarks/calibration.py           # half an hour; writes numbers and picture
    python benchmarks/calibration.py --quick   # a minute, fewer cells and runs; writes nothing
"""

import argparse
import json
import warnings
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy import stats
from sklearn.feature_selection import f_regression

from handful import GramSchmidt
from handful.stopping import AnalyticProbe, EmpiricalProbe

RISK = 0.05
KINDS = ("normal", "binary", "heavy-tailed")
STATIC = Path(__file__).parents[1] / "docs" / "_static"
NUMBERS, PICTURE = STATIC / "calibration.json", STATIC / "calibration.svg"


# ---- data ----


def columns(rng, n_rows, n_columns, kind, correlated):
    """Independent columns, or groups of ten that share 80 % of their variance."""
    X = rng.standard_normal((n_rows, n_columns))
    if correlated:
        shared = rng.standard_normal((n_rows, -(-n_columns // 10)))
        X = np.sqrt(0.8) * np.repeat(shared, 10, axis=1)[:, :n_columns] + np.sqrt(0.2) * X
    if kind == "binary":
        return (X > 1).astype(np.float64)  # one cell in six
    if kind == "heavy-tailed":
        return X / np.sqrt(rng.chisquare(2, (n_rows, 1 if correlated else n_columns)) / 2)
    return X


def target(rng, signal, kind):
    """Noise of the columns' kind on top of a signal; two classes where these are binary."""
    if kind == "heavy-tailed":
        return signal + rng.standard_t(2, len(signal))
    noisy = signal + rng.standard_normal(len(signal))
    return noisy > np.median(noisy) if kind == "binary" else noisy


def planted(rng, X, n_true, strength=1.0):
    """A signal made of some columns far from each other, and which they are."""
    true = np.linspace(0, X.shape[1] - 1, n_true).astype(int)
    spread = X[:, true].std(axis=0)
    scaled = (X[:, true] - X[:, true].mean(axis=0)) / np.where(spread > 0, spread, 1)
    return strength * scaled @ rng.choice([-1, 1], n_true), set(true.tolist())


# ---- promise and measurement ----


def interval(hits, runs):
    """Of a share, 95 %, Clopper and Pearson."""
    found = stats.binomtest(int(hits), int(runs)).proportion_ci()
    return float(found.low), float(found.high)


def row(hits, runs):
    low, high = interval(hits, runs)
    return {"runs": int(runs), "share": hits / runs, "low": low, "high": high}


def on_noise(rng, runs, n_rows, n_columns, kind, correlated):
    """How often the first step alone is taken for better than chance, by one probe and by all."""
    false = {"one": 0, "all": 0}
    for _ in range(runs):
        X = columns(rng, n_rows, n_columns, kind, correlated)
        y = target(rng, np.zeros(n_rows), kind)
        chance = GramSchmidt(1).fit(X, y).path_.chance[0]
        false["one"] += chance <= RISK
        false["all"] += -np.expm1(n_columns * np.log1p(-chance)) <= RISK
    return {probes: row(hits, runs) for probes, hits in false.items()}


def on_signal(rng, runs, n_rows, n_columns, kind, correlated):
    """Three planted columns: how often anything else is kept, and how many of the three are."""
    false = found = 0
    rule = AnalyticProbe(RISK, probes="all")
    for _ in range(runs):
        X = columns(rng, n_rows, n_columns, kind, correlated)
        signal, true = planted(rng, X, 3)
        kept = set(GramSchmidt(rule).fit(X, target(rng, signal, kind)).selection_order_.tolist())
        false += bool(kept - true)
        found += len(kept & true)
    return {"all": row(false, runs), "power": found / (3 * runs)}


def cells(quick):
    for kind in KINDS:
        for correlated in (False, True):
            for n_rows in (30, 100) if quick else (30, 100, 1_000):
                for n_columns in (10, 100) if quick else (10, 100, 1_000, 10_000):
                    runs = 100 if quick else int(np.clip(2e8 / (n_rows * n_columns), 60, 500))
                    yield runs, n_rows, n_columns, kind, correlated


def measure(quick):
    found = []
    print(f"risk {RISK}: share of runs with a false column, 95 % interval")
    print(f"{'kind':<13}{'columns':<13}{'rows':>6}{'of':>7}{'runs':>5}  "
          f"{'noise, one probe':<19}{'noise, all':<19}{'signal, all':<19}power")  # fmt: skip
    for number, (runs, *cell) in enumerate(cells(quick)):
        rng = np.random.default_rng([2003, number])
        noise, signal = on_noise(rng, runs, *cell), on_signal(rng, runs, *cell)
        n_rows, n_columns, kind, correlated = cell
        found.append(
            {"rows": n_rows, "columns": n_columns, "kind": kind, "correlated": correlated}
            | {"noise": noise, "signal": signal}
        )
        shown = "".join(f"{words(share):<19}" for share in (*noise.values(), signal["all"]))
        how = "correlated" if correlated else "independent"
        print(f"{kind:<13}{how:<13}{n_rows:>6}{n_columns:>7}{runs:>5}  {shown}"
              f"{signal['power']:.2f}", flush=True)  # fmt: skip
    return found


def words(share):
    return f"{share['share']:.3f} ({share['low']:.3f}-{share['high']:.3f})"


# ---- what others find ----


def benjamini_hochberg(X, y):
    p = f_regression(X, y)[1]
    order = np.argsort(p)
    below = np.flatnonzero(p[order] <= 0.1 * np.arange(1, len(p) + 1) / len(p))
    return order[: below[-1] + 1] if below.size else []


def gram_schmidt(rule):
    return lambda X, y: GramSchmidt(rule).fit(X, y).selection_order_


def boruta(X, y):
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestRegressor

    forest = RandomForestRegressor(n_jobs=2, max_depth=5, random_state=0)
    found = BorutaPy(forest, n_estimators="auto", max_iter=50, random_state=0).fit(X, y)
    return np.flatnonzero(found.support_)


def knockoffs(X, y):
    from knockpy import KnockoffFilter

    kept = KnockoffFilter(ksampler="gaussian", fstat="lasso").forward(
        X, y, fdr=0.1, shrinkage="ledoitwolf", knockoff_kwargs={"method": "mvr"}
    )
    return np.flatnonzero(kept)


def others(quick):
    """Ten planted columns of a hundred, three hundred rows: power and false discoveries."""
    ways = {
        "GramSchmidt, AnalyticProbe(0.05, all)": gram_schmidt(AnalyticProbe(RISK, probes="all")),
        "GramSchmidt, AnalyticProbe(0.05, one)": gram_schmidt(AnalyticProbe(RISK)),
        "GramSchmidt, EmpiricalProbe(0.05)": gram_schmidt(
            EmpiricalProbe(RISK, n_rounds=39, random_state=0)
        ),
        "F tests, Benjamini-Hochberg at 0.1": benjamini_hochberg,
    }
    if find_spec("knockpy"):
        ways["knockoffs at 0.1 (knockpy)"] = knockoffs
    if find_spec("boruta"):
        ways["Boruta"] = boruta
    found = []
    print("\nten columns of 100 matter, 300 rows: means over the runs")
    print(
        f"{'':<42}{'columns':<13}{'runs':>5}{'power':>7}{'false share':>13}{'any false':>11}"
        f"{'seconds':>9}"
    )
    for correlated in (False, True):
        for name, way in ways.items():
            rng = np.random.default_rng([2003, correlated])
            # Boruta grows thousands of trees
            runs = 2 if quick else 5 if name == "Boruta" else 30
            results = np.array([one_run(rng, way, correlated) for _ in range(runs)])
            power, share, false, seconds = results.mean(axis=0).tolist()
            error = (results.std(axis=0, ddof=1) / np.sqrt(runs)).tolist()
            found.append(
                {"way": name, "correlated": correlated, "runs": runs, "power": power}
                | {"false_share": share, "any_false": false, "seconds": seconds}
                | {"power_error": error[0], "false_share_error": error[1]}
            )
            how = "correlated" if correlated else "independent"
            print(f"{name:<42}{how:<13}{runs:>5}{power:>7.2f}{share:>13.2f}{false:>11.2f}{seconds:>9.2f}",
                  flush=True)  # fmt: skip
    return found


def one_run(rng, way, correlated):
    X = columns(rng, 300, 100, "normal", correlated)
    signal, true = planted(rng, X, 10, strength=0.3)
    y = target(rng, signal, "normal")
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the others' own
        kept = {int(j) for j in way(X, y)}
    wrong = len(kept - true)
    return len(kept & true) / 10, wrong / max(len(kept), 1), wrong > 0, perf_counter() - start


# ---- the picture ----


def draw(found):
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "handful"
    figure, axes = plt.subplots(
        2, len(KINDS), figsize=(9, 5.4), sharex=True, sharey=True, layout="constrained"
    )
    colours = {30: "#c05621", 100: "#2b6cb0", 1_000: "#2f855a"}
    for panel, kind, correlated in zip(
        axes.flat, KINDS * 2, [False] * len(KINDS) + [True] * len(KINDS), strict=True
    ):
        panel.axhline(RISK, color="#718096", linewidth=1, linestyle=":")
        for shift, (n_rows, colour) in zip((0.85, 1, 1.18), colours.items(), strict=True):
            chosen = [
                cell
                for cell in found
                if (cell["rows"], cell["kind"], cell["correlated"]) == (n_rows, kind, correlated)
            ]
            for probes, fill, label in (("all", colour, f"{n_rows:,} rows"), ("one", "none", None)):
                shares = [cell["noise"][probes] for cell in chosen]
                middle = np.array([share["share"] for share in shares])
                spread = [
                    middle - [share["low"] for share in shares],
                    [share["high"] for share in shares] - middle,
                ]
                panel.errorbar(
                    [cell["columns"] * shift for cell in chosen], middle, np.maximum(spread, 0),
                    fmt="o", color=colour, markerfacecolor=fill, markersize=4, label=label,
                )  # fmt: skip
        panel.set_xscale("log")
        panel.set_title(f"{kind}, {'correlated' if correlated else 'independent'}", fontsize=9)
    axes[0, 0].legend(fontsize=8, loc=(0.55, 0.3))
    figure.supxlabel("columns, none of which matters", fontsize=9)
    figure.supylabel("share of runs that keep something", fontsize=9)
    figure.suptitle(f'risk {RISK}; filled: probes="all", hollow: probes=1', fontsize=9)
    figure.savefig(PICTURE, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer cells and runs; write nothing")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", ".*keeps no feature", UserWarning)
    numbers = {"risk": RISK, "cells": measure(arguments.quick), "others": others(arguments.quick)}
    if not arguments.quick:
        NUMBERS.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
        draw(numbers["cells"])


if __name__ == "__main__":
    main()
