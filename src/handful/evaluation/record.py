"""Records: everything a report shows, as plain values that travel through JSON unchanged.

A record is written once, by the code that did the work, and only read afterwards. Its JSON is
strict (no NaN or Infinity literals) and, the part under "time" aside, the same for the same run.
"""

import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path as FilePath
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from handful import columns
from handful.columns import Columns
from handful.columns.base import BLOCK
from handful.evaluation import reasons
from handful.evaluation.codec import RecordError, plain, typed
from handful.evaluation.profiles import Profile, class_label, drawable, profile
from handful.files import write_whole
from handful.methods import catalogue

# Raised by one when a reader of the older schema would misread a new record.
SCHEMA = 1

# Pictures of more columns than this help nobody; the kept features are always all listed.
MAX_PROFILES = 24
# Of a longer path the steps beyond are kept at growing distances: a curve shows no more.
MAX_STEPS = 1000

_PACKAGES = ("handful", "numpy", "scipy", "scikit-learn")
_TIME = {"finished": str, "seconds": float | None}


@dataclass(frozen=True)
class ClassCount:
    """A class and the number of its rows."""

    label: str
    rows: int


@dataclass(frozen=True)
class Data:
    """The table a record is about.

    Attributes
    ----------
    name : str
        The file's name without its folders, or what the caller calls the table.
    rows, columns : int
        Without the target.
    task : {"classification", "regression"}
    target : str
        The target's name.
    called : str
        What the columns are called: "columns", or "genes".
    classes : list of ClassCount
        In the order of the classes; empty for regression.
    spread : list of float
        Least, middle (median) and largest value of a numeric target; empty for classes.
    sha256 : str
        See `fingerprint`.
    """

    name: str
    rows: int
    columns: int
    task: str
    target: str
    called: str
    classes: list[ClassCount]
    spread: list[float]
    sha256: str

    @classmethod
    def of(
        cls, table: Columns, y: NDArray, task: str, *, name: str, target: str, called: str
    ) -> Self:
        classes, spread = [], []
        if task == "classification":
            labels, counts = np.unique(y, return_counts=True)
            classes = [
                ClassCount(class_label(label), int(count))
                for label, count in zip(labels, counts, strict=True)
            ]
        else:
            spread = [float(np.min(y)), float(np.median(y)), float(np.max(y))]
        return cls(name, *table.shape, task, target, called, classes, spread, fingerprint(table, y))


@dataclass(frozen=True)
class Steps:
    """A path as a curve: some of its steps, each with its column's index and score.

    `steps` counts from 1; it lists all steps of a short path, and of a long one the first thousand
    and then some at growing distances. `length` is the whole path's. `chance` is empty where the
    method does not know it.
    """

    length: int
    complete: bool
    steps: list[int]
    indices: list[int]
    scores: list[float]
    chance: list[float]

    def __post_init__(self) -> None:
        ascending = all(a < b for a, b in pairwise([0, *self.steps, self.length + 1]))
        lengths = {len(self.steps), len(self.indices), len(self.scores)}
        if not ascending or len(lengths | {len(self.chance or self.steps)}) > 1:
            raise RecordError("record.path should list steps in ascending order, each complete.")

    @classmethod
    def of(cls, path: Any) -> Self:
        length = len(path)
        shown = np.arange(min(length, MAX_STEPS))
        if length > MAX_STEPS:
            later = np.geomspace(MAX_STEPS, length - 1, MAX_STEPS)
            shown = np.unique(np.concatenate([shown, np.round(later).astype(np.intp)]))
        return cls(
            length,
            bool(path.complete),
            (shown + 1).tolist(),
            path.features[shown].tolist(),
            path.scores[shown].tolist(),
            [] if path.chance is None else path.chance[shown].tolist(),
        )


_KINDS: dict[str, type["Record"]] = {}


