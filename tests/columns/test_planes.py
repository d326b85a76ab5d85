"""Planes against levels worked out value by value, for every kind of table and every type."""

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array, csr_array

from handful import _core
from handful.columns import Bits, Dense, GaussianProbes, Layout, Permuted, Probed, Sparse

TYPES = [
    *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("float32", "float64"),
]


def by_hand(array, layout):
    """The oracle's levels of each column, at the layout's positions."""
    most = layout.most_distinct(array.dtype)
    return [
        oracles.levels(array[:, j].tolist(), layout.n_bins, most) for j in range(array.shape[1])
    ]


def same_partition(found, expected):
    """Whether two lists of levels say the same, whatever they call each level."""
    pairs = set(zip(found, expected, strict=True))
    return len(pairs) == len(set(found)) == len(set(expected))


def require_levels(planes, array, layout):
    assert len(planes) == array.shape[1]
    for j, expected in enumerate(by_hand(array, layout)):
        found = planes.levels(j).tolist()
        assert same_partition(found, [expected[row] for row in layout.order])
        if array.dtype.kind != "b":
            assert planes.n_levels(j) == len(set(expected))


@st.composite
def tables(draw, dtype=None):
    """An array with columns of few and of many values, ties, constants and extremes."""
    dtype = np.dtype(dtype or draw(st.sampled_from(TYPES)))
    n_rows, n_columns = draw(st.integers(2, 150)), draw(st.integers(1, 70))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    spread = rng.choice([1, 2, 3, 7, 40, 1000], n_columns)
    array = rng.integers(0, spread, (n_rows, n_columns))
    array[rng.random(array.shape) < rng.choice([0, 0.9], n_columns)] = 0
    if dtype.kind == "b":
        return array > 0
    if dtype.kind == "f":
        mixed = np.where(rng.random(n_columns) < 0.5, array / 7, rng.standard_normal(array.shape))
        mixed *= rng.choice([1, -1, 1e300 if dtype == np.float64 else 1e30], n_columns)
        absent = rng.random(mixed.shape) < rng.choice([0, 0.3], n_columns)
        mixed[absent] = np.copysign(np.nan, rng.choice([-1, 1], absent.sum()))
        mixed[0, np.isnan(mixed).all(axis=0)] = 0
        return mixed.astype(dtype)
    shifted = array - (50 if dtype.kind == "i" else 0)
    limit = np.iinfo(dtype)
    wide = rng.integers(limit.min, limit.max, array.shape, dtype=dtype, endpoint=True)
    return np.where(rng.random(n_columns) < 0.8, shifted.astype(dtype), wide)


