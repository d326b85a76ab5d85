"""Tables that outgrow a machine: Parquet under a cap of memory, workers, growth, and a projection.

Limits:
- out of core (8 GB of decoded cells, 1 GB of memory, one thread): cmim at least 60 % of the
  throughput of only reading and decoding the same files, peak memory under the cap;
- four worker processes lose at most 25 % against one process with two threads;
- at most 4 round trips for each chosen column, and a tenth of the pairs of an eager search.

The last part computes, from what was measured, what 500,000 people with 10 million variants need.

    python benchmarks/scale.py [--small] [--folder FOLDER]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

import dask
import dask.array as da
import numpy as np
import polars as pl
from distributed import Client, LocalCluster
from side_by_side import verdict

from handful import GramSchmidt, InformationSelector
from handful.columns import Layout
from handful.columns.distributed import Distributed
from handful.table.parts import read_parts

HERE = Path(__file__).parent
CHOSEN = 50
# A Gram-Schmidt step is a pass over the files, all alike: so many are timed.
STEPS = 2
# the small form, which shows that everything runs
SIZES = {
    False: {"shape": (200_000, 10_000), "files": 16, "cap": 10**9, "workers": (4_000, 100_000)},
    True: {"shape": (25_000, 10_000), "files": 2, "cap": 6 * 10**8, "workers": (1_000, 10_000)},
}


def bits(rng, shape):
    """Three in eight are true."""
    n = -(-shape[0] * shape[1] // 8)
    a, b, c = (np.frombuffer(rng.bytes(n), np.uint8) for _ in range(3))
    return np.unpackbits(a & (b | c))[: shape[0] * shape[1]].reshape(shape).view(bool)


def target(X, rng):
    total = X[:, :20].sum(axis=1)
    return (total + 2 * rng.standard_normal(len(X)) > np.median(total)).astype(int)


def dosages(rng, shape):
    """0, 1 or 2 copies of a variant, as whole numbers of 32 bits."""
    return np.add(bits(rng, shape), bits(rng, shape), dtype=np.int32)


def write_files(folder, shape, n_files):
    """Parquet as polars writes it; kept for the next run."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"v{j}" for j in range(shape[1])]
    for number in range(n_files):
        place = folder / f"{number:03d}.parquet"
        if place.exists():
            continue
        rng = np.random.default_rng([1, number])
        X = dosages(rng, (shape[0] // n_files, shape[1]))
        frame = pl.DataFrame(X, schema=names).with_columns(y=pl.Series(target(X, rng)))
        frame.write_parquet(place, row_group_size=len(X), statistics=False)


def line(name, text):
    print(f"{name:>26}  {text}", flush=True)


# ---- (a) out of core, each in a process of its own so that its peak is its own; in seconds of the
# processor, since one thread reads and computes, and other programs may take their turns ----


def peak():
    """The most memory that this process ever had, in bytes."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def one_run(folder, what, cap):
    """A whole run under the cap, as a command line would do it; printed as JSON."""
    table = read_parts([folder], "y", memory=cap // 2)
    X, start = table.columns, process_time()
    found = {}
    with dask.config.set(scheduler="threads", num_workers=1):
        if what == "read":
            for part in X._array.to_delayed().ravel():
                part.compute()
        elif what == "cmim":
            selector = InformationSelector(n_features_to_select=CHOSEN).fit(X, table.y)
            found |= {"round_trips": selector.n_round_trips_, "counted": selector.n_evaluations_}
        else:
            GramSchmidt(n_features_to_select=STEPS).fit(X, table.y)
    found |= {"seconds": process_time() - start, "peak": peak()}
    print(json.dumps(found))


def out_of_core(folder, size):
    write_files(folder, size["shape"], size["files"])
    runs = {}
    for what in ("read", "cmim", "gram-schmidt"):
        command = [sys.executable, __file__, "--run", what, "--cap", str(size["cap"])]
        command += ["--folder", str(folder)]
        environment = os.environ | {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}
        printed = subprocess.run(command, capture_output=True, text=True, env=environment)
        if printed.returncode:
            raise RuntimeError(printed.stderr)
        runs[what] = json.loads(printed.stdout)
    rows, columns = size["shape"]
    cap, decoded = size["cap"] / 1e9, 4 * rows * columns / 1e9
    print(f"\n(a) {rows:,} x {columns:,} in {size['files']} files, {decoded:g} GB of cells decoded")
    line("cap of memory", f"{cap:g} GB; times are of the processor, in one thread")
    read = runs["read"]
    speed = 1000 * decoded / read["seconds"]
    line(
        "only reading", f"{read['seconds']:.1f} s, {speed:.0f} MB/s, peak {read['peak'] / 1e9:.2f}"
    )
    # lengths with checks, the intercept, the target, then one for every step but the last
    passes = {"cmim": 1, "gram-schmidt": 2 + STEPS}
    for what, n in passes.items():
        run = runs[what]
        share = n * read["seconds"] / run["seconds"]
        limit = verdict(share, 0.6, at_least=True) if what == "cmim" else f"{share:.2f}"
        line(what, f"{run['seconds']:.1f} s, passes over the files: {n}, share of reading: {limit}")
        line("", f"peak in GB {verdict(run['peak'] / 1e9, cap)}")


# ---- (b) workers ----


def moved(client):
    """Bytes that workers sent to each other."""
    sent = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
    return sum(sent.values())


def some_bits(number, shape):
    return bits(np.random.default_rng([2, number]), shape)


def made_on_workers(shape, n_parts=16):
    """A Dask array whose parts are drawn where they are needed."""
    part = shape[0], shape[1] // n_parts
    parts = [
        da.from_delayed(dask.delayed(some_bits)(number, part), part, dtype=bool)
        for number in range(n_parts)
    ]
    return da.concatenate(parts, axis=1)


def timed(shape, y, criterion):
    source = made_on_workers(shape).persist()
    source.sum().compute()  # persist returns at once on a cluster
    start = perf_counter()
    selector = InformationSelector(criterion, n_features_to_select=CHOSEN).fit(source, y)
    return perf_counter() - start, selector


def workers(shape):
    y = target(some_bits(0, (shape[0], shape[1] // 16)), np.random.default_rng(6))
    print(f"\n(b) {shape[0]:,} x {shape[1]:,}, {CHOSEN} chosen")
    for criterion in ("cmim", "jmi"):
        with dask.config.set(scheduler="threads", num_workers=2):
            base, here = min((timed(shape, y, criterion) for _ in range(3)), key=first)
        line(f"{criterion}, two threads", f"{base:.2f} s")
        for n in (1, 2, 4):
            seconds, selector, megabytes = on_workers(n, shape, y, criterion)
            assert selector.selection_order_.tolist() == here.selection_order_.tolist()
            line(f"workers: {n}", f"{seconds:.2f} s, {megabytes:.1f} MB between workers")
        line("", f"four: of two threads' time {verdict(seconds / base, 1.25)}")
        line("round trips a column", verdict(selector.n_round_trips_ / CHOSEN, 4))
        if criterion == "cmim":
            times = (CHOSEN - 1) * shape[1] / selector.n_evaluations_
            line("eager search", f"times as many pairs: {verdict(times, 10, at_least=True)}")
    return 1 / times


def first(pair):
    return pair[0]


def on_workers(n, shape, y, criterion):
    """The best of some runs on a cluster of its own, and what its workers sent each other."""
    with (
        LocalCluster(n, threads_per_worker=1, dashboard_address=":0", memory_limit=0) as local,
        Client(local) as client,
    ):
        timed(shape, y, criterion)
        before = moved(client)
        seconds, selector = timed(shape, y, criterion)
        return seconds, selector, (moved(client) - before) / 1e6


def eager_by_dask(X, y, n):
    """A plain program: every column counted beside the chosen one, at every step."""
    cells = X.astype(np.float32)
    entropy = lambda counts: -(counts * np.log(np.maximum(counts, 1))).sum(axis=0)  # noqa: E731
    joint = lambda masks: [counts for m in masks for counts in (m @ cells, m @ (1 - cells))]  # noqa: E731
    by_class = [(y == 0).astype(np.float32), (y == 1).astype(np.float32)]
    plain = np.array(dask.compute(*joint([np.ones(len(y), np.float32)])), dtype=float)
    classes = np.array(dask.compute(*joint(by_class)), dtype=float)
    own = np.array([mask.sum() for mask in by_class], dtype=float)
    total = np.array([len(y)], dtype=float)
    score = entropy(own) + entropy(plain) - entropy(classes) - entropy(total)
    chosen = []
    for _ in range(n):
        chosen.append(int(score.argmax()))
        last = X[:, chosen[-1]].compute()
        sides = [last.astype(np.float32), (~last).astype(np.float32)]
        pair = np.array(dask.compute(*joint(sides)), dtype=float)
        three = np.array(dask.compute(*joint([m * s for m in by_class for s in sides])), float)
        with_class = np.array([(m * s).sum() for m in by_class for s in sides], dtype=float)
        alone = np.array([side.sum() for side in sides], dtype=float)
        term = entropy(with_class) + entropy(pair) - entropy(three) - entropy(alone)
        score = np.minimum(score, term)
    return chosen


# ---- (c) growth ----


def growth(factors):
    print("\n(c) from 1,000 x 1,000 on, two threads, 20 chosen by cmim")
    for shapes in (
        [(1_000 * factor, 1_000) for factor in factors],
        [(1_000, 1_000 * factor) for factor in factors[1:]],
    ):
        for shape in shapes:
            rng = np.random.default_rng(3)
            X = bits(rng, shape)
            y = target(X, rng)
            source = da.from_array(X, chunks=(shape[0], -(-shape[1] // 16)))
            with dask.config.set(scheduler="threads", num_workers=2):
                start = perf_counter()
                selector = InformationSelector(n_features_to_select=20).fit(source, y)
                seconds = perf_counter() - start
            share = selector.n_evaluations_ / (19 * shape[1])
            line(
                f"{shape[0]:,} x {shape[1]:,}",
                f"{seconds:.2f} s, share of pairs counted {share:.3f}, "
                f"round trips {selector.n_round_trips_}",
            )


def against_eager():
    rng = np.random.default_rng(4)
    X = bits(rng, (2_000, 4_000))
    y = target(X, rng)
    source = da.from_array(X, chunks=(2_000, 500))
    with dask.config.set(scheduler="threads", num_workers=2):
        start = perf_counter()
        chosen = eager_by_dask(source, y, 10)
        middle = perf_counter()
        selector = InformationSelector(n_features_to_select=10).fit(source, y)
        end = perf_counter()
    assert chosen == selector.selection_order_.tolist()
    line("plain Dask, every pair", f"{middle - start:.2f} s for 10 of 4,000 columns")
    line("handful", f"{end - middle:.2f} s, the same columns")


# ---- (d) a projection ----


def projection(share):
    """What 500,000 people with 10 million variants of three values need; nothing that big runs."""
    rows, columns, planes, few = 500_000, 10_000_000, 2, 64
    rng = np.random.default_rng(5)
    X = da.from_array(rng.integers(0, 3, (rows, few)).astype(np.int8), chunks=(rows, few))
    layout = Layout.by_class(rng.integers(0, 2, rows).astype(np.int32), 2, 5)
    with dask.config.set(scheduler="synchronous"):
        start = process_time()
        shards = Distributed(X).planes(layout)
        packing = (process_time() - start) / few
        shards.relevances()
        shards.choose(0)
        shards.terms("jmi")
        start = process_time()
        shards.terms("jmi")
        pair = (process_time() - start) / few
    memory, sent = rows * columns * planes / 8, rows * planes / 8
    n_workers = int(np.ceil(memory / (0.7 * 64e9)))
    cores = 16 * n_workers
    scores, network = 8 * columns, 10e9 / 8
    print(f"\n(d) projected: {rows:,} x {columns:,} of three values, a network of 10 Gbit/s")
    line(
        "measured in one thread", f"{1e6 * pair:.0f} us a pair, {1e3 * packing:.1f} ms to pack one"
    )
    line("packed", f"{memory / 1e12:.2f} TB: {n_workers} workers of 64 GB and 16 threads")
    line("packing", f"{packing * columns / cores / 60:.1f} minutes, besides reading")
    line("a column by cmim", f"{share * columns * pair / cores:.2f} s of counting")
    line("a column by sums", f"{columns * pair / cores:.2f} s of counting (mrmr, jmi)")
    spread = n_workers * sent / network
    line("network, every step", f"{n_workers * sent / 1e6:.1f} MB to the workers, {spread:.3f} s")
    line(
        "network, sums", f"{scores / 1e6:.0f} MB of scores to the driver, {scores / network:.3f} s"
    )
    line("first to break", "packed bits in memory: all must be there; then, for sums,")
    line("", "the driver's network card, which is the same for any number of workers")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="sizes that take seconds")
    parser.add_argument("--folder", type=Path, help="where the files are kept")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--cap", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--part", choices=list("abcd"), action="append", help="only this part")
    given = parser.parse_args()
    if given.run:
        return one_run(given.folder, given.run, given.cap)
    size, parts = SIZES[given.small], given.part or list("abcd")
    with tempfile.TemporaryDirectory() as temporary:
        if "a" in parts:
            out_of_core(given.folder or Path(temporary), size)
    share = 0.02
    if "b" in parts:
        share = workers(size["workers"])
        against_eager()
    if "c" in parts:
        growth((1, 10) if given.small else (1, 10, 100))
    if "d" in parts:
        projection(share)


if __name__ == "__main__":
    main()
