"""Many Parquet files as one table: the same as one file in memory, and what is wrong with one."""

import dask
import numpy as np
import polars as pl
import pytest

from handful import FilterSelector, GramSchmidt, InformationSelector
from handful.columns import Dense
from handful.table import TableError
from handful.table.parts import files_of, read_parts

SELECTORS = [InformationSelector(), FilterSelector(), GramSchmidt()]


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def write(folder, X, y, n_files=3, **more):
    """Files of unequal length, one of them empty."""
    cuts = np.sort(np.random.default_rng(0).integers(0, len(X), n_files - 1))
    for number, rows in enumerate(np.split(np.arange(len(X)), [*cuts, len(X)])):
        frame = pl.DataFrame(X[rows], schema=[f"c{j}" for j in range(X.shape[1])])
        frame = frame.with_columns(y=pl.Series(y[rows]), **more)
        frame.write_parquet(folder / f"part{number}.parquet", row_group_size=7)


def problem(kind):
    rng = np.random.default_rng(1)
    X = {
        "bool": lambda: rng.random((60, 20)) < 0.4,
        "int8": lambda: rng.integers(-3, 4, (60, 20)).astype(np.int8),
        "int32": lambda: rng.integers(0, 300, (60, 20)).astype(np.int32) // [[1, 100] * 10],
        "float32": lambda: rng.standard_normal((60, 20)).astype(np.float32),
        "float64": lambda: rng.standard_normal((60, 20)),
    }[kind]()
    return X, (X[:, 3].astype(float) + rng.standard_normal(60) > 0.4).astype(int)


@pytest.mark.parametrize("memory", [200, 10**9])
@pytest.mark.parametrize("kind", ["bool", "int8", "int32", "float32", "float64"])
def test_the_same_as_in_memory(tmp_path, kind, memory):
    X, y = problem(kind)
    write(tmp_path, X, y)
    table = read_parts([tmp_path], "y", memory=memory)
    assert table.X.dtype == X.dtype
    assert table.X.gather().tolist() == X.tolist()
    assert table.y.tolist() == y.tolist()
    assert table.names.tolist() == [f"c{j}" for j in range(20)]
    for selector in SELECTORS:
        found = selector.fit(table.columns, table.y).path_
        expected = selector.fit(Dense(X), y).path_
        assert found.features.tolist() == expected.features.tolist()
        np.testing.assert_allclose(
            found.scores, expected.scores, rtol=1e-6 if kind == "float32" else 1e-12
        )
    assert table.take(np.array([3, 1])).X.tolist() == X[:, [3, 1]].tolist()


def test_columns_that_are_not_asked_for_are_not_read(tmp_path, monkeypatch):
    X, y = problem("float64")
    write(tmp_path, X, y, text=pl.lit("a"))
    seen, read = set(), pl.read_parquet

    def watched(path, columns, **kwargs):
        seen.update(columns)
        return read(path, columns=columns, **kwargs)

    monkeypatch.setattr(pl, "read_parquet", watched)
    table = read_parts([tmp_path], "y", drop=["text", "c0"], memory=10**6)
    assert seen == {"y"}
    InformationSelector().fit(table.columns, table.y)
    assert seen == {f"c{j}" for j in range(1, 20)} | {"y"}


def test_what_stands_for_files(tmp_path):
    X, y = problem("bool")
    write(tmp_path, X, y)
    names = [f"part{number}.parquet" for number in range(4)]
    assert [path.name for path in files_of([tmp_path])] == names
    assert [path.name for path in files_of([tmp_path / "part[12].parquet"])] == names[1:3]
    assert [path.name for path in files_of([tmp_path / names[2], tmp_path / names[0]])] == [
        names[2],
        names[0],
    ]


def test_the_digest_is_of_what_is_in_the_files(tmp_path):
    X, y = problem("float64")
    digests = []
    for number, change in enumerate([0.0, 0.0, 1.0]):
        folder = tmp_path / str(number)
        folder.mkdir()
        Z = X.copy()
        Z[5, 5] += change
        write(folder, Z, y)
        digests.append(read_parts([folder], "y").columns.digest)
    assert digests[0] == digests[1] != digests[2]


def broken(folder, number, change):
    place = folder / f"part{number}.parquet"
    change(pl.read_parquet(place)).write_parquet(place)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.drop("c4"), r"part2.*no column 'c4', which .*part0"),
        (lambda f: f.with_columns(c4=pl.lit("a")), r"part2.*'c4' holds String, and in .*Float64"),
        (lambda f: f.with_columns(c4=pl.lit(1)), r"part2.*'c4' holds Int32"),
        (lambda f: f.with_columns(y=pl.lit(None, pl.Int64)), r"part2.*row 1: the target is miss"),
        (lambda f: f.with_columns(c4=pl.lit(None, pl.Float64)), r"part2.*row 1, column 'c4'.*miss"),
        (lambda f: f.with_columns(c4=pl.lit(float("nan"))), r"part2.*row 1, column 'c4'.*missing"),
        (lambda f: f.with_columns(c4=pl.lit(float("inf"))), r"part2.*row 1, column 'c4'.*finite"),
    ],
)
def test_a_file_that_differs_is_named(tmp_path, change, message):
    X, y = problem("float64")
    write(tmp_path, X, y)
    broken(tmp_path, 2, change)
    for selector in SELECTORS:
        with pytest.raises(TableError, match=message):  # noqa: PT012
            table = read_parts([tmp_path], "y")
            selector.fit(table.columns, table.y)


def test_what_cannot_be_read(tmp_path):
    X, y = problem("float64")
    (tmp_path / "empty").mkdir()
    for place, message in [
        (tmp_path / "empty", "there are no Parquet files"),
        (tmp_path / "no*.parquet", "there are no Parquet files"),
        (tmp_path / "none.parquet", "there is no such file"),
        (tmp_path / "a.csv", "must all be Parquet"),
    ]:
        with pytest.raises(TableError, match=message):
            read_parts([place], "y")
    write(tmp_path, X, y)
    for target, drop, message in [
        ("z", [], "no column 'z'"),
        ("y", ["y"], "cannot be left out"),
        ("y", [f"c{j}" for j in range(20)], "no column besides 'y'"),
        (None, [], "--target"),
    ]:
        with pytest.raises(TableError, match=message):
            read_parts([tmp_path], target, drop=drop)
    (tmp_path / "part1.parquet").write_bytes(b"not at all")
    with pytest.raises(TableError, match=r"part1.*not Parquet, or it is damaged"):
        read_parts([tmp_path], "y")
