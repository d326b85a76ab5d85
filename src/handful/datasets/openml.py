"""The papers' public data sets by name: from a local folder, or from OpenML.

One table, `CATALOGUE`, pins what each name stands for: its number on OpenML, its columns, its
classes and their sizes. Whatever comes in is held against it, so that two people who write
``fetch("arcene")`` have the same table or an error, never two tables.

A folder named in the environment variable ``HANDFUL_DATA`` is looked at first. It holds one
``NAME.npz`` per set with the arrays ``X_train``, ``y_train`` and, where the set has an official
split, ``X_valid``, ``y_valid``, ``X_test``, ``y_test``; a sparse table is stored as the
``X_train_data``, ``X_train_indices``, ``X_train_indptr`` and ``X_train_shape`` of its CSR form.

Examples
--------
>>> from handful.datasets import CATALOGUE
>>> arcene = CATALOGUE["arcene"]
>>> arcene.n_rows, arcene.n_features, arcene.counts
(200, 10000, {-1: 112, 1: 88})
"""

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import datasets
from sklearn.utils import Bunch

from handful import checks


@dataclass(frozen=True)
class Published:
    """What one name stands for.

    Attributes
    ----------
    about : str
        The rows, the columns and the classes in a few words.
    n_features : int
    counts : dict
        Rows of each class over all labelled rows. Where a row may have several labels, the single
        entry ``"labels"``: how many are set in the whole table.
    openml : int or None
        The set's number on OpenML; None where OpenML does not have it.
    splits : tuple of str
        The parts of the official split, in the order in which they are joined.
    sparse : bool
        Whether the table comes as a SciPy CSR array.
    divisor : int
        What the folder's whole numbers are divided by.
    n_labelled : int
        The number of rows where `counts` does not say it.
    """

    about: str
    n_features: int
    counts: Mapping[Any, int]
    openml: int | None
    splits: tuple[str, ...] = ()
    sparse: bool = False
    divisor: int = 1
    n_labelled: int = 0

    @property
    def n_rows(self) -> int:
        return self.n_labelled or sum(self.counts.values())


_USPS = (1553, 1269, 929, 824, 852, 716, 834, 792, 708, 821)
_IRIS = ("Iris-setosa", "Iris-versicolor", "Iris-virginica")

CATALOGUE: Mapping[str, Published] = {
    "arcene": Published(
        "mass spectra of blood serum, cancer (1) or not (-1); NIPS 2003 challenge",
        10_000,
        {-1: 112, 1: 88},
        1458,
        ("train", "valid"),
    ),
    "dexter": Published(
        "word counts of Reuters texts, corporate acquisitions (1) or not (-1); NIPS 2003 challenge",
        20_000,
        {-1: 300, 1: 300},
        4136,
        ("train", "valid"),
        sparse=True,
    ),
    "dorothea": Published(
        "binary properties of molecules, binding to thrombin (1) or not (-1); NIPS 2003 challenge",
        100_000,
        {-1: 1038, 1: 112},
        4137,
        ("train", "valid"),
        sparse=True,
    ),
    "gisette": Published(
        "pixels and products of pixels of handwritten 4 and 9; NIPS 2003 challenge",
        5_000,
        {-1: 3500, 1: 3500},
        41026,
        ("train", "valid"),
    ),
    "madelon": Published(
        "artificial: clusters on the corners of a cube, 20 useful columns; NIPS 2003 challenge",
        500,
        {-1: 1300, 1: 1300},
        1485,
        ("train", "valid"),
    ),
    "usps": Published(
        "16 x 16 grey values in [-1, 1] of handwritten digits from envelopes",
        256,
        dict(enumerate(_USPS)),
        41082,
        ("train", "test"),
        divisor=1000,
    ),
    "spambase": Published(
        "word and character frequencies of electronic mail, spam (1) or not (0)",
        57,
        {0: 2788, 1: 1813},
        44,
    ),
    "iris": Published(
        "four lengths of the flowers of three kinds of iris", 4, dict.fromkeys(_IRIS, 50), 61
    ),
    "wdbc": Published(
        "shapes of cell nuclei in breast tumours, benign (B) or malignant (M)",
        30,
        {"B": 357, "M": 212},
        1510,
    ),
    "reuters_aptemod": Published(
        "word counts of Reuters-21578 news (ApteMod split), 90 categories, several per text",
        13_763,
        {"labels": 13_328},
        None,
        ("train", "test"),
        sparse=True,
        n_labelled=10_788,
    ),
    "cbcl_faces": Published(
        "19 x 19 grey values, face (1) or not (-1); MIT CBCL Face Database 1, one non-face missing",
        361,
        {-1: 28_120, 1: 2_901},
        None,
        ("train", "test"),
    ),
}


