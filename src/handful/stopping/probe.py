"""Probes: keep features while random ones would not do as well.

Among many columns some look good by luck. A probe is a column that is random for certain: features
that come before every probe earned their place. `AnalyticProbe` computes the chance of a probe
where the method knows its distribution (Stoppiglia, Dreyfus, Dubois and Oussar, "Ranking a Random
Feature for Variable and Feature Selection", JMLR 3, 2003); `EmpiricalProbe` draws probes and looks.
"""

from math import ceil
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful import checks
from handful.columns import Columns, GaussianProbes, Permuted, Probed
from handful.stopping.base import Decision, Ranker, StoppingRule


class EmpiricalProbe(StoppingRule):
    """Keep features while random columns, ranked among them, rarely come before them.

    In each round probe columns are put beside the real ones, everything is ranked together, and
    the features that come before the first probe are counted. n features are kept while the share
    of rounds that reach fewer than n, ``(1 + count) / (1 + n_rounds)``, is at most `risk`.

    Parameters
    ----------
    risk : float in (0, 1)
        The accepted chance of keeping anything from a table in which nothing matters.
    n_rounds : int
        At least ``1 / risk - 1``. More rounds cost time and gain power: with the fewest possible
        every single round must reach a feature before it is kept.
    probes : "all" or int
        As many probes as features, or so many drawn at random in each round. The promise of `risk`
        is for "all"; with fewer, each probe has more features to beat and more noise is kept.
    kind : {"permuted", "gaussian"}
        "permuted": the table's own columns with their rows shuffled, all columns together, so that
        distributions and correlations are the features' own. "gaussian": independent normal
        columns, drawn when they are looked at.
    random_state : int, RandomState or None
        None: drawn from the selector's own.

    Notes
    -----
    The promise: where y says nothing about X, all tables with shuffled rows are alike, so the real
    one comes first in every round with a chance of at most `risk`. A tie between a feature and a
    probe counts for the probe. Methods whose fit changes when probes join (elimination, feature
    weighting) carry a guarantee of twice the risk. Probes are made block by block, as a method asks
    for them.

    Examples
    --------
    >>> import numpy as np
    >>> from handful import FilterSelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 200))
    >>> y = (X[:, 7] + 0.3 * rng.standard_normal(80) > 0).astype(int)
    >>> rule = EmpiricalProbe(risk=0.05, random_state=0)
    >>> FilterSelector(n_features_to_select=rule).fit(X, y).selection_order_.tolist()
    [7]
    """

    def __init__(
        self,
        risk: float = 0.05,
        *,
        n_rounds: int = 99,
        probes: str | int = "all",
        kind: str = "permuted",
        random_state: Any = None,
    ) -> None:
        self.risk = risk
        self.n_rounds = n_rounds
        self.probes = probes
        self.kind = kind
        self.random_state = random_state

    def choose(self, ranker: Ranker) -> Decision:
        self._check()
        seed = self._seed(ranker)
        rounds = [(self, seed, number) for number in range(self.n_rounds)]
        reached = np.array(ranker.each(_reach, rounds, "probe rounds"))
        # the risk of keeping n features, for n = 1 up to the first that no round reached
        longest = int(reached.max()) + 1
        fell_short = np.array([np.sum(reached < n) for n in range(1, longest + 1)])
        curve = (1 + fell_short) / (1 + self.n_rounds)
        kept = int(np.argmax(curve > self.risk))
        path = ranker.path(min(longest, ranker.table.shape[1]))
        return Decision(path, kept, {"risk": self.risk, "curve": curve, "reached": reached})

    def _check(self) -> None:
        checks.real("risk", self.risk, 0, 1)
        checks.whole("n_rounds", self.n_rounds)
        checks.one_of("kind", self.kind, ("permuted", "gaussian"))
        if self.probes != "all" and not isinstance(self.probes, Integral):
            raise ValueError(f"probes={self.probes!r} is not known; use 'all' or a whole number.")
        if self.probes != "all":
            checks.whole("probes", self.probes)
        # a little slack: 1 / 0.05 - 1 is a hair above 19 in floating point
        needed = ceil(1 / self.risk - 1 - 1e-9)
        if self.n_rounds < needed:
            raise ValueError(
                f"n_rounds={self.n_rounds} cannot show a risk of {self.risk}: at least "
                f"1 / risk - 1 = {needed} rounds are needed."
            )

    def draw(self, table: Columns, rng: np.random.Generator) -> Columns:
        """Probe columns for one round."""
        n_rows, n_columns = table.shape
        n_probes = n_columns if self.probes == "all" else int(self.probes)
        if self.kind == "gaussian":
            return GaussianProbes(n_rows, n_probes, int(rng.integers(2**63)))
        if n_probes > n_columns:
            raise ValueError(
                f"probes={n_probes} is more than the {n_columns} columns there are to shuffle; "
                "use 'all', a smaller number, or kind='gaussian'."
            )
        order = rng.permutation(n_rows)
        if self.probes != "all":
            table = table.take(np.sort(rng.choice(n_columns, n_probes, replace=False)))
        return Permuted(table, order)


