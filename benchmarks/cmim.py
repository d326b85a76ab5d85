"""CMIM on wide boolean tables, whole fits: checking, packing and choosing, on NumPy bool and CSC.

Limits (medians, one thread unless said):
- 500 x 43,904, choose 50: at most 10 ms, and at most 0.2 times scikit-learn's univariate chi2;
- 1,909 x 139,351, 1 % ones, 42 positives, choose 10: at most 55 ms dense and 30 ms from CSC; two
  threads at least 1.6 times one;
- at most 3 % of the conditional informations that scoring every column at every step takes;
- at most a quarter of the table's memory beyond the table.

    python benchmarks/cmim.py
"""

import argparse
import warnings
from importlib.util import find_spec

import numpy as np
from scipy.sparse import csc_array
from side_by_side import medians, seconds, verdict
from sklearn.feature_selection import SelectKBest, chi2

from handful import InformationSelector, _core
from handful.columns import Dense, Layout
from handful.datasets import make_latent_signals

# What PyPI does not have, measured once on this kind of machine: milliseconds, packing apart.
QUOTED = {
    "faces": {"Fleuret's C++": "7.6 + 32 packing", "praznik (C)": "94", "FEAST (C)": "134"},
    "molecules": {"Fleuret's C++": "26 + 520 packing", "praznik (C)": "560", "FEAST (C)": "5,580"},
}
RUNS = 15


def faces():
    X, y, _ = make_latent_signals(500, 43_904, random_state=0)
    return X, y, 50


def molecules():
    X, y, _ = make_latent_signals(1909, 139_351, n_positives=42, density=0.01, random_state=0)
    return X, y, 10


def fit(X, y, n, n_jobs=1):
    return InformationSelector(n_features_to_select=n, n_jobs=n_jobs).fit(X, y)


def naive_first_steps(X, y, n):
    """The first choices by scoring every column at every step, with NumPy."""
    chosen, score, joint = [], np.full(X.shape[1], np.inf), y.astype(np.int64)
    table = X.astype(np.float32)
    while len(chosen) < n:
        score = np.minimum(score, informations(table, y, joint))
        score[chosen] = -np.inf
        best = int(np.argmax(score > score.max() - 1e-12))
        chosen.append(best)
        joint = y + 2 * X[:, best]  # the class, and the level of the column just chosen
    return chosen


def informations(table, y, joint):
    """I(Y; X | last) for all boolean columns: counts by class and level from one product."""
    cells = np.unique(joint)
    indicator = (joint == cells[:, None]).astype(np.float32)
    ones = (indicator @ table).astype(np.float64)
    total = indicator.sum(axis=1, dtype=np.float64)[:, None]
    level = cells // 2

    def plogp(counts):
        return np.where(counts > 0, counts * np.log(np.maximum(counts, 1)), 0)

    answer = plogp(ones).sum(axis=0) + plogp(total - ones).sum(axis=0) - plogp(total).sum()
    for value in np.unique(level):
        here = level == value
        on, rows = ones[here].sum(axis=0), total[here].sum()
        answer += plogp(rows) - plogp(on) - plogp(rows - on)
    return answer / len(y)


def report(name, make):
    X, y, n = make()
    sparse = csc_array(X)
    print(f"\n{name}: {X.shape[0]:,} x {X.shape[1]:,}, choose {n}; width {_core.width}")
    selector = fit(X, y, n)
    checked = min(n, 10)
    assert selector.selection_order_[:checked].tolist() == naive_first_steps(X, y, checked)
    assert fit(sparse, y, n).selection_order_.tolist() == selector.selection_order_.tolist()
    times = medians(
        {
            "handful, bool array": lambda: fit(X, y, n),
            "handful, bool array, 2 threads": lambda: fit(X, y, n, n_jobs=2),
            "handful, CSC": lambda: fit(sparse, y, n),
            "scikit-learn chi2 (univariate)": lambda: SelectKBest(chi2, k=n).fit(X, y),
        },
        RUNS,
    )
    own = times["handful, bool array"]
    for peer, time in times.items():
        print(f"  {peer:34} {1e3 * time:9.1f} ms  {time / own:8.2f} x handful")
    for peer, said in QUOTED[name].items():
        print(f"  {peer:34} {said:>9} ms  (quoted)")
    eager = X.shape[1] * (n - 1)
    layout = Layout.by_class(y, 2, n_bins=5)
    planes = Dense(X).planes(layout).nbytes
    print(f"  evaluations {selector.n_evaluations_:,} of {eager:,}:", end=" ")
    print(f"{verdict(100 * selector.n_evaluations_ / eager, 3)} %")
    print(f"  packed bits {planes / 2**20:.1f} MiB for a table of {X.nbytes / 2**20:.1f} MiB")
    return times


def limits(face, molecule):
    one, chi = face["handful, bool array"], face["scikit-learn chi2 (univariate)"]
    print("\nlimits")
    print("  faces, ms:              ", verdict(1e3 * one, 10))
    print("  faces, against chi2:    ", verdict(one / chi, 0.2))
    dense = molecule["handful, bool array"]
    print("  molecules, ms:          ", verdict(1e3 * dense, 55))
    print("  molecules from CSC, ms: ", verdict(1e3 * molecule["handful, CSC"], 30))
    gain = dense / molecule["handful, bool array, 2 threads"]
    print("  molecules, two threads: ", verdict(gain, 1.6, at_least=True))


def slow_peers():
    """Peers that would take minutes on the full width, on part of the columns, one run each."""
    X, y, _ = faces()
    part = X[:, :2000]
    own = medians({"handful": lambda: fit(part, y, 10)}, RUNS)["handful"]
    print(f"\n500 x 2,000, choose 10: handful {1e3 * own:.2f} ms")
    if find_spec("skfeature"):
        from skfeature.function.information_theoretical_based import CMIM

        cells = part.astype(np.int64)
        time = seconds(lambda: CMIM.cmim(cells, y, n_selected_features=10))
        print(f"  scikit-feature CMIM {time:9.2f} s   {time / own:10,.0f} x handful")
    if find_spec("fastcan"):
        from fastcan import FastCan

        cells = part.astype(np.float64)
        time = seconds(lambda: FastCan(10, verbose=0).fit(cells, y))
        print(f"  fastcan (correlations) {time:6.2f} s   {time / own:10,.0f} x handful")


def main():
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    warnings.filterwarnings("ignore", category=FutureWarning)
    limits(report("faces", faces), report("molecules", molecules))
    slow_peers()


if __name__ == "__main__":
    main()
