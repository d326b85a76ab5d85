"""A run that is killed at any moment goes on where it stopped, and ends in the same record."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

N_KILLS = 20
FOLDERS = 4
N_PIECES = 3 * (14 + 1)

# Starts quickly, since Python and its imports are loaded once: for every line (folder, place of the
# record, jobs) a fork makes the comparison.
SERVER = """
import os, sys
import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from handful import FilterSelector
from handful.evaluation import compare

def odd(X, y):
    if len(y) % 2:
        raise ValueError("an odd number of rows")
    return np.abs(X).sum(axis=0)

def run(folder, place, n_jobs):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 12))
    y = (X[:, :3].sum(axis=1) + rng.standard_normal(60) > 0).astype(int)
    methods = {name: FilterSelector(name) for name in ("f", "mutual_info")}
    compare(
        {**methods, "odd": FilterSelector(odd)},
        {"tree": DecisionTreeClassifier(), "Bayes": GaussianNB()},
        X, y, sizes=[1, 4, 9], cv="7x2", metrics=["balanced_error", "auc"], random_state=1,
        checkpoint=folder, n_jobs=n_jobs,
    ).to_json(place)

run(None, sys.argv[1], 1)
print("ready", flush=True)
for line in sys.stdin:
    folder, place, n_jobs = line.rstrip("\\n").split("\\t")
    child = os.fork()
    if child == 0:
        try:
            run(folder, place, int(n_jobs))
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    print(child, flush=True)
    # until then the child keeps its number, even when it has ended
    sys.stdin.readline()
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")


class Server:
    def __init__(self, folder):
        self.undisturbed = folder / "undisturbed.json"
        self.errors = folder / "errors.txt"
        with self.errors.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SERVER, str(self.undisturbed)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self.process.stdout.readline() == "ready\n", self.errors.read_text()

    def start(self, folder, place, n_jobs=1):
        return int(self._ask(f"{folder}\t{place}\t{n_jobs}"))

    def end(self):
        """How the run ended: 0, or minus the signal."""
        return int(self._ask("end"))

    def _ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def finish(self, folder, place):
        """Let a run come to its end; the seconds it took."""
        start = time.perf_counter()
        self.start(folder, place)
        assert self.end() == 0, self.errors.read_text()
        return time.perf_counter() - start

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=30)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.close()


def timeless(place):
    record = json.loads(Path(place).read_text())
    del record["time"]
    return json.dumps(record)


def n_finished(folder):
    return len(list(folder.glob("method-*.json")))


def test_killed_runs_end_in_the_same_record(server, tmp_path):
    expected = timeless(server.undisturbed)
    # every kind of content comes back from the folder
    assert '"failures": [{' in expected
    server.finish(tmp_path / "whole", tmp_path / "whole.json")
    assert timeless(tmp_path / "whole.json") == expected
    draw = random.Random(0)
    kills, progress = 0, []
    for number in range(FOLDERS):
        folder, place = tmp_path / f"run {number}", tmp_path / f"{number}.json"
        while kills < N_KILLS * (number + 1) / FOLDERS:
            enough = n_finished(folder) + draw.randint(0, 12)
            child = server.start(folder, place)
            while n_finished(folder) < enough and not place.exists():
                time.sleep(0.001)
            time.sleep(draw.uniform(0, 0.03))
            os.kill(child, signal.SIGKILL)
            if server.end() == 0:  # it had ended before: from the start again
                shutil.rmtree(folder)
                place.unlink()
                continue
            kills += 1
            progress.append(n_finished(folder))
        server.finish(folder, place)
        assert timeless(place) == expected
    # some were killed early, some late
    assert min(progress) < N_PIECES / 3 < N_PIECES / 2 < max(progress)


def test_a_killed_run_in_two_processes_goes_on_in_one(server, tmp_path):
    place, folder = tmp_path / "one.json", tmp_path / "run"
    child = server.start(folder, place, 2)
    while n_finished(folder) < 5:
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    assert server.end() == -signal.SIGKILL
    assert n_finished(folder) < N_PIECES
    server.finish(folder, place)
    assert timeless(place) == timeless(server.undisturbed)