def _reach(ranker: Ranker, one_round: tuple[EmpiricalProbe, int, int]) -> int:
    """How many features come before the first probe in one round."""
    rule, seed, number = one_round
    probes = rule.draw(ranker.table, np.random.default_rng([seed, number]))
    together = Probed(probes, ranker.table)
    features = ranker.on(together, ranker.target, number).path().features
    first = np.flatnonzero(features < together.n_probes)
    return int(first[0]) if first.size else len(features)


class AnalyticProbe(StoppingRule):
    """Keep features while the chance that a random column would have done as well stays small.

    For methods that know that chance for each step of their path. ``G_n = G_{n-1} + P_n (1 -
    G_{n-1})`` is the chance that a random column would have come before the n-th feature; features
    are kept while it is at most `risk`.

    Parameters
    ----------
    risk : float in (0, 1)
    probes : 1 or "all"
        1 asks about ONE random column, as the paper does. "all" asks about the best of as many
        random columns as there are candidates left, which is the honest question where a table is
        wide: the best of many random columns always looks good.

    References
    ----------
    Stoppiglia, Dreyfus, Dubois and Oussar (2003), "Ranking a Random Feature for Variable and
    Feature Selection", JMLR 3, sections 3 and 4.

    Examples
    --------
    >>> import numpy as np
    >>> from handful import FilterSelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 200))
    >>> y = (X[:, 7] + 0.3 * rng.standard_normal(80) > 0).astype(int)
    >>> rule = AnalyticProbe(risk=0.05, probes="all")
    >>> selector = FilterSelector(score="f", n_features_to_select=rule).fit(X, y)
    >>> selector.selection_order_.tolist()
    [7]
    """

    draws_rows = False

    def __init__(self, risk: float = 0.05, *, probes: str | int = 1) -> None:
        self.risk = risk
        self.probes = probes

    def choose(self, ranker: Ranker) -> Decision:
        checks.real("risk", self.risk, 0, 1)
        if self.probes not in (1, "all"):
            raise ValueError(f"probes={self.probes!r} is not known; use 1 or 'all'.")
        n_candidates, asked = ranker.table.shape[1], 16
        while True:
            path = ranker.path(min(asked, n_candidates))
            if path.chance is None:
                raise ValueError(
                    "AnalyticProbe needs a method that knows the chance of a random feature at "
                    "each step, and this one does not; use EmpiricalProbe, which works with all."
                )
            curve = self._curve(path.chance, n_candidates)
            too_much = ~(curve <= self.risk)  # a chance of NaN is no chance to rely on
            if too_much.any() or path.complete or asked >= n_candidates:
                break
            asked *= 2
        kept = int(np.argmax(np.append(too_much, True)))
        # one step more than is kept, to show where the line was crossed
        why = {"risk": self.risk, "curve": curve[: kept + 1]}
        return Decision(path.first(kept + 1), kept, why)

    def _curve(self, chance: NDArray, n_candidates: int) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            none_wins = np.log1p(-chance)
        if self.probes == "all":
            none_wins = none_wins * (n_candidates - np.arange(len(chance)))
        return -np.expm1(np.cumsum(none_wins))