def fetch(name: str, *, split: str = "all", return_X_y: bool = False) -> Any:
    """A published data set, from the folder ``HANDFUL_DATA`` or else from OpenML.

    Parameters
    ----------
    name : str
        One of `CATALOGUE`.
    split : str, default "all"
        "all" joins the labelled parts in the order of the catalogue's ``splits``; the name of a
        part gives only that. OpenML has the joined table alone.
    return_X_y : bool, default False
        Return ``(data, target)`` instead of the whole Bunch.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (int32 where all values are whole, else float64; CSR where the catalogue says
        sparse), ``target``, ``target_names``, ``feature_names`` or None, ``split`` (the part each
        row belongs to, or None), ``relevant`` (columns known to matter, or None), ``source`` and
        ``DESCR``. Class labels are the catalogue's whichever source is used: OpenML numbers some
        anew, so classes are recognised by their sizes, equal sizes by the order of their labels.

    Raises
    ------
    ValueError
        An unknown name or part, or a table that is not what the catalogue says.
    FileNotFoundError, ConnectionError
        Nothing in the folder, and not on OpenML or OpenML out of reach.
    """
    published = _published(name, split)
    place = _in_folder(name)
    if place is None:
        found = _from_openml(name, published, split)
    else:
        found = _from_folder(name, published, place)
    return _part(found, split, return_X_y)


def load(name: str, *, split: str = "all", return_X_y: bool = False) -> Any:
    """The same as `fetch`, from the folder ``HANDFUL_DATA`` alone, never over the network.

    Parameters
    ----------
    name : str
        One of `CATALOGUE`.
    split : str, default "all"
    return_X_y : bool, default False

    Returns
    -------
    sklearn.utils.Bunch
        As for `fetch`.
    """
    published = _published(name, split)
    place = _in_folder(name)
    if place is None:
        raise FileNotFoundError(_how_to_get(name, "is not in a local folder"))
    return _part(_from_folder(name, published, place), split, return_X_y)


def _published(name: str, split: str) -> Published:
    checks.one_of("name", name, CATALOGUE)
    published = CATALOGUE[name]
    checks.one_of("split", split, ("all", *published.splits))
    return published


def _in_folder(name: str) -> Path | None:
    folder = os.environ.get("HANDFUL_DATA")
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise NotADirectoryError(f"HANDFUL_DATA={folder} is not a folder.")
    place = Path(folder) / f"{name}.npz"
    return place if place.exists() else None


def _how_to_get(name: str, reason: str) -> str:
    return (
        f"The data set {name} {reason}. Put {name}.npz into a folder and name that folder in the "
        "environment variable HANDFUL_DATA."
    )


def _from_folder(name: str, published: Published, place: Path) -> Bunch:
    try:
        with place.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
        parts = [part for part in ("train", "valid", "test") if _has(arrays, f"y_{part}")]
        X = [_array(arrays, f"X_{part}") for part in parts]
        y = [_array(arrays, f"y_{part}") for part in parts]
        data = sparse.vstack(X, format="csr") if published.sparse else np.concatenate(X)
        labels = [part.toarray() if sparse.issparse(part) else part for part in y]
        target = np.concatenate(labels)
    except (BadZipFile, EOFError, KeyError, OSError, ValueError) as error:
        raise ValueError(f"{place} cannot be read as the data set {name}: {error}") from error
    sizes = [len(part) for part in labels]
    if published.divisor != 1:
        data = data / published.divisor
    names, relevant = arrays.get("category_names"), arrays.get("real_features")
    found = Bunch(
        data=data,
        target=target if target.ndim == 2 else _recognise(name, published, target, place),
        target_names=np.array(list(published.counts)) if names is None else names,
        feature_names=arrays.get("feature_names"),
        split=np.repeat(parts, sizes) if published.splits else None,
        relevant=None if relevant is None else relevant.astype(np.intp),
        source=str(place),
    )
    return _checked(name, published, found)


