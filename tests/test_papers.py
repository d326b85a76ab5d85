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


def shown_by(folder):
    """What the quick form of a paper's experiments shows, by section: cells by the first one."""
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
        sections[title] = {first: others for first, *others in cells}
    return sections


@pytest.fixture(scope="module")
def fleuret():
    return {title.split(":")[0]: rows for title, rows in shown_by("fleuret2004_cmim").items()}


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


@pytest.fixture(scope="module")
def ban():
    return {title.split(", C ")[0]: rows for title, rows in shown_by("ban_svm_ensemble").items()}


def test_ban_shows_every_printed_row(ban):
    text = (PAPERS / "ban_svm_ensemble/expected.toml").read_text(encoding="utf-8")
    printed = tomllib.loads(text)["table_v"]
    names = {"toy": "Nonlinear toy", "wdbc": "WDBC", "usps_6_8": "USPS 6 and 8"}
    for key, name in names.items():
        rows = ban[f"Table V: {name}, columns from 0 to 1"]
        for method, (said, *_) in printed[key].items():
            (row,) = [
                row for first, row in rows.items() if first in (method, f"{method}, all features")
            ]
            assert row[0].startswith(f"{said}")


def test_ban_machines_find_what_no_single_column_tells(ban):
    toy = ban["Table V: Nonlinear toy, columns from 0 to 1"]
    rates = {method: float(cells[1].split(" ")[0]) for method, cells in toy.items() if cells[1]}
    assert min(rates["SVM-RFE"], rates["combined"]) > 0.9
    assert rates["baseline"] < 0.65


def test_ban_many_of_the_features_are_not_needed(ban):
    curve = ban["Rate by number of features: WDBC, columns from 0 to 1"]
    five, all_of_them = ([float(rate) for rate in curve[size]] for size in ("5", "30"))
    assert max(five) > all_of_them[0] - 0.02
