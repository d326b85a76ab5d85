"""Output files that appear whole or not at all, and never replace another by accident."""

import os
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path


def check_writable(path: str | os.PathLike, *, force: bool = False) -> Path:
    """Refuse a place that cannot be written, before the work that would be lost starts.

    Raises
    ------
    FileExistsError, IsADirectoryError, FileNotFoundError, PermissionError
        With a one-line message that names the place and the way out.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory; give a file name inside it.")
    if path.exists() and not force:
        raise FileExistsError(f"{path} exists; use force (--force) to replace it.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"The folder {path.parent} of {path.name} does not exist.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise PermissionError(f"No permission to write in the folder {path.parent}.")
    return path


def write_whole(path: str | os.PathLike, content: str | bytes, *, force: bool = False) -> None:
    """Write a file that is there complete or not there at all.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> place = Path(folder.name) / "answer.txt"
    >>> write_whole(place, "42")
    >>> write_whole(place, "43")
    Traceback (most recent call last):
    FileExistsError: ...answer.txt exists; use force (--force) to replace it.
    >>> folder.cleanup()
    """
    with writing(path, force=force) as beside:
        if isinstance(content, str):
            beside.write_text(content, encoding="utf-8", newline="\n")
        else:
            beside.write_bytes(content)


@contextmanager
def writing(path: str | os.PathLike, *, force: bool = False) -> Generator[Path, None, None]:
    """A name beside `path` to write to; it takes the place of `path` when the block ends well."""
    path = check_writable(path, force=force)
    handle, name = tempfile.mkstemp(prefix=".", suffix=f".{path.name}", dir=path.parent)
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        _settle(beside, path, force)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _settle(beside: Path, path: Path, force: bool) -> None:
    with beside.open("rb+") as file:
        os.fsync(file.fileno())
    os.chmod(beside, _usual_mode(path))
    if force:
        os.replace(beside, path)
        return
    # A link fails where a file has appeared in the meantime; a rename would replace it.
    take: Callable[..., None] = os.link if hasattr(os, "link") else os.rename
    try:
        take(beside, path)
    except FileExistsError:
        raise FileExistsError(f"{path} exists; use force (--force) to replace it.") from None
    except OSError:  # a file system without hard links
        os.replace(beside, path)
    beside.unlink(missing_ok=True)


def _usual_mode(path: Path) -> int:
    """The permissions an ordinary new file would get: those of the file it replaces, or umask's."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