@dataclass(frozen=True)
class Record:
    """What all kinds of record have in common: their way to JSON and to a report."""

    kind: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        _KINDS[cls.kind] = cls

    def to_json(self, place: str | FilePath | None = None, *, force: bool = False) -> str:
        """The record as JSON text; with `place`, also written there, whole or not at all."""
        content = {"schema": SCHEMA, "kind": self.kind, **plain(self)}
        text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        # a lone half of a surrogate pair, as in the name of a file, cannot be written as UTF-8
        text = text.encode("utf-8", "replace").decode()
        if place is not None:
            write_whole(place, text, force=force)
        return text

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The record that this JSON text holds; `read_record` reads files."""
        record = _from_text(text)
        if not isinstance(record, cls):
            raise RecordError(f"This is a record of kind {record.kind!r}, not {cls.kind!r}.")
        return record

    def report(self, place: str | FilePath | None = None, *, force: bool = False) -> str:
        """The record as one self-contained HTML page; with `place`, also written there."""
        from handful.report import render

        page = render(self)
        if place is not None:
            write_whole(place, page, force=force)
        return page


@dataclass(frozen=True)
class Selection(Record):
    """What one fitted selector kept, from which table, and how to do it again.

    Attributes
    ----------
    features, indices, scores : list
        The kept columns, best first.
    descriptions : list of str
        One per kept column, or empty.
    n_features : int
    method : str
        The short name of `handful methods`, or the selector's class.
    parameters : dict
        All parameters of the selector.
    stopping : dict
        Which rule decided, and its curve.
    path : Steps
        The whole ranking as far as it was needed, with its scores.
    profiles : list of Profile
        The first kept columns against the target.
    data : Data
    seed : int or None
    command : str
        What repeats the selection.
    warnings : list of str
    versions : dict
    platform : str
    time : dict
        "finished" and "seconds": the only part that differs between equal runs.
    """

    kind: ClassVar[str] = "selection"

    features: list[str]
    indices: list[int]
    scores: list[float]
    n_features: int
    method: str
    parameters: dict[str, Any]
    stopping: dict[str, Any]
    versions: dict[str, str]
    seed: int | None
    data: Data
    path: Steps
    descriptions: list[str] = field(default_factory=list)
    profiles: list[Profile] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    command: str = ""
    platform: str = ""
    time: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("features", "indices", "scores", "descriptions"):
            entries = getattr(self, name)
            if len(entries) != self.n_features and (entries or name != "descriptions"):
                raise RecordError(
                    f"record.{name} has {len(entries)} entries for {self.n_features} features."
                )
        object.__setattr__(self, "stopping", reasons.checked(self.stopping, self.n_features))
        time = {
            key: typed(value, _TIME[key], f"record.time.{key}") if key in _TIME else value
            for key, value in self.time.items()
        }
        object.__setattr__(self, "time", time)

    @classmethod
    def of(
        cls,
        selector: Any,
        X: Any,
        y: Any,
        *,
        name: str = "table",
        target: str = "y",
        called: str = "columns",
        descriptions: Sequence[str] | None = None,
        seed: int | None = None,
        command: str = "",
        warnings: Sequence[str] = (),
        seconds: float | None = None,
    ) -> Self:
        """The record of a fitted selector and the table it was fitted on.

        Parameters
        ----------
        selector : fitted selector
        X, y
            What it was fitted on.
        name, target, called : str
            The names of the table and of the target, and what to call the columns ("genes").
        descriptions : sequence of str, optional
            One per column of X.
        seed : int, optional
            None: the selector's own, or its rule's.
        command : str
            What repeats the selection; "" for the selector's own Python expression.
        warnings : sequence of str
            What was said on the way.
        seconds : float, optional
            How long the fit took.
        """
        y = np.asarray(y)
        if y.ndim != 1:
            raise RecordError(f"A record shows one target; y has the shape {y.shape}.")
        table = columns.open(selector, X, reset=False)
        task = "classification" if hasattr(selector, "classes_") else "regression"
        kept = selector.selection_order_.tolist()
        names = getattr(selector, "feature_names_in_", None)
        return cls(
            features=[f"x{j}" if names is None else str(names[j]) for j in kept],
            indices=kept,
            scores=selector.scores_[kept].tolist(),
            n_features=len(kept),
            method=catalogue.name_of(selector),
            parameters=plain(selector.get_params(deep=False)),
            stopping=_stopping(selector),
            versions=versions(),
            seed=_seed(selector) if seed is None else seed,
            data=Data.of(table, y, task, name=name, target=target, called=called),
            path=Steps.of(selector.path_),
            descriptions=[] if descriptions is None else [str(descriptions[j]) for j in kept],
            profiles=profiles_of(table, kept[:MAX_PROFILES], y, task),
            warnings=list(warnings),
            command=command or f"{' '.join(repr(selector).split())}.fit(X, y)",
            platform=f"{platform.system()} {platform.machine()}",
            time={"finished": datetime.now(UTC).isoformat(timespec="seconds"), "seconds": seconds},
        )


def read_record(place: str | FilePath) -> Record:
    """Read a record of any kind from its JSON file.

    Raises
    ------
    RecordError
        With one line: the file is not a record, not complete, or from a newer handful.
    """
    try:
        return _from_text(FilePath(place).read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise RecordError(f"{place} is not text in UTF-8, so it is not a record.") from None
    except RecordError as error:
        raise RecordError(f"{place}: {error}") from error


def _from_text(text: str) -> Record:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise RecordError("This is not JSON, so it is not a record.") from None
    if not isinstance(content, dict) or "schema" not in content:
        raise RecordError("This JSON is not a record of handful: it has no 'schema'.")
    schema, kind = content["schema"], content.get("kind")
    if isinstance(schema, bool) or not isinstance(schema, int) or schema < 1:
        raise RecordError(f"The schema {schema!r} is not one of handful's.")
    if schema > SCHEMA:
        raise RecordError(
            f"The record has schema {schema}; this handful reads up to {SCHEMA}. Upgrade handful "
            "to the version that wrote it."
        )
    if not isinstance(kind, str) or kind not in _KINDS:
        raise RecordError(f"There is no record of kind {kind!r}; known: {', '.join(_KINDS)}.")
    try:
        return typed(content, _KINDS[kind])
    except RecursionError:
        raise RecordError("The record is nested too deeply to be one of handful's.") from None


def fingerprint(table: Columns, y: NDArray) -> str:
    """SHA-256 of a table's names, values and target.

    The same for the same table, whatever file format, number type or storage (dense, sparse) it
    came in; of a table that stays in its files, what these say about themselves instead of values.
    """
    digest = hashlib.sha256()
    names = None if table.names is None else [str(name) for name in table.names]
    digest.update(json.dumps([list(table.shape), names]).encode())
    # the width is fixed here, since the bits of each block are padded to whole bytes
    blocks = table.blocks(max(1, BLOCK // table.shape[0])) if table.digest is None else ()
    digest.update((table.digest or "").encode())
    for _, block in blocks:
        by_column = np.ascontiguousarray(block.T)
        present = by_column != 0
        digest.update(np.packbits(present).tobytes())
        digest.update(by_column[present].astype("<f8").tobytes())
    labels = [class_label(label) for label in y] if y.dtype.kind in "OUS" else y.astype("<f8")
    digest.update(json.dumps(labels if isinstance(labels, list) else labels.tolist()).encode())
    return digest.hexdigest()


def versions() -> dict[str, str]:
    """The versions of Python and of the packages a result may depend on."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "not installed as a package"
    return found


def _seed(selector: Any) -> int | None:
    rule = getattr(selector, "n_features_to_select", None)
    for owner in (selector, rule):
        seed = getattr(owner, "random_state", None)
        if isinstance(seed, int | np.integer):
            return int(seed)
    return None


def profiles_of(table: Columns, kept: Sequence[int], y: NDArray, task: str) -> list[Profile]:
    """Profiles of the columns that can be drawn."""
    looked_at = [(j, table.column(j)) for j in kept]
    if task == "regression" and not drawable(y):
        return []
    return [profile(j, column, y, task) for j, column in looked_at if drawable(column)]


def _stopping(selector: Any) -> dict[str, Any]:
    """The selector's `stopping_`; the votes per column stand, sorted, in its curve already."""
    return {key: plain(value) for key, value in selector.stopping_.items() if key != "frequency"}