@st.composite
def layouts(draw, n_rows):
    n_classes = draw(st.integers(1, min(n_rows, 12)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    codes = np.r_[np.arange(n_classes), rng.integers(n_classes, size=n_rows - n_classes)]
    return Layout.by_class(rng.permutation(codes), n_classes, draw(st.integers(2, 9)))


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_dense_tables_in_every_type_and_order(data):
    array = data.draw(tables())
    layout = data.draw(layouts(len(array)))
    order = data.draw(st.sampled_from(["C", "F", "strided", "reversed"]))
    shown = {
        "C": np.ascontiguousarray,
        "F": np.asfortranarray,
        "strided": lambda a: np.repeat(np.repeat(a, 2, axis=0), 3, axis=1)[::2, ::3],
        "reversed": lambda a: np.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1],
    }[order](array)
    shown.flags.writeable = False
    require_levels(Dense(shown).planes(layout), array, layout)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_sparse_tables(data):
    array = data.draw(tables())
    layout = data.draw(layouts(len(array)))
    kind = data.draw(st.sampled_from([csr_array, csc_array]))
    require_levels(Sparse(kind(array)).planes(layout), array, layout)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_whole_weights_cut_where_repeated_rows_would(data):
    array = data.draw(tables())
    layout = data.draw(layouts(len(array)))
    codes = np.repeat(np.arange(len(layout.ends)), np.diff([0, *layout.ends]))[
        np.argsort(layout.order)
    ]
    times = np.random.default_rng(len(array)).integers(1, 5, len(array))
    kind = data.draw(st.sampled_from([Dense, lambda a: Sparse(csc_array(a))]))
    arguments = (codes, len(layout.ends), layout.n_bins)
    weighted = Layout.by_class(*arguments, weight=times.astype(np.float64))
    repeated = Layout.by_class(np.repeat(codes, times), *arguments[1:])
    found = kind(array).planes(weighted)
    expected = kind(np.repeat(array, times, axis=0)).planes(repeated)
    for j in range(array.shape[1]):
        again = np.repeat(found.levels(j), times[weighted.order])
        assert same_partition(again.tolist(), expected.levels(j).tolist())


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_bits_permuted_and_joined_tables(data):
    array = data.draw(tables("bool"))
    layout = data.draw(layouts(len(array)))
    bits = Bits.packed(array)
    require_levels(bits.planes(layout), array, layout)
    order = np.random.default_rng(0).permutation(len(array))
    shuffled = Permuted(bits, order)
    require_levels(shuffled.planes(layout), array[order], layout)
    both = Probed(shuffled, bits)
    require_levels(both.planes(layout), np.hstack([array[order], array]), layout)


def test_gaussian_probes_are_cut_like_any_other_floats():
    probes = GaussianProbes(80, 130, seed=3)
    layout = Layout.by_class(np.arange(80) % 3, 3, n_bins=4)
    require_levels(probes.planes(layout), probes.gather(), layout)


@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 128, 33_000])
def test_rows_at_the_limits_of_words_and_of_sorting_side_by_side(n_rows):
    rng = np.random.default_rng(n_rows)
    array = np.column_stack([rng.standard_normal(n_rows), rng.integers(900, size=n_rows)])
    codes = np.r_[0, rng.integers(1 if n_rows == 1 else 2, size=n_rows - 1)]
    layout = Layout.by_class(codes, 1 + int(codes.max()), n_bins=7)
    planes = Dense(array).planes(layout)
    cuts = [np.sort(column)[-(-(n_rows - 1) * np.arange(1, 7) // 7)] for column in array.T]
    found = planes.levels(0).tolist()
    expected = (array[:, 0, None] >= cuts[0]).sum(axis=1)[layout.order].tolist()
    assert same_partition(found, expected)
    assert planes.n_levels(1) <= 7


def test_cuts_without_ties_are_those_of_quantiles():
    """The thresholds that scikit-learn's KBinsDiscretizer(strategy="quantile") uses."""
    column = np.random.default_rng(1).standard_normal(203)
    layout = Layout.by_class(np.zeros(203, int), 1, n_bins=6)
    found = Dense(column[:, None]).planes(layout).levels(0)
    edges = np.quantile(column, np.arange(1, 6) / 6)
    assert same_partition(found.tolist(), np.searchsorted(edges, column, "right").tolist())


def test_zero_and_minus_zero_are_one_value():
    column = np.array([0.0, -0.0, 0.0, -0.0])[:, None]
    layout = Layout.by_class(np.array([0, 1, 0, 1]), 2, n_bins=2)
    assert Dense(column).planes(layout).n_levels(0) == 1


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_threads_change_nothing(data):
    array = data.draw(tables())
    wide = np.tile(array, (1, 1 + 300 // array.shape[1]))
    layout = data.draw(layouts(len(array)))
    two = Layout(layout.order, layout.ends, layout.n_bins, threads=2)
    one, other = Dense(wide).planes(layout), Dense(wide).planes(two)
    assert all((one.levels(j) == other.levels(j)).all() for j in range(len(one)))


def test_a_boolean_table_takes_an_eighth():
    array = np.random.default_rng(0).random((640, 1000)) < 0.3
    layout = Layout.by_class(np.arange(640) % 2, 2, n_bins=5)
    for table in (Dense(array), Sparse(csc_array(array)), Bits.packed(array)):
        assert table.planes(layout).nbytes <= array.nbytes / 8 + 16 * 1000
    assert Bits.packed(array).nbytes == array.nbytes / 8


def test_the_core_refuses_what_would_read_outside():
    array = np.zeros((4, 2))
    rows = np.arange(4, dtype=np.int32)
    for wrong_rows, ends in [(rows, [2, 3]), (rows, [4, 4]), (rows + 1, [4]), (rows[:3], [4])]:
        with pytest.raises(ValueError, match=r"row|ends|class"):
            _core.pack_dense(array, wrong_rows, ends, None, 5, 5, 1)
    with pytest.raises(ValueError, match="levels"):
        _core.pack_dense(array, rows, [4], None, 1, 5, 1)
    with pytest.raises(TypeError):
        _core.pack_dense(array.astype(complex), rows, [4], None, 5, 5, 1)
    planes = _core.pack_dense(array, rows, [4], None, 5, 5, 1)
    for question in (planes.levels, planes.n_levels):
        with pytest.raises(IndexError):
            question(2)


def test_255_bins_beside_a_level_for_what_is_missing():
    array = np.arange(3000.0)[:, None]
    array[::7] = np.nan
    layout = Layout.by_class(np.zeros(3000, int), 1, n_bins=255)
    for table in (Dense(array), Sparse(csc_array(array))):
        planes = table.planes(layout)
        assert planes.n_levels(0) == 256
        assert len(np.unique(planes.levels(0))) == 256
