"""RandomSelector: columns drawn by lot, the baseline below which no method should fall.

What is better than chance shows beside chance. Under the same classifier, folds and sizes as the
methods it is compared with, a random choice says how much of a result is due to the choosing: where
most columns inform about the classes, it is hard to beat.

References
----------
Fleuret, "Fast Binary Feature Selection with Conditional Mutual Information", JMLR 5, 2004, section
2.5.1.

Examples
--------
>>> from handful import RandomSelector
>>> from handful.datasets import make_ternary
>>> X, y, relevant = make_ternary(100, random_state=0)
>>> RandomSelector(n_features_to_select=3, random_state=0).fit_transform(X, y).shape
(100, 3)
"""

from typing import Any

import numpy as np

from handful.columns import Columns
from handful.path import Path, order_by_score
from handful.selector import Selector
from handful.target import Target


class RandomSelector(Selector):
    """Rank columns by lot, whatever the target.

    Parameters
    ----------
    n_features_to_select : int, float, "auto", None or stopping rule
        How many to keep, see `handful.stopping`.
    task : {"auto", "classification", "regression"}
        "auto": continuous targets are regression.
    random_state : int, RandomState or None
        Who draws.
    n_jobs : int or None
        Processes for the rounds, folds or resamples of a stopping rule.
    verbose : int
        1 draws a bar for those on a terminal.

    Notes
    -----
    Every set of columns that are not constant is as likely as any other of its size. Scores are the
    lots, numbers between 0 and 1. Shuffled rows and relabelled classes leave the answer alone; so
    does everything else, as long as there are as many columns and the seed stays the same.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.random.default_rng(0).random((20, 6)), np.arange(20) % 2
    >>> one, two = (RandomSelector(3, random_state=seed).fit(X, y) for seed in (1, 1))
    >>> one.selection_order_.tolist() == two.selection_order_.tolist()
    True
    """

    _tasks = ("classification", "regression")
    _several_targets = True

    def __init__(
        self,
        n_features_to_select: Any = "auto",
        *,
        task: str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.task = task
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _rank(
        self, table: Columns, target: Target, n: int | None, rng: np.random.Generator, n_jobs: int
    ) -> Path:
        lots = np.where(table.varying(), rng.random(table.shape[1]), np.nan)
        order = order_by_score(lots, n)
        return Path(
            order,
            lots[order],
            complete=n is None or len(order) < n,
            note="the other columns are constant",
        )
