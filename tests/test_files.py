"""Files that appear whole or not at all."""

import errno
import os
import stat
import subprocess

import numpy as np
import pytest

from handful.files import check_writable, write_whole, writing
from handful.table import Table, write


class Stop(BaseException):
    """What ends a program from outside, as Ctrl-C does."""


def fail_half_way(place, error, *, force=False):
    with writing(place, force=force) as beside:
        beside.write_text("half")
        raise error


@pytest.mark.parametrize("error", [Stop(), OSError(errno.ENOSPC, "full"), ValueError()])
@pytest.mark.parametrize("before", [None, "precious"])
def test_a_failure_half_way_leaves_everything_as_it_was(tmp_path, error, before):
    place = tmp_path / "answer.txt"
    if before is not None:
        place.write_text(before)
    with pytest.raises(type(error)):
        fail_half_way(place, error, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ([] if before is None else ["answer.txt"])
    assert before is None or place.read_text() == before


def test_what_is_half_written_is_hidden_and_ends_like_the_file_it_will_be(tmp_path):
    with writing(tmp_path / "a.csv.gz") as beside:
        assert beside.parent == tmp_path
        assert beside.name.startswith(".")
        assert beside.name.endswith(".a.csv.gz")
        beside.write_text("1")
        assert not (tmp_path / "a.csv.gz").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv.gz"]


def overtaken(place):
    with writing(place) as beside:
        beside.write_text("mine")
        place.write_text("theirs")


def test_a_file_that_appears_in_the_meantime_is_not_replaced(tmp_path):
    place = tmp_path / "answer.txt"
    with pytest.raises(FileExistsError, match="use force"):
        overtaken(place)
    assert place.read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [place]


def test_permissions_are_the_usual_ones_or_those_of_the_file_replaced(tmp_path):
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "new", "1")
        assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
        (tmp_path / "new").chmod(0o600)
        write_whole(tmp_path / "new", "2", force=True)
        assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_text_is_utf_8_with_plain_line_ends_and_bytes_are_themselves(tmp_path):
    write_whole(tmp_path / "t", "naïve\n")
    write_whole(tmp_path / "b", b"\r\n\0")
    assert (tmp_path / "t").read_bytes() == "naïve\n".encode()
    assert (tmp_path / "b").read_bytes() == b"\r\n\0"


def test_places_that_cannot_be_written(tmp_path, monkeypatch):
    with pytest.raises(IsADirectoryError, match="is a directory; give a file name inside it"):
        check_writable(tmp_path, force=True)
    with pytest.raises(FileNotFoundError, match=r"folder .*nowhere of a\.txt does not exist"):
        check_writable(tmp_path / "nowhere" / "a.txt")
    (tmp_path / "a.txt").write_text("1")
    with pytest.raises(FileExistsError, match=r"a\.txt exists; use force \(--force\)"):
        check_writable(tmp_path / "a.txt")
    assert check_writable(tmp_path / "a.txt", force=True) == tmp_path / "a.txt"
    # root may write everywhere, so a folder without permissions would not do
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match="No permission to write in the folder"):
        check_writable(tmp_path / "b.txt")


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a disk of 256 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if os.name != "posix" or os.getuid() != 0:
        pytest.skip("only root can mount a small disk")
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine does not allow to mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet", "t.arrow", "t.npz", "t.svm"])
def test_a_full_disk_leaves_no_half_written_table(small_disk, name):
    X = np.random.default_rng(0).standard_normal((300, 500))
    with pytest.raises(OSError, match=r"(?i)no space left"):
        write(Table(X, np.arange(300), None), small_disk / name)
    assert list(small_disk.iterdir()) == []
    with pytest.raises(OSError, match=r"(?i)no space left"):
        write_whole(small_disk / "s.json", "x" * 10**6)
    assert list(small_disk.iterdir()) == []
