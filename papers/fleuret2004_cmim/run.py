"""Fleuret (2004), Fast Binary Feature Selection with Conditional Mutual Information, again.

    python papers/fleuret2004_cmim/run.py           # everything; writes README.md
    python papers/fleuret2004_cmim/run.py --quick   # few rounds, narrow tables; writes nothing

The numbers printed in the paper are in expected.toml. Images and molecules are read from the folder
that HANDFUL_DATA names.
"""

import sys
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from figures import draw_figure_5, draw_figure_6, draw_figure_7
from mixture import section_7
from pairs import FIGURE_5, SOFTNESS, Errors, Task, measure
from scipy import sparse
from scipy.ndimage import zoom
from scipy.stats import spearmanr
from speed import Evaluated, figures_6_and_7, speed

from handful import InformationSelector
from handful.classifiers import BooleanNaiveBayes
from handful.columns import Bits, Columns, Sparse
from handful.datasets import load, make_latent_signals
from handful.evaluation import balanced_error
from handful.features import EdgeDetectors

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))
from common import Picture, Section, expected, main  # noqa: E402  (the folder above is no package)

EXPECTED = expected(HERE)
ROUNDS = 25
IMAGES = 500  # to learn from, and as many to test on
# the pairs of the rounds, in turn; no digit comes first in one and second in another
DIGITS = ((2, 8), (3, 5), (3, 8), (4, 9), (7, 9))
MOLECULES = 100  # held out


# ---- the data ----


def edges(images: np.ndarray, max_tolerance: int = 7) -> Bits:
    return EdgeDetectors(max_tolerance=max_tolerance, output="packed").fit_transform(images)


def faces() -> tuple[np.ndarray, np.ndarray]:
    data = load("cbcl_faces", split="train")
    return data.data.reshape(-1, 19, 19).astype(np.uint8), data.target == 1


