"""Ban and Inoue (2016), Feature Subset Selection by SVM Ensemble: its experiments again.

    python papers/ban_svm_ensemble/run.py           # everything; writes README.md and the figures
    python papers/ban_svm_ensemble/run.py --quick   # few draws, without 3 and 5; writes nothing

The numbers printed in the paper are in expected.toml. Digits are read from the folder that
HANDFUL_DATA names, and left out without it.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from figures import curves, pixel_maps
from methods import ALL, METHODS, Results, measure, rate, selectors
from problems import SCALES, Problem, problems, toy, usps_3_5, usps_3_5_by_parts
from sklearn.svm import SVC

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))
from common import Section, expected, main  # noqa: E402  (the folder above is no package)

EXPECTED = expected(HERE)
WITH_SPREAD = "mean ± s.d. over draws"


def shown(values: list[float] | np.ndarray) -> str:
    values = np.asarray(values, dtype=float)
    spread = f" ± {values.std(ddof=1):.3f}" if len(values) > 1 else ""
    return f"{values.mean():.3f}{spread}"


def compared(rates: np.ndarray, printed: float) -> str:
    """The difference, in words where it is small beside what draws differ by."""
    apart = rates.mean() - printed
    spread = rates.std(ddof=1) if len(rates) > 1 else 0.0
    if abs(apart) < 0.0005:
        return "as printed"
    beside = " (within one s.d. of draws)" if abs(apart) <= spread else ""
    return f"{abs(apart):.3f} {'higher' if apart > 0 else 'lower'}{beside}"


# ---- table V ----


def table_v(results: Results) -> Iterator[tuple[str, ...]]:
    printed = EXPECTED["table_v"][results.problem.key]
    everything = np.array(results.rates[ALL])[:, 0]
    yield (f"{ALL}, all features", f"{printed[ALL][0]}", shown(everything),
           compared(everything, printed[ALL][0]), "", "", "")  # fmt: skip
    for method in METHODS:
        said, number, seconds = printed[method.removesuffix(" by sign")]
        size, rates = results.best(method)
        sizes, own = np.array(results.own[method]).T
        yield (
            method,
            f"{said} ({number})",
            f"{shown(rates)} ({size})",
            compared(rates, said),
            f"{shown(own)} ({np.median(sizes):.0f}; {sizes.min():.0f} to {sizes.max():.0f})",
            f"{seconds} s",
            f"{np.median(results.seconds[method]):.3f} s",
        )
    if results.problem.key == "toy":
        yield from found_two(results)


def found_two(results: Results) -> Iterator[tuple[str, ...]]:
    """How often the two columns that matter come first."""
    for method in METHODS:
        hits = [
            set(order[:2]) == set(toy(seed).relevant)
            for seed, order in enumerate(results.orders[method])
        ]
        printed = "fails" if method == "baseline" else "yes"
        yield (f"{method}: the two relevant features come first", printed,
               f"{sum(hits)} of {len(hits)} draws", "", "", "", "")  # fmt: skip


def curve(results: Results) -> Iterator[tuple[str, ...]]:
    for place, size in enumerate(results.problem.sizes):
        if size in (1, 2, 3, 5, 10, 20, 30, 40, 50, 70, 100, 150, 256):
            rates = (np.array(results.rates[method])[:, place].mean() for method in METHODS)
            yield str(size), *(f"{value:.3f}" for value in rates)


# ---- what the paper leaves open ----


def scales(known: list[Problem]) -> Iterator[tuple[str, ...]]:
    """The machine on all features; of the toy problem also what is chosen."""
    said = [f"{EXPECTED['table_v'][problem.key][ALL][0]}" for problem in known]
    yield "*printed*", *said, *("2" for _ in METHODS[:-1])
    for how in SCALES:
        cells = []
        for problem in known:
            splits = problem.splits(how) if how in problem.scalers else []
            model = SVC(C=problem.C, gamma=problem.gamma)
            rates = [rate(model, split, np.arange(split.X.shape[1])) for split in splits]
            cells.append(shown(rates) if rates else "–")
        toys = known[0].splits(how)
        for method in METHODS[:-1]:
            selector = selectors(known[0].C, known[0].gamma)[method]
            hits = [
                len(np.intersect1d(selector.fit(s.X, s.y).path_.features[:2], s.relevant))
                for s in toys
            ]
            cells.append(f"{np.mean(hits):.2f}")
        yield how, *cells


def parts(n_draws: int) -> Iterator[tuple[str, ...]]:
    C, gamma = EXPECTED["table_iv"]["usps_3_5"][3:]
    for name, draw in (
        ("236 and 1,214 of all 1,540 images, drawn by lot", usps_3_5),
        ("236 of the official test part; all 1,214 of the training part", usps_3_5_by_parts),
    ):
        splits = [draw(seed) for seed in range(n_draws)]
        rates = [rate(SVC(C=C, gamma=gamma), s, np.arange(256)) for s in splits]
        yield name, f"{EXPECTED['table_v']['usps_3_5'][ALL][0]}", shown(rates)


def chosen(results: Results) -> str:
    C, gamma = (np.array(values) for values in zip(*results.settings, strict=True))
    return f"C {np.median(C):g}, gamma {np.median(gamma):.3g}"


# ---- all of it ----

COLUMNS = (
    "",
    "printed: rate (features)",
    f"best of the test curve: {WITH_SPREAD} (features)",
    "beside the printed rate",
    "at the size that the method finds itself (median; least to most)",
    "printed time",
    "time here",
)


def sections(quick: bool) -> Iterator[Section]:
    known = problems(EXPECTED["table_iv"], quick)
    if not os.environ.get("HANDFUL_DATA"):
        known = [problem for problem in known if not problem.key.startswith("usps")]
    drawn = []
    for problem in known:
        for scale in problem.scales:
            results = measure(problem, scale)
            drawn += [results] if scale == problem.scales[0] else []
            title = f"{problem.name}, columns {scale}"
            settings = f"C {problem.C:g} and gamma {problem.gamma:g} as printed"
            yield Section(f"Table V: {title}, {settings}", COLUMNS, table_v(results))
            yield Section(f"Rate by number of features: {title}", ("", *METHODS), curve(results))
    for problem in known:
        results = measure(problem, "from 0 to 1", tune=True)
        title = f"{problem.name}: {chosen(results)} (medians), by 10-fold cross-validation"
        yield Section(f"Table V: {title}", COLUMNS, table_v(results))
    yield from open_questions(known)
    if not quick:
        curves(drawn, HERE / "figures_1_and_2.png")
        pixel_maps(drawn, EXPECTED["table_v"], HERE / "figure_3.png")


def open_questions(known: list[Problem]) -> Iterator[Section]:
    yield Section(
        "The scale of the columns: C and gamma as printed",
        (
            "columns",
            *(f"{problem.name}: {ALL}, all features" for problem in known),
            *(f"toy, {method}: of the first two, relevant on average" for method in METHODS[:-1]),
        ),
        scales(known),
    )
    if any(problem.key == "usps_3_5" for problem in known):
        yield Section(
            "The split of 3 and 5: the machine on all pixels, grey from -1 to 1",
            ("", "printed", f"measured: {WITH_SPREAD}"),
            parts(20),
        )


if __name__ == "__main__":
    main(HERE, __doc__, sections)
