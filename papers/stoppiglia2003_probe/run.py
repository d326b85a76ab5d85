"""Stoppiglia, Dreyfus, Dubois and Oussar (2003), Ranking a Random Feature: its experiments again.

    python papers/stoppiglia2003_probe/run.py           # everything; writes README.md
    python papers/stoppiglia2003_probe/run.py --quick   # a tenth of the draws; writes nothing

The numbers printed in the paper are in expected.toml. Table 2 needs the digits and the Reuters
texts in the folder that HANDFUL_DATA names; without it, their rows are left out.
"""

import os
import sys
import warnings
from itertools import combinations
from pathlib import Path
from statistics import median

import numpy as np
from library import NOISE, kernels, one_library, wavelets
from network import one_network
from scipy.optimize import least_squares
from scipy.stats import binomtest, fisher_exact, ttest_ind, ttest_rel
from sklearn.datasets import load_diabetes

from handful import GramSchmidt
from handful.datasets import load, make_linear_process, make_linear_separator, make_xor
from handful.features import Monomials
from handful.stopping import AnalyticProbe

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))
from common import Section, expected, main  # noqa: E402  (the folder above is no package)

EXPECTED = expected(HERE)


# ---- how results are written ----


def share(hits, runs):
    """A share with its 95 % interval."""
    low, high = binomtest(int(hits), runs).proportion_ci()
    return f"{hits} of {runs} ({100 * low:.0f}–{100 * high:.0f} %)"


def agrees(printed, hits, runs):
    """Whether two shares may be the same: Fisher's exact test."""
    p = fisher_exact([[printed[0], printed[1] - printed[0]], [hits, runs - hits]])[1]
    return f"{'yes' if p > 0.01 else 'no'} (p = {p:.2g})"


def shares(section, key, what, hits, runs):
    printed = EXPECTED[section][key]
    if isinstance(printed, str):
        return what, printed, share(hits, runs), ""
    return what, f"{printed[0]} of {printed[1]}", share(hits, runs), agrees(printed, hits, runs)


def numbers(section, key, what, values, unit=""):
    return what, printed_number(EXPECTED[section][key], unit), spread(values, unit), ""


def printed_number(printed, unit):
    """A mean, with its standard deviation where the paper prints one."""
    if isinstance(printed, list):
        return f"{printed[0]}{unit} (s.d. {printed[1]})"
    return f"{printed}{unit}"


def spread(values, unit="", digits=1):
    values = np.asarray(values, dtype=float)
    return f"{values.mean():.{digits}f}{unit} (s.d. {values.std(ddof=1):.{digits}f})"


def hypothesis(what, printed, first, second, alternative="two-sided"):
    """A t-test of two means, at 5 % where nothing else is printed; and the sharper one of pairs."""
    p = ttest_ind(first, second, equal_var=False, alternative=alternative).pvalue
    paired = ttest_rel(first, second, alternative=alternative).pvalue
    result = "accepted" if p > (0.005 if "0.5 %" in printed else 0.05) else "rejected"
    measured = f"{result} (p = {p:.2g}; database by database {paired:.2g})"
    return "t-test: " + what, printed, measured, "yes" if result in printed else "no"


# ---- figure 1 ----


def figure_1(n_draws):
    exact = first = 0
    for seed in range(n_draws):
        X, y, relevant = make_linear_process(random_state=seed)
        selector = GramSchmidt(AnalyticProbe(0.1)).fit(X, y)
        exact += sorted(selector.selection_order_) == relevant.tolist()
        first += set(GramSchmidt(5).fit(X, y).selection_order_) == set(relevant)
    yield shares("figure_1", "five_kept", "exactly the five kept at a risk of 10 %", exact, n_draws)
    yield shares("figure_1", "five_kept", "the five ranked before all others", first, n_draws)


# ---- section 6.1.1 ----


def separator(X, y):
    """A linear separator with a sigmoid on top, least squares by Levenberg and Marquardt."""
    rows = np.column_stack([X, np.ones(len(X))])

    def slopes(weights):
        return (1 - np.tanh(rows @ weights) ** 2)[:, None] * rows

    start = np.linalg.lstsq(rows, y)[0]
    return least_squares(lambda w: np.tanh(rows @ w) - y, start, slopes, method="lm").x


