"""Stoppiglia, Dreyfus, Dubois and Oussar (2003), Ranking a Random Feature: its experiments again.

    python papers/stoppiglia2003_probe/run.py           # everything; writes README.md
    python papers/stoppiglia2003_probe/run.py --quick   # a tenth of the draws; writes nothing

The numbers printed in the paper are in expected.toml. Table 2 needs the Reuters texts, in the
folder that HANDFUL_DATA names, and is left out without them.
"""

import os
import sys
import warnings
from pathlib import Path
from statistics import median

import numpy as np
from network import one_network
from scipy.optimize import least_squares
from scipy.stats import binomtest, fisher_exact, ttest_1samp, ttest_rel

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
    values = np.asarray(values, dtype=float)
    measured = f"{values.mean():.1f}{unit} (s.d. {values.std(ddof=1):.1f})"
    return what, f"{EXPECTED[section][key]}{unit}", measured, ""


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
    X, y, true = make_linear_separator(random_state=seed)
    learn, test = slice(0, 800), slice(800, None)
    rng = np.random.default_rng([2003, seed])
    selector = GramSchmidt(2).fit(X[learn], y[learn])
    pairs = {
        "selected": selector.selection_order_,
        "true": true,
        "random pair": rng.choice(np.arange(2, X.shape[1]), 2, replace=False),
        "true and random": np.array([rng.integers(2), rng.integers(2, X.shape[1])]),
    }
    models = {name: separator(X[learn][:, pair], y[learn]) for name, pair in pairs.items()}
    errors = {
        (name, part): error(models[name], X[rows][:, pair], y[rows])
        for name, pair in pairs.items()
        for part, rows in (("learn", learn), ("test", test))
    }
    few = GramSchmidt(2).fit(X[:100], y[:100]).selection_order_
    kept = GramSchmidt(AnalyticProbe(0.01)).fit(X[learn], y[learn]).n_features_
    found = [len(set(pair) & set(true)) for pair in (selector.selection_order_, few)]
    return found, errors, kept


def section_6_1_1(n_draws):
    results = [one_database(seed) for seed in range(n_draws)]
    found = np.array([result[0] for result in results])
    errors = {key: np.array([result[1][key] for result in results]) for key in results[0][1]}
    name = "section_6_1_1"
    yield shares(name, "one_in_two", "a true column among the first two",
                 int((found[:, 0] >= 1).sum()), n_draws)  # fmt: skip
    yield shares(name, "both_in_two", "both true columns are the first two",
                 int((found[:, 0] == 2).sum()), n_draws)  # fmt: skip
    yield shares(name, "both_in_two_of_100_rows", "the same from 100 rows",
                 int((found[:, 1] == 2).sum()), n_draws)  # fmt: skip
    for key, what in (
        ("selected", "error with the two selected"),
        ("true", "error with the two true"),
        ("random pair", "error with two random columns"),
        ("true and random", "error with a true and a random one"),
    ):
        label = "error_" + key.replace(" ", "_")
        yield numbers(name, label, what + ", training rows", errors[key, "learn"], " %")
    loss = errors["selected", "learn"] - errors["true", "learn"]
    # where the selected are the true ones in every database there is nothing to test
    p = float(ttest_1samp(loss, 0.125, alternative="greater").pvalue) if loss.any() else 1.0
    yield (
        "t-test: the two errors differ by at most 0.125 %",
        "accepted at 0.5 %",
        f"{'accepted' if p > 0.005 else 'rejected'} (p = {p:.2g})",
        "",
    )
    p = float(ttest_rel(errors["selected", "test"], errors["selected", "learn"]).pvalue)
    yield ("t-test: training and test error are equal", "accepted at 5 %",
           f"{'accepted' if p > 0.05 else 'rejected'} (p = {p:.2g}), test error "
           f"{errors['selected', 'test'].mean():.1f} %", "")  # fmt: skip
    kept = [result[2] for result in results]
    yield numbers(name, "kept_at_1_percent", "columns kept at a risk of 1 %", kept)


# ---- section 6.1.2 ----


def section_6_1_2(n_draws):
    exact = {1: 0, "all": 0}
    unlearned, ranks = 0, []
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
    name = "section_6_1_2"
    yield shares(name, "linear_unlearned", "the linear model is recognised as unable to learn",
                 unlearned, n_draws)  # fmt: skip
    yield ("rank of the two inputs in the linear model, of 52", "quite low",
           f"median {median(ranks):.0f}", "")  # fmt: skip
    for probes, what in ((1, "one probe"), ("all", "all probes")):
        yield shares(name, "quadratic_exact", f"the two inputs and no other at 1 %, {what}",
                     exact[probes], n_draws)  # fmt: skip


# ---- table 1 ----


def table_1(n_draws, settings):
    for key in list(EXPECTED["table_1"])[:settings]:
        potential, noise = (float(part) for part in key.split(","))
        printed = EXPECTED["table_1"][key]
        draws = [one_network(potential, noise, seed, n_starts=3) for seed in range(n_draws)]
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
    """A thousand texts, half of them on the topic where there are so many; its 400 likely words."""
    if not os.environ.get("HANDFUL_DATA"):
        return
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
    what = f"words kept per topic, at 5 %, {n_topics} topics of Reuters, 1,000 texts, 400 words"
    yield numbers("table_2", "information_filtering", what, kept)


# ---- all of it ----


COLUMNS = ("", "printed", "measured here", "agrees")


def sections(quick):
    part = 10 if quick else 1
    warnings.filterwarnings("ignore", ".*keeps no feature", UserWarning)
    for title, rows in (
        ("Figure 1: 15 observations, 5 of 10 columns relevant", figure_1(1_000 // part)),
        ("Section 6.1.1: two true columns of 240", section_6_1_1(100 // part)),
        ("Section 6.1.2: exclusive-or", section_6_1_2(100 // part)),
        ("Table 1: inputs and hidden neurons", table_1(*((1, 2) if quick else (3, None)))),
        ("Table 2: information filtering", table_2(3 if quick else 20)),
    ):
        yield Section(title, COLUMNS, rows)


if __name__ == "__main__":
    main(HERE, __doc__, sections)
