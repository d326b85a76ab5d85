"""GramSchmidt choosing 50 columns, beside its peers and beside fifty bare products.

Workloads: 1,000 x 20,000 and 10,000 x 5,000, float64 and float32, C and F order; as many BLAS
threads as there are cores, for everyone. Limits, on both shapes: at most 1/10 of fastcan's time, at
most 1.6 times fifty products ``X.T @ q``, float32 at most 0.6 times float64, at most 64 MB beyond
the table; and time in proportion to rows, columns and steps, up to a table of 2 GB.

    python benchmarks/gram_schmidt.py            # the tables
    python benchmarks/gram_schmidt.py --scaling  # also the growth to 2 GB, and its picture
"""

import argparse
import tracemalloc
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

import numpy as np
from side_by_side import medians, verdict
from sklearn.feature_selection import f_regression
from sklearn.linear_model import OrthogonalMatchingPursuit

from handful import GramSchmidt
from handful.columns import Dense
from handful.datasets import load, load_leukaemia
from handful.solvers.orthogonal import Walk

STEPS = 50
SHAPES = ((1_000, 20_000), (10_000, 5_000))
PICTURE = Path(__file__).parents[1] / "docs" / "_static" / "gram_schmidt_scaling.svg"


def problem(n_rows, n_columns, dtype=np.float64, order="C"):
    """Thirty columns of normal noise matter, of many."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, n_columns), dtype=np.float32).astype(dtype, order=order)
    y = X[:, :30] @ rng.standard_normal(30) + 3 * rng.standard_normal(n_rows)
    return X, y.astype(np.float64)


def fit(X, y, steps=STEPS):
    return GramSchmidt(steps).fit(X, y)


def bare_products(X, q):
    for _ in range(STEPS):
        X.T @ q


def peers(X, y):
    """What else chooses columns one by one; abess and OMP by other criteria."""
    works = {
        "scikit-learn OMP (another criterion)": lambda: OrthogonalMatchingPursuit(
            n_nonzero_coefs=STEPS
        ).fit(X, y),
        "f_regression, one column at a time": lambda: f_regression(X, y),
    }
    if find_spec("fastcan"):
        from fastcan import FastCan

        works["fastcan"] = lambda: FastCan(STEPS, verbose=0).fit(X, y)
    if find_spec("abess"):
        from abess import LinearRegression

        works["abess (another criterion)"] = lambda: LinearRegression(
            support_size=STEPS, thread=0
        ).fit(X, y)
    return works


def against_products(n_rows, n_columns, n_runs):
    """Fits and bare products of the same numbers as float64 and float32, in both orders."""
    print(
        f"\n{n_rows:,} x {n_columns:,}, {STEPS} columns chosen; seconds, medians of {n_runs} runs"
    )
    print("order  float64  50 products  ratio                    float32  ratio to float64")
    chosen = set()
    for order in "FC":
        X, y = problem(n_rows, n_columns, np.float64, order)
        single = X.astype(np.float32)
        works = {
            "double": partial(fit, X, y),
            "bare": partial(bare_products, X, y),
            "single": partial(fit, single, y),
        }
        chosen |= {tuple(fit(table, y).selection_order_) for table in (X, single)}
        found = medians(works, n_runs)
        double, bare, short = found["double"], found["bare"], found["single"]
        print(
            f"{order:<6}{double:>8.3f}{bare:>13.3f}  {verdict(double / bare, 1.6):<24}"
            f"{short:>8.3f}  {verdict(short / double, 0.6)}"
        )
    # the answers before the speed: these tables hold the same numbers
    assert len(chosen) == 1
    return X, y


def against_peers(X, y, n_runs):
    found = medians({"handful": lambda: fit(X, y), **peers(X, y)}, n_runs)
    print(f"{'peers, float64 C':<40}{'seconds':>9}   handful's share")
    for name, time in found.items():
        share = found["handful"] / time
        limit = verdict(share, 0.1) if name == "fastcan" else f"{share:.3g}"
        print(f"{name:<40}{time:>9.3f}   {limit}")
    if find_spec("fastcan"):
        from fastcan import FastCan

        theirs = FastCan(STEPS, verbose=0).fit(X, y).indices_.tolist()
        assert fit(X, y).selection_order_.tolist() == theirs


def memory(X, y):
    tracemalloc.start()
    fit(X, y)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    print(f"peak beyond the table, MB: {verdict(peak, 64)}")


# ---- an idea that was measured and not taken ----


def real_tables():
    leukaemia = load_leukaemia(split="all")
    yield "leukaemia", leukaemia.data, leukaemia.target
    for name in ("arcene", "madelon"):
        try:
            data = load(name)
        except (FileNotFoundError, OSError, ValueError) as error:
            print(f"{name}: not at hand ({type(error).__name__})")
        else:
            yield name, data.data, data.target


def passes_with_blocks(X, y, width):
    """How often the table is read if each pass also serves the `width` columns then best."""
    walk = Walk(Dense(X), y[:, None], None, True)
    served, passes, steps = set(), 0, 0
    for step in islice(walk, STEPS):
        steps += 1
        if step.feature not in served:
            passes += 1
            others = (walk._inner**2).sum(axis=0) / walk._left  # 0 for the one just chosen
            served.update([step.feature, *np.argsort(-others)[: width - 1].tolist()])
    return passes, steps


def blocks(width=8, n_runs=7):
    """One pass for several candidate directions at once, instead of one pass a step.

    A pass for `width` directions is a matrix product; a later step needs none if its column was
    among them. (The other idea, to skip columns whose bound cannot win, has no bound to offer:
    what a column's share of the target becomes depends on how much of the column itself goes into
    the chosen directions, and without that product every share up to 1 is possible.)
    """
    print(f"\nblocks of {width} directions: passes, cost of a pass, and time against one a step")
    tables = [(f"{n:,} x {m:,} noise", *problem(n, m)) for n, m in SHAPES]
    for name, X, labels in [*tables, *real_tables()]:
        X = np.asarray(X, dtype=np.float64)
        y = labels if labels.dtype.kind == "f" else np.where(labels == labels[0], 1.0, -1.0)
        passes, steps = passes_with_blocks(X, y, width)
        directions = np.random.default_rng(0).standard_normal((len(X), width))
        works = {"one": partial(np.dot, X.T, y), "many": partial(np.dot, X.T, directions)}
        found = medians(works, n_runs)
        cost = found["many"] / found["one"]
        print(
            f"  {name:<26}{passes:>3} passes for {steps} steps, each {cost:4.1f} products: "
            f"{passes * cost / steps:.2f} times the time"
        )


# ---- growth ----


def growth():
    """Time against each of rows, columns and steps, the others fixed; the last table is 2 GB."""
    lines = {
        "rows": [(n, 2_000, 20) for n in (4_000, 8_000, 16_000, 32_000, 64_000, 128_000)],
        "columns": [(1_000, m, 20) for m in (8_000, 16_000, 32_000, 64_000, 128_000, 256_000)],
        "steps": [(2_000, 20_000, k) for k in (10, 20, 40, 80, 160)],
    }
    found = {}
    print("\ngrowth: the slope in a log-log picture is 1 for time in proportion")
    for name, sizes in lines.items():
        times = []
        for n_rows, n_columns, steps in sizes:
            X, y = problem(n_rows, n_columns)
            times.append(medians({"fit": partial(fit, X, y, steps)}, 3)["fit"])
        axis = np.array([size[("rows", "columns", "steps").index(name)] for size in sizes])
        slope = np.polyfit(np.log(axis), np.log(times), 1)[0]
        print(
            f"  {name:<8} slope {slope:.2f}: "
            + ", ".join(f"{value:,}: {time:.2f} s" for value, time in zip(axis, times, strict=True))
        )
        found[name] = axis, np.array(times), slope
    return found


def draw(found):
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "handful"
    figure, axes = plt.subplots(1, 3, figsize=(9, 3), sharey=True, layout="constrained")
    for panel, (name, (axis, times, slope)) in zip(axes, found.items(), strict=True):
        panel.loglog(axis, times, "o-", color="#2b6cb0")
        panel.loglog(axis, times[-1] * axis / axis[-1], ":", color="#718096")
        panel.set_xlabel(name)
        panel.set_title(f"slope {slope:.2f}")
    axes[0].set_ylabel("seconds")
    figure.savefig(PICTURE, metadata={"Date": None})
    print(f"written: {PICTURE}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--scaling", action="store_true", help="also growth to 2 GB, and its picture"
    )
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    for shape in SHAPES:
        X, y = against_products(*shape, arguments.runs)
        against_peers(X, y, max(3, arguments.runs // 2))
        memory(X, y)
    blocks()
    if arguments.scaling:
        draw(growth())


if __name__ == "__main__":
    main()
