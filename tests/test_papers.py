"""The papers' scripts run, and their pages are what they wrote."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PAPERS = Path(__file__).parents[1] / "papers"
FOLDERS = sorted(script.parent for script in PAPERS.glob("*/run.py"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_pages_begin_with_their_introduction(folder):
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert page.startswith((folder / "introduction.md").read_text(encoding="utf-8"))
    assert "\n## " in page


Shown = dict[str, dict[str, list[str]]]


def quick_form(folder: str) -> Shown:
    """What the quick form of a paper's script shows, by section: cells by the first one."""
    if not os.environ.get("HANDFUL_DATA"):
        pytest.skip("HANDFUL_DATA names no folder")
    script = PAPERS / folder / "run.py"
    before = (script.parent / "README.md").stat().st_mtime_ns
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(script), "--quick"],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert ran.returncode == 0, ran.stderr
    assert (script.parent / "README.md").stat().st_mtime_ns == before
    sections = {}
    for part in ran.stdout.split("\n\n"):
        title, *rows = part.strip().split("\n")
        cells = [row.strip("| ").split(" | ") for row in rows]
        sections[title.split(":")[0]] = {first: others for first, *others in cells}
    return sections


@pytest.fixture(scope="module")
def fleuret() -> Shown:
    return quick_form("fleuret2004_cmim")


@pytest.fixture(scope="module")
def gadat() -> Shown:
    return quick_form("gadat2007_ofw")


def mean(cell: str) -> float:
    """The number that a cell begins with."""
    return float(cell.split(" ")[0])


def test_fleuret_shows_every_printed_row(fleuret):
    text = (PAPERS / "fleuret2004_cmim/expected.toml").read_text(encoding="utf-8")
    printed = tomllib.loads(text)
    for number in (1, 2, 3):
        assert set(printed[f"table_{number}"]) <= set(fleuret[f"Table {number}"])


def test_fleuret_choosing_beats_drawing_by_lot(fleuret):
    def test_error(pair):
        return float(re.findall(r"[\d.]+", fleuret["Table 1"][pair][1])[1])

    assert test_error("CMIM + naive Bayes") < test_error("random + naive Bayes") / 2


def test_fleuret_cmim_serves_only_the_frequent_kind(fleuret):
    mixture = fleuret["Section 7"]
    assert mixture["CMIM"][0] == "0.0 ± 0.0"
    assert float(mixture["CMIM, reweighted"][0].split(" ")[0]) > 4


def test_fleuret_few_informations_are_evaluated(fleuret):
    shares = fleuret["Figures 6 and 7"]["on average over all steps"][1:]
    assert all(float(share.split(" ")[0]) < 3 for share in shares)


def test_gadat_model_does_not_give_the_printed_entropies(gadat):
    (twice, once, noise) = (float(cells[1]) for cells in gadat["Section 5.1.1"].values())
    assert (round(twice, 4), round(once, 4), round(noise, 4)) == (1.0244, 1.0253, 1.0986)


def test_gadat_useful_variables_weigh_most(gadat):
    for two_classes, one_class, noise, _ in gadat["Figure 9"].values():
        assert min(mean(two_classes), mean(one_class)) > 1.5 * mean(noise)


def test_gadat_learning_lowers_the_energy(gadat):
    _, *rows = gadat["Figure 24"].values()
    assert len(rows) == 3
    assert all(mean(learnt) < mean(uniform) for uniform, learnt, *_ in rows)


def test_gadat_petals_weigh_more_than_sepals(gadat):
    sepal_length, sepal_width, petal_length, petal_width, _ = map(
        mean, gadat["Figures 10 to 12"]["riemannian"]
    )
    assert petal_length + petal_width > 2 * (sepal_length + sepal_width)


def test_gadat_weights_keep_probes_out(gadat):
    _, error, _, probes = gadat["Tables 2 and 4, MADELON"]["OFW"]
    assert mean(error) < 20
    assert mean(probes) == 0
