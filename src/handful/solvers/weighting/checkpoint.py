"""Checkpoints: a state in a file, so that a long run can be taken up where it was broken off.

The file holds arrays and a JSON text, nothing that could be executed. It appears whole or not at
all.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.files import writing
from handful.solvers.weighting.settings import Settings
from handful.solvers.weighting.state import State

# Between two writings.
_SECONDS = 30.0
_PLAIN = ("n_steps", "end", "n_evaluations", "spread", "brake", "average", "n_quiet", "n_undone")


def mark_of(settings: Settings, tasks: Sequence[NDArray[np.int32]], base: Any) -> str:
    """What a run must have in common with a checkpoint to go on from it: all but the cells."""
    said = hashlib.sha256(repr((settings, base)).encode())
    for codes in tasks:
        said.update(codes.tobytes())
    return said.hexdigest()


def saved(run: Iterator[State], path: str | os.PathLike, mark: str) -> Iterator[State]:
    """The run, written to a file every half a minute and at its end."""
    last, state = monotonic(), None
    for state in run:
        if monotonic() - last > _SECONDS:
            save(state, path, mark)
            last = monotonic()
        yield state
    if state is not None:
        save(state, path, mark)


def save(state: State, path: str | os.PathLike, mark: str) -> None:
    """Write a state, in the place of an older one."""
    best, past = state.best, state.past
    text = {
        "mark": mark,
        "plain": {name: getattr(state, name) for name in _PLAIN},
        "stopped": state.stopped,
        "history": state.history,
        "rng": state.rng.bit_generator.state,
        "best": None if best is None else [best[0], best[2]],
        "past": None if past is None else past[0],
    }
    nothing = np.empty(0)
    with writing(path, force=True) as beside, beside.open("wb") as file:
        np.savez(
            file,
            text=np.array(json.dumps(text)),
            columns=state.columns,
            weights=state.weights,
            best=nothing if best is None else best[1],
            past=nothing if past is None else past[1],
        )


def load(path: str | os.PathLike, mark: str) -> State:
    """The state of a file.

    Raises
    ------
    ValueError
        Where it belongs to a run with other parameters or classes.
    """
    with np.load(path, allow_pickle=False) as file:
        text = json.loads(str(file["text"]))
        arrays = {name: file[name] for name in ("columns", "weights", "best", "past")}
    if text["mark"] != mark:
        raise ValueError(
            f"The checkpoint {os.fspath(path)} is of a run with other parameters, classes or rows; "
            "remove it, or name another file."
        )
    rng = np.random.default_rng()
    rng.bit_generator.state = text["rng"]
    state = State(arrays["columns"], arrays["weights"], rng, **text["plain"])
    state.stopped, state.history = text["stopped"], text["history"]
    if text["best"] is not None:
        state.best = text["best"][0], arrays["best"], text["best"][1]
    if text["past"] is not None:
        state.past = text["past"], arrays["past"]
    return state
