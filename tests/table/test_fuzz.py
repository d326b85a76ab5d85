"""Damaged files of every format: a table that holds what the file says, or one TableError."""

import csv
import gzip
import io

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import io as scipy_io
from scipy import sparse

from handful.table import TableError, read

# per format; there are nine, so 2,700 files in all
FILES = 300
CSV = 'a,"b c",d,y\n1,2.5,true,p\n-3,4e-2,false,q\n"5",0,true,"r, s"\n'
ARFF = "@relation r\n% no\n@attribute 'a b' real\n@attribute c {0,1}\n@attribute y {p,'q r'}\n"
ARFF += "@data\n1.5,0,p\n2,1,'q r'\n-1,1,p\n"
X = np.array([[1.5, 0, 2], [0, 3, 0], [0, -1, 4]])


def saved(write):
    content = io.BytesIO()
    write(content)
    return content.getvalue()


def frame():
    return pl.DataFrame({"a": [1.5, 2, 3], "b": [1, 2, 3], "c": [True, False, True], "y": [*"pqp"]})


SEEDS = {
    "t.csv": (CSV.encode(), "y"),
    "t.tsv": (CSV.replace(",", "\t").encode(), "y"),
    "t.csv.gz": (gzip.compress(CSV.encode(), mtime=0), "y"),
    "t.arff": (ARFF.encode(), "y"),
    "t.svm": (b"1 1:0.5 3:2 # remark\n-1 2:1\n1 qid:2 1:4\n", None),
    "t.mtx": (saved(lambda file: scipy_io.mmwrite(file, sparse.coo_array(X))), "0"),
    "t.npz": (saved(lambda file: np.savez(file, X=X, y=np.array([*"pqp"]))), "y"),
    "t.parquet": (saved(frame().write_parquet), "y"),
    "t.arrow": (saved(frame().write_ipc), "y"),
}
TOKENS = [b"", b",", b"\n", b'"', b"'", b"\0", b"\xff", b"nan", b"1e999", b"-", b"{", b":", b"0"]
TOKENS += [b"99999999999", b"\xe2\x82\xac", b"\r", b"\t", b"true", b"@data\n", b" ", b"%", b"?"]


@st.composite
def damaged(draw, seed):
    """The seed with some places cut out, copied, overwritten or filled in."""
    content = seed
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 40)))
        way = draw(st.sampled_from(["cut", "end", "copy", "token", "bytes"]))
        if way == "end":
            content = content[:start]
            continue
        middle = b""
        if way == "copy":
            middle = content[start:end] * 2
        elif way == "token":
            middle = draw(st.sampled_from(TOKENS))
        elif way == "bytes":
            middle = draw(st.binary(min_size=1, max_size=3))
        content = content[:start] + middle + content[end:]
    return content


def read_or_refused(place, target):
    """The table and nothing, or nothing and what was said instead."""
    try:
        return read(place, target), None
    except TableError as error:
        return None, str(error)


@pytest.mark.parametrize("name", SEEDS)
def test_damaged_files(name, tmp_path):
    seed, target = SEEDS[name]
    read_well = []

    @settings(
        max_examples=FILES,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(damaged(seed))
    def check(content):
        place = tmp_path / name
        place.write_bytes(content)
        table, said = read_or_refused(place, target)
        if table is None:
            assert said.startswith(f"{place}: ")
            assert said.isprintable()
            return
        read_well.append(content)
        assert_sound(table)
        if name in ("t.csv", "t.tsv"):
            assert_as_read_by_the_standard_library(table, content, "\t" if "tsv" in name else ",")

    check()
    # the test would say nothing if no file came through, or if all did
    assert 0 < len(read_well) < FILES


def assert_sound(table):
    n_rows, n_columns = table.X.shape
    assert n_rows == len(table.y) > 0
    assert n_columns > 0
    values = table.X.data if sparse.issparse(table.X) else table.X
    assert values.dtype in (np.bool_, np.int32, np.float32, np.float64)
    assert np.isfinite(values).all()
    assert table.y.dtype.kind in "Uifb"
    assert table.y.dtype.kind != "f" or np.isfinite(table.y).all()
    if table.names is not None:
        assert len(set(table.names)) == n_columns
        assert all(table.names)


def assert_as_read_by_the_standard_library(table, content, delimiter):
    """A slow twin: the csv module, then float, cell by cell."""
    text = io.StringIO(content.decode("utf-8-sig"), newline="")
    # lone carriage returns end a line for the csv module, and are blanks here
    if "\r" in text.getvalue():
        return
    names, *rows = [row for row in csv.reader(text, delimiter=delimiter) if row]
    kept = [place for place, name in enumerate(names) if name != "y"]
    kept = kept if names[0].strip() else kept[1:]
    assert table.names.tolist() == [names[place] for place in kept]
    words = {"true": 1.0, "false": 0.0}
    cells = [[words.get(row[place].strip().lower(), row[place]) for place in kept] for row in rows]
    assert table.X.tolist() == [[float(cell) for cell in row] for row in cells]
    labels = [row[names.index("y")] for row in rows]
    given_labels = table.y.tolist()
    assert given_labels == (labels if table.y.dtype.kind == "U" else list(map(float, labels)))
