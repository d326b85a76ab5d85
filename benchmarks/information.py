"""The criteria of the information family, whole fits: 200 x 10,000, 5 levels, choose 50.

Limits (medians, from an int8 array, one thread unless said):
- cmim at most 11 ms and mim 3.6 ms, half of praznik's time; jmim 20.5 ms, a quarter; mrmr 25 ms,
  jmi 50 ms and disr 60 ms, an eighth;
- two threads at least 1.5 times one on jmi;
- from float64, cutting into 5 quantile levels included: at most 3 times these;
- 10 classes for 2: at most 3.5 times the time, and jmi at most 120 ms; 20 levels for 5: 6 times;
- peak memory beyond the table at most the table's size in int8.

    python benchmarks/information.py
"""

import argparse
import resource
from multiprocessing import get_context

import numpy as np
from side_by_side import medians, seconds, verdict
from sklearn.feature_selection import mutual_info_classif

from handful import InformationSelector, _core

ROWS, COLUMNS, LEVELS, CHOSEN = 200, 10_000, 5, 50
RUNS = 9
LIMITS = {"cmim": 11, "mim": 3.6, "jmim": 20.5, "mrmr": 25, "jmi": 50, "disr": 60}
# What PyPI does not have, measured once on this kind of machine: milliseconds in one and in two
# threads; FEAST in one, and of preparation.
PRAZNIK = {
    "cmim": "22, 16",
    "jmi": "404, 250",
    "mrmr": "201, 98",
    "jmim": "82, 45",
    "disr": "493, 260",
    "mim": "7.2, 5.4",
}
FEAST = {"cmim": "14 + 27", "jmi": "682", "mrmr": "359"}


def table(n_columns=COLUMNS, n_classes=2):
    """Normal columns; a tenth of them is shifted by class, and near copies of others."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(ROWS) % n_classes)
    X = rng.standard_normal((ROWS, n_columns))
    informative = n_columns // 10
    X[:, :informative] += rng.normal(0, 0.7, (n_classes, informative))[y]
    copied = rng.integers(informative, size=informative)
    X[:, informative : 2 * informative] += 2 * X[:, copied]
    return X, y


def levels(X, n_levels):
    """Ranks cut into so many levels with equal numbers of rows."""
    ranks = np.argsort(np.argsort(X, axis=0), axis=0)
    return np.asfortranarray(ranks * n_levels // ROWS, dtype=np.int8)


def fit(X, y, criterion, n_jobs=1):
    selector = InformationSelector(
        criterion, n_features_to_select=CHOSEN, n_bins=LEVELS, n_jobs=n_jobs
    )
    return selector.fit(X, y)


def memory(criterion):
    """The growth of the process's peak over a fit: in a process of its own."""
    X = np.random.default_rng(0).integers(LEVELS, size=(ROWS, 500_000), dtype=np.int8)
    y = np.arange(ROWS) % 2
    fit(X[:, :100], y, criterion)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fit(X, y, criterion)
    grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    print(f"{criterion}, peak beyond a table of 100 MB: {verdict(grown / X.nbytes, 1)} tables")


def check(X, y):
    """The scores of mim are scikit-learn's."""
    path = fit(X, y, "mim").path_
    said = mutual_info_classif(X[:, path.features], y, discrete_features=True)
    assert np.allclose(path.scores, said, atol=1e-12)


def main():
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    for criterion in ("cmim", "jmi"):
        process = get_context("spawn").Process(target=memory, args=(criterion,))
        process.start()
        process.join()
    X, y = table()
    many, of_ten = table(n_classes=10)
    tables = {
        "int8": (levels(X, LEVELS), y, 1),
        "int8, 2 threads": (levels(X, LEVELS), y, 2),
        "float64": (X, y, 1),
        "10 classes": (levels(many, LEVELS), of_ten, 1),
        "20 levels": (levels(X, 20), y, 1),
    }
    check(*tables["int8"][:2])
    times = {
        criterion: medians(
            {
                name: lambda given=given, criterion=criterion: fit(*given[:2], criterion, given[2])
                for name, given in tables.items()
            },
            RUNS,
        )
        for criterion in _core.criteria
    }
    show(times)
    limits(times)
    whole = tables["int8"][0]
    time = seconds(lambda: mutual_info_classif(whole, y, discrete_features=True))
    print(f"\nscikit-learn's mutual_info_classif, mim alone: {time:.1f} s,", end=" ")
    print(f"{time / times['mim']['int8']:,.0f} x handful")


def show(times):
    print(f"\n{ROWS} x {COLUMNS:,}, choose {CHOSEN}: ms; width {_core.width}; the last two quoted")
    names = list(next(iter(times.values())))
    print(
        f"  {'':14}" + "".join(f"{name:>17}" for name in names), "     praznik, 1 and 2      FEAST"
    )
    for criterion, found in times.items():
        own = "".join(f"{1e3 * found[name]:17.1f}" for name in names)
        print(
            f"  {criterion:14}{own}{PRAZNIK.get(criterion, ''):>23}{FEAST.get(criterion, ''):>11}"
        )


def limits(times):
    print("\nlimits: ms, then times the two-class time with 5 levels")
    for criterion, limit in LIMITS.items():
        found = {name: 1e3 * time for name, time in times[criterion].items()}
        print(f"  {criterion:5} from int8 {verdict(found['int8'], limit)};", end=" ")
        print(f"from float64 {verdict(found['float64'], 3 * limit)};", end=" ")
        print(f"10 classes {verdict(found['10 classes'] / found['int8'], 3.5)};", end=" ")
        print(f"20 levels {verdict(found['20 levels'] / found['int8'], 6)}")
    jmi = times["jmi"]
    print("  jmi, 10 classes, ms:  ", verdict(1e3 * jmi["10 classes"], 120))
    print("  jmi, 2 threads against 1:", end=" ")
    print(verdict(jmi["int8"] / jmi["int8, 2 threads"], 1.5, at_least=True))


if __name__ == "__main__":
    main()