def two_samples(rows: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    drawn = rng.choice(rows, 2 * IMAGES, replace=False)
    return drawn[:IMAGES], drawn[IMAGES:]


def face_task(max_tolerance: int) -> Task:
    images, face = faces()

    def draw(_: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        # "roughly divided into faces and non-faces"
        others = rng.choice(np.flatnonzero(~face), face.sum(), replace=False)
        return two_samples(np.concatenate([np.flatnonzero(face), others]), rng)

    return Task(edges(images, max_tolerance), face, draw, IMAGES, 50, curve=True)


def digit_task() -> Task:
    data = load("usps")

    def draw(number: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        pair = DIGITS[number % len(DIGITS)]
        return two_samples(np.flatnonzero(np.isin(data.target, pair)), rng)

    second = np.isin(data.target, [second for _, second in DIGITS])
    return Task(edges(data.data.reshape(-1, 16, 16)), second, draw, IMAGES, 50, curve=True)


def molecules(split: str) -> tuple[sparse.csc_array, np.ndarray]:
    data = load("dorothea", split=split)
    return data.data.tocsc(), data.target == 1


def molecule_task(n_columns: int | None) -> Task:
    X, active = molecules("all")

    def draw(_: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        rows = rng.permutation(len(active))
        return rows[MOLECULES:], rows[:MOLECULES]

    return Task(
        Sparse(X), active, draw, MOLECULES, 10, "balanced", n_columns=n_columns, softness=SOFTNESS
    )


# ---- tables 1 to 3 ----


def compared(key: str, measured: list[Errors]) -> Iterator[tuple[str, ...]]:
    """The paper's rows in its order, then how far the orders agree."""
    rows = EXPECTED[key]
    pairs = {name: (name.split(" + ") if " + " in name else name.split(" ")) for name in rows}
    for name, said in rows.items():
        cells = [_cell(errors, *pairs[name]) for errors in measured]
        yield name, ", ".join(map(str, said)) + (", –" if len(said) == 2 else ""), *cells
    printed = [said[1] for said in rows.values()]
    test = [[errors.of(*pair)[:, 1].mean() for pair in pairs.values()] for errors in measured]
    yield ("*order of the test errors: correlation of the ranks with the printed*", "",
           *(f"{spearmanr(printed, found).statistic:.2f}" for found in test))  # fmt: skip
    place, of = list(rows).index("CMIM + naive Bayes"), len(rows)
    places = (f"{sorted(found).index(found[place]) + 1} of {of}" for found in test)
    yield "*place of CMIM + naive Bayes*", f"{place + 1} of {of}", *places
    for classifier in ("naive Bayes", "k-NN", "SVM", "perceptron"):
        best = []
        for found in (printed, *test):
            with_it = [
                (error, selector)
                for error, (selector, used) in zip(found, pairs.values(), strict=True)
                if used == classifier
            ]
            best.append(min(with_it)[1])
        yield f"*best selector for {classifier}*", *best


def _cell(errors: Errors, selector: str, classifier: str) -> str:
    train, test = errors.of(selector, classifier).T
    score = errors.score(selector, classifier)
    shown = "–" if (selector, classifier) == ("CMIM", "naive Bayes") else f"{score:.2f}"
    return f"{train.mean():.2f}, {test.mean():.2f} ± {test.std(ddof=1):.2f}, {shown}"


def figure_5(measured: list[Errors]) -> Iterator[tuple[str, ...]]:
    for size in FIGURE_5:
        cells = []
        for errors in measured:
            for pair in (("CMIM", "naive Bayes"), ("AdaBoost", "alone")):
                train, test = errors.of(pair[0], f"{pair[1]}, {size}").T
                cells.append(f"{train.mean():.2f}, {test.mean():.2f} ± {test.std(ddof=1):.2f}")
        yield str(size), *cells


def challenge() -> Iterator[tuple[str, ...]]:
    """The challenge's own division, all columns: balanced error on its validation part."""
    (X, y), (fresh, truth) = molecules("train"), molecules("valid")
    order = InformationSelector(n_features_to_select=50).fit(X, y).selection_order_
    for size in (5, 10, 20, 50):
        chosen = order[:size]
        model = BooleanNaiveBayes(error="balanced").fit(X[:, chosen], y)
        error = 100 * balanced_error(truth, model.predict(fresh[:, chosen]))
        printed = f"{EXPECTED['challenge']['CMIM + naive Bayes']} %"
        yield f"CMIM + naive Bayes, {size} columns", printed, f"{error:.2f} %"


# ---- all of it ----

ERRORS = "training, test error, score"
MIXTURE = "naive Bayes: missed of the frequent, of the rare kind, errors in all (%)"


def sections(quick: bool) -> Iterator[Section]:
    # trees that soon are of one class ask about fewer columns than are wanted
    warnings.filterwarnings("ignore", ".*features were asked for", UserWarning)
    n_rounds = 2 if quick else ROUNDS
    yield from images(n_rounds, quick)
    yield from molecule_sections(n_rounds, quick)
    yield Section(
        "Section 7: positives of two kinds, 20 columns",
        ("", "for the rare kind", "for the frequent kind", MIXTURE, "the same, SVM"),
        section_7(n_rounds),
    )
    yield from lazy_sections(quick)


def images(n_rounds: int, quick: bool) -> Iterator[Section]:
    tasks = [face_task(2)] if quick else [face_task(7), digit_task()]
    names = ["faces", "digits"][: len(tasks)]
    columns = ("", f"printed: {ERRORS}", *(f"{name}: {ERRORS}" for name in names))
    clean = [measure(task, n_rounds) for task in tasks]
    yield Section("Table 1: images, 50 features (%)", columns, compared("table_1", clean))
    curves = tuple(f"{name}: {pair}" for name in names
                   for pair in ("CMIM + naive Bayes", "AdaBoost"))  # fmt: skip
    yield Section(
        "Figure 5: training and test error by number of features (%)",
        ("features", *curves),
        figure_5(clean),
        (
            Picture(
                "figure_5.svg",
                "Figure 5: errors by number of features",
                partial(draw_figure_5, dict(zip(names, clean, strict=True))),
            ),
        ),
    )
    noisy = [
        measure(task._replace(flipped=0.05, softness=SOFTNESS, curve=False), n_rounds)
        for task in tasks
    ]
    yield Section(
        "Table 2: the same with 5 % of the training labels flipped (%)",
        columns,
        compared("table_2", noisy),
    )


def molecule_sections(n_rounds: int, quick: bool) -> Iterator[Section]:
    widths = (2_500,) if quick else (2_500, None)
    measured = [measure(molecule_task(width), n_rounds) for width in widths]
    names = ("2,500 columns", "all 100,000 columns")[: len(widths)]
    yield Section(
        "Table 3: molecules, 10 features, balanced errors (%)",
        ("", f"printed: {ERRORS}", *(f"{name}: {ERRORS}" for name in names)),
        compared("table_3", measured),
    )
    yield Section("The challenge's division", ("", "printed", "measured here"), challenge())


def lazy_sections(quick: bool) -> Iterator[Section]:
    images, face = faces()
    train, _ = two_samples(np.arange(len(face)), np.random.default_rng(2004))
    # enlarged to the paper's 28 x 28
    enlarged = zoom(images[train].astype(float), (1, 28 / 19, 28 / 19), order=1)
    table = edges(enlarged, 1 if quick else 7)
    shapes: dict[str, tuple[Columns, np.ndarray, int]] = {"faces": (table, face[train], 50)}
    if not quick:
        X, y, _ = make_latent_signals(
            1909, 139_351, n_positives=42, density=0.01, sparse=True, random_state=0
        )
        shapes["molecules, random contents"] = Sparse(X), y == 1, 10
        X, y = molecules("all")
        shapes["molecules, DOROTHEA's"] = Sparse(X), y, 10
    table, labels, n = shapes["faces"]
    found = Evaluated(table, labels, n)
    yield Section(
        f"Figures 6 and 7: conditional informations evaluated, {table.shape[1]:,} columns",
        ("", "printed", "the paper's algorithm", "handful"),
        figures_6_and_7(found, EXPECTED["figures_6_and_7"]),
        (
            Picture("figure_6.svg", "Figure 6: share evaluated", partial(draw_figure_6, found)),
            Picture("figure_7.svg", "Figure 7: columns by need", partial(draw_figure_7, found)),
        ),
    )
    rows = (
        row
        for name, (columns, y, n) in shapes.items()
        for row in speed(
            name, columns, y, n, EXPECTED["speed"][name.split(",")[0]], 1 if quick else 5
        )
    )
    yield Section(
        "Section 6.2: speed",
        ("", "printed: naive → lazy: factor", "naive", "lazy", "factor"),
        rows,
    )


if __name__ == "__main__":
    main(HERE, __doc__, sections)
