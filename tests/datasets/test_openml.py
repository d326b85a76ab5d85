"""Published sets come in whole and as pinned, or not at all."""

import os
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils import Bunch

from handful.datasets import CATALOGUE, fetch, load

# Rows and classes of each part, as the folder's own description prints them
PARTS = {
    "arcene": {"train": (56, 44), "valid": (56, 44)},
    "dexter": {"train": (150, 150), "valid": (150, 150)},
    "dorothea": {"train": (722, 78), "valid": (316, 34)},
    "madelon": {"train": (1000, 1000), "valid": (300, 300)},
    "usps": {
        "train": (1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644),
        "test": (359, 264, 198, 166, 200, 160, 170, 147, 166, 177),
    },
    "cbcl_faces": {"train": (4548, 2429), "test": (23572, 472)},
}
# Sums of all values, published by the challenge (arcene's second as computed from the data)
SUMS = {
    "arcene": {"train": 70726744, "valid": 71410108},
    "dexter": {"train": 2816528, "valid": 2820952},
    "dorothea": {"train": 727760, "valid": 317752},
    "madelon": {"train": 488083511, "valid": 146395833},
}


@pytest.fixture
def folder():
    place = os.environ.get("HANDFUL_DATA")
    if place is None:
        pytest.skip("HANDFUL_DATA is not set: no local copies of the published sets")
    return Path(place)


@pytest.fixture
def openml(monkeypatch):
    """A fetcher without a network: answers what it is given, or fails like a machine offline."""

    class Fetcher:
        answer: Bunch | Exception
        asked = None

        def __call__(self, **options):
            self.asked = options
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

    fetcher = Fetcher()
    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetcher)
    monkeypatch.delenv("HANDFUL_DATA", raising=False)
    return fetcher


def _wdbc(n_columns=30, sizes=(357, 212), labels=("1", "2")):
    rng = np.random.default_rng(0)
    target = rng.permutation(np.repeat(np.array(labels, dtype=object), sizes))
    data = rng.random((len(target), n_columns))
    return Bunch(data=data, target=target, feature_names=[f"V{i}" for i in range(n_columns)])


# ---- the local folder ----


@pytest.mark.parametrize("name", sorted(PARTS))
def test_parts_have_the_published_classes(folder, name):
    whole = load(name)
    for part, sizes in PARTS[name].items():
        X, y = load(name, split=part, return_X_y=True)
        assert X.shape == (sum(sizes), CATALOGUE[name].n_features)
        assert np.unique(y, return_counts=True)[1].tolist() == list(sizes)
        rows = np.flatnonzero(whole.split == part)
        np.testing.assert_array_equal(whole.target[rows], y)
        assert abs(whole.data[rows] - X).sum() == 0
    assert list(dict.fromkeys(whole.split)) == list(CATALOGUE[name].splits)


@pytest.mark.parametrize("name", sorted(SUMS))
def test_values_have_the_published_check_sums(folder, name):
    for part, total in SUMS[name].items():
        assert load(name, split=part).data.sum(dtype=np.int64) == total


def test_usps_is_on_its_original_scale(folder):
    X, y = load("usps", return_X_y=True)
    assert (X.min(), X.max()) == (-1, 1)
    np.testing.assert_array_equal(X, np.round(X, 3))
    assert np.unique(y).tolist() == list(range(10))


def test_sparse_sets_stay_sparse(folder):
    for name in ("dexter", "dorothea", "reuters_aptemod"):
        X = load(name).data
        assert sparse.issparse(X)
        assert X.format == "csr"
        assert X.dtype == np.int32


def test_madelon_knows_its_useful_columns(folder):
    madelon = load("madelon")
    assert len(madelon.relevant) == 20
    # the README of the folder: each is a combination of the other nineteen
    useful = madelon.data[:, madelon.relevant].astype(float)
    useful = (useful - useful.mean(axis=0)) / useful.std(axis=0)
    assert np.linalg.svd(useful, compute_uv=False)[-1] < 0.1 * np.sqrt(len(useful))


def test_reuters_has_several_labels_per_text(folder):
    whole = load("reuters_aptemod")
    assert whole.target.shape == (10_788, 90)
    assert len(whole.target_names) == 90
    assert len(whole.feature_names) == 13_763
    for part, rows, labels in (("train", 7769, 9584), ("test", 3019, 3744)):
        y = load("reuters_aptemod", split=part).target
        assert len(y) == rows
        assert y.sum() == labels


def test_the_folder_comes_before_openml(folder, openml, monkeypatch):
    monkeypatch.setenv("HANDFUL_DATA", str(folder))
    assert fetch("spambase").source == str(folder / "spambase.npz")
    assert openml.asked is None


def _write(place, **changed):
    rng = np.random.default_rng(0)
    arrays = {"X_train": rng.random((150, 4)), "y_train": np.repeat([0, 1, 2], 50)} | changed
    np.savez(place, **{name: value for name, value in arrays.items() if value is not None})


