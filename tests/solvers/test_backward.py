"""What all eliminations share: which columns go, in what order, and which stay."""

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handful.solvers.backward import eliminate, plan_of, weakest_first


class Constant:
    """A model whose scores never change, and a list of how many columns each fit had."""

    def __init__(self, scores):
        self.left, self.fits = np.asarray(scores, dtype=float), []

    def scores(self):
        self.fits.append(len(self.left))
        return self.left

    def keep(self, places):
        self.left = self.left[places]


def one_after_the_other(scores):
    left, order = list(range(len(scores))), []
    while left:
        order.append(left.pop(oracles.weakest([scores[j] for j in left])))
    return order


near = st.sampled_from([0.0, 1e-16, 5e-9, 0.9e-8, 1.1e-8, 3e-8])


@given(st.lists(st.tuples(st.integers(0, 3), near), min_size=1, max_size=12))
def test_weakest_first_is_dropping_the_weakest_again_and_again(parts):
    scores = np.array([whole * (1 + little) for whole, little in parts])
    expected = one_after_the_other(scores)
    # rounding counts against the largest that is left; the largest goes last
    assert weakest_first(scores).tolist() == expected
    assert weakest_first(scores, 3).tolist() == expected[:3]


@pytest.mark.parametrize(
    ("step", "fits"),
    [(1, [7, 6, 5, 4, 3, 2, 1]), (3, [7, 4, 1]), (0.5, [7, 4, 2, 1]), (100, [7]),
     (0.01, [7, 6, 5, 4, 3, 2, 1])],
)  # fmt: skip
def test_a_fraction_is_of_the_columns_still_there(step, fits):
    model = Constant([5, 1, 4, 2, 6, 3, 7])
    order, scores = eliminate(model, plan_of(7, step))
    assert model.fits == fits
    assert order.tolist() == [6, 4, 0, 2, 5, 3, 1]
    assert scores.tolist() == [7, 6, 5, 4, 3, 2, 1]


def test_one_fit_where_it_is_not_recursive():
    model = Constant([5, 1, 4])
    assert eliminate(model, plan_of(3, 1, recursive=False))[0].tolist() == [0, 2, 1]
    assert model.fits == [3]


@pytest.mark.parametrize("recursive", [True, False])
def test_kept_columns_go_last(recursive):
    kept = np.array([False, True, False, True])
    plan = plan_of(4, 1, kept=kept, recursive=recursive)
    assert eliminate(Constant([4, 2, 3, 1]), plan)[0].tolist() == [1, 3, 0, 2]


def test_groups_go_together_by_the_root_of_their_summed_squares():
    scores = np.array([3.0, 4.5, 4.0, 1.0, 2.0])
    groups = np.array([7, 1, 7, 2, 2])
    order, judged = eliminate(Constant(scores), plan_of(5, 1, groups=groups))
    assert order.tolist() == [2, 0, 1, 4, 3]
    np.testing.assert_allclose(judged, [5, 5, 4.5, np.sqrt(5), np.sqrt(5)])


def test_a_group_stays_with_one_of_its_columns():
    groups, kept = np.array([0, 0, 1, 2]), np.array([True, False, False, False])
    order, _ = eliminate(Constant([1, 1, 5, 6]), plan_of(4, 1, groups=groups, kept=kept))
    assert order.tolist() == [0, 1, 3, 2]


@pytest.mark.parametrize("step", [0, -1, 1.5, 0.0, True, "half"])
def test_steps_that_make_no_sense(step):
    with pytest.raises((ValueError, TypeError), match="step"):
        plan_of(5, step)


def test_long_chains_of_ties_take_no_longer_than_sorting():
    scores = 1 + 5e-9 * np.random.default_rng(0).random(20_000)
    assert (weakest_first(scores) == np.arange(20_000)[::-1]).all()
