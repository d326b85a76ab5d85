"""RandomSelector: every set of columns is as likely as any other."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from handful import RandomSelector
from handful.stopping import EmpiricalProbe


def test_every_ordered_pair_is_equally_likely():
    X, y = np.random.default_rng(0).random((4, 5)), [0, 1, 0, 1]
    X[:, 3] = 2
    drawn = Counter(
        tuple(RandomSelector(2, random_state=seed).fit(X, y).selection_order_.tolist())
        for seed in range(1200)
    )
    assert len(drawn) == 12
    assert not any(3 in pair for pair in drawn)
    assert chisquare(list(drawn.values())).pvalue > 1e-3


def test_more_of_the_same_and_scores_that_fall():
    X, y = np.random.default_rng(0).random((20, 50)), np.arange(20) / 3
    whole = RandomSelector(None, random_state=7).fit(X, y).path_
    part = RandomSelector(9, random_state=7).fit(X, y).path_
    assert part.features.tolist() == whole.features[:9].tolist()
    assert (np.diff(whole.scores) < 0).all()
    assert RandomSelector(9, random_state=8).fit(X, y).path_.features.tolist() != (
        part.features.tolist()
    )


def test_several_targets_and_a_rule_that_sees_nothing_in_it():
    rng = np.random.default_rng(0)
    X, Y = rng.random((30, 8)), rng.random((30, 2))
    assert RandomSelector(3, random_state=0).fit(X, Y).n_features_ == 3
    with pytest.warns(UserWarning, match="EmpiricalProbe keeps no feature"):
        RandomSelector(EmpiricalProbe(0.05, random_state=0), random_state=0).fit(X, Y[:, 0])
