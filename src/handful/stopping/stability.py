"""Stability: keep what comes back when some of the rows are left out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful import checks
from handful.path import Path
from handful.stopping.base import Decision, Ranker, StoppingRule


class StabilityThreshold(StoppingRule):
    """Keep the features that are among the best in most resamples.

    Each resample leaves out some of the rows (of every class alike) and votes for its best
    `n_features`, for fewer where its rows have nothing more to say. Features with at least
    `threshold` of the votes are kept, most votes first; ties stand in the order of the full data's
    ranking, which is made as long as the kept features need. The path holds every feature with a
    vote, and its scores are the shares of votes.

    Parameters
    ----------
    threshold : float in (0.5, 1]
    n_resamples : int
    n_features : int or None
        How many features each resample votes for. None: ``floor(sqrt((2 threshold - 1) d))``, at
        least 1, which bounds the expected number of falsely kept features by 1 under the
        conditions of the paper.
    fraction : float in (0, 1)
        Share of the rows in each resample, drawn without replacement.
    random_state : int, RandomState or None
        None: drawn from the selector's own.

    References
    ----------
    Meinshausen and Bühlmann (2010), "Stability selection", Journal of the Royal Statistical
    Society B 72.

    Examples
    --------
    >>> import numpy as np
    >>> from handful import FilterSelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 200))
    >>> y = (X[:, 7] + 0.3 * rng.standard_normal(80) > 0).astype(int)
    >>> rule = StabilityThreshold(0.9, random_state=0)
    >>> FilterSelector(n_features_to_select=rule).fit(X, y).selection_order_.tolist()
    [7]
    """

    why_none = "none comes back often enough"

    def __init__(
        self,
        threshold: float = 0.6,
        *,
        n_resamples: int = 100,
        n_features: int | None = None,
        fraction: float = 0.5,
        random_state: Any = None,
    ) -> None:
        self.threshold = threshold
        self.n_resamples = n_resamples
        self.n_features = n_features
        self.fraction = fraction
        self.random_state = random_state

    def choose(self, ranker: Ranker) -> Decision:
        checks.real("threshold", self.threshold, 0.5, 1, closed="high")
        checks.whole("n_resamples", self.n_resamples, 2)
        checks.real("fraction", self.fraction, 0, 1)
        n_columns = ranker.table.shape[1]
        if self.n_features is None:
            # a little slack: 2 * 0.6 - 1 is a hair below 0.2 in floating point
            voted = max(1, int(np.sqrt((2 * self.threshold - 1) * n_columns) + 1e-9))
        else:
            checks.whole("n_features", self.n_features)
            voted = min(self.n_features, n_columns)
        seed = self._seed(ranker)
        jobs = [(self, seed, number, voted) for number in range(self.n_resamples)]
        votes = np.zeros(n_columns)
        for features in ranker.each(_vote, jobs, "resamples"):
            votes[features] += 1
        frequency = votes / self.n_resamples
        kept = int(np.sum(frequency >= self.threshold))
        path = _by_frequency(frequency, _ranking_of(frequency >= self.threshold, ranker, voted))
        why = {
            "threshold": self.threshold,
            "n_voted": voted,
            "frequency": frequency,
            "curve": path.scores,
        }
        return Decision(path, kept, why)

    def resample(self, ranker: Ranker, rng: np.random.Generator) -> NDArray[np.intp]:
        """Rows for one resample, ascending; every class keeps at least one."""
        target = ranker.target
        codes = np.zeros(target.n_rows, int) if target.codes is None else target.codes
        parts = []
        for code in np.unique(codes):
            members = np.flatnonzero(codes == code)
            size = max(1, round(self.fraction * len(members)))
            parts.append(rng.choice(members, size, replace=False))
        return np.sort(np.concatenate(parts))


def _vote(ranker: Ranker, job: tuple[StabilityThreshold, int, int, int]) -> NDArray[np.intp]:
    rule, seed, number, voted = job
    rows = rule.resample(ranker, np.random.default_rng([seed, number]))
    return ranker.rows(rows, number).path(voted).decided[:voted]


def _ranking_of(kept: NDArray[np.bool_], ranker: Ranker, n: int) -> Path:
    """The full data's path, as far as it takes to have all the kept features on it."""
    while True:
        path = ranker.path(n)
        if kept[path.features].sum() == kept.sum() or path.complete or n >= len(kept):
            return path
        n = min(2 * n, len(kept))


def _by_frequency(frequency: NDArray, full: Path) -> Path:
    """Every feature with a vote: by votes, then by the full data's rank, then by index."""
    rank = np.full(len(frequency), len(frequency))
    rank[full.features] = np.arange(len(full))
    voted = np.flatnonzero(frequency)
    order = voted[np.lexsort((voted, rank[voted], -frequency[voted]))]
    return Path(
        order,
        frequency[order],
        complete=True,
        note="no further feature got a vote",
        warning=full.warning,
        fitted=full.fitted,
    )
