"""Checkpoint: the finished pieces of a run in a folder, so that a killed run can go on.

The folder holds ``run.json``, which says what the run is, and one file for every finished piece.
Every file is written whole or not at all, so whatever moment a run is killed at, what lies there is
true. A folder of another run is refused.
"""

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from handful.evaluation.codec import RecordError, plain, typed
from handful.evaluation.pieces import Piece
from handful.files import write_whole

_RUN = "run.json"
# a piece, or one that was being written when the run was killed
_IS_OURS = re.compile(r"(\..*\.)?method-\d+-(all|fold-\d+)\.json|\..*\.run\.json")
_MAX_DIFFERENCES = 5


class CheckpointError(ValueError):
    """A checkpoint folder that is not this run's, with a message that says what differs."""


class Checkpoint:
    """One run's folder.

    Parameters
    ----------
    folder : path
        Made where it does not exist, when the run starts.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise NotADirectoryError(f"The checkpoint {self.folder} is a file; name a folder.")
        self._run: dict[str, Any] | None = None
        if (self.folder / _RUN).exists():
            self._run = self._read(self.folder / _RUN)
        elif any(not place.name.startswith(".") for place in self.folder.glob("*")):
            # hidden files are what a run leaves that was killed while it wrote the first file
            raise CheckpointError(
                f"The folder {self.folder} is not empty and holds no checkpoint; name another one."
            )

    @property
    def seed(self) -> int | None:
        """The seed of the run that is in the folder already."""
        return None if self._run is None else int(self._run["seed"])

    @property
    def begun(self) -> bool:
        """Whether there is a run in the folder."""
        return self._run is not None

    def clear(self) -> None:
        """Take away what a run left; the folder too, unless something else is in it."""
        if not self.folder.is_dir():
            return
        # what says which run it is goes last: until then the rest can be gone on with
        pieces = [place for place in self.folder.iterdir() if _IS_OURS.fullmatch(place.name)]
        for place in [*pieces, self.folder / _RUN]:
            place.unlink(missing_ok=True)
        self._run = None
        with suppress(OSError):
            self.folder.rmdir()

    def start(self, run: dict[str, Any]) -> None:
        """Say what the run is; refuse to go on with another one."""
        run = plain(run)
        if self._run is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._write(self.folder / _RUN, run)
            self._run = run
            return
        differences = list(_differences(self._run, run))
        if differences:
            shown = "; ".join(differences[:_MAX_DIFFERENCES])
            more = len(differences) - _MAX_DIFFERENCES
            shown += f"; and {more} more" if more > 0 else ""
            raise CheckpointError(
                f"The checkpoint in {self.folder} is of another run: {shown}. Use another folder, "
                "or delete this one."
            )

    def load(self, method: int, fold: int | None) -> Piece | None:
        """The piece of this method and fold, where it was finished."""
        place = self._place(method, fold)
        if not place.exists():
            return None
        try:
            return typed(self._read(place), Piece, place.name)
        except RecordError as error:
            raise CheckpointError(f"{place} is damaged ({error}) Delete it and go on.") from None

    def save(self, method: int, fold: int | None, piece: Piece) -> None:
        """Keep a finished piece."""
        self._write(self._place(method, fold), plain(piece))

    def _place(self, method: int, fold: int | None) -> Path:
        # by number: names may hold what a file name cannot
        return self.folder / f"method-{method}-{'all' if fold is None else f'fold-{fold}'}.json"

    def _read(self, place: Path) -> Any:
        try:
            return json.loads(place.read_text(encoding="utf-8"))
        except ValueError:
            raise CheckpointError(f"{place} is damaged: no JSON. Delete it and go on.") from None

    def _write(self, place: Path, content: Any) -> None:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        try:
            write_whole(place, text + "\n", force=True)
        except OSError as error:
            raise OSError(
                error.errno,
                f"The checkpoint in {self.folder} cannot be written ({error.strerror}). What is "
                "there stays good: make room and run the same call again",
                str(place),
            ) from error


def _differences(there: Any, here: Any, where: str = "") -> Any:
    """What differs between two plain values, each as one phrase."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in dict.fromkeys([*there, *here]):
            place = f"{where}.{key}" if where else str(key)
            if key not in here:
                yield f"{place} is there only"
            elif key not in there:
                yield f"{place} is new"
            else:
                yield from _differences(there[key], here[key], place)
    elif there != here:
        yield f"{where} was {_short(there)} and is {_short(here)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."