def error(weights, X, y):
    """Share of wrong signs, in percent."""
    return 100 * float(np.mean(np.sign(X @ weights[:-1] + weights[-1]) != y))


def one_database(seed):
    """Errors by choice of columns and rows in percent; true columns among the first two; kept."""
    X, y, true = make_linear_separator(random_state=seed)
    test = slice(800, None)
    errors, found = {}, {}
    for n_rows in (800, 100):
        learn = slice(0, n_rows)
        chosen = GramSchmidt(2).fit(X[learn], y[learn]).selection_order_
        found[n_rows] = len(set(chosen) & set(true))
        pairs = {"selected": chosen, "true": true}
        if n_rows == 800:
            rng = np.random.default_rng([2003, seed])
            pairs["random pair"] = rng.choice(np.arange(2, X.shape[1]), 2, replace=False)
            pairs["true and random"] = [rng.integers(2), rng.integers(2, X.shape[1])]
            kept = GramSchmidt(AnalyticProbe(0.01)).fit(X[learn], y[learn]).selection_order_
            pairs["kept"] = kept
        for name, columns in pairs.items():
            model = separator(X[learn][:, columns], y[learn])
            for part, rows in (("learn", learn), ("test", test)):
                errors[name, n_rows, part] = error(model, X[rows][:, columns], y[rows])
    return found, errors, len(kept)


def section_6_1_1(n_draws):
    results = [one_database(seed) for seed in range(n_draws)]
    errors = {key: np.array([result[1][key] for result in results]) for key in results[0][1]}
    name = "section_6_1_1"
    for key, what, n_rows, least in (
        ("one_in_two", "a true column among the first two", 800, 1),
        ("both_in_two", "both true columns are the first two", 800, 2),
        ("both_in_two_of_100_rows", "the same from 100 rows", 100, 2),
    ):
        yield shares(name, key, what, sum(r[0][n_rows] >= least for r in results), n_draws)
    for key, what in (
        ("selected", "error with the two selected"),
        ("true", "error with the two true"),
        ("random pair", "error with two random columns"),
        ("true and random", "error with a true and a random one"),
    ):
        label = "error_" + key.replace(" ", "_")
        yield numbers(name, label, what + ", training rows", errors[key, 800, "learn"], " %")
    yield from t_tests_of_6_1_1(errors)
    yield numbers(name, "kept_at_1_percent", "columns kept at a risk of 1 %",
                  [result[2] for result in results])  # fmt: skip


def t_tests_of_6_1_1(errors):
    """The hypotheses about mean errors that the paper tests."""
    learn, test = (errors["selected", 800, part] for part in ("learn", "test"))
    yield hypothesis(
        "the two selected err at most 0.125 % more than the two true",
        "accepted at 0.5 %",
        learn - 0.125,
        errors["true", 800, "learn"],
        "greater",
    )
    yield hypothesis(f"they err alike on test rows ({test.mean():.1f} %)",
                     "accepted at 5 %", test, learn)  # fmt: skip
    kept = errors["kept", 800, "test"]
    yield hypothesis(f"those kept at 1 % err alike ({kept.mean():.1f} % of test rows)",
                     "accepted", kept, test)  # fmt: skip
    for part, rows in (("learn", "training"), ("test", "test")):
        selected, true = errors["selected", 100, part], errors["true", 100, part]
        more = f"{selected.mean():.1f} and {true.mean():.1f} % of {rows} rows"
        yield hypothesis(f"from 100 rows the two selected err at most 1 % more ({more})",
                         "accepted", selected - 1, true, "greater")  # fmt: skip


# ---- section 6.1.2 ----


