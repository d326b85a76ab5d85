"""State: all that a run of the weighting has to remember between two stretches."""

from copy import deepcopy
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass
class State:
    """Where a run stands; going on from it gives the bits of a run that never stopped.

    Attributes
    ----------
    columns : ndarray of int
        Which columns of the table the features are.
    weights : ndarray of float
        Of the features, of sum 1.
    rng : Generator
    n_steps, end : int
        How many steps were made, and at which number the run ends.
    spread : float
        The standard deviation among the errors of late.
    brake : float
        By what the step is multiplied: below 1 after weights had to be taken back.
    average : float
        The moving average of the energy.
    best : tuple of float, ndarray and int, or None
        The lowest moving average, the weights then, and how many evaluations there were.
    past : tuple of int and ndarray
        The weights that the next stopping test compares with, and their step.
    n_quiet : int
        Tests in a row that found the weights at rest.
    history : dict of lists
    stopped : str
        Why the run ended; empty while it has not.
    """

    columns: NDArray[np.intp]
    weights: NDArray[np.float64]
    rng: np.random.Generator
    n_steps: int = 0
    end: int = 0
    n_evaluations: int = 0
    spread: float = 0.0
    brake: float = 1.0
    average: float = float("nan")
    best: tuple[float, NDArray[np.float64], int] | None = None
    past: tuple[int, NDArray[np.float64]] | None = None
    n_quiet: int = 0
    n_undone: int = 0
    history: dict[str, list[float]] = field(default_factory=dict)
    stopped: str = ""

    def copy(self) -> "State":
        """One that can go on while this one stays."""
        return deepcopy(self)

    def note(self, **values: float) -> None:
        for name, value in values.items():
            self.history.setdefault(name, []).append(value)

    @property
    def effective(self) -> float:
        """How many features would be as hard to guess if all were equally likely."""
        return float(np.exp(self.entropy))

    @property
    def entropy(self) -> float:
        weights = self.weights[self.weights > 0]
        return float(-(weights * np.log(weights)).sum())


def complaints(state: State) -> list[str]:
    """What the user has to know about how a run went."""
    said: list[str] = []
    if state.stopped == "simplex":
        said.append(
            f"A step left the simplex after {state.n_steps} of them, and the run ended there; use "
            "clip=True, a smaller step_size or optimizer='riemannian'."
        )
    if state.n_undone:
        said.append(
            f"Steps were too large: the energy rose, so weights were taken back {state.n_undone} "
            f"times, now to {state.effective:,.0f} effective columns, and steps cut to "
            f"{state.brake:.2g} of their size. Give a smaller step_size, or none."
        )
    return said
