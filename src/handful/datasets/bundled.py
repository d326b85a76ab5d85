"""The leukaemia data of Golub et al., bundled with the package so that examples run anywhere.

Golub, Slonim, Tamayo et al. (1999), Molecular classification of cancer: class discovery and class
prediction by gene expression monitoring, Science 286(5439), 531-537.

Examples
--------
>>> from handful.datasets import load_leukaemia
>>> leukaemia = load_leukaemia()
>>> leukaemia.data.shape
(38, 7129)
>>> leukaemia.feature_names[1881], leukaemia.feature_descriptions[1881]
('M27891_at', 'CST3 Cystatin C (amyloid angiopathy and cerebral hemorrhage)')
"""

import os
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from handful import checks

_FILE = "leukaemia.npz"
_CLASSES = ("ALL", "AML")
_DESCRIPTION = """\
Leukaemia: two kinds of acute leukaemia told apart by the activity of their genes

72 bone marrow and blood samples, 7129 probe sets of an Affymetrix HuGeneFL array (Hu6800). The
values are the average differences of the array's own software: whole numbers, also negative ones,
neither clipped nor scaled.

Classes: ALL (acute lymphoblastic leukaemia) and AML (acute myeloid leukaemia).
Original split: samples 1 to 38 to learn from (27 ALL, 11 AML), 39 to 72, which were collected later
and in part in other laboratories, to test on (20 ALL, 14 AML).
Features are named by GenBank accession, as on the array, each with the gene's description.

Reference: Golub, Slonim, Tamayo, Huard, Gaasenbeek, Mesirov, Coller, Loh, Downing, Caligiuri,
Bloomfield and Lander (1999), Molecular classification of cancer: class discovery and class
prediction by gene expression monitoring, Science 286(5439), 531-537.
"""


def load_leukaemia(*, split: str = "train", return_X_y: bool = False) -> Any:
    """The AML/ALL leukaemia data: 7129 genes, 38 samples to learn from and 34 to test on.

    Parameters
    ----------
    split : {"train", "test", "all"}, default "train"
        The original split. The default leaves the test samples alone, so that a selection made on
        what this function returns can honestly be tested afterwards.
    return_X_y : bool, default False
        Return ``(data, target)`` instead of the whole Bunch.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (int32, samples by genes), ``target`` ("ALL" or "AML"), ``target_names``,
        ``feature_names`` (accessions), ``feature_descriptions``, ``sample_ids`` (1 to 72, as in
        the paper), ``split`` ("train" or "test" for each row) and ``DESCR``.

    References
    ----------
    Golub et al. (1999), Science 286(5439), 531-537.

    Examples
    --------
    >>> X, y = load_leukaemia(split="test", return_X_y=True)
    >>> X.shape, (y == "ALL").sum(), (y == "AML").sum()
    ((34, 7129), np.int64(20), np.int64(14))
    """
    checks.one_of("split", split, ("train", "test", "all"))
    with resources.as_file(resources.files("handful.datasets") / _FILE) as place:
        stored = _unpack(place)
    rows = slice(None) if split == "all" else stored.split == split
    data, target = stored.data[rows], stored.target[rows]
    if return_X_y:
        return data, target
    return Bunch(
        data=data,
        target=target,
        target_names=np.array(_CLASSES),
        feature_names=stored.feature_names,
        feature_descriptions=stored.feature_descriptions,
        sample_ids=stored.sample_ids[rows],
        split=stored.split[rows],
        DESCR=_DESCRIPTION,
    )


def pack(table: Bunch, place: str | os.PathLike) -> None:
    """Write the bundled file from a whole table (both splits, train first).

    The compressor sees one byte of every value at a time, gene by gene: the high bytes hardly
    change, so the file is a sixth smaller than the plain int32 table. Names and descriptions are
    lines of one text, because NumPy would pad each to the length of the longest.
    """
    values = np.ascontiguousarray(table.data, dtype="<i4")
    planes = values.view(np.uint8).reshape(*values.shape, 4).transpose(2, 1, 0)
    np.savez_compressed(
        place,
        bytes=np.ascontiguousarray(planes),
        is_aml=table.target == "AML",
        sample_ids=table.sample_ids.astype(np.uint8),
        n_train=np.count_nonzero(table.split == "train"),
        names=_as_bytes(table.feature_names),
        descriptions=_as_bytes(table.feature_descriptions),
    )


def _unpack(place: str | os.PathLike) -> Bunch:
    with np.load(place, allow_pickle=False) as file:
        values = np.ascontiguousarray(file["bytes"].transpose(2, 1, 0)).view("<i4")[..., 0]
        return Bunch(
            data=values.astype(np.int32),
            target=np.where(file["is_aml"], "AML", "ALL"),
            feature_names=_as_lines(file["names"]),
            feature_descriptions=_as_lines(file["descriptions"]),
            sample_ids=file["sample_ids"].astype(np.int64),
            split=np.where(np.arange(len(values)) < file["n_train"], "train", "test"),
        )


def _as_bytes(lines: NDArray[np.str_]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(lines).encode(), dtype=np.uint8)


def _as_lines(text: NDArray[np.uint8]) -> NDArray:
    return np.array(text.tobytes().decode().split("\n"), dtype=object)
