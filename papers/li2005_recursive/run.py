"""Li and Yang (2005), Using Recursive Classification to Discover Predictive Features, again.

    python papers/li2005_recursive/run.py           # everything; writes README.md and pictures
    python papers/li2005_recursive/run.py --quick   # few resamples and texts; writes nothing

The numbers printed in the paper are in expected.toml. Reuters' texts are read from the folder that
HANDFUL_DATA names, and left out without it.
"""

import os
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import genes
import numpy as np
from figures import draw_correlations, draw_frequencies, draw_sizes
from scipy.stats import ttest_rel
from texts import KINDS, WAYS, Curve, Texts, curve, reuters

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))
from common import Picture, Section, expected, main  # noqa: E402  (the folder above is no package)

EXPECTED = expected(HERE)
STRENGTHS = {"ridge": (0.1, 0.3, 1.0, 3.0), "SVM": (0.1, 0.3, 1.0, 3.0)}
RAREST = 30


def leukaemia(n_resamples: int) -> Iterator[Section]:
    found = genes.measure(n_resamples)
    for printed_split, title in (
        (True, "Figure 1, AML/ALL: errors on the 34 patients of the printed test set"),
        (False, f"The same on {n_resamples} resamples of the 72 patients: mean (95 % of them)"),
    ):
        rows = genes.figure_1(found, printed_split=printed_split)
        yield Section(title, ("genes", *genes.ways_of(found)), rows)
    yield Section(
        "What the paper says of AML/ALL: errors of 34",
        ("", "printed", "its test set", "resamples", "without error"),
        genes.claims(found, EXPECTED["leukaemia"]),
    )
    places = (f"places in recursive {name}" for name in genes.CLASSIFIERS)
    yield Section(
        "The three printed genes as they are: errors of 34, by how levels are scaled",
        ("levels", *genes.CLASSIFIERS, *places),
        genes.three_genes(),
    )
    matrices = genes.correlations()
    yield Section(
        "Figure 4: absolute correlations among the 32 best genes",
        ("", "mean", "mean of the first 8", "above 0.7"),
        genes.figure_4(matrices),
        (
            Picture(
                "figure_4.svg",
                "Figure 4: correlations among the 32 best genes",
                partial(draw_correlations, matrices),
            ),
        ),
    )


# ---- Reuters ----


def tuned(texts: Texts, kind: str) -> float:
    """The penalty with the best macro-averaged F1 on the folds, with all words."""

    def quality(strength: float) -> float:
        return curve(texts, kind, "recursive", strength, 0, n_sizes=1).on_folds[0].mean()

    return max(STRENGTHS[kind], key=quality)


def mean_and_spread(values: list[float]) -> str:
    mean = f"{np.mean(values):.3f}"
    return mean if len(values) == 1 else f"{mean} ± {np.std(values, ddof=1):.3f}"


def figure_2(found: dict[tuple[str, str], list[Curve]]) -> Iterator[tuple[str, ...]]:
    for (kind, way), curves in found.items():
        versions = {way: [each.own_sizes() for each in curves]}
        if way == "recursive":
            versions = {"all words": [each.all_words() for each in curves], **versions}
        for version, each in versions.items():
            yield (
                f"{kind}, {version}",
                mean_and_spread([own.macro[0] for own in each]),
                mean_and_spread([own.micro[0] for own in each]),
                ", ".join(f"{np.median(own.sizes):,.0f}" for own in each),
            )


def common_sizes(found: dict[tuple[str, str], Curve]) -> Iterator[tuple[str, ...]]:
    first = next(iter(found.values()))
    for place, size in enumerate(first.sizes):
        averages = (f"{own.macro[place]:.3f}, {own.micro[place]:.3f}" for own in found.values())
        yield f"{size:,}", *averages


