"""The command line on tables in many files."""

import json

import numpy as np
import polars as pl
import pytest

from handful.evaluation import read_record


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table in three files, and the same in one."""
    rng = np.random.default_rng(0)
    X = rng.random((90, 12)) < 0.4
    y = X[:, 3].astype(int) + X[:, 7] + rng.random(90) > 1.2
    whole = pl.DataFrame(X, schema=[f"g{j}" for j in range(12)]).with_columns(y=pl.Series(y))
    whole.write_parquet(tmp_path / "whole.parquet")
    (tmp_path / "parts").mkdir()
    for number in range(3):
        whole[30 * number : 30 * number + 30].write_parquet(tmp_path / f"parts/{number}.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


LINE = "select {} --target y --method {} --keep 3 --quiet --force --out {}.json"


@pytest.mark.parametrize("method", ["cmim", "fisher", "gram-schmidt"])
def test_every_engine_selects_the_same(run, folder, method):
    given = {
        "whole": "whole.parquet",
        "directory": "parts",
        "pattern": "'parts/*.parquet' --engine dask --memory 0.1MB --jobs 2",
        "files": "parts/0.parquet parts/1.parquet parts/2.parquet --engine memory",
        "alone": "whole.parquet --engine dask",
    }
    records = []
    for name, places in given.items():
        assert run(LINE.format(places, method, name)) == (0, "", "")
        records.append(read_record(f"{name}.json"))
    assert len({tuple(record.indices) for record in records}) == 1
    assert len({tuple(record.path.scores) for record in records}) == 1
    assert records[0].data.sha256 == records[1].data.sha256
    assert records[2].warnings == ["3 files read in parts"]


def test_a_cluster_by_its_address(run, folder):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        line = f"parts --scheduler {cluster.scheduler_address}"
        assert run(LINE.format(line, "cmim", "far"))[0] == 0
    run(LINE.format("whole.parquet", "cmim", "here"))
    far, here = (json.loads((folder / f"{name}.json").read_text()) for name in ("far", "here"))
    assert far["features"] == here["features"]


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("parts --engine memory --memory 1GB", 2, "--memory is for Dask"),
        ("parts --engine memory --scheduler tcp://a:1", 2, "--scheduler is for Dask"),
        ("parts --memory much", 2, "'much' is not an amount of memory, such as 4GB"),
        ("parts/0.parquet other.csv", 1, "several files must all be Parquet"),
        ("'parts/*.pq'", 1, "there are no Parquet files"),
    ],
)
def test_mistakes(run, folder, line, code, said):
    found, _, err = run(LINE.format(line, "cmim", "x"))
    assert found == code
    assert said in " ".join(err.split())
    assert not (folder / "x.json").exists()


def test_reports_and_reduced_tables(run, folder):
    line = "select parts --target y --keep 3 --engine dask --report r.html --reduced r.parquet"
    assert run(line)[0] == 0
    reduced = pl.read_parquet("r.parquet")
    assert reduced.width == 4
    assert reduced["y"].to_list() == pl.read_parquet("whole.parquet")["y"].to_list()
