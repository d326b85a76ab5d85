"""The path and the rule for ties, against the scan that defines it."""

import numpy as np
import oracles
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handful.path import TIE, Path, beats, order_by_score

# scores at, below and beyond the tolerance from each other, with ends and gaps
near = st.builds(
    lambda base, steps: base + steps * 0.4 * TIE * max(1.0, abs(base)),
    st.sampled_from([0.0, 1.0, -1.0, 3e5]),
    st.integers(-6, 6),
)
any_score = near | st.sampled_from([np.inf, -np.inf, np.nan, 0.5]) | st.floats(-1e3, 1e3)


@given(st.lists(any_score, max_size=30))
@example([1.0, 1.0 + 0.8e-12, 1.0 + 1.6e-12])
@example([np.inf, 5.0, np.inf, np.nan, -np.inf, -np.inf])
def test_order_equals_repeated_scans(scores):
    assert order_by_score(scores).tolist() == oracles.order_by_score(scores)


@given(st.lists(any_score, max_size=30), st.integers(0, 31))
def test_a_shorter_order_is_the_beginning_of_the_longer(scores, n):
    assert order_by_score(scores, n).tolist() == order_by_score(scores).tolist()[:n]


def test_equal_scores_stand_by_index_however_many():
    scores = np.zeros(200_000)
    scores[77] = 1e-13  # within the tolerance: not better than column 0
    assert order_by_score(scores).tolist() == list(range(200_000))


def test_a_long_chain_of_near_ties_is_scanned_only_as_far_as_asked():
    # a hundred thousand scores, each within the tolerance of the next, though not all of each other
    scores = np.arange(100_000) * 1e-13
    first = order_by_score(scores, 3)
    # the scan steps up by a little over the tolerance at a time and ends within it of the best
    assert (scores.max() - scores[first] <= TIE).all()


@given(any_score, any_score)
def test_beats_is_the_definition(a, b):
    assert beats(a, b) == oracles.beats(a, b)


def test_first_steps_keep_what_belongs_to_them():
    path = Path([4, 0, 2], [0.9, 0.5, 0.1], chance=[0.01, 0.2, 0.5], complete=True, note="why")
    assert path.first(3) is path
    start = path.first(2)
    assert (start.features.tolist(), start.scores.tolist()) == ([4, 0], [0.9, 0.5])
    assert start.chance is not None
    assert start.chance.tolist() == [0.01, 0.2]
    assert (start.complete, start.note) == (False, "why")


def test_what_was_decided_is_what_comes_before_ties_in_nothing():
    path = Path([4, 0, 2], [0.9, 0.0, 0.0], n_decided=1)
    assert path.decided.tolist() == [4]
    assert path.first(2).decided.tolist() == [4]
    assert Path([4, 0], [0.9, 0.5]).decided.tolist() == [4, 0]


@pytest.mark.parametrize("n", [0, 1])
def test_types_are_fixed(n):
    path = Path(np.zeros(n, dtype=np.int32), [1] * n)
    assert path.features.dtype == np.intp
    assert path.scores.dtype == np.float64
    assert len(path) == n
