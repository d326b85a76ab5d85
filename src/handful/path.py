"""Path: what a ranking is, and the one rule for ties that every ranking follows."""

from dataclasses import dataclass, field, replace
from math import isinf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

TIE = 1e-12


@dataclass(frozen=True, eq=False)
class Path:
    """Features in the order in which a method would keep them.

    Attributes
    ----------
    features : ndarray of shape (n_steps,)
        Column indices, best first.
    scores : ndarray of shape (n_steps,)
        The method's own score of each step.
    chance : ndarray of shape (n_steps,) or None
        The chance that ONE random feature would have done as well at that step, where the method
        knows it.
    complete : bool
        True when no longer path can be had: every feature that may be chosen is on it.
    note : str
        Why a complete path is shorter than the table is wide.
    warning : str or None
        Set where the model behind the ranking evidently cannot learn the task, or where only part
        of the order means something.
    n_decided : int or None
        How many of the first steps were decided by what the data say; None for all. The others
        are ties in nothing, in order of index.
    fitted : dict
        What else the method found on the way; a selector shows it under these names.

    Examples
    --------
    >>> path = Path([4, 0, 2], [0.9, 0.5, 0.1])
    >>> path.first(2).features.tolist()
    [4, 0]
    """

    features: NDArray[np.intp]
    scores: NDArray[np.float64]
    chance: NDArray[np.float64] | None = None
    complete: bool = False
    note: str = ""
    warning: str | None = None
    n_decided: int | None = None
    fitted: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", np.asarray(self.features, dtype=np.intp))
        object.__setattr__(self, "scores", np.asarray(self.scores, dtype=np.float64))
        if self.chance is not None:
            object.__setattr__(self, "chance", np.asarray(self.chance, dtype=np.float64))

    def __len__(self) -> int:
        return len(self.features)

    @property
    def decided(self) -> NDArray[np.intp]:
        """The features up to where the data have nothing more to say."""
        return self.features[: self.n_decided]

    def first(self, n: int) -> "Path":
        """The path's first `n` steps."""
        if n >= len(self):
            return self
        return replace(
            self,
            features=self.features[:n],
            scores=self.scores[:n],
            chance=None if self.chance is None else self.chance[:n],
            complete=False,
        )


def beats(a: float, b: float) -> bool:
    """Whether `a` is larger than `b` by more than the tie tolerance.

    Examples
    --------
    >>> beats(0.3, 0.1 + 0.2), beats(0.31, 0.3)
    (False, True)
    """
    if isinf(a) or isinf(b):
        return bool(a > b)
    return bool(a - b > TIE * max(1.0, abs(a), abs(b)))


def order_by_score(scores: ArrayLike, n: int | None = None) -> NDArray[np.intp]:
    """Indices by falling score; among ties the lowest index first; NaN is never ranked.

    A tie is a difference within ``1e-12 max(1, |a|, |b|)`` of the running best, as if the best were
    picked again and again by a scan from the lowest index.

    Examples
    --------
    >>> order_by_score([1.0, 3.0, 3.0, float("nan"), 2.0]).tolist()
    [1, 2, 4, 0]
    """
    scores = np.asarray(scores, dtype=np.float64)
    candidates = np.flatnonzero(~np.isnan(scores))
    order = candidates[np.argsort(-scores[candidates], kind="stable")]
    wanted = len(order) if n is None else min(n, len(order))
    # The stable sort has settled equal scores. Only chains of scores that differ, each by less than
    # the tolerance from the next, can stand otherwise: those are scanned.
    ranked = scores[order]
    near = ~_beats_next(ranked)
    inexact = np.flatnonzero(near & (ranked[:-1] != ranked[1:]))
    if inexact.size:
        ends = np.flatnonzero(~np.append(near, False)) + 1
        for chain in np.unique(np.searchsorted(ends, inexact, side="right")).tolist():
            start, end = int(ends[chain - 1]) if chain else 0, int(ends[chain])
            if start >= wanted:
                break
            order[start:end] = _scan(np.sort(order[start:end]), scores, wanted - start)
    return order[:wanted]


def _beats_next(ranked: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each of the falling scores beats the one after it."""
    a, b = ranked[:-1], ranked[1:]
    finite = np.isfinite(a) & np.isfinite(b)
    beaten = a > b
    a, b = a[finite], b[finite]
    beaten[finite] = a - b > TIE * np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))
    return beaten


def _scan(chain: NDArray[np.intp], scores: NDArray[np.float64], n: int) -> NDArray[np.intp]:
    """A chain of near ties, given by rising index; its first `n` settled by repeated scans."""
    remaining, picked = scores[chain], []
    while len(picked) < n and len(chain):
        if not beats(float(remaining.max()), float(remaining.min())):
            break
        best, better = 0, _next_better(remaining, 0)
        while better is not None:
            best, better = better, _next_better(remaining, better)
        picked.append(chain[best])
        chain, remaining = np.delete(chain, best), np.delete(remaining, best)
    return np.concatenate([np.array(picked, dtype=np.intp), chain])


def _next_better(scores: NDArray[np.float64], best: int) -> int | None:
    """The first place after `best` whose score beats the one there."""
    start, width = best + 1, 64
    while start < len(scores):
        later = scores[start : start + width]
        tolerance = TIE * np.maximum(1.0, np.maximum(np.abs(later), abs(scores[best])))
        better = later - scores[best] > tolerance
        if better.any():
            return start + int(np.argmax(better))
        start, width = start + width, 2 * width
    return None
