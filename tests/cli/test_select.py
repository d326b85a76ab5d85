"""The command line from outside: what it writes, what it says, and the code it ends with."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, perf_counter, sleep

import numpy as np
import pytest
from timing import best_of, require_within

from handful import FilterSelector
from handful.cli import main
from handful.evaluation import read_record
from handful.stopping import AnalyticProbe, CrossValidated, EmpiricalProbe, StabilityThreshold
from handful.table import Table, read, write


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with a table of which two columns of twelve say something."""
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((60, 12)), 6)
    y = np.where(X[:, 3] + X[:, 7] > 0, "ill", "well")
    names = np.array([f"g{j}" for j in range(12)], dtype=object)
    write(Table(X, y, names, "state"), tmp_path / "genes.csv")
    write(Table(X, X[:, 3] + 0.1 * X[:, 0], names, "age"), tmp_path / "ages.csv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


BASE = "select genes.csv --target state --method fisher"


def test_a_selection_is_written_shown_and_can_be_read_again(run, folder):
    line = f"{BASE} --keep 2 --out s.json --report r.html --reduced r.csv"
    code, out, err = run(line)
    assert (code, err) == (0, "")
    data = read("genes.csv", "state")
    selector = FilterSelector("fisher", n_features_to_select=2).fit(data.columns, data.y)
    record = read_record("s.json")
    assert record.indices == selector.selection_order_.tolist()
    assert record.command == f"handful {line}"
    assert (record.seed, record.data.name, record.data.target) == (0, "genes.csv", "state")
    content = json.loads((folder / "s.json").read_text())
    assert {"features", "indices", "scores", "n_features", "method", "parameters"} <= set(content)
    assert {"stopping", "versions", "seed"} <= set(content)
    assert (folder / "r.html").read_text().lower().startswith("<!doctype html>")
    reduced = read("r.csv", "state")
    assert reduced.names.tolist() == ["g3", "g7"]
    np.testing.assert_array_equal(reduced.X, data.X[:, [3, 7]])
    assert reduced.y.tolist() == data.y.tolist()
    assert out.endswith("\nwrote s.json\nwrote r.html\nwrote r.csv\n")
    table = out[out.index("rank") :].splitlines()
    assert [line.split()[:2] for line in table[1:3]] == [["1", "g7"], ["2", "g3"]]
    assert record.features == ["g7", "g3"]
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_command_of_the_record_repeats_the_selection(run, folder):
    run(f"{BASE} --risk 0.1 --seed 7 --out 's 1.json'")
    first = json.loads((folder / "s 1.json").read_text())
    (folder / "s 1.json").unlink()
    command, *arguments = shlex.split(first["command"])
    assert command == "handful"
    assert main(arguments) == 0
    again = json.loads((folder / "s 1.json").read_text())
    assert first.pop("time").keys() == again.pop("time").keys()
    assert first == again


@pytest.mark.parametrize(
    ("size", "rule"),
    [
        ("--risk 0.05", EmpiricalProbe(0.05, n_rounds=99, random_state=3)),
        ("--risk 0.002", EmpiricalProbe(0.002, n_rounds=500, random_state=3)),
        ("--method f --risk 0.05", AnalyticProbe(0.05, probes="all")),
        ("--cv 4", CrossValidated(cv=4)),
        ("--stable 0.8", StabilityThreshold(0.8, random_state=3)),
        ("--keep 0.5", 0.5),
    ],
)
def test_sizes_are_the_rules_of_the_library(run, size, rule):
    code, _, _ = run(f"{BASE} {size} --seed 3 --out s.json --quiet")
    assert code == 0
    data = read("genes.csv", "state")
    score = "f" if "--method f" in size else "fisher"
    selector = FilterSelector(score, n_features_to_select=rule, random_state=3)
    kept = selector.fit(data.columns, data.y).selection_order_
    record = read_record("s.json")
    assert record.indices == kept.tolist()
    assert record.stopping["rule"] == selector.stopping_.rule
    if not isinstance(rule, float):
        given = rule.get_params(deep=False)
        assert record.parameters["n_features_to_select"]["parameters"] == given


def test_regression(run):
    line = "select ages.csv --target age --keep 1 --out s.json --quiet"
    assert run(f"{line} --method f")[0] == 0
    assert read_record("s.json").features == ["g3"]
    code, _, err = run(f"{line} --force")
    assert code == 1
    assert "cmim is for classes" in err
    assert "correlation" in err.partition("use --method ")[2]
    assert "fisher" not in err.partition("use --method ")[2]
    assert run(f"{line} --force --method fisher --task regression")[0] == 2


def test_a_rule_that_keeps_nothing_says_so_and_is_no_failure(run, folder):
    rng = np.random.default_rng(5)
    noise = Table(rng.standard_normal((40, 30)), np.arange(40) % 2, None)
    write(noise, folder / "noise.npz")
    line = "select noise.npz --method f --risk 0.001 --out s.json --reduced r.csv"
    code, out, err = run(line)
    assert code == 0
    assert out.startswith("None of the 30 columns")
    assert "note: AnalyticProbe keeps no feature" in err
    record = read_record("s.json")
    assert record.n_features == 0
    assert "keeps no feature" in record.warnings[0]
    assert (folder / "r.csv").read_text().startswith("y\n0\n1\n")


def test_warnings_are_notes_of_one_line_and_in_the_record(run, folder):
    text = "id,,a,b,y\n" + "".join(f"p{i},{i},{i},5,{'uv'[i % 2]}\n" for i in range(8))
    (folder / "t.csv").write_text(text.replace("id,,", ",i,"))
    code, _, err = run("select t.csv --target y --method fisher --drop i --keep 2 --out s.json")
    assert code == 0
    notes = err.splitlines()
    assert all(note.startswith("note: ") for note in notes)
    assert "row names" in notes[0]
    assert "2 features were asked for and 1 are kept" in notes[1]
    assert [f"note: {warning}" for warning in read_record("s.json").warnings] == notes
    assert run("select t.csv --target y --method fisher --drop i --keep 2 --quiet")[1:] == ("", "")


MISTYPED = {
    "": "Usage",
    "selekt": "No such command",
    "select": "Missing argument 'TABLE...'",
    "select genes.csv --keep 2": "--target COLUMN",
    BASE: "--keep, --risk, --cv or --stable",
    f"{BASE} --keep 2 --cv 3": "--keep and --cv exclude each other",
    f"{BASE} --keep 0": "whole number from 1",
    f"{BASE} --keep 1.5": "whole number from 1",
    f"{BASE} --keep many": "'many' is not a number",
    f"{BASE} --risk 1": "0<x<1",
    f"{BASE} --cv 1": "x>=2",
    f"{BASE} --stable 0.5": "0.5<x<=1",
    f"{BASE} --keep 2 --jobs 0": "--jobs 0",
    f"{BASE} --keep 2 --method fischer": "did you mean 'fisher'?",
    f"{BASE} --keep 2 --task regression": "fisher does no regression; use ",
    f"{BASE} --keep 2 --out a --report a": "a is another output already",
    f"{BASE} --keep 2 --reduced genes.csv --force": "genes.csv is the table itself already",
    "data --out x.csv": "Say which data set",
}


@pytest.mark.parametrize("line", MISTYPED)
def test_mistyped_commands_end_with_2(run, folder, line):
    before = sorted(folder.iterdir())
    code, out, err = run(line)
    assert code == 2
    assert MISTYPED[line] in out + err
    assert sorted(folder.iterdir()) == before


UNUSABLE = {
    "select nothere.csv --target y --method f --keep 2": "nothere.csv: there is no such file",
    "select gene.csv --target y --method f --keep 2": "did you mean 'genes.csv'?",
    "select . --target y --method f --keep 2": ".: there are no Parquet files",
    "select genes.csv --target stat --method f --keep 2": "did you mean 'state'?",
    "select genes.csv --target state --method f --keep 13": "--keep 13 is more than genes.csv has",
    "select genes.csv --target state --method f --drop g99 --keep 2": "no column 'g99'",
    "select empty.csv --target y --method f --keep 2": "empty.csv: the file is empty",
    "select one.csv --target y --method f --keep 1": "1 class only",
    "select same.csv --target y --method f --keep 1": "constant",
    "select text.csv --target y --method f --keep 1": "line 3, column 'a' holds text",
    "select latin.csv --target y --method f --keep 1": "line 2 is not UTF-8",
    "select ragged.csv --target y --method f --keep 1": "line 3 has 1 cell;",
    "select twice.csv --target y --method f --keep 1": "both called 'a'",
    "select nan.csv --target y --method f --keep 1": "line 2, column 'a': the cell is missing",
    "select inf.csv --target y --method f --keep 1": "'inf' is not a finite number",
    "select alone.csv --target y --method f --keep 1": "no column besides 'y'",
    "select rows.csv --target y --method f --cv 5": "cv=5 folds need",
    "select table.xlsx --target y --method f --keep 1": "extension '.xlsx' is not known",
    f"{BASE} --keep 2 --out empty.csv": "empty.csv exists; use force (--force)",
    f"{BASE} --keep 2 --report missing/r.html": "folder missing of r.html does not exist",
    f"{BASE} --keep 2 --reduced r.xlsx": "'.xlsx' cannot be written",
    f"{BASE} --keep 2 --reduced r.svm": "svmlight holds numbers alone",
    f"{BASE} --keep 2 --out .": "is a directory",
    "data nosuch": "name='nosuch' is not known",
    "data leukaemia --split valid": "split='valid' is not known",
    "data leukaemia --out leukaemia.svm": "svmlight holds numbers alone",
    "demo --report empty.csv": "empty.csv exists",
}


@pytest.mark.parametrize("line", UNUSABLE)
def test_what_cannot_be_done_ends_with_1_and_one_line(run, folder, line):
    contents = {
        "empty": "",
        "one": "a,y\n1,p\n2,p\n3,p\n",
        "same": "a,y\n1,0.5\n2,0.5\n3,0.5\n",
        "text": "a,y\n1,p\nx,q\n",
        "latin": "a,y\n1,caf\xe9\n",
        "ragged": "a,y\n1,p\n2\n",
        "twice": "a,a,y\n1,2,p\n",
        "nan": "a,y\nnan,p\n2,q\n",
        "inf": "a,y\ninf,p\n2,q\n",
        "alone": "y\np\nq\n",
        "rows": "a,y\n1,p\n2,q\n3,q\n",
    }
    for name, content in contents.items():
        (folder / f"{name}.csv").write_bytes(content.encode("latin-1"))
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    code, out, err = run(line)
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith("Error: ")
    assert UNUSABLE[line] in err
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    assert "wrote" not in out


def test_constant_columns_keep_nothing_and_say_so(run, folder):
    (folder / "t.csv").write_text("a,b,y\n5,1,p\n5,1,q\n5,1,p\n5,1,q\n")
    code, out, err = run("select t.csv --target y --method f --keep 2")
    assert code == 0
    assert "None of the 2 columns could be kept" in out
    assert "constant" in err


def test_all_outputs_or_none(run, folder, monkeypatch):
    """The last of three outputs fails; the two before it are not left behind."""

    def full(table, place):
        place.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("handful.table.write_to", full)
    (folder / "s.json").write_text("precious")
    before = sorted(folder.iterdir())
    line = f"{BASE} --keep 2 --out s.json --report r.html --reduced r.csv --force"
    code, _, err = run(line)
    assert (code, err) == (1, "Error: No space left on device.\n")
    assert sorted(folder.iterdir()) == before
    assert (folder / "s.json").read_text() == "precious"


def test_the_demo_selects_compares_and_reports(run, folder):
    for _ in range(2):
        code, out, err = run("demo")
        assert (code, err) == (0, "")
        assert "10 of 7,129 genes" in out
        assert "M27891_at" in out
        assert re.search(r"\d+ genes give [\d.]+ % ± [\d.]+ balanced error; ", plain(out))
        for method in ("cmim", "fisher", "random"):
            for classifier in ("naive-bayes", "linear-svm"):
                assert re.search(f"^{method} +{classifier} ", out, re.MULTILINE)
        assert "wrote demo-report.html" in out
        assert max(map(len, out.splitlines())) <= 80
    page = (folder / "demo-report.html").read_text()
    assert "balanced error" in page.partition("</h1>")[0]


def plain(text):
    return " ".join(text.replace("\N{NO-BREAK SPACE}", " ").split())


def test_data_lists_and_writes_the_data_sets(run):
    assert run("data leukaemia --out all.csv.gz --split all")[0] == 0
    assert read("all.csv.gz", "y").X.shape == (72, 7129)
    assert "dorothea         [1,150 x 100,000] binary" in run("data")[1]


def test_methods_lists_the_catalogue(run):
    from handful.classifiers.catalogue import CLASSIFIERS
    from handful.methods.catalogue import METHODS

    code, out, _ = run("methods")
    assert code == 0
    words = " ".join(out.split())
    for method in METHODS:
        assert f"{method.name} [" in words
        assert method.idea in words
        assert method.when in words
    for classifier in CLASSIFIERS:
        assert f"{classifier.name} [" in words
        assert classifier.idea in words


def test_the_module_is_the_same_command():
    answers = [
        subprocess.run([*start, "--help"], capture_output=True, text=True, check=True).stdout
        for start in ([sys.executable, "-m", "handful"], [f"{sys.prefix}/bin/handful"])
    ]
    assert answers[0] == answers[1]
    assert answers[0].startswith("Usage: handful ")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc to see the fit at work")
@pytest.mark.parametrize(("jobs", "stop"), [(1, "Ctrl-C"), (2, "Ctrl-C"), (2, "kill")])
@best_of(3)
def test_ctrl_c_and_kill_end_a_long_fit_within_a_second_and_leave_nothing(folder, jobs, stop):
    line = "select genes.csv --target state --method mutual-info --risk 0.0001 --out s.json"
    before = sorted(folder.iterdir())
    with subprocess.Popen(
        [sys.executable, "-m", "handful", *shlex.split(line), "--jobs", str(jobs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        _wait_until_busy(process)
        start = perf_counter()
        if stop == "Ctrl-C":  # a terminal tells the workers, too
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.terminate()
        # this waits for the workers: they hold the pipes as well
        out, err = process.communicate(timeout=30)
        took = perf_counter() - start
    assert process.returncode == 130
    # with more processes joblib's own may add a warning, never a traceback
    assert (out, err.split()[0]) == ("", "Interrupted.")
    assert jobs > 1 or err.split() == ["Interrupted."]
    assert "Traceback" not in err
    require_within(1, took)
    assert not [path for path in Path("/dev/shm").glob(f"*[-_]{process.pid}[-_]*") if path.exists()]
    assert sorted(folder.iterdir()) == before


def _wait_until_busy(process, seconds=2.5):
    """Until the process and those it started have worked that long: well after the imports."""
    latest = monotonic() + 60
    while monotonic() < latest and process.poll() is None:
        if _worked(process.pid) > seconds:
            return
        sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    pytest.fail("the fit is not long enough to be interrupted")


def _worked(group):
    """Seconds of work of all processes in a group."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has ended in the meantime
            continue
        if int(fields[2]) == group:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
