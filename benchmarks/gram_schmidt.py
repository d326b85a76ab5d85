"""GramSchmidt choosing 50 columns, beside its peers and beside fifty bare products.

Workloads: 1,000 x 20,000 and 10,000 x 5,000, float64 and float32, C and F order; as many BLAS
threads as there are cores, for everyone. Limits, on both shapes: at most 1/10 of fastcan's time, at
most 1.6 times fifty products ``X.T @ q``, float32 at most 0.6 times float64, at most 64 MB beyond
the table; and time in proportion to rows, columns and steps, up to a table of 2 GB.

    python benchmarks/gram_schmidt.py            # the tables
    python benchmarks/gram_schmidt.py --million  # also a million columns; four minutes
    python benchmarks/gram_schmidt.py --scaling  # also the growth to 2 GB, and its picture
"""

import argparse
import resource
import tracemalloc
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from scipy.sparse import issparse
from side_by_side import medians, verdict
from sklearn.feature_selection import f_regression
from sklearn.linear_model import OrthogonalMatchingPursuit

from handful import GramSchmidt, _core
from handful.columns import Dense, dense
from handful.datasets import load, load_leukaemia
from handful.solvers import orthogonal
from handful.stopping import AnalyticProbe, EmpiricalProbe

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
    """What NumPy allocates, and what the compiled core answers with."""
    tracemalloc.start()
    fit(X, y)
    peak = tracemalloc.get_traced_memory()[1] + 8 * _core.n_vectors * X.shape[1]
    tracemalloc.stop()
    print(f"peak beyond the table, MB: {verdict(peak / 2**20, 64)}")


# ---- eight directions in a pass ----


def tables():
    """Made and real ones, the sparse ones filled in, from small to large."""
    leukaemia = load_leukaemia(split="all")
    yield "leukaemia", leukaemia.data.astype(np.float64), leukaemia.target
    for name in ("arcene", "cbcl_faces", "dexter"):
        try:
            data = load(name)
        except (FileNotFoundError, OSError, ValueError) as error:
            print(f"  {name}: not at hand ({type(error).__name__})")
        else:
            X = data.data.toarray() if issparse(data.data) else data.data
            yield name, np.asarray(X, dtype=np.float64), data.target
    yield from ((f"{n:,} x {m:,} normal", *problem(n, m)) for n, m in SHAPES)


@contextmanager
def reading(large):
    """Tables of at least so many bytes are read with eight directions at once."""
    usual = dense.LARGE, orthogonal.WIDE
    dense.LARGE, orthogonal.WIDE = large, 0
    try:
        yield
    finally:
        dense.LARGE, orthogonal.WIDE = usual


def fit_reading(large, X, y):
    with reading(large):
        return fit(X, y)


def passes(X, y):
    """How often a fit multiplies the table by directions."""
    read, n_passes = Dense.tdot, []
    Dense.tdot = lambda *given: n_passes.append(1) or read(*given)
    try:
        fit_reading(0, X, y)
    finally:
        Dense.tdot = read
    return len(n_passes)


def ahead(n_runs=5):
    """What a pass for several candidate directions brings, on each table whatever its size.

    (The other idea, to skip columns whose bound cannot win, has no bound to offer: what a column's
    share of the target becomes depends on how much of the column itself goes into the chosen
    directions, and without that product every share up to 1 is possible.)
    """
    print(f"\na pass for {_core.n_vectors} directions against one a step; used from "
          f"{dense.LARGE / 2**20:.0f} MB and {orthogonal.WIDE:,} columns on")  # fmt: skip
    for name, X, y in tables():
        works = {large: partial(fit_reading, large, X, y) for large in (0, np.inf)}
        found = medians(works, n_runs)
        one, many = (work().selection_order_.tolist() for work in works.values())
        assert one == many
        print(
            f"  {name:<24}{X.nbytes / 2**20:>5.0f} MB  {passes(X, y):>3} passes for {len(one)} "
            f"steps, {found[0] / found[np.inf]:.2f} times the time"
        )


# ---- a million columns ----


def million(n_rows=200, n_columns=1_000_000):
    """Memory beyond a table of a million columns, and beyond a million probes beside it."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, n_columns), dtype=np.float32)
    y = X[:, [5, 77, n_columns - 1]] @ [3.0, 2.0, 2.0] + rng.standard_normal(n_rows)
    rules = {
        "50 columns": STEPS,
        "AnalyticProbe, all": AnalyticProbe(0.05, probes="all"),
        "EmpiricalProbe, 19 rounds": EmpiricalProbe(0.05, n_rounds=19, random_state=0),
        "EmpiricalProbe, normal, one round": EmpiricalProbe(
            0.5, n_rounds=1, kind="gaussian", random_state=0
        ),
    }
    print(f"\n{n_rows} x {n_columns:,} float32: {X.nbytes / 2**20:.0f} MB; as many probes "
          f"in float64 would be {2 * X.nbytes / 2**20:.0f} MB")  # fmt: skip
    for name, rule in rules.items():
        before, start = _most_memory(), perf_counter()
        selector = GramSchmidt(rule).fit(X, y)
        time = perf_counter() - start
        print(
            f"  {name:<36}{selector.n_features_:>3} kept in {time:6.1f} s; the process's peak "
            f"grew by {_most_memory() - before:.0f} MB"
        )


def _most_memory():
    """The largest size that this process ever had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


# ---- growth ----


LINES = {
    "rows": [(n, 2_000, 20) for n in (8_000, 16_000, 32_000, 64_000, 128_000)],
    "columns": [(1_000, m, 20) for m in (16_000, 32_000, 64_000, 128_000, 256_000)],
    "steps": [(2_000, 20_000, k) for k in (10, 20, 40, 80, 160)],
}


def grow(name):
    """Time against one of rows, columns and steps, the others fixed; the last table is 2 GB.

    Seconds of the processor, the least of three: what other programs do counts little then.
    """
    times = []
    for n_rows, n_columns, steps in LINES[name]:
        X, y = problem(n_rows, n_columns)
        times.append(min(processor_seconds(partial(fit, X, y, steps)) for _ in range(3)))
    axis = np.array([size[list(LINES).index(name)] for size in LINES[name]])
    slope = np.polyfit(np.log(axis), np.log(times), 1)[0]
    print(
        f"  {name:<8} slope {slope:.2f}: "
        + ", ".join(f"{value:,}: {time:.2f} s" for value, time in zip(axis, times, strict=True))
    )
    return axis, np.array(times), slope


def processor_seconds(work):
    start = process_time()
    work()
    return process_time() - start


def growth():
    print("\ngrowth: the slope in a log-log picture is 1 for time in proportion")
    return {name: grow(name) for name in LINES}


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
    axes[0].set_ylabel("seconds of the processor")
    figure.savefig(PICTURE, metadata={"Date": None})
    print(f"written: {PICTURE}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--scaling", action="store_true", help="also growth to 2 GB, and its picture"
    )
    parser.add_argument("--million", action="store_true", help="also a million columns and probes")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    for shape in SHAPES:
        X, y = against_products(*shape, arguments.runs)
        against_peers(X, y, max(3, arguments.runs // 2))
        memory(X, y)
    ahead()
    if arguments.million:
        million()
    if arguments.scaling:
        draw(growth())


if __name__ == "__main__":
    main()
