"""Comparisons from the command line: the library's record, stopped and gone on with, and shown."""

import json
import re
import shlex

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from handful import FilterSelector
from handful.cli import main
from handful.evaluation import compare, read_record
from handful.evaluation.checkpoint import Checkpoint
from handful.table import Table, read, write


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with tables of classes, of numbers, of groups, and of six rows."""
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((60, 12)), 6)
    y = np.where(X[:, 3] + X[:, 7] > 0, "ill", "well")
    names = np.array([f"g{j}" for j in range(12)], dtype=object)
    write(Table(X, y, names, "state"), tmp_path / "genes.csv")
    write(Table(X, X[:, 3] + 0.1 * X[:, 0], names, "age"), tmp_path / "ages.csv")
    few = np.r_[np.flatnonzero(y == "ill")[:3], np.flatnonzero(y == "well")[:3]]
    write(Table(X[few], y[few], names, "state"), tmp_path / "few.csv")
    lines = (tmp_path / "genes.csv").read_text().splitlines()
    grouped = [f"{line},p{i // 3}" for i, line in enumerate(lines[1:])]
    (tmp_path / "grouped.csv").write_text("\n".join([f"{lines[0]},patient", *grouped]) + "\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


BASE = "compare genes.csv --target state --methods fisher,f --classifiers naive-bayes"


def untimed(place):
    content = json.loads(place.read_text())
    del content["time"]
    return content


def test_it_is_the_comparison_of_the_library(run, folder):
    line = f"{BASE} --sizes 1,2,4 --cv 3x2 --seed 5 --metrics accuracy,auc --out r.json"
    code, out, err = run(f"{line} --report r.html")
    assert (code, err) == (0, "")
    data = read("genes.csv", "state")
    expected = compare(
        {"fisher": FilterSelector("fisher"), "f": FilterSelector("f")},
        {"naive-bayes": GaussianNB()},
        data.columns,
        data.y,
        sizes=[1, 2, 4],
        cv="3x2",
        metrics=["accuracy", "auc"],
        random_state=5,
    )
    record = read_record("r.json")
    assert record.columns() == expected.columns()
    assert record.command == f"handful {line} --report r.html"
    assert (record.data.name, record.data.target) == ("genes.csv", "state")
    assert (folder / "r.html").read_text() == record.report()
    assert out.endswith("\nwrote r.json\nwrote r.html\n")
    assert max(map(len, out.splitlines())) <= 80
    assert sorted(path.suffix for path in folder.glob("r.*")) == [".html", ".json"]


def test_the_terminal_shows_every_method_with_what_it_reached(run):
    _, out, _ = run(f"{BASE},knn --sizes 1,3 --cv 4x2 --out r.json")
    record = read_record("r.json")
    rows = [line.split() for line in out.splitlines() if re.match(r"(fisher|f) +(naive|knn)", line)]
    assert len(rows) == 4
    errors = []
    for method, classifier, size, error, *_ in rows:
        curve = record.curve(method, classifier)
        assert float(size) == curve.one_standard_error
        at = curve.sizes.index(curve.one_standard_error)
        assert float(error) == pytest.approx(100 * curve.mean[at], abs=0.051)
        errors.append(min(curve.mean))
    assert errors == sorted(errors)
    assert run(f"{BASE} --sizes 1 --quiet") == (0, "", "")


def test_sizes_without_asking_fit_the_table(run):
    assert run(f"{BASE} --cv 2 --out r.json --quiet")[0] == 0
    assert read_record("r.json").sizes == [1, 2, 5, 10]


def test_numbers_and_groups(run):
    line = "compare ages.csv --target age --methods f,correlation --classifiers ridge --cv 3"
    assert run(f"{line} --sizes 1,2 --out n.json --quiet")[0] == 0
    assert read_record("n.json").metrics[0].name == "r2"
    line = BASE.replace("genes", "grouped")
    assert run(f"{line} --sizes 2 --cv 3x2 --groups patient --out g.json --quiet")[0] == 0
    record, data = read_record("g.json"), read("genes.csv", "state")
    expected = compare(
        {"fisher": FilterSelector("fisher"), "f": FilterSelector("f")},
        {"naive-bayes": GaussianNB()},
        data.columns,
        data.y,
        sizes=[2],
        cv="3x2",
        groups=np.array([f"p{i // 3}" for i in range(60)]),
        random_state=0,
    )
    assert record.grouped
    assert [fold.sha256 for fold in record.folds] == [fold.sha256 for fold in expected.folds]
    assert record.columns() == expected.columns()
    assert run(f"{line} --sizes 2 --cv 3")[0] == 1  # text in a column


class Stopped:
    """Interrupts a run after some pieces."""

    def __init__(self, monkeypatch, after):
        self.save, self.left = Checkpoint.save, after
        monkeypatch.setattr(Checkpoint, "save", lambda *given: self(*given))

    def __call__(self, checkpoint, *piece):
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        self.save(checkpoint, *piece)


LONG = f"{BASE} --sizes 1,2,4 --cv 3x2 --out r.json"


@pytest.mark.parametrize("more", ["", " --checkpoint kept"])
def test_a_stopped_run_goes_on_and_leaves_the_same_record(run, folder, monkeypatch, more):
    kept = folder / ("kept" if more else "r.json.unfinished")
    run(f"{LONG}{more}")
    whole = untimed(folder / "r.json")
    (folder / "r.json").unlink()
    assert kept.exists() == bool(more)
    if more:
        Checkpoint(kept).clear()
    with monkeypatch.context() as during:
        Stopped(during, after=5)
        code, out, err = run(f"{LONG}{more}")
    assert (code, out) == (130, "")
    assert "--resume goes on" in err
    assert not (folder / "r.json").exists()
    assert len(list(kept.glob("method-*.json"))) == 5
    code, _, err = run(f"{LONG}{more}")
    assert (code, err) == (
        1,
        f"Error: {kept.name} holds a run; --resume goes on with it, --force starts anew.\n",
    )
    saved = []
    with monkeypatch.context() as during:
        save = Checkpoint.save
        during.setattr(Checkpoint, "save", lambda *given: (saved.append(given), save(*given)))
        assert run(f"{LONG}{more} --resume")[0] == 0
    assert len(saved) == 2 * 7 - 5
    assert untimed(folder / "r.json") == whole
    assert kept.exists() == bool(more)


def test_another_run_is_refused_unless_forced(run, folder, monkeypatch):
    with monkeypatch.context() as during:
        Stopped(during, after=3)
        run(LONG)
    code, _, err = run(f"{LONG} --seed 4 --resume")
    assert code == 1
    assert "seed was 0 and is 4" in err
    assert run(f"{LONG} --seed 4 --force")[0] == 0
    assert read_record("r.json").seed == 4
    assert not (folder / "r.json.unfinished").exists()


def test_clearing_a_checkpoint_takes_its_own_files_only(folder, monkeypatch):
    kept = folder / "kept"
    Stopped(monkeypatch, after=3)
    main(shlex.split(f"{LONG} --checkpoint kept"))
    for name in ("notes.txt", "method-1.csv", ".k3j.method-0-fold-2.json", ".x.run.json"):
        (kept / name).write_text("?")
    Checkpoint(kept).clear()
    assert sorted(path.name for path in kept.iterdir()) == ["method-1.csv", "notes.txt"]


def test_a_failure_is_said_and_ends_with_1_beside_complete_files(run, folder):
    # five neighbours cannot be had from three rows
    line = BASE.replace("genes", "few") + ",knn --sizes 1,2 --cv 2 --out r.json --report r.html"
    code, out, err = run(line)
    assert code == 1
    record = read_record("r.json")
    assert {one.classifier for one in record.failures} == {"knn"}
    assert err.startswith(f"Error: {len(record.failures)} parts failed, the first of them: ")
    assert "fisher under knn in fold 0 with 1 columns: ValueError" in err
    assert err.count("\n") == 1
    assert "naive-bayes" in out
    assert "parts failed" in (folder / "r.html").read_text()
    assert not (folder / "r.json.unfinished").exists()
    assert run(f"{line} --quiet --force")[::2] == (1, err)


MISTYPED = {
    "compare genes.csv --target state --methods f": "Missing option '--classifiers'",
    f"{BASE} --sizes 1,two": "'1,two' are no sizes",
    f"{BASE} --sizes 0,1": "0 is no size",
    f"{BASE} --cv 5*4": "'5*4' is neither a number of folds nor FOLDSxROUNDS",
    f"{BASE},nave-bayes": "did you mean 'naive-bayes'?",
    BASE.replace("fisher,f", "fischer"): "did you mean 'fisher'?",
    BASE.replace("fisher,f", "fisher,fisher"): "The method 'fisher' stands twice",
    f"{BASE},": "'naive-bayes,' lacks a classifier beside a comma",
    f"{BASE} --jobs 0": "--jobs 0",
    f"{BASE} --resume": "--resume needs --checkpoint, --out or --report",
    f"{BASE} --groups state": "name the same column",
    f"{BASE} --out genes.csv --force": "genes.csv is the table itself already",
    "compare genes.csv --methods f --classifiers knn": "--target COLUMN",
    "report r.json --out r.json": "r.json is the record itself already",
}


@pytest.mark.parametrize("line", MISTYPED)
def test_mistyped_commands_end_with_2(run, folder, line):
    before = sorted(folder.iterdir())
    code, _, err = run(line)
    assert code == 2
    assert MISTYPED[line] in err
    assert sorted(folder.iterdir()) == before


UNUSABLE = {
    f"{BASE} --sizes 13": "n_features=12",
    f"{BASE} --cv 1": "cv=",
    f"{BASE} --metrics acuracy": "acuracy",
    f"{BASE} --groups patients": "there is no column 'patients'",
    f"{BASE} --report genes.csv.html --checkpoint genes.csv": "is a file; name a folder",
    f"{BASE} --out missing/r.json": "folder missing",
    "compare ages.csv --target age --methods cmim --classifiers ridge": "for classification",
    "compare ages.csv --target age --methods f --classifiers naive-bayes": "for classification",
    "report nothere.json": "nothere.json",
    "report genes.csv": "not JSON",
}


@pytest.mark.parametrize("line", UNUSABLE)
def test_what_cannot_be_done_ends_with_1_and_one_line(run, folder, line):
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    code, _, err = run(line)
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith("Error: ")
    assert UNUSABLE[line] in err
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.mark.parametrize("kind", ["select", "compare"])
def test_a_report_of_a_record_is_the_one_that_was_written(run, folder, kind):
    if kind == "compare":
        run(f"{LONG} --report first.html")
    else:
        line = "select genes.csv --target state --method f --keep 3"
        run(f"{line} --out r.json --report first.html")
    code, out, err = run("report r.json")
    assert (code, err) == (0, "")
    assert out.endswith("wrote r.html\n")
    assert (folder / "r.html").read_text() == (folder / "first.html").read_text()
    assert run("report r.json")[0] == 1  # it exists
    assert run("report r.json --out second.html --quiet") == (0, "", "")
    assert (folder / "second.html").exists()