def section_6_1_2(n_draws):
    exact = {1: 0, "all": 0}
    unlearned, product_alone, ranks = 0, 0, []
    monomials = Monomials(2)
    for seed in range(n_draws):
        X, y, relevant = make_xor(random_state=seed)
        linear = GramSchmidt(None).fit(X, y)
        unlearned += linear.stopping_.warning is not None
        ranks += linear.ranking_[relevant].tolist()
        table = monomials.fit_transform(X)
        for probes in exact:
            chosen = GramSchmidt(AnalyticProbe(0.01, probes=probes)).fit(table, y)
            variables = monomials.variables(chosen.selection_order_)
            exact[probes] += variables.tolist() == relevant.tolist()
        # the last choice is that of all probes
        names = monomials.get_feature_names_out()[chosen.selection_order_]
        product_alone += names.tolist() == ["·".join(f"x{j}" for j in relevant)]
    name = "section_6_1_2"
    yield shares(name, "linear_unlearned", "the linear model is recognised as unable to learn",
                 unlearned, n_draws)  # fmt: skip
    yield ("rank of the two inputs in the linear model, of 52", "quite low",
           f"median {median(ranks):.0f}", "")  # fmt: skip
    for probes, what in ((1, "one probe"), ("all", "all probes")):
        yield shares(name, "quadratic_exact", f"the two inputs and no other at 1 %, {what}",
                     exact[probes], n_draws)  # fmt: skip
    yield ("the function found is a multiple of their product, all probes", "f = x1 x2",
           share(product_alone, n_draws), "")  # fmt: skip


# ---- section 5 ----


def section_5(n_draws):
    for make, what in ((kernels, "kernels"), (wavelets, "wavelets")):
        draws = [one_library(make, seed) for seed in range(n_draws)]

        def measured(key, digits=1, draws=draws):
            return spread([draw[key] for draw in draws], digits=digits)

        yield f"{what} in the library", f"{draws[0]['library']}"
        yield f"{what} behind the target", "3"
        yield f"{what} that the probe takes from the library", measured("chosen")
        yield f"{what} left when all of the trained ones beat the probe", measured("kept")
        yield f"rounds of training, {what}", measured("rounds")
        for key, units in (
            ("error of chosen", "taken from the library"),
            ("error of kept", "trained, chosen again"),
            ("error of true", "behind the target"),
        ):
            yield f"test error of the {what} {units} (noise {NOISE})", measured(key, 3)


# ---- table 1 ----


def table_1(n_draws, settings, n_starts):
    for key in list(EXPECTED["table_1"])[:settings]:
        potential, noise = (float(part) for part in key.split(","))
        printed = EXPECTED["table_1"][key]
        draws = [one_network(potential, noise, seed, n_starts) for seed in range(n_draws)]
        hidden = "; ".join(
            f"{way}: {', '.join(str(draw['hidden'][way]) for draw in draws)}"
            for way in draws[0]["hidden"]
        )
        where = f"potential {potential:g}, noise {noise:g}: "
        inputs = ", ".join(str(draw["inputs"]) for draw in draws)
        idle = ", ".join(str(draw["idle"]) for draw in draws)
        training, test = (median(draw[part] for draw in draws) for part in ("training", "test"))
        yield where + "inputs", str(printed[0]), f"{inputs} true (and {idle} idle)", ""
        yield where + "hidden neurons", str(printed[1]), hidden, ""
        yield (where + "training, test error", f"{printed[2]:g}, {printed[3]:g}",
               f"{training:.2g}, {test:.2g}", "")  # fmt: skip


# ---- table 2 ----


def table_2(n_topics):
    """The shapes of the paper's applications, in public data."""
    rng = np.random.default_rng(2003)
    for task, n_rows, n_columns in (("QSAR", 321, 74), ("spot welding", 310, 15)):
        X, y = patients(n_rows, n_columns, rng)
        kept = GramSchmidt(AnalyticProbe(0.05)).fit(X, y).n_features_
        what = f"{task}: {len(X)} patients, {X.shape[1]} columns of measurements and products"
        yield what, printed_shape(task), str(kept), ""
    if not os.environ.get("HANDFUL_DATA"):
        return
    for task, n_rows, n_columns, n_classes in (
        ("eddy current", 100, 140, 4),
        ("financial analysis", 250, 45, 5),
    ):
        X, y = digits(n_rows, n_columns, n_classes, rng)
        largest = max(pairs_keep(X, y))
        what = f"{task}: {n_rows} images of {n_classes} digits, {n_columns} pixels, largest pair"
        yield what, printed_shape(task), str(largest), ""
    what = f"information filtering: 1,000 texts, 400 words, mean of {n_topics} topics of Reuters"
    kept = words_kept(n_topics)
    yield what, printed_shape("information filtering"), spread(kept), ""