def figure_3(curves: list[Curve], frequency: np.ndarray) -> Iterator[tuple[str, ...]]:
    order = np.argsort(frequency, kind="stable")
    printed = EXPECTED["reuters"]["rarest"]
    for number, part in enumerate(np.array_split(order, max(1, len(order) // RAREST))):
        few, many = frequency[part].min(), frequency[part].max()
        yield (
            f"{len(part)} categories of {few} to {many:,} training texts",
            "{} -> {}".format(*printed) if number == 0 else "figure only",
            mean_and_spread([own.all_words().f1[0][part].mean() for own in curves]),
            mean_and_spread([own.own_sizes().f1[0][part].mean() for own in curves]),
        )


def claims(found: dict[tuple[str, str], list[Curve]]) -> Iterator[tuple[str, ...]]:
    printed = EXPECTED["reuters"]
    said = {"ridge": f"a gain, p = {printed['p_value']}", "SVM": printed["svm_recursive"]}
    for kind in KINDS:
        gains = []
        for own in found[kind, "recursive"]:
            before, after = own.all_words().f1[0], own.own_sizes().f1[0]
            gains.append(
                f"{np.mean(after - before):+.3f} (p {ttest_rel(before, after).pvalue:.3f})"
            )
        what = (
            f"{kind}: gain of recursion in macro F1 (p of the paired t-test), for each fold split"
        )
        yield what, said[kind], ", ".join(gains)
    ridge, machine = (found[kind, "recursive"][0] for kind in KINDS)
    fewer = slice(1, None)
    for average in ("macro", "micro"):
        above = getattr(ridge, average)[fewer] > getattr(machine, average)[fewer]
        yield (
            f"sizes at which recursive ridge is above recursive SVM, {average}",
            printed["fewer_words"],
            f"{above.sum()} of {above.size}",
        )
    gap = [f"{getattr(ridge, a)[0] - getattr(machine, a)[0]:+.3f}" for a in ("macro", "micro")]
    yield "ridge less SVM, all words: macro, micro", printed["all_words"], ", ".join(gap)


def texts_sections(quick: bool) -> Iterator[Section]:
    texts = reuters().some(1500, 12) if quick else reuters()
    n_splits = {"ridge": 3, "SVM": 1}
    strengths = {kind: tuned(texts, kind) for kind in KINDS}
    found = {
        (kind, way): [
            curve(texts, kind, way, strengths[kind], seed)
            for seed in range(1 if quick else n_splits[kind])
        ]
        for kind in KINDS
        for way in WAYS
    }
    frequency = texts.train_member.sum(axis=0)
    n = f"{texts.train.shape[0]:,} training texts, {len(frequency)} categories"
    told = ", ".join(f"{kind} {value:g}" for kind, value in strengths.items())
    yield Section(
        f"Figure 2, Reuters ({n}): F1 on the test texts; penalties chosen: {told}",
        ("", "macro", "micro", "median number of words"),
        figure_2(found),
    )
    first = {key: curves[0] for key, curves in found.items()}
    yield Section(
        "Curves: macro, micro F1 where all categories have as many words",
        ("words", *(f"{kind}, {way}" for kind, way in found)),
        common_sizes(first),
        (Picture("curves.svg", "F1 by the common number of words", partial(draw_sizes, first)),),
    )
    ridge = found["ridge", "recursive"]
    parts = ridge[0].all_words(), ridge[0].own_sizes(), frequency
    yield Section(
        "Figure 3: F1 of ridge by frequency of the category",
        ("", "printed", "all words", "recursive, own number of words"),
        figure_3(ridge, frequency),
        (Picture("figure_3.svg", "Figure 3: F1 by category", partial(draw_frequencies, *parts)),),
    )
    yield Section("What the paper says of Reuters", ("", "printed", "measured"), claims(found))


def sections(quick: bool) -> Iterator[Section]:
    yield from leukaemia(4 if quick else 200)
    if os.environ.get("HANDFUL_DATA"):
        yield from texts_sections(quick)
    else:
        print("\nHANDFUL_DATA names no folder: Reuters is left out.", file=sys.stderr)


if __name__ == "__main__":
    main(HERE, __doc__, sections)
