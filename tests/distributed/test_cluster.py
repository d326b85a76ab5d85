"""Real worker processes: the same answers, and what happens when one is killed, slow or gone.

A few of them with all other tests; ``make scale-test`` sets KILLS and runs them all.
"""

import os
import signal
import threading
import time
from contextlib import contextmanager

import chunked
import dask
import dask.array as da
import numpy as np
import pytest
from joblib import parallel_config

from handful import FilterSelector, GramSchmidt, InformationSelector
from handful.stopping import CrossValidated, EmpiricalProbe

distributed = pytest.importorskip("distributed")
pytestmark = [
    # sockets and event loops of processes that were killed are closed when they are collected
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
KILLS = int(os.environ.get("KILLS", "2"))
in_scale_test = pytest.mark.skipif("KILLS" not in os.environ, reason="make scale-test runs it")
# A fit that cannot go on says so within this time; the settings of `cluster` bound it.
SECONDS = 60
SELECTOR = InformationSelector(n_features_to_select=12)


@contextmanager
def cluster(n_workers=2, **kwargs):
    quick = {
        "distributed.comm.timeouts.connect": "5s",
        "distributed.comm.timeouts.tcp": "30s",
        "distributed.comm.retry.count": 0,
        "distributed.scheduler.allowed-failures": 10,
        "distributed.admin.log-format": "%(message)s",
    }
    with (
        dask.config.set(quick),
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs=50,
            **kwargs,
        ) as local,
        distributed.Client(local) as client,
    ):
        yield local, client


@pytest.fixture(scope="module")
def two_workers():
    with cluster() as (_, client):
        yield client


def problem(n_rows=400, n_columns=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, n_columns)) < rng.uniform(0.05, 0.5, n_columns)
    y = (X[:, :12].sum(axis=1) + rng.standard_normal(n_rows) > 4).astype(int)
    return X, y


def slowly(X, chunks, seconds):
    """The array, each of whose chunks takes a moment."""

    def late(block):
        time.sleep(seconds)
        return block

    return da.from_array(X, chunks=chunks).map_blocks(late, dtype=X.dtype)


@pytest.mark.parametrize(
    "selector",
    [SELECTOR, InformationSelector("mrmr"), FilterSelector("f"), GramSchmidt()],
    ids=["cmim", "mrmr", "f", "gram-schmidt"],
)
def test_workers_answer_as_memory_does(two_workers, selector):
    X, y = problem()
    chunked.require_same(selector, X, da.from_array(X, chunks=(150, 250)), y)
    Z = X + np.random.default_rng(1).standard_normal(X.shape)
    chunked.require_same(selector, Z, da.from_array(Z, chunks=(150, 250)), y)


def test_frames_and_bad_cells(two_workers):
    dd = pytest.importorskip("dask.dataframe")
    pd = pytest.importorskip("pandas")
    X, y = problem(60, 8)
    frame = pd.DataFrame(X.astype(float), columns=[f"c{j}" for j in range(8)])
    selector = InformationSelector(n_features_to_select=3)
    chunked.require_same(selector, frame, dd.from_pandas(frame, npartitions=3), y)
    frame.loc[50, "c3"] = np.nan
    with pytest.raises(ValueError, match=r"NaN in column 'c3' \(partition 2\)"):
        selector.fit(dd.from_pandas(frame, npartitions=3), y)


@in_scale_test
@pytest.mark.parametrize(
    "rule",
    [CrossValidated(cv=2, sizes=[1, 2]), EmpiricalProbe(0.2, n_rounds=4, random_state=0)],
    ids=["folds", "probes"],
)
def test_folds_and_probes_through_joblib(two_workers, rule):
    X, y = problem(80, 20)
    selector = FilterSelector(n_features_to_select=rule, n_jobs=2)
    expected = selector.fit(X, y).selection_order_.tolist()
    with parallel_config(backend="dask"):
        assert selector.fit(X, y).selection_order_.tolist() == expected


# ---- faults ----