def printed_shape(task):
    n_rows, n_columns, kept = EXPECTED["table_2"][task]
    return f"{kept} of {n_columns}, {n_rows} examples"


def patients(n_rows, n_columns, rng):
    """Diabetes: ten measurements, and if there is room their products of two."""
    data = load_diabetes()
    rows = rng.permutation(len(data.target))[:n_rows]
    X = data.data[rows]
    if n_columns > 2 * X.shape[1]:
        X = Monomials(2).fit_transform(X / X.std(axis=0))[:, 1:]
    return X, data.target[rows]


def digits(n_rows, n_columns, n_classes, rng):
    """As many scanned images of each digit, and the pixels that vary most."""
    data = load("usps", split="train")
    X, y = np.asarray(data.data, dtype=float), np.asarray(data.target).astype(int)
    rows = np.concatenate(
        [rng.permutation(np.flatnonzero(y == digit))[: n_rows // n_classes]
         for digit in np.unique(y)[:n_classes]]
    )  # fmt: skip
    X, y = X[rows], y[rows]
    return X[:, np.sort(np.argsort(-X.var(axis=0), kind="stable")[:n_columns])], y


def pairs_keep(X, y):
    """How many columns tell two classes apart, for each pair, as the paper splits its problems."""
    for pair in combinations(np.unique(y), 2):
        rows = np.isin(y, pair)
        yield GramSchmidt(AnalyticProbe(0.05)).fit(X[rows], y[rows]).n_features_


def words_kept(n_topics):
    """A thousand texts, half of them on the topic where there are so many; its 400 likely words."""
    data = load("reuters_aptemod", split="train")
    labels = data.target.toarray() if hasattr(data.target, "toarray") else np.asarray(data.target)
    counts = data.data.tocsr()
    kept = []
    for topic in np.argsort(-labels.sum(axis=0))[:n_topics]:
        rng = np.random.default_rng([2003, int(topic)])
        on = np.flatnonzero(labels[:, topic])
        off = np.flatnonzero(labels[:, topic] == 0)
        on = rng.permutation(on)[:500]
        rows = np.concatenate([on, rng.permutation(off)[: 1_000 - len(on)]])
        table, y = (counts[rows] > 0).astype(np.float64), labels[rows, topic].astype(int)
        # words far more frequent in the topic's texts than elsewhere, as Stricker et al. (1999)
        frequency = np.asarray(table[y == 1].mean(axis=0)).ravel()
        elsewhere = np.asarray(table[y == 0].mean(axis=0)).ravel()
        words = np.sort(np.argsort(elsewhere - frequency, kind="stable")[:400])
        selector = GramSchmidt(AnalyticProbe(0.05)).fit(table[:, words], y)
        kept.append(selector.n_features_)
    return kept


# ---- all of it ----


COLUMNS = ("", "printed", "measured here", "agrees")


def sections(quick):
    part = 10 if quick else 1
    warnings.filterwarnings("ignore", ".*keeps no feature", UserWarning)
    yield Section("Figure 1: 15 observations, 5 of 10 columns relevant", COLUMNS,
                  figure_1(1_000 // part))  # fmt: skip
    yield Section("Section 5: kernels and wavelets from a library", ("", "measured here"),
                  section_5(30 // part))  # fmt: skip
    for title, rows in (
        ("Section 6.1.1: two true columns of 240", section_6_1_1(100 // part)),
        ("Section 6.1.2: exclusive-or", section_6_1_2(100 // part)),
        ("Table 1: inputs and hidden neurons", table_1(*((1, 1, 1) if quick else (3, None, 3)))),
        ("Table 2: the shapes of the applications", table_2(3 if quick else 20)),
    ):
        yield Section(title, COLUMNS, rows)


if __name__ == "__main__":
    main(HERE, __doc__, sections)
