"""Gadat and Younes (2007), A Stochastic Algorithm for Feature Selection: its experiments again.

    python papers/gadat2007_ofw/run.py           # everything; writes README.md and the pictures
    python papers/gadat2007_ofw/run.py --quick   # few draws and steps; writes nothing

The numbers printed in the paper are in expected.toml. Faces, digits, mail and the challenge's
tables are read from the folder that HANDFUL_DATA names.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import challenge
import digits
import faces
import iris
import leukaemia
import pictures
import spam
import stability
import synthetic
from beside import SEEDS
from edges import Images
from sklearn.exceptions import ConvergenceWarning

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))
from common import Section, expected, main  # noqa: E402  (the folder above is no package)

EXPECTED = expected(HERE)
WORKERS = 4  # processes for the parts, which are independent of each other


def synthetic_sections(quick: bool) -> Iterator[Section]:
    n_seeds = 1 if quick else SEEDS
    yield Section(
        "Section 5.1.1: conditional entropy of the class, given one variable (nats)",
        ("variables", "printed", "from the model", "500 rows"),
        synthetic.entropies(EXPECTED["entropies"], 10),
    )
    found = synthetic.curves(n_seeds, quick)
    yield Section(
        "Figures 6 to 8: the energy of two variables, summed over all pairs (%)",
        synthetic.COLUMNS,
        synthetic.figures_6_to_8(found),
    )
    limits = synthetic.limits(n_seeds, 200 if quick else 1_000)
    columns = ("", *(f"weight of a variable {group} (%)" for group in synthetic.GROUPS),
               "reusable ones among the three heaviest")  # fmt: skip
    yield Section("Figure 9: weights by k", columns, synthetic.figure_9(limits))
    if not quick:
        panels = {
            title: {
                name: (curve.seconds.mean(axis=0), getattr(curve, of))
                for name, curve in found.items()
            }
            for title, of in (("training rows", "train"), ("new rows", "test"))
        }
        pictures.curves("figure_6", panels, "seconds", "mean error (%)", logarithmic=True)
        first = {f"k = {k}": weights.mean(axis=0)[:15] for k, weights in limits.items()}
        pictures.bars("figure_9", first, [str(number) for number in range(1, 16)])


def iris_section(quick: bool) -> Iterator[Section]:
    yield Section(
        "Figures 10 to 12: Iris under CART, weights and test error (%)",
        ("", *iris.NAMES, "test error, two heaviest"),
        iris.figures_10_to_12(EXPECTED["iris"], 2 if quick else 20, 200 if quick else iris.N_STEPS),
    )


def face_sections(quick: bool) -> Iterator[Section]:
    if quick:  # the digits are much the same, on a tenth of the images
        return
    images = Images("cbcl_faces", 19, faces.N_DETECTORS)
    learnt = faces.learn(images, SEEDS, faces.N_STEPS)
    yield Section(
        "Figure 14: faces, test error of one SVM by number of detectors drawn (%)",
        ("drawn from", *(f"k = {k}" for k in faces.FIGURE_14), "effective number of detectors"),
        faces.figure_14(images, learnt, 3),
    )
    said = EXPECTED["faces"]
    yield Section(
        "Section 5.2.1: faces, vote of ten SVMs on 100 detectors (%)",
        ("drawn from", "printed", "test error", "faces missed"),
        faces.votes(said["vote"], images, learnt),
    )
    yield Section(
        "Figure 16: faces, test error by number of detectors (%)",
        ("", *(f"{size}" for size in faces.SIZES), "all"),
        faces.figure_16(said, images, learnt),
    )
    pictures.maps("figure_15", images.maps(learnt.riemannian.mean(axis=0)))


def spam_sections(quick: bool) -> Iterator[Section]:
    n_steps = 100 if quick else spam.N_STEPS
    runs = [spam.run(seed, n_steps) for seed in range(2 if quick else SEEDS)]
    said = EXPECTED["spam"]
    yield Section(
        "Figure 17: spam, mean test error of 4-NN with 15 words drawn (%)",
        ("drawn from", "test error"),
        spam.figure_17(runs, 5 if quick else 40),
    )
    yield Section(
        "Figure 18: spam, the heaviest words (%)",
        ("", "printed", "weight"),
        spam.figure_18(said["words"], runs),
    )
    yield Section(
        "Figure 19: spam, test error by number of words (%)",
        ("", "printed: 20 words, or all", *(f"{size} words" for size in spam.SIZES)),
        spam.figure_19(said, runs),
    )
    yield Section(
        "Section 2.6: spam, k by fivefold cross-validation; 4-NN with the 20 heaviest words (%)",
        ("", "error in the folds", "test error", "chosen"),
        spam.section_26(runs, n_steps // 3),
    )


def digit_sections(quick: bool) -> Iterator[Section]:
    n_seeds, n_steps = (1, 20) if quick else (SEEDS, digits.N_STEPS)
    images = Images("usps", 16, digits.N_DETECTORS)
    learnt = digits.learn(images, n_seeds, n_steps)
    columns = ("drawn from", "printed", *(f"k = {k}" for k in digits.SUBSETS))
    energies = digits.energies(images, learnt, 1 if quick else 20)
    said = EXPECTED["digits"]
    yield Section(
        "Figure 21: digits, mean error of one digit against all on the training set (%)",
        columns,
        digits.by_subset(energies, ratio=said["error after / before learning"]),
    )
    votes = digits.votes(images, learnt, 1 if quick else digits.VOTERS)
    yield Section(
        "Figure 22: digits, test error of the vote over all ten (%)",
        columns,
        digits.by_subset(votes.all_classes, vote=said["vote"]),
    )
    yield Section(
        "Section 5.2.3: digits, test error of the vote on one digit against all (%)",
        columns,
        digits.by_subset(votes.one_class),
    )
    if quick:
        return
    for name, measured in (("figure_21", energies), ("figure_22", votes.all_classes)):
        lines = {law: (digits.SUBSETS, runs) for law, runs in measured.items()}
        pictures.curves(name, {"": lines}, "k", "error (%)")
    pictures.maps("figure_23", images.maps(learnt["riemannian"].mean(axis=0)))


def leukaemia_energy(quick: bool) -> Iterator[Section]:
    n_seeds, n_steps = (2, 200) if quick else (SEEDS, leukaemia.N_STEPS)
    found = leukaemia.descents(n_seeds, n_steps, 50 if quick else 200)
    yield Section(
        "Figure 24: leukaemia, energy of 100 genes on the training set (%)",
        ("", "uniform", "learnt", "uniform, other rows", "learnt, other rows", "seconds"),
        leukaemia.figure_24(EXPECTED["leukaemia"]["energy"], found),
    )
    if not quick:
        lines = {name: leukaemia.curve(runs) for name, runs in found.items()}
        pictures.curves("figure_24", {"": lines}, "steps", "energy (%)")


def leukaemia_folds(quick: bool) -> Iterator[Section]:
    if quick:
        return
    crossed = leukaemia.figure_25(SEEDS, leukaemia.N_STEPS)
    yield Section(
        "Figures 25 and 26: leukaemia, error in tenfold cross-validation (%)",
        ("", *(f"{size} genes" for size in leukaemia.SIZES), "all genes"),
        leukaemia.by_size(crossed),
    )
    lines = {
        name: (leukaemia.SIZES, runs)
        for name, runs in crossed.items()
        if runs.shape[1] == len(leukaemia.SIZES)
    }
    pictures.curves("figure_25", {"": lines}, "genes", "error (%)")


def challenge_sections(quick: bool) -> Iterator[Section]:
    for task in challenge.TASKS:
        said = EXPECTED["challenge"][task.name]
        if quick and task.name != "madelon":
            continue
        yield Section(
            f"Tables 2 and 4, {task.name.upper()}: validation part (%)",
            ("", "printed", "balanced error", "features", "probes among them"),
            challenge.table_2(task, said, 1 if quick else SEEDS, quick=quick),
        )


def stability_section(quick: bool) -> Iterator[Section]:
    n_resamples, n_steps = (3, 200) if quick else (10, leukaemia.N_STEPS)
    columns = [
        f"{size} genes: {what}"
        for size in stability.SIZES
        for what in ("stability index", "Hamming")
    ]
    yield Section(
        "Section 6.1: leukaemia, how alike are the genes chosen on bootstrap samples",
        ("", *columns),
        stability.section_61(n_resamples, n_steps),
    )


def picture_section() -> Section:
    texts = {
        "figure_6": "Figures 6 to 8: mean energies over computing time, and their range",
        "figure_9": "Figure 9: mean weights of the first 15 variables",
        "figure_15": "Figure 15: where the weights of the face detectors lie, by type of edge",
        "figure_21": "Figure 21: energy by k",
        "figure_22": "Figure 22: error of the vote by k",
        "figure_24": "Figure 24: energy on leukaemia, moving average over the steps",
        "figure_25": "Figure 25: error in tenfold cross-validation on leukaemia",
        "figure_23": "Figure 23: where the weights of the digit detectors lie, by type of edge",
    }
    rows = ((text, pictures.shown(name, text)) for name, text in texts.items())
    return Section("Pictures", ("", ""), rows)


PARTS = (
    synthetic_sections,
    iris_section,
    face_sections,
    spam_sections,
    digit_sections,
    leukaemia_energy,
    leukaemia_folds,
    challenge_sections,
    stability_section,
)


def sections(quick: bool) -> Iterator[Section]:
    silence()
    if quick:
        for part in PARTS:
            yield from part(quick)
        return
    with ProcessPoolExecutor(WORKERS, initializer=silence) as pool:
        for found in pool.map(finished, PARTS):
            yield from found
    yield picture_section()


def silence() -> None:
    # an SVM whose classes cannot be separated with so few columns takes many passes
    warnings.filterwarnings("ignore", category=ConvergenceWarning)
    # which the tables show anyway: Euclidean steps that end at a face, steps that had to be cut
    warnings.filterwarnings("ignore", "A step left the simplex|Steps were too large", UserWarning)


def finished(part: Callable[[bool], Iterator[Section]]) -> list[Section]:
    """A part's tables in full, made in a process of its own."""
    return [section._replace(rows=list(section.rows)) for section in part(False)]


if __name__ == "__main__":
    main(HERE, __doc__, sections)
