"""Writing tables: what is written is read back as it was, whole or not at all."""

import gzip

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from handful.table import Table, TableError, check_fits, check_output, of_dataset, read, write

NAMED = ["t.csv", "t.tsv", "t.csv.gz", "t.parquet", "t.arrow", "t.npz"]
NUMBERS = ["t.svm", "t.libsvm.gz"]
# surrogates cannot be written as UTF-8; NUL marks files that are not text, and NumPy cuts it off;
# a byte order mark at the start of a file belongs to no name
CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")
NAMES = st.lists(st.text(CHARACTERS, min_size=1), min_size=2, max_size=4, unique=True).filter(
    lambda names: bool(names[0].strip())
)
COLUMNS = {
    "boolean": st.booleans(),
    "whole": st.integers(-(2**53) + 1, 2**53 - 1),
    "number": st.floats(allow_nan=False, allow_infinity=False),
}


@st.composite
def tables(draw):
    *names, target = draw(NAMES)
    n_rows = draw(st.integers(1, 5))
    kinds = [draw(st.sampled_from(list(COLUMNS))) for _ in names]
    columns = [draw(st.lists(COLUMNS[kind], min_size=n_rows, max_size=n_rows)) for kind in kinds]
    # a letter keeps text from looking like a number or like a missing cell
    label = st.text(CHARACTERS).map(lambda text: f"l{text}")
    y = draw(st.lists(label, min_size=n_rows, max_size=n_rows))
    return Table(
        np.array(columns, dtype=np.float64).T,
        np.array(y),
        np.array(names, dtype=object),
        target,
        boolean=np.array([kind == "boolean" for kind in kinds]),
    )


@pytest.mark.parametrize("name", NAMED)
def test_what_is_written_is_read_back(name, tmp_path):
    @settings(max_examples=60, deadline=None, derandomize=True, database=None)
    @given(tables())
    def check(table):
        write(table, tmp_path / name, force=True)
        target = None if name == "t.npz" else table.target
        again = read(tmp_path / name, target)
        np.testing.assert_array_equal(again.X, table.X)
        assert again.names.tolist() == table.names.tolist()
        assert again.y.tolist() == table.y.tolist()
        if name != "t.npz":
            boolean = np.zeros(len(table.names), bool) if again.boolean is None else again.boolean
            assert boolean.tolist() == table.boolean.tolist()

    check()


@pytest.mark.parametrize("name", [*NAMED, *NUMBERS])
@pytest.mark.parametrize("kind", [np.bool_, np.int32, np.float32, np.float64])
def test_dense_and_sparse_tables_of_every_type(name, kind, tmp_path):
    X = (np.array([[1, 0, 3.1], [0, 2.7, 1]])).astype(kind)
    for matrix in (X, sparse.csr_array(X)):
        write(Table(matrix, np.array([2, -1]), None), tmp_path / name, force=True)
        again = read(tmp_path / name, None if name in [*NUMBERS, "t.npz"] else "y")
        values = again.X.toarray() if sparse.issparse(again.X) else again.X
        np.testing.assert_array_equal(values.astype(kind), X)
        assert again.y.tolist() == [2, -1]
        if name in NAMED and name != "t.npz":
            assert again.names.tolist() == ["x0", "x1", "x2"]


def test_csv_as_people_read_it(tmp_path):
    X = np.array([[1, 0.1, 1], [0, 1e300, 2**52]])
    names = np.array(["used", "=cmd|' /C calc'!A0", 'a "b", c'], dtype=object)
    boolean = np.array([True, False, False])
    table = Table(X, np.array(["+p", "@q"]), names, "kind", boolean=boolean)
    write(table, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == (
        'used,=cmd|\' /C calc\'!A0,"a ""b"", c",kind\n'
        "true,0.1,1,+p\n"
        "false,1e+300,4503599627370496,@q\n"
    )


def test_parquet_keeps_types(tmp_path):
    table = Table(np.array([[1, 0.5, 3], [0, 1, 4]]), np.array([True, False]), None)
    table = Table(table.X, table.y, None, boolean=np.array([True, False, False]))
    write(table, tmp_path / "t.parquet")
    frame = pl.read_parquet(tmp_path / "t.parquet")
    assert frame.dtypes == [pl.Boolean, pl.Float64, pl.Int64, pl.Boolean]


def test_equal_tables_make_equal_packed_files(tmp_path):
    table = Table(np.eye(2), np.array([0, 1]), None)
    for name in ("a.csv.gz", "b.csv.gz"):
        write(table, tmp_path / name)
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()).startswith(b"x0,x1,y\n")


def test_taken_columns_keep_their_names_and_kinds():
    names = np.array(["a", "b", "c"], dtype=object)
    table = Table(np.eye(3), np.arange(3), names, boolean=np.array([True, False, True]))
    taken = table.take(np.array([2, 1]))
    assert taken.names.tolist() == ["c", "b"]
    assert taken.boolean.tolist() == [True, False]
    np.testing.assert_array_equal(taken.X, np.eye(3)[:, [2, 1]])


def test_places_and_formats_are_checked_before_anything_is_written(tmp_path, monkeypatch):
    table = Table(np.eye(2), np.array(["a", "b"]), None)
    with pytest.raises(TableError, match=r"extension '\.xlsx' cannot be written; use \.csv"):
        write(table, tmp_path / "t.xlsx")
    with pytest.raises(TableError, match="svmlight holds numbers alone, and the target 'y'"):
        check_fits(table, tmp_path / "t.svm")
    (tmp_path / "t.csv").write_text("precious")
    with pytest.raises(FileExistsError, match="--force"):
        write(table, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "precious"
    monkeypatch.setattr("handful.table.frames.find_spec", lambda name: None)
    with pytest.raises(TableError, match=r"t\.parquet: .*pip install 'handful\[io\]'"):
        check_output(tmp_path / "t.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_data_sets_of_several_labels_are_no_table():
    from sklearn.utils import Bunch

    found = Bunch(data=np.eye(2), target=np.eye(2))
    with pytest.raises(TableError, match="several has 2 labels per row"):
        of_dataset("several", found)
