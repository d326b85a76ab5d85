"""Bits answers like the array of booleans that it stands for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful import FilterSelector, InformationSelector
from handful.columns import Bits

RNG = np.random.default_rng(0)


@given(st.integers(1, 70), st.integers(1, 40), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_questions(n_rows, n_columns, seed):
    rng = np.random.default_rng(seed)
    array = rng.random((n_rows, n_columns)) < 0.4
    table = Bits.packed(array, names=np.array([f"c{j}" for j in range(n_columns)], dtype=object))
    rows, cols = rng.integers(n_rows, size=5), rng.integers(n_columns, size=3)
    assert (table.native == array).all()
    assert (table.gather(rows, cols) == array[np.ix_(rows, cols)]).all()
    assert (table.gather(slice(1, 4)) == array[1:4]).all()
    assert (table.take(cols).native == array[:, cols]).all()
    assert table.take(cols).names.tolist() == [f"c{j}" for j in cols]
    assert (table.rows(rows).native == array[rows]).all()
    assert (table.column(0) == array[:, 0]).all()
    assert table.tdot(np.ones(n_rows)).tolist() == array.sum(axis=0).tolist()
    assert (table.varying() == (array.any(axis=0) & ~array.all(axis=0))).all()


@pytest.mark.parametrize("selector", [InformationSelector, FilterSelector])
def test_a_packed_table_goes_straight_into_fit(selector):
    y = RNG.integers(2, size=90)
    array = (RNG.random((90, 200)) < 0.5) | ((RNG.random((90, 200)) < 0.3) & (y[:, None] == 1))
    names = np.array([f"edge{j}" for j in range(200)], dtype=object)
    packed = selector(n_features_to_select=7).fit(Bits.packed(array, names), y)
    plain = selector(n_features_to_select=7).fit(array, y)
    assert packed.selection_order_.tolist() == plain.selection_order_.tolist()
    assert packed.get_feature_names_out().tolist() == names[packed.support_].tolist()
    kept = packed.transform(Bits.packed(array, names))
    np.testing.assert_array_equal(kept, array[:, packed.support_])
    with pytest.raises(ValueError, match="199 features"):
        packed.transform(Bits.packed(array[:, 1:]))