class Fit(threading.Thread):
    """A fit in a thread of its own, with what came of it."""

    def __init__(self, X, y):
        super().__init__(daemon=True)
        self.given, self.found, self.error = (X, y), None, None

    def run(self):
        try:
            self.found = InformationSelector(n_features_to_select=12).fit(*self.given)
        except Exception as error:  # whatever it is, the test looks at it
            self.error = error


def kill(client, place=0):
    """Kill a worker's process; its nanny starts another."""
    pids = sorted(client.run(os.getpid).items())
    os.kill(pids[place % len(pids)][1], signal.SIGKILL)


def test_workers_killed_at_random_moments():
    """The same answer, whenever a worker is killed: what it had is made again from the source."""
    X, y = problem()
    expected = InformationSelector(n_features_to_select=12).fit(X, y)
    rng = np.random.default_rng()
    with cluster() as (_, client):
        for number in range(KILLS):
            fit = Fit(slowly(X, (100, 200), 0.05), y)
            fit.start()
            time.sleep(rng.uniform(0, 1.5))
            kill(client, number)
            fit.join(SECONDS)
            assert not fit.is_alive()
            assert fit.error is None, fit.error
            assert fit.found.path_.features.tolist() == expected.path_.features.tolist()
            client.wait_for_workers(2, timeout=SECONDS)


@in_scale_test
def test_a_worker_that_is_always_killed_ends_in_one_error():
    """As one does that runs out of memory: it starts again, and again, and then that is said."""

    def deadly(block):
        os.kill(os.getpid(), signal.SIGKILL)
        return block

    X, y = problem(60, 20)
    with cluster() as (_, client):
        client.run_on_scheduler(
            lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 1)
        )
        with pytest.raises(ConnectionError, match=r"(?s)could not finish \(KilledWorker.*Nothing"):
            SELECTOR.fit(da.from_array(X, chunks=30).map_blocks(deadly, dtype=bool, meta=X[:0]), y)


@in_scale_test
def test_a_worker_that_runs_out_of_memory_and_starts_again(tmp_path):
    """The first time a chunk takes more than the worker has; the second time it does not."""
    marker = tmp_path / "done"

    def greedy(block):
        if not marker.exists():
            marker.touch()
            waste = [np.ones(10**7) for _ in range(20)]
            time.sleep(5)
            del waste
        return block

    X, y = problem(60, 20)
    with cluster(memory_limit="400MB") as (_, client):
        slow = da.from_array(X, chunks=(30, 20)).map_blocks(greedy, dtype=bool, meta=X[:0])
        before = set(client.run(os.getpid).values())
        chunked.require_same(SELECTOR, X, slow, y)
        client.wait_for_workers(2, timeout=SECONDS)
        assert set(client.run(os.getpid).values()) != before


@in_scale_test
def test_a_slow_worker():
    X, y = problem(200, 100)

    def late_on_one(block):
        if int(distributed.get_worker().name) == 1:
            time.sleep(0.3)
        return block

    with cluster():
        source = da.from_array(X, chunks=(50, 50))
        source = source.map_blocks(late_on_one, dtype=bool, meta=X[:0])
        chunked.require_same(SELECTOR, X, source, y)


def test_a_scheduler_that_goes_away_ends_in_one_error():
    X, y = problem()
    with cluster(processes=True) as (local, _):
        fit = Fit(slowly(X, (20, 100), 0.5), y)
        fit.start()
        time.sleep(2)
        started = time.monotonic()
        local.sync(local.scheduler.close)
        fit.join(SECONDS)
        assert not fit.is_alive()
        assert time.monotonic() - started < SECONDS
    assert isinstance(fit.error, ConnectionError), repr(fit.error)
    assert "Nothing was selected" in str(fit.error)


def test_a_client_that_is_closed():
    X, y = problem(60, 20)
    with cluster() as (_, client):
        kept = da.from_array(X, chunks=30).persist()
        client.close()
        with pytest.raises(ConnectionError, match="Nothing was selected"):
            SELECTOR.fit(kept, y)
