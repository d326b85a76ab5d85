"""Reading tables: every format against the same small table, and every kind of bad input."""

import gzip
import io
import os
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import io as scipy_io
from scipy import sparse
from scipy.io import arff
from sklearn.datasets import dump_svmlight_file
from sklearn.svm import SVC

from handful.table import TableError, holds_target, read
from handful.table import frames as frames_module

X = np.array([[1.5, 0, 3], [-2, 1, 4e-7], [0, 1, 1e300], [7.25, 0, 0]])
LABELS = ["ALL", "AML", "AML", "ALL"]
NAMES = ["gene 1", "used", "c"]
ROWS = [["1.5", "false", "3", "ALL"], ["-2", "true", "4e-7", "AML"]]
ROWS += [["0", "true", "1e300", "AML"], ["7.25", "false", "0", "ALL"]]


def delimited(delimiter):
    return "\n".join(delimiter.join(row) for row in [[*NAMES, "kind"], *ROWS]) + "\n"


ARFF = (
    "% a comment\n@relation small\n\n@attribute 'gene 1' numeric\n@ATTRIBUTE used {false, true}\n"
    "@attribute c real\n@attribute kind {ALL,AML}\n@data\n"
    + "".join(", ".join(row) + "\n" for row in ROWS)
)


def frame():
    columns = dict(zip(NAMES, X.T, strict=True)) | {"kind": LABELS}
    return pl.DataFrame(columns).with_columns(pl.col("used") == 1)


def packed(text):
    return gzip.compress(text.encode())


def in_memory(write):
    content = io.BytesIO()
    write(content)
    return content.getvalue()


NAMED = {
    "small.csv": delimited(",").encode(),
    "small.CSV": ("\ufeff" + delimited(",").replace("\n", "\r\n")).encode(),
    "small.tsv": delimited("\t").encode(),
    "small.tab": delimited("\t").rstrip("\n").encode(),
    "small.csv.gz": packed(delimited(",")),
    "small.arff": ARFF.encode(),
    "small.arff.gz": packed(ARFF),
    "small.parquet": in_memory(frame().write_parquet),
    "small.feather": in_memory(frame().write_ipc),
    "small.arrow": in_memory(frame().write_ipc),
}


