"""Kuncheva's and Jaccard's index and the Hamming distance against loops over pairs of sets."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from handful.evaluation import (
    hamming_distance,
    jaccard_index,
    kuncheva_index,
    stability_index,
)

SHAPES = st.tuples(st.integers(2, 6), st.integers(2, 9))
MASKS = SHAPES.flatmap(lambda shape: arrays(np.int8, shape, elements=st.integers(0, 1)))


def sets(masks):
    return [set(np.flatnonzero(mask).tolist()) for mask in masks]


def mean(values):
    values = list(values)
    return float(sum(values, Fraction(0)) / len(values))


@given(MASKS)
def test_jaccard_and_hamming_are_the_means_over_pairs(masks):
    pairs = list(combinations(sets(masks), 2))
    jaccard = mean(Fraction(len(a & b), len(a | b)) if a | b else Fraction(1) for a, b in pairs)
    hamming = mean(Fraction(len(a ^ b)) for a, b in pairs)
    assert jaccard_index(masks) == pytest.approx(jaccard, abs=1e-12)
    assert hamming_distance(masks) == pytest.approx(hamming, abs=1e-12)


@st.composite
def masks_of_one_size(draw):
    d = draw(st.integers(2, 9))
    k = draw(st.integers(1, d - 1))
    chosen = draw(st.lists(st.permutations(range(d)), min_size=2, max_size=6))
    masks = np.zeros((len(chosen), d), dtype=bool)
    for mask, order in zip(masks, chosen, strict=True):
        mask[order[:k]] = True
    return masks


@given(masks_of_one_size(), st.integers(0, 20))
def test_kuncheva_is_the_stability_index_of_equal_sizes(masks, unseen):
    d, k = masks.shape[1] + unseen, int(masks[0].sum())
    pairs = combinations(sets(masks), 2)
    expected = mean(Fraction(len(a & b) * d - k * k, k * (d - k)) for a, b in pairs)
    assert kuncheva_index(masks, n_features=d) == pytest.approx(expected, abs=1e-12)
    assert float(stability_index(masks, n_features=d)) == pytest.approx(expected, abs=1e-12)


@given(MASKS, st.integers(0, 30))
def test_columns_that_no_run_chose_may_be_left_out(masks, unseen):
    whole = np.hstack([masks, np.zeros((len(masks), unseen), dtype=np.int8)])
    short = stability_index(masks, n_features=whole.shape[1])
    full = stability_index(whole)
    assert [short, short.lower, short.upper] == pytest.approx(
        [full, full.lower, full.upper], abs=1e-12, nan_ok=True
    )


def test_kuncheva_needs_one_size():
    with pytest.raises(ValueError, match="from 1 to 2 features"):
        kuncheva_index([[1, 0, 0], [1, 1, 0]])
    assert math.isnan(kuncheva_index([[1, 1], [1, 1]]))


def test_agreement_refuses_fewer_features_than_columns():
    with pytest.raises(ValueError, match="n_features=2 must be at least 3"):
        kuncheva_index([[1, 0, 0], [0, 1, 0]], n_features=2)
