"""Recursive elimination beside loops that fit anew: leukaemia, digits, wide tables and texts.

Limits (medians, one thread, in the same run):
- 38 x 7,129, one column at a time, ridge: at most 0.11 s, and 80 times as fast as scikit-learn's
  RFE with the fastest solver of its Ridge;
- 2,000 x 5,000, half of the columns at a time, ridge: 1.5 times as fast as a loop over Ridge;
- 7,769 x 13,763 texts, a ranking for each of 90 categories, half of the words at a time, ridge: 3
  times as fast as a loop over Ridge on column slices at the same tolerance, 1e-8, and at most 2 GB.
  From the folder that HANDFUL_DATA names.

    python benchmarks/elimination.py
"""

import argparse
import os
import resource
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from side_by_side import medians, verdict
from sklearn.feature_selection import RFE
from sklearn.linear_model import Ridge
from threadpoolctl import threadpool_limits

from handful import RecursiveElimination
from handful.datasets import load, load_leukaemia

RUNS = 3


class Workload(NamedTuple):
    """Two ways to one answer, and what is asked of the first."""

    title: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    whose: str
    ratio: float
    most_seconds: float | None = None


def halves(X, y, weigh, alone=1):
    """The order in which a loop drops half of the columns, the weakest by `weigh(X, y)`."""
    left, order = np.arange(X.shape[1]), []
    while len(left) > alone:
        scores = weigh(X[:, left], y)
        gone = np.argsort(scores, kind="stable")[: len(left) // 2]
        order.extend(left[gone].tolist())
        left = np.delete(left, gone)
    return [*left[::-1].tolist(), *order[::-1]]


def leukaemia():
    data = load_leukaemia()
    X = data.data.astype(float)
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)
    return X, np.where(data.target == data.target[0], 1.0, -1.0)


def wide():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 5000))
    return X, np.sign(X[:, :20] @ rng.standard_normal(20) + rng.standard_normal(2000))


def texts():
    """Words by (1 + log tf) idf, texts of length 1, and a column per category."""
    data = load("reuters_aptemod", split="train")
    X = sparse.csr_array(data.data, dtype=float)
    rarity = np.log(X.shape[0] / np.bincount(X.indices, minlength=X.shape[1]))
    X.data = (1 + np.log(X.data)) * rarity[X.indices]
    length = np.sqrt(X.multiply(X).sum(axis=1))
    X = sparse.csr_array(sparse.diags_array(1 / np.where(length > 0, length, 1)) @ X)
    member = data.target.toarray() if sparse.issparse(data.target) else data.target
    return X, np.asarray(member, dtype=int)


def one_at_a_time():
    X, y = leukaemia()
    fastest = Ridge(solver="cholesky")
    yield Workload(
        "38 x 7,129, one at a time, ridge",
        lambda: RecursiveElimination(n_features_to_select=1).fit(X, y).ranking_[:],
        lambda: RFE(fastest, n_features_to_select=1).fit(X, y).ranking_,
        "RFE around Ridge(solver='cholesky')",
        ratio=80,
        most_seconds=0.11,
    )


def halving():
    X, y = wide()
    yield Workload(
        "2,000 x 5,000, halving, ridge",
        lambda: RecursiveElimination(step=0.5).fit(X, y).path_.features,
        lambda: halves(X, y, lambda X, y: np.abs(Ridge().fit(X, y).coef_)),
        "a loop over Ridge",
        ratio=1.5,
    )


def categories():
    X, member = texts()

    def weigh(X, y):
        return np.abs(Ridge(solver="sparse_cg", tol=1e-8).fit(X, y).coef_)

    yield Workload(
        f"7,769 x 13,763, {member.shape[1]} categories, halving, ridge",
        lambda: [path.features for path in RecursiveElimination(step=0.5).rank_each(X, member)],
        lambda: [halves(X, y, weigh) for y in 2.0 * member.T - 1],
        "a loop over Ridge(solver='sparse_cg', tol=1e-8)",
        ratio=3,
    )


def show(work):
    """The peer runs once between our own runs: it is the slow one."""
    runs = [medians({"ours": work.ours}, RUNS)["ours"]]
    theirs = medians({"theirs": work.theirs}, 1)["theirs"]
    runs.append(medians({"ours": work.ours}, RUNS)["ours"])
    ours = sum(runs) / 2
    print(f"{work.title}: {ours:.3f} s; {work.whose}: {theirs:.2f} s", flush=True)
    print("  times as fast:", verdict(theirs / ours, work.ratio, at_least=True))
    if work.most_seconds:
        print("  seconds:", verdict(ours, work.most_seconds))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", choices=[*WORKLOADS, []], help="default: all of them")
    chosen = parser.parse_args().only or WORKLOADS
    with threadpool_limits(1):
        for name in chosen:
            if name == "texts" and not os.environ.get("HANDFUL_DATA"):
                print("texts: left out, HANDFUL_DATA names no folder")
                continue
            for work in WORKLOADS[name]():
                show(work)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print("peak memory of the process, GB:", verdict(peak, 2))


WORKLOADS = {"genes": one_at_a_time, "wide": halving, "texts": categories}

if __name__ == "__main__":
    main()