@pytest.fixture
def place(tmp_path):
    """Writes content under a name and returns its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.mark.parametrize("name", NAMED)
def test_formats_with_names_hold_the_same_table(place, name):
    table = read(place(name, NAMED[name]), "kind")
    np.testing.assert_array_equal(table.X, X)
    assert table.y.tolist() == LABELS
    assert table.names.tolist() == NAMES
    assert table.boolean.tolist() == [False, True, False]
    assert (table.target, table.name, table.notes) == ("kind", name, ())
    assert table.columns.names.tolist() == NAMES
    assert not holds_target(name)


def test_any_column_can_be_the_target_and_any_be_dropped(place):
    for name in ("small.csv", "small.arff", "small.parquet"):
        for target in NAMES:
            others = [other for other in NAMES if other != target]
            path = place(name, NAMED[name])
            table = read(path, target, drop=["kind"])
            assert table.names.tolist() == others
            np.testing.assert_array_equal(table.X, X[:, [NAMES.index(other) for other in others]])
            if target != "used":
                np.testing.assert_array_equal(table.y, X[:, NAMES.index(target)])


def test_numbers_are_read_as_python_reads_them(place):
    """Shortest and longest notations, subnormals and halves between two floats."""
    rng = np.random.default_rng(0)
    values = np.frombuffer(rng.bytes(8 * 4000), dtype=np.float64)
    texts = [repr(value) for value in values[np.isfinite(values)].tolist()]
    texts += ["5e-324", "1e-400", "9007199254740993", "0.1", ".5", "5.", "+1", "1E5", "-0", " 2 "]
    texts += ["9007199254740992.99999999999999999999", "123456789012345678901234567890"]
    lines = "".join(f"{text},{place % 2}\n" for place, text in enumerate(texts))
    table = read(place("numbers.csv", f"x,y\n{lines}"), "y")
    np.testing.assert_array_equal(table.X[:, 0], [float(text) for text in texts])


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["true", "FALSE"], np.bool_),
        (["1", "0"], np.int32),
        (["1.0", "-2147483648"], np.int32),
        (["1", "2147483648"], np.float64),
        (["1", "0.5"], np.float64),
    ],
)
def test_types_are_the_smallest_that_hold_every_cell(place, cells, kind):
    table = read(place("t.csv", f"x,y\n{cells[0]},a\n{cells[1]},b\n"), "y")
    assert table.X.dtype == kind
    if kind is not np.bool_:
        assert table.X[:, 0].tolist() == [float(cell) for cell in cells]


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["1", "2"], [1, 2]),
        (["1.0", "2"], [1, 2]),
        (["0.5", "2"], [0.5, 2.0]),
        (["1", "b"], ["1", "b"]),
        (["true", "false"], ["true", "false"]),
        (["None", "Some"], ["None", "Some"]),
        (["=cmd()", '"a, ""b""\nc"'], ["=cmd()", 'a, "b"\nc']),
    ],
)
def test_targets_are_numbers_only_where_all_of_them_are(place, cells, labels):
    table = read(place("t.csv", f"y,x\n{cells[0]},1\n{cells[1]},2\n"), "y")
    assert table.y.tolist() == labels
    assert type(table.y.tolist()[0]) is type(labels[0])


def test_quoted_cells_blank_lines_and_names_that_need_quotes(place):
    text = '"a,b","line\nend",y\n"1","2",p\n\n3,4,"q"\n'
    table = read(place("t.csv", text), "y")
    assert table.names.tolist() == ["a,b", "line\nend"]
    assert table.X.tolist() == [[1, 2], [3, 4]]
    assert table.y.tolist() == ["p", "q"]


def test_a_first_column_without_a_name_is_row_names(place):
    table = read(place("t.csv", ",a,y\nrow 1,1,p\nrow 2,2,q\n"), "y")
    assert table.X.tolist() == [[1], [2]]
    assert "row names" in table.notes[0]


def test_true_and_false_far_below_numbers_and_blocks(place):
    """More than one block of lines, the second of which needs the slow way."""
    n = 200_000
    cells = ["1,true,p\n"] * n + ["2,false,q\n"]
    table = read(place("t.csv", "a,b,y\n" + "".join(cells)), "y")
    assert table.X.dtype == np.int32
    assert table.X.sum(axis=0).tolist() == [n + 2, n]
    assert table.boolean.tolist() == [False, True]


def test_arff_agrees_with_scipy(place):
    rng = np.random.default_rng(1)
    header = "".join(f"@attribute g{j} real\n" for j in range(30))
    rows = "".join(
        ",".join(map(repr, row)) + f",{'ab'[i % 2]}\n"
        for i, row in enumerate(rng.standard_normal((20, 30)).tolist())
    )
    path = place("t.arff", f"@relation r\n{header}@attribute y {{a,b}}\n@data\n{rows}")
    theirs, _ = arff.loadarff(path)
    ours = read(path, "y")
    np.testing.assert_array_equal(ours.X.T, [theirs[f"g{j}"] for j in range(30)])
    assert ours.y.tolist() == [label.decode() for label in theirs["y"]]


def test_arff_quotes(place):
    text = "@relation r\n@attribute \"it's\" real\n@attribute 'a\\'b' {'x, y', \"z\"}\n@data\n"
    table = read(place("t.arff", text + "1,'x, y'\n2,\"z\"\n"), "a'b")
    assert table.names.tolist() == ["it's"]
    assert table.y.tolist() == ["x, y", "z"]


@pytest.mark.parametrize("suffix", ["svm", "svmlight", "libsvm"])
def test_svmlight(place, suffix):
    table = read(place(f"t.{suffix}", "1 1:0.5 3:2 # remark\n-1 2:1\n"))
    assert sparse.issparse(table.X)
    np.testing.assert_array_equal(table.X.toarray(), [[0.5, 0, 2], [0, 1, 0]])
    assert (table.y.tolist(), table.names) == ([1, -1], None)
    assert holds_target(f"t.{suffix}")


@pytest.mark.parametrize("name", ["t.svm", "t.npz", "t.mtx"])
def test_sparse_tables_suit_the_models_of_libsvm(tmp_path, name):
    X, y = sparse.csr_array(np.kron(np.eye(3), np.ones((4, 1)))), np.repeat([1.0, 2, 3], 4)
    long = {part: getattr(X, part).astype(np.int64) for part in ("indices", "indptr")}
    dump_svmlight_file(X, y, str(tmp_path / "t.svm"))
    np.savez(tmp_path / "t.npz", y=y, X_data=X.data, X_shape=np.array(X.shape),
             **{f"X_{part}": values for part, values in long.items()})  # fmt: skip
    scipy_io.mmwrite(tmp_path / "t.mtx", sparse.hstack([X, y[:, None]]))
    table = read(tmp_path / name, "-1" if name == "t.mtx" else None)
    assert SVC(kernel="linear").fit(table.X, table.y).predict(table.X).tolist() == y.tolist()


def test_matrix_market_with_a_column_or_a_file_as_target(place, tmp_path):
    whole = np.array([[1.0, 0, 3], [0, 2, 4], [5, 0, 3]])
    scipy_io.mmwrite(tmp_path / "s.mtx", sparse.coo_array(whole))
    scipy_io.mmwrite(tmp_path / "d.mtx", whole)
    labels = place("labels.txt", "a\nb\na\n\n")
    for name in ("s.mtx", "d.mtx"):
        for target, column in (("2", 2), ("-1", 2), ("0", 0)):
            table = read(tmp_path / name, target)
            X = table.X.toarray() if sparse.issparse(table.X) else table.X
            np.testing.assert_array_equal(X, np.delete(whole, column, axis=1))
            assert table.y.tolist() == whole[:, column].tolist()
            assert table.target == f"x{column}"
        table = read(tmp_path / name, str(labels))
        assert table.X.shape == (3, 3)
        assert table.y.tolist() == ["a", "b", "a"]
    pattern = MTX.replace("real general", "pattern symmetric") + "2 2 2\n1 1\n2 1\n"
    table = read(place("t.mtx.gz", packed(pattern)), "1")
    assert (table.X.toarray().tolist(), table.y.tolist()) == ([[1], [1]], [1, 0])
    with pytest.raises(TableError, match=r"3 rows and .* has 2 labels"):
        read(tmp_path / "s.mtx", str(place("short.txt", "a\nb\n")))
    with pytest.raises(TableError, match="line 2: the target is missing"):
        read(tmp_path / "s.mtx", str(place("gap.txt", "a\n\nb\n")))
    with pytest.raises(TableError, match="no column 3 for the target: there are 3 columns"):
        read(tmp_path / "s.mtx", "3")
    with pytest.raises(TableError, match="neither a column's number"):
        read(tmp_path / "s.mtx", "label")


def test_npz(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, X=X, y=np.array(LABELS), feature_names=np.array(NAMES), other=np.ones(4))
    table = read(path)
    np.testing.assert_array_equal(table.X, X)
    assert (table.y.tolist(), table.names.tolist()) == (LABELS, NAMES)
    assert read(path, "other", drop=["c"]).names.tolist() == NAMES[:2]
    with pytest.raises(TableError, match=r"no array 'yy'; did you mean 'y'\?"):
        read(path, "yy")
    matrix = sparse.csr_array(X)
    parts = {f"X_{name}": getattr(matrix, name) for name in ("data", "indices", "indptr")}
    np.savez(path, y=np.arange(4), X_shape=np.array(X.shape), **parts)
    np.testing.assert_array_equal(read(path).X.toarray(), X)
    sparse.save_npz(path, matrix)
    table = read(path, "1")
    np.testing.assert_array_equal(table.X.toarray(), X[:, [0, 2]])
    assert table.y.tolist() == X[:, 1].tolist()


def test_npz_never_unpickles(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, X=np.array([[print]], dtype=object), y=np.array([1]))
    with pytest.raises(TableError, match=r"t\.npz: .*allow_pickle"):
        read(path)


def test_frames_of_every_type_of_number(tmp_path):
    path = tmp_path / "t.parquet"
    kinds = [pl.Int8, pl.UInt64, pl.Float32, pl.Int64]
    columns = {str(kind): pl.Series([1, 2], dtype=kind) for kind in kinds}
    pl.DataFrame({**columns, "y": pl.Series(["a", "b"], dtype=pl.Categorical)}).write_parquet(path)
    table = read(path, "y")
    assert table.X.dtype == np.int32
    assert table.X.tolist() == [[1] * 4, [2] * 4]
    assert table.y.tolist() == ["a", "b"]
    assert read(path, "Int8", drop=["y"]).y.dtype == np.int64


def test_without_polars_csv_still_works_and_parquet_says_what_to_install(place, monkeypatch):
    monkeypatch.setattr(frames_module, "find_spec", lambda name: None)
    assert read(place("small.csv", NAMED["small.csv"]), "kind").X.shape == (4, 3)
    with pytest.raises(TableError, match=r"pip install 'handful\[io\]'"):
        read(place("small.parquet", NAMED["small.parquet"]), "kind")


def parquet(**columns):
    return in_memory(pl.DataFrame(columns).write_parquet)


def npz(**arrays):
    return in_memory(lambda file: np.savez(file, **arrays))


MTX = "%%MatrixMarket matrix coordinate real general\n"
DENSE = MTX.replace("coordinate", "array")
HEAD = "@relation r\n@attribute a real\n@attribute y {p,q}\n"
BAD = {
    "no such target": ("t.csv", "a,label\n1,p\n", r"no column 'y'; there are 'a', 'label'"),
    "wide": ("t.csv", "a,b,c,d,e,f\n", r"there are 'a', 'b', 'c', 'd', ..., 'f' \(6 in all\)"),
    "close names": ("t.csv", "a,yy,Y\n1,p,1\n", r"no column 'y'; did you mean 'Y'\?"),
    "empty": ("t.csv", "", "t.csv: the file is empty"),
    "empty parquet": ("t.parquet", b"", "t.parquet: the file is empty"),
    "no rows": ("t.csv", "a,y\n", "no rows"),
    "no columns": ("t.csv", "y\np\nq\n", "no column besides 'y'"),
    "ragged": ("t.csv", "a,b,y\n1,2,p\n3,q\n", "line 3 has 2 cells; the table has 3 columns"),
    "ragged after quotes": ("t.csv", 'a,"b\nc",y\n1,2,p\n"3",q\n', "line 4 has 2 cells"),
    "truncated in quotes": ("t.csv", 'a,y\n1,"p\n', "line 2: a quoted cell is wrong"),
    "truncated gzip": ("t.csv.gz", packed("a,y\n" + "1,p\n" * 99)[:-9], "ends too early"),
    "not gzip": ("t.csv.gz", b"a,y\n1,p\n", "not gzip"),
    "not UTF-8": ("t.csv", b"a,y\n1,p\n2,q\xe9\n", r"line 3 is not UTF-8 \(byte 4"),
    "UTF-16": ("t.csv", "a,y\n1,p\n".encode("utf-16"), "looks like UTF-16"),
    "binary": ("t.csv", b"a,y\n\0,p\n", "line 2 holds a NUL"),
    "same names": ("t.csv", "a,b,a,y\n1,2,3,p\n", "columns 1 and 3 are both called 'a'"),
    "target twice": ("t.csv", "y,a,y\n1,2,3\n", "both called 'y'"),
    "no name": ("t.csv", "a,,y\n1,2,p\n", "column 2 has no name"),
    "text": ("t.csv", "a,b,y\n1,2,p\n3,x,q\n", r"line 3, column 'b' holds text \('x'\)"),
    "decimal commas": ("t.csv", 'a,y\n"1,5",p\n', r"line 2, column 'a' holds text \('1,5'\)"),
    "underscores": ("t.csv", "a,y\n1_0,p\n", r"line 2, column 'a' holds text \('1_0'\)"),
    "missing": ("t.csv", "a,b,y\n1,,p\n", "line 2, column 'b': the cell is missing;"),
    "only cell missing": ("t.csv", "a,y\n,p\n", "line 2, column 'a': the cell is missing"),
    "NA": ("t.csv", "a,y\n1,p\nNA,q\n", r"line 3, column 'a': the cell is missing \('NA'\)"),
    "NaN": ("t.csv", "a,y\nnan,q\n", r"line 2, column 'a': the cell is missing \('nan'\)"),
    "infinite": ("t.csv", "a,y\n-inf,q\n", "line 2, column 'a': '-inf' is not a finite number"),
    "too large": ("t.csv", "a,y\n1e999,q\n", "'1e999' is not a finite number"),
    "missing target": ("t.csv", "a,y\n1,p\n2,\n", "line 3: the target is missing"),
    "infinite target": ("t.csv", "a,y\n1,1\n2,inf\n", "line 3: the target is not a finite"),
    "both kinds": ("t.csv", "a,y\ntrue,p\n2,q\n", "column 'a' mixes true or false with numbers"),
    "semicolons": ("t.csv", "a;y\n1;p\n", "has no ',' but ';'"),
    "extension": ("t.xlsx", b"PK", r"extension '.xlsx' is not known; tables end in .csv, .tsv"),
    "no extension": ("t", b"a", "extension '' is not known"),
    "packed parquet": ("t.parquet.gz", b"a", "extension '.gz' is not known"),
    "svmlight": ("t.svm", "# a\n\n1 1:2\n1 a:b\n", "line 4: this is not svmlight"),
    "svmlight, several labels": ("t.svm", "1,2 1:3\n", "not svmlight"),
    "svmlight, blank": ("t.svm", "\n", "the file is empty"),
    "svmlight, NaN": ("t.svm", "1 1:2\n1 2:nan\n", "row 2, column x1: the cell is missing"),
    "svmlight, too wide": ("t.svm", "1 1999999999:2\n", "more than 100,000,000"),
    "svmlight, no column": ("t.svm", "1\n2\n", "no column besides"),
    "mtx": ("t.mtx", "hello\n", "not Matrix Market"),
    "mtx, empty": ("t.mtx", f"{MTX}2 2 0\n", "no entries"),
    "mtx, truncated": ("t.mtx", f"{MTX}2 2 2\n1 1 3\n", "promises 2 .* there are 1 of 3"),
    "mtx, promises": ("t.mtx", f"{MTX}999999999 9 9\n1 1 3\n", "line 2 promises more than"),
    "mtx, size": ("t.mtx", f"{MTX}2 2\n1 1 3\n", "line 2 should give the size as 3"),
    "mtx, outside": ("t.mtx", f"{MTX}2 2 2\n1 1 3\n3 1 1\n", "entry 2 is at 3, 1, outside"),
    "mtx, text": ("t.mtx", f"{MTX}2 2 1\n1 1 x\n", "an entry of the matrix is wrong"),
    "mtx, NaN": ("t.mtx", f"{MTX}1 2 2\n1 1 3\n1 2 nan\n", "row 1, column x0: .* missing"),
    "mtx, complex": (
        "t.mtx",
        MTX.replace("real", "complex"),
        "kind 'coordinate complex general' is not",
    ),
    "mtx, array": ("t.mtx", f"{DENSE}2 2\n1\n2\n3\n", "promises 4 numbers and there are 3"),
    "arff, no data": ("t.arff", HEAD, "no @data"),
    "arff, header": ("t.arff", HEAD + "1,p\n", "line 4 of the header is not ARFF"),
    "arff, empty header": ("t.arff", "@data\n1,p\n", "no @attribute"),
    "arff, date": ("t.arff", HEAD + "@attribute d date\n@data\n", "'d' has the type 'date'"),
    "arff, attribute": ("t.arff", "@attribute a\n@data\n", "line 1: an @attribute needs"),
    "arff, missing": ("t.arff", HEAD + "@data\n?,p\n", r"column 'a': the cell is missing \('\?'\)"),
    "arff, sparse": ("t.arff", HEAD + "@data\n{0 1}\n", "line 5: sparse ARFF"),
    "arff, quote": ("t.arff", HEAD + "@data\n1,'p\n", "line 5: a quoted cell is wrong"),
    "parquet": ("t.parquet", b"PAR1xxxxPAR1", "not Parquet"),
    "parquet, truncated": ("t.parquet", parquet(a=[1.0], y=["p"])[:-9], "not Parquet"),
    "arrow": ("t.arrow", b"ARROW1", "not Arrow"),
    "parquet, text": ("t.parquet", parquet(a=["u"], y=["p"]), "column 'a' holds String"),
    "parquet, null": ("t.parquet", parquet(a=[1, None], y=[1, 2]), "row 2, column 'a'.*missing"),
    "parquet, NaN": ("t.parquet", parquet(a=[1.0, np.nan], y=[1, 2]), "row 2, column 'a'.*missing"),
    "parquet, no target": ("t.parquet", parquet(a=[1, 2], y=["p", None]), "row 2: the target"),
    "parquet, list": ("t.parquet", parquet(a=[1], y=[[1]]), "the target 'y' holds List"),
    "parquet, alone": ("t.parquet", parquet(y=["p"]), "no column besides 'y'"),
    "npz": ("t.npz", b"PK\3\4", "not NPZ"),
    "npy": ("t.npz", in_memory(lambda file: np.save(file, X)), "a single array"),
    "npz, no X": ("t.npz", npz(y=np.ones(3)), "no array 'X'"),
    "npz, lengths": ("t.npz", npz(X=np.ones((2, 2)), y=np.ones(3)), "X has 2 rows and y has"),
    "npz, flat": ("t.npz", npz(X=np.ones(2), y=np.ones(2)), r"X has the shape \(2,\)"),
    "npz, NaN": ("t.npz", npz(X=np.array([[1, np.nan]]), y=np.ones(1)), "row 1, column x1"),
    "npz, infinite": ("t.npz", npz(X=np.array([[np.inf]]), y=np.ones(1)), "not a finite number"),
    "npz, target": ("t.npz", npz(X=np.ones((1, 1)), y=np.array([np.nan])), "row 1: the target"),
    "npz, no column": ("t.npz", npz(X=np.ones((1, 0)), y=np.ones(1)), "no column besides"),
    "npz, names": (
        "t.npz",
        npz(X=np.ones((1, 2)), y=np.ones(1), feature_names=np.array(["a", "a"])),
        "columns 1 and 2 are both called 'a'",
    ),
}
HOLD_THEIRS = (".svm",)


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_that_says_what_and_where(place, case):
    name, content, message = BAD[case]
    path = place(name, content)
    target = None if path.suffix in HOLD_THEIRS else "0" if path.suffix == ".mtx" else "y"
    with pytest.raises(TableError, match=message) as raised:
        read(path, target)
    said = str(raised.value)
    assert said.startswith(f"{path}: ")
    assert "\n" not in said
    assert len(said) < len(str(path)) + 300


def test_targets_that_do_not_belong(place):
    with pytest.raises(TableError, match=r"holds its target itself; leave out target"):
        read(place("t.svm", "1 1:2\n"), "y")
    with pytest.raises(TableError, match=r"say which column is the target \(--target\)"):
        read(place("t.csv", "a,y\n1,2\n"))
    with pytest.raises(TableError, match="'y' is the target, so it cannot be left out"):
        read(place("t.csv", "a,y\n1,2\n"), "y", drop=["y"])
    with pytest.raises(TableError, match=r"no column 'bb'; there are 'a', 'y'"):
        read(place("t.csv", "a,y\n1,2\n"), "y", drop=["bb"])


def test_places_that_cannot_be_read(place, tmp_path, monkeypatch):
    with pytest.raises(TableError, match="this is a directory"):
        read(tmp_path, "y")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(TableError, match=r"folder\.csv: this is a directory"):
        read(tmp_path / "folder.csv", "y")
    path = place("genes.csv", "a,y\n1,2\n")
    with pytest.raises(TableError, match=r"no such file; did you mean 'genes\.csv'\?"):
        read(tmp_path / "gene.csv", "y")
    with pytest.raises(TableError, match=r"no such file\.$"):
        read(tmp_path / "nowhere" / "gene.csv", "y")

    def refuse(self, *arguments, **named):
        raise PermissionError(13, "Permission denied", str(self))

    # root may read everything, so a real file without permissions would not do
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(TableError, match=re.escape(f"{path}: no permission to read this file.")):
        read(path, "y")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may read all")
def test_no_permission(place):
    path = place("genes.csv", "a,y\n1,2\n")
    path.chmod(0)
    with pytest.raises(TableError, match="no permission"):
        read(path, "y")