def test_a_set_of_ones_own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HANDFUL_DATA", str(tmp_path))
    _write(tmp_path / "iris.npz")
    iris = fetch("iris")
    assert iris.data.dtype == np.float64
    assert np.unique(iris.target).tolist() == ["Iris-setosa", "Iris-versicolor", "Iris-virginica"]
    assert iris.target[0] == "Iris-setosa"
    assert iris.split is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"X_train": np.zeros((150, 5))}, "150 rows and 5 columns.*published set has 150 and 4"),
        ({"X_train": np.zeros((149, 4))}, "149 rows"),
        ({"y_train": np.repeat([0, 1, 2], [49, 51, 50])}, r"classes \{0: 49, 1: 51, 2: 50\}"),
        ({"y_train": np.arange(150)}, "and 138 more"),
        ({"X_train": None}, "cannot be read as the data set iris: 'X_train"),
        ({"y_train": np.array([object()] * 150)}, "cannot be read as the data set iris"),
    ],
)
def test_another_table_of_that_name_is_refused(tmp_path, monkeypatch, changed, message):
    monkeypatch.setenv("HANDFUL_DATA", str(tmp_path))
    _write(tmp_path / "iris.npz", **changed)
    with pytest.raises(ValueError, match=message):
        load("iris")


def test_a_damaged_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("HANDFUL_DATA", str(tmp_path))
    _write(tmp_path / "iris.npz")
    whole = (tmp_path / "iris.npz").read_bytes()
    for damaged in (b"", b"no archive", whole[:700]):
        (tmp_path / "iris.npz").write_bytes(damaged)
        with pytest.raises(ValueError, match=r"iris\.npz cannot be read as the data set iris"):
            load("iris")


def test_a_folder_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("HANDFUL_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(NotADirectoryError, match=r"HANDFUL_DATA=.*nowhere is not a folder"):
        fetch("iris")


# ---- OpenML ----


def test_openml_labels_are_recognised_by_their_sizes(openml):
    openml.answer = _wdbc()
    wdbc = fetch("wdbc")
    assert openml.asked["data_id"] == 1510
    np.testing.assert_array_equal(wdbc.target == "B", openml.answer.target == "1")
    assert wdbc.data.shape == (569, 30)
    assert wdbc.source == "OpenML 1510"
    assert wdbc.feature_names[2] == "V2"
    X, y = fetch("wdbc", return_X_y=True)
    assert X.shape == (569, 30)
    assert (y == "M").sum() == 212


def test_classes_of_equal_size_keep_the_order_of_their_numbers(openml):
    rows = [f"{n}" for n in (10, 9, 8)]
    target = np.repeat(np.array(rows, dtype=object), 50)
    openml.answer = Bunch(data=np.zeros((150, 4)), target=target, feature_names=list("abcd"))
    iris = fetch("iris")
    assert iris.target[[0, 75, 149]].tolist() == [
        "Iris-virginica",
        "Iris-versicolor",
        "Iris-setosa",
    ]


def test_a_dense_set_that_openml_stores_sparsely_comes_dense(openml):
    dense = np.zeros((7000, 5000), dtype=np.float32)
    dense[3, 7] = 12
    openml.answer = Bunch(
        data=sparse.csr_matrix(dense),
        target=np.repeat(["-1", "1"], 3500),
        feature_names=[str(i) for i in range(5000)],
    )
    X, y = fetch("gisette", return_X_y=True)
    assert isinstance(X, np.ndarray)
    assert X.dtype == np.int32
    assert X[3, 7] == 12
    assert y[[0, -1]].tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (_wdbc(n_columns=31), "OpenML 1510 has 569 rows and 31 columns.*refused"),
        (_wdbc(sizes=(356, 213)), "OpenML 1510 has the classes .*refused"),
        (_wdbc(sizes=(300, 57, 212), labels=("a", "b", "c")), "refused"),
    ],
)
def test_a_fetched_set_that_differs_is_refused(openml, answer, message):
    openml.answer = answer
    with pytest.raises(ValueError, match=message):
        fetch("wdbc")


def test_offline_names_the_set_and_the_way_out(openml):
    openml.answer = URLError("Name or service not known")
    message = r"arcene \(OpenML 1458\) could not be fetched.*Put arcene\.npz.*HANDFUL_DATA"
    with pytest.raises(ConnectionError, match=message):
        fetch("arcene")


def test_what_openml_lacks_is_said(openml):
    with pytest.raises(FileNotFoundError, match=r"cbcl_faces.*not on OpenML.*HANDFUL_DATA"):
        fetch("cbcl_faces")
    with pytest.raises(FileNotFoundError, match=r"arcene has no part 'valid' on OpenML"):
        fetch("arcene", split="valid")
    assert openml.asked is None


def test_load_never_asks_the_network(openml):
    with pytest.raises(FileNotFoundError, match=r"arcene is not in a local folder.*HANDFUL_DATA"):
        load("arcene")
    assert openml.asked is None


def test_unknown_names_and_parts_are_refused():
    with pytest.raises(ValueError, match=r"name='arsene' is not known; use 'arcene'"):
        fetch("arsene")
    with pytest.raises(ValueError, match=r"split='test'.*'all', 'train' or 'valid'"):
        fetch("arcene", split="test")
