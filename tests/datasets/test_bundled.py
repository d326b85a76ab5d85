"""The bundled leukaemia table is the published one, value by value."""

import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch

from handful.datasets import bundled, load_leukaemia


@pytest.fixture(scope="module")
def published():
    """The same data from the folder of reference copies."""
    folder = os.environ.get("HANDFUL_DATA")
    if folder is None:
        pytest.skip("HANDFUL_DATA is not set: no reference copy to compare with")
    with np.load(Path(folder) / "amlall.npz", allow_pickle=False) as file:
        parts = {name: file[name] for name in file.files}
    y = np.r_[parts["y_train"], parts["y_test"]]
    return Bunch(
        data=np.r_[parts["X_train"], parts["X_test"]],
        target=np.where(y == 1, "AML", "ALL"),
        feature_names=parts["feature_names"],
        feature_descriptions=parts["feature_descriptions"],
        sample_ids=np.r_[parts["sample_ids_train"], parts["sample_ids_test"]],
        split=np.repeat(["train", "test"], [len(parts["y_train"]), len(parts["y_test"])]),
    )


@pytest.mark.parametrize(
    ("split", "n_all", "n_aml", "ids"),
    [
        ("train", 27, 11, range(1, 39)),
        ("test", 20, 14, range(39, 73)),
        ("all", 47, 25, range(1, 73)),
    ],
)
def test_split_is_the_original_one(split, n_all, n_aml, ids):
    table = load_leukaemia(split=split)
    assert table.data.shape == (n_all + n_aml, 7129)
    assert table.data.dtype == np.int32
    assert (table.target == "ALL").sum() == n_all
    assert (table.target == "AML").sum() == n_aml
    assert sorted(table.sample_ids) == list(ids)
    assert set(table.split) == ({"train", "test"} if split == "all" else {split})
    X, y = load_leukaemia(split=split, return_X_y=True)
    np.testing.assert_array_equal(X, table.data)
    np.testing.assert_array_equal(y, table.target)


def test_genes_of_the_papers_are_where_they_belong():
    table = load_leukaemia()
    assert len(set(table.feature_names)) == 7129
    assert table.feature_names[[1881, 4210, 6200]].tolist() == [
        "M27891_at",
        "X51521_at",
        "Y00787_s_at",
    ]
    assert table.feature_descriptions[4210] == "VIL2 Villin 2 (ezrin)"
    # a row of known values: sample 1, the array's first control
    assert table.data[0, 0] == -214
    assert "Science 286" in table.DESCR


def test_a_plain_classifier_reaches_what_is_known_of_this_split():
    """Standardised logistic regression with C = 0.01: 28 of the 34 test samples."""
    X, y = load_leukaemia(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01)).fit(X, y)
    X_test, y_test = load_leukaemia(split="test", return_X_y=True)
    assert (model.predict(X_test) == y_test).sum() == 28


def test_equals_the_reference_copy(published):
    table = load_leukaemia(split="all")
    for name in published:
        np.testing.assert_array_equal(table[name], published[name], err_msg=name)


def test_the_file_is_what_pack_writes(published, tmp_path):
    bundled.pack(published, tmp_path / "again.npz")
    file = Path(bundled.__file__).with_name("leukaemia.npz")
    with np.load(file) as stored, np.load(tmp_path / "again.npz") as again:
        assert stored.files == again.files
        for name in stored.files:
            np.testing.assert_array_equal(stored[name], again[name], err_msg=name)
    assert file.stat().st_size < 1_000_000


def test_an_unknown_split_is_refused():
    with pytest.raises(ValueError, match=r"split='valid'.*'train', 'test' or 'all'"):
        load_leukaemia(split="valid")