def _has(arrays: Mapping[str, NDArray], name: str) -> bool:
    return name in arrays or f"{name}_data" in arrays


def _array(arrays: Mapping[str, NDArray], name: str) -> Any:
    if name in arrays:
        return arrays[name]
    parts = tuple(arrays[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
    return sparse.csr_array(parts, shape=tuple(arrays[f"{name}_shape"].tolist()))


def _from_openml(name: str, published: Published, split: str) -> Bunch:
    if published.openml is None:
        raise FileNotFoundError(_how_to_get(name, "may not be passed on and is not on OpenML"))
    if split != "all":
        raise FileNotFoundError(_how_to_get(name, f"has no part {split!r} on OpenML"))
    parser = "auto" if find_spec("pandas") else "liac-arff"
    try:
        with warnings.catch_warnings():
            # one error at the end says it better than a warning for each attempt
            warnings.filterwarnings("ignore", message="A network error occurred")
            fetched: Any = datasets.fetch_openml(
                data_id=published.openml, as_frame=False, parser=parser
            )
    except OSError as error:
        reason = f"(OpenML {published.openml}) could not be fetched: {error}"
        raise ConnectionError(_how_to_get(name, reason)) from error
    source = f"OpenML {published.openml}"
    data = fetched.data
    if published.sparse:
        data = sparse.csr_array(data)
    elif sparse.issparse(data):
        data = data.toarray()
    found = Bunch(
        data=data,
        target=_recognise(name, published, np.asarray(fetched.target), source),
        target_names=np.array(list(published.counts)),
        feature_names=np.asarray(fetched.feature_names, dtype=object),
        split=None,
        relevant=None,
        source=source,
    )
    return _checked(name, published, found)


def _recognise(name: str, published: Published, y: NDArray, source: object) -> NDArray:
    """The catalogue's label of each row."""
    labels, codes, sizes = np.unique(y, return_inverse=True, return_counts=True)
    if sorted(sizes) != sorted(published.counts.values()):
        given = dict(zip(labels[:12].tolist(), sizes.tolist(), strict=False))
        more = f" and {len(labels) - 12} more" if len(labels) > 12 else ""
        raise ValueError(
            f"{name} from {source} has the classes {given}{more}; the published set has "
            f"{dict(published.counts)}. It is not the same data, so it is refused."
        )
    by_size = np.lexsort((_as_numbers(labels), sizes))
    expected = sorted(published.counts, key=lambda label: published.counts[label])
    renamed = np.empty(len(labels), dtype=np.array(expected).dtype)
    renamed[by_size] = expected
    return renamed[codes]


def _as_numbers(labels: NDArray) -> NDArray:
    """Labels in the order of their numbers where they are numbers written as text."""
    try:
        return labels.astype(np.float64)
    except ValueError:
        return np.arange(len(labels))


def _checked(name: str, published: Published, found: Bunch) -> Bunch:
    shape, expected = found.data.shape, (published.n_rows, published.n_features)
    if shape != expected or len(found.target) != expected[0]:
        raise ValueError(
            f"{name} from {found.source} has {shape[0]} rows and {shape[1]} columns; the published "
            f"set has {expected[0]} and {expected[1]}. It is not the same data, so it is refused."
        )
    if found.target.ndim == 2 and found.target.sum() != published.counts["labels"]:
        raise ValueError(
            f"{name} from {found.source} has {found.target.sum()} labels set; the published set "
            f"has {published.counts['labels']}. It is not the same data, so it is refused."
        )
    found.data = _whole_if_whole(found.data)
    found.DESCR = f"{name}: {published.about}. Source: {found.source}."
    return found


def _whole_if_whole(data: Any) -> Any:
    values = data.data if sparse.issparse(data) else data
    whole = values.dtype.kind in "bui" or not np.any(values % 1)
    return data.astype(np.int32 if whole else np.float64)


def _part(found: Bunch, split: str, return_X_y: bool) -> Any:
    if split != "all":
        rows = np.flatnonzero(found.split == split)
        for name in ("data", "target", "split"):
            found[name] = found[name][rows]
    return (found.data, found.target) if return_X_y else found
