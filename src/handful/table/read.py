"""Files to tables: the extension says which format."""

import difflib
import gzip
import zlib
from collections.abc import Sequence
from os import PathLike, strerror
from pathlib import Path
from typing import IO, cast

from handful.table.arff import read_arff
from handful.table.base import Table, TableError
from handful.table.frames import PARQUET, read_frame
from handful.table.matrices import read_npz, read_svmlight
from handful.table.matrix_market import read_matrix_market
from handful.table.text import read_delimited

DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
SVMLIGHT = (".svm", ".svmlight", ".libsvm")
ARROW = (".arrow", ".feather", ".ipc")
READABLE = (*DELIMITERS, *PARQUET, *ARROW, *SVMLIGHT, ".mtx", ".arff", ".npz")
# formats that may stand inside .gz
_PACKED = (*DELIMITERS, *SVMLIGHT, ".arff", ".mtx")


def read(path: str | PathLike, target: str | None = None, *, drop: Sequence[str] = ()) -> Table:
    """A table from a file, every cell checked.

    ===============================  ==========================================================
    extension                        target
    ===============================  ==========================================================
    .csv, .tsv, .tab                 a column's name; the first line holds the names
    .arff                            a column's name
    .parquet, .pq                    a column's name (``handful[io]``)
    .arrow, .feather, .ipc           a column's name (``handful[io]``)
    .npz                             an array's name, "y" unless said otherwise; the table is the
                                     array X, or X_data, X_indices, X_indptr, X_shape (CSR)
    .svm, .svmlight, .libsvm         none: the file holds its target
    .mtx, .npz of scipy.sparse       a column's number from 0 (-1 is the last), or the path of a
                                     text file with one label per line
    ===============================  ==========================================================

    Text formats are UTF-8 and may be packed as .gz. A first column without a name
    is taken as row names. ``true`` and ``false`` are boolean cells; numbers are decimal, with a
    point. Whole numbers beyond 2^53 are rounded as float64 rounds them. Columns without names are
    called x0, x1, ... everywhere: in an svmlight file that counts from 1, x0 is its column 1.

    Parameters
    ----------
    path : path
    target : str, optional
        See the table above.
    drop : sequence of str
        Columns to leave out, by name.

    Returns
    -------
    Table

    Raises
    ------
    TableError
        With one line that names the file and the line, row or column: text or missing cells, NaN,
        infinity, rows of unequal length, names that stand twice, no such target, a damaged file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from handful import FilterSelector
    >>> folder = tempfile.TemporaryDirectory()
    >>> place = Path(folder.name) / "flowers.csv"
    >>> _ = place.write_text("width,length,kind\\n1,3.5,a\\n2,3.5,a\\n1,9.25,b\\n2,9.5,b\\n")
    >>> flowers = read(place, "kind")
    >>> selector = FilterSelector(n_features_to_select=1).fit(flowers.columns, flowers.y)
    >>> selector.get_feature_names_out().tolist()
    ['length']
    >>> read(place, "kin")
    Traceback (most recent call last):
    handful.table.base.TableError: ...flowers.csv: there is no column 'kin'; did you mean 'kind'?
    >>> folder.cleanup()
    """
    path = Path(path)
    try:
        found = _read(path, target, drop)
    except TableError as error:
        raise TableError(f"{path}: {error}") from None
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise TableError(f"{path}: this is not gzip, or it is damaged: {error}.") from None
    except OSError as error:
        raise TableError(f"{path}: {_why_not(path, error)}") from None
    except MemoryError:
        raise TableError(f"{path}: the table does not fit into memory.") from None
    return Table(found.X, found.y, found.names, found.target, path.name, found.boolean, found.notes)


def format_of(path: Path) -> tuple[str, bool]:
    """The format's extension, in small letters, and whether .gz stands behind it."""
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return path.with_suffix("").suffix.lower(), True
    return suffix, False


def holds_target(path: str | PathLike) -> bool:
    """Whether a file of this kind can be read without saying what its target is."""
    return format_of(Path(path))[0] in (*SVMLIGHT, ".npz")


def _read(path: Path, target: str | None, drop: Sequence[str]) -> Table:
    suffix, packed = format_of(path)
    if suffix not in READABLE or (packed and suffix not in _PACKED):
        if path.is_dir():
            raise IsADirectoryError
        raise TableError(
            f"the extension {path.suffix!r} is not known; tables end in {', '.join(READABLE)}."
        )
    with path.open("rb") as opened:
        if not opened.read(1):
            raise TableError("the file is empty.")
        opened.seek(0)
        if not packed:
            return _from_file(opened, suffix, target, drop)
        with cast(IO[bytes], gzip.open(opened, "rb")) as unpacked:
            return _from_file(unpacked, suffix, target, drop)


def _from_file(file: IO[bytes], suffix: str, target: str | None, drop: Sequence[str]) -> Table:
    if suffix in DELIMITERS:
        return read_delimited(file, DELIMITERS[suffix], target, drop)
    if suffix == ".arff":
        return read_arff(file, target, drop)
    if suffix in SVMLIGHT:
        return read_svmlight(file, target, drop)
    if suffix == ".mtx":
        return read_matrix_market(file, target, drop)
    if suffix == ".npz":
        return read_npz(file, target, drop)
    return read_frame(file, suffix, target, drop)


def _why_not(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        beside = [other.name for other in path.parent.glob("*")] if path.parent.is_dir() else []
        close = difflib.get_close_matches(path.name, beside, n=1)
        return "there is no such file" + (f"; did you mean {close[0]!r}?" if close else ".")
    if isinstance(error, IsADirectoryError):
        return "this is a directory; give a file inside it."
    if isinstance(error, PermissionError):
        return "no permission to read this file."
    return f"the file cannot be read: {strerror(error.errno) if error.errno else error}."
