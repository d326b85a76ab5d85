"""Dask collections answer as arrays do, whatever their chunks; what is wrong with one is named."""

import chunked
import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handful import FilterSelector, GramSchmidt, InformationSelector, _core, columns
from handful.columns import Dense, Layout
from handful.columns.distributed import Distributed, cuts, grid
from handful.stopping import AnalyticProbe, CrossValidated, EmpiricalProbe

CRITERIA = [criterion for criterion in _core.criteria if criterion != "mrmr_quotient"]
seeds = st.integers(0, 2**32)


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def problem(seed, kind):
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.integers(6, 120)), int(rng.integers(1, 25))
    X = chunked.table(rng, kind, n_rows, n_columns)
    y = chunked.classes(rng, X, int(rng.integers(2, 5)))
    weight = None
    if rng.random() < 0.3:
        weight = rng.integers(1, 4, n_rows).astype(float)
    return rng, X, y, weight


@pytest.mark.parametrize("kind", chunked.KINDS)
@given(seed=seeds)
@settings(max_examples=12, deadline=None)
def test_every_question(kind, seed):
    rng, X, y, weight = problem(seed, kind)
    here, there = Dense(X), Distributed(chunked.dask_array(rng, X))
    close = {
        "rtol": 1e-4 if X.dtype == np.float32 else 1e-9,
        "atol": 1e-5 if kind[5:] == "32" else 1e-9,
    }
    vectors = rng.standard_normal((len(X), 2))
    np.testing.assert_allclose(there.tdot(vectors), here.tdot(vectors), **close)
    np.testing.assert_allclose(
        there.dot(np.ones(X.shape[1])), here.dot(np.ones(X.shape[1])), **close
    )
    np.testing.assert_allclose(there.row_gram(), here.row_gram(), **close)
    np.testing.assert_allclose(there.squared_lengths(weight), here.squared_lengths(weight), **close)
    sums = vectors.T, np.linspace(0, 1, X.shape[1])
    np.testing.assert_allclose(there.weighted_sums(*sums), here.weighted_sums(*sums), **close)
    codes = y.astype(np.int32)
    moments = zip(
        there.group_moments(codes, y.max() + 1, weight),
        here.group_moments(codes, y.max() + 1, weight),
        strict=True,
    )
    for found, expected in moments:
        np.testing.assert_allclose(found, expected, **close)
    for found, expected in zip(there.extremes(), here.extremes(), strict=True):
        assert found.tolist() == expected.tolist()
    rows, some = rng.permutation(len(X))[:5], rng.permutation(X.shape[1])[:3]
    assert there.rows(rows).take(some).gather().tolist() == X[rows][:, some].tolist()


@pytest.mark.filterwarnings("ignore:.*features? w(as|ere) asked for:UserWarning")
@pytest.mark.filterwarnings("ignore:No feature is kept:UserWarning")
@pytest.mark.parametrize("kind", chunked.KINDS)
@given(seed=seeds)
@settings(max_examples=8, deadline=None)
def test_information_chooses_the_same(kind, seed):
    rng, X, y, weight = problem(seed, kind)
    collection, n_bins = chunked.dask_array(rng, X), int(rng.integers(2, 9))
    for criterion in rng.choice(CRITERIA, 3, replace=False):
        selector = InformationSelector(str(criterion), n_features_to_select=None, n_bins=n_bins)
        chunked.require_same(selector, X, collection, y, weight)


@pytest.mark.filterwarnings("ignore:.*features? w(as|ere) asked for:UserWarning")
@pytest.mark.filterwarnings("ignore:No feature is kept:UserWarning")
@pytest.mark.parametrize("kind", chunked.KINDS)
@given(seed=seeds)
@settings(max_examples=8, deadline=None)
def test_filters_and_gram_schmidt_choose_the_same(kind, seed):
    rng, X, y, weight = problem(seed, kind)
    collection = chunked.dask_array(rng, X)
    for score in ("fisher", "correlation", "f"):
        selector = FilterSelector(score, n_features_to_select=None)
        chunked.require_same(selector, X, collection, y, weight)
    chunked.require_same(GramSchmidt(n_features_to_select=0.5), X, collection, y, weight)


@pytest.mark.parametrize("kind", ["float64", "float32", "rounded", "int64"])
@given(seed=seeds)
@settings(max_examples=80, deadline=None)
def test_two_passes_cut_where_one_sort_does(kind, seed):
    """Few spaced values make wide brackets, and ties at their ends."""
    rng = np.random.default_rng(seed)
    X = chunked.table(rng, kind, int(rng.integers(1, 400)), int(rng.integers(1, 8)))
    layout = Layout.by_class(np.zeros(len(X), np.int32), 1, int(rng.integers(2, 12)))
    most = layout.most_distinct(X.dtype)
    heights = [height for height in chunked.sizes(rng, len(X)) if height]
    parts = np.split(X, np.cumsum(heights)[:-1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "POINTS", int(rng.integers(2, 12)))
        first = [cuts.summarise(part, most) for part in parts]
    brackets = cuts.bracket(first, most, layout.n_bins)
    found = cuts.thresholds(brackets, [cuts.inside(part, brackets) for part in parts])
    levels = (found[:, None] < X).sum(axis=0)
    expected = Dense(X).planes(layout)
    for j in range(X.shape[1]):
        known = expected.levels(j)
        pairs = set(zip(known.tolist(), levels[:, j].tolist(), strict=True))
        assert len(pairs) == len(set(known.tolist())) == len(set(levels[:, j].tolist()))


def test_second_pass_brings_little():
    X = np.random.default_rng(0).standard_normal((20_000, 3))
    parts = np.split(X, [3_000, 12_000])
    brackets = cuts.bracket([cuts.summarise(part, 5) for part in parts], 5, 5)
    inside = sum(len(cuts.inside(part, brackets).value) for part in parts)
    assert inside <= 4 * X.size * 3 / cuts.POINTS


def wide(n_rows=400, n_columns=4_000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, n_columns)) < rng.uniform(0.05, 0.5, n_columns)
    y = (X[:, :12].sum(axis=1) + rng.standard_normal(n_rows) > 4).astype(int)
    return X, y


@pytest.mark.parametrize("criterion", ["cmim", "jmim", "mrmr"])
def test_few_round_trips_and_for_least_criteria_few_counts(criterion):
    X, y = wide()
    selector = InformationSelector(criterion, n_features_to_select=20)
    found = chunked.require_same(selector, X, da.from_array(X, chunks=(150, 900)), y)
    assert found.n_round_trips_ <= 4 * found.n_features_
    if criterion == "cmim":
        assert 10 * found.n_evaluations_ <= 19 * X.shape[1]


@pytest.mark.parametrize(
    "rule",
    [
        EmpiricalProbe(0.2, n_rounds=4, random_state=0),
        EmpiricalProbe(0.2, n_rounds=4, kind="gaussian", random_state=0),
        CrossValidated(cv=2),
    ],
    ids=["permuted", "gaussian", "cv"],
)
@pytest.mark.filterwarnings("ignore:EmpiricalProbe keeps no feature:UserWarning")
@pytest.mark.parametrize("selector", [InformationSelector(), FilterSelector(), GramSchmidt()])
def test_rules_decide_the_same(selector, rule):
    rng = np.random.default_rng(3)
    X, y = wide(90, 12)
    X = X + 0.1 * rng.standard_normal(X.shape)
    selector = selector.set_params(n_features_to_select=rule)
    found = chunked.require_same(selector, X, da.from_array(X, chunks=(40, 5)), y)
    assert found.n_features_ == selector.fit(X, y).n_features_


def test_numbers_as_target_and_the_analytic_probe():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 30))
    y = X[:, 3] - 2 * X[:, 7] + 0.1 * rng.standard_normal(80)
    selector = GramSchmidt(n_features_to_select=AnalyticProbe(0.05))
    found = chunked.require_same(selector, X, da.from_array(X, chunks=(30, 7)), da.from_array(y))
    assert set(found.selection_order_) >= {3, 7}
    chunked.require_same(FilterSelector("f"), X, da.from_array(X, chunks=(30, 7)), y)


# ---- data frames ----


def partitions(*parts):
    """A frame of these, the first of which says what they all should be."""
    return dd.from_map(lambda part: part, parts, meta=parts[0].iloc[:0], enforce_metadata=False)


def frame(n_rows=60, seed=0):
    rng = np.random.default_rng(seed)
    data = {
        "size": rng.standard_normal(n_rows),
        "count": rng.integers(0, 9, n_rows),
        "yes": rng.random(n_rows) < 0.5,
        "constant": np.ones(n_rows),
    }
    y = (data["size"] + data["count"] / 4 > 1).astype(int)
    return pd.DataFrame(data), y


@pytest.mark.parametrize("npartitions", [1, 4])
@pytest.mark.filterwarnings("ignore:.*asked for:UserWarning")
def test_frames(npartitions):
    X, y = frame()
    collection = dd.from_pandas(X, npartitions=npartitions)
    for selector in (InformationSelector(), FilterSelector(), GramSchmidt()):
        found = chunked.require_same(selector, X, collection, y)
        assert found.feature_names_in_.tolist() == list(X.columns)
    found = FilterSelector(n_features_to_select=2).fit(collection, dd.from_pandas(pd.Series(y)))
    kept = found.transform(collection)
    assert isinstance(kept, dd.DataFrame)
    pd.testing.assert_frame_equal(kept.compute(), X[found.get_feature_names_out()])


def test_transform_of_an_array_computes_nothing():
    X, y = wide(60, 10)
    collection = da.from_array(X, chunks=(20, 10))
    selector = FilterSelector(n_features_to_select=3).fit(collection, y)
    never = da.map_blocks(lambda _: 1 / 0, collection, dtype=bool)
    assert selector.transform(never).shape == (60, 3)
    kept = selector.transform(collection).compute()
    assert kept.tolist() == X[:, selector.get_support()].tolist()


def test_an_empty_partition_and_classes_missing_in_some():
    X, y = frame()
    order = np.argsort(y, kind="stable")
    X, y = X.iloc[order], y[order]
    parts = partitions(X[:20], X[:0], X[20:35], X[35:])
    for selector in (InformationSelector(), FilterSelector(n_features_to_select=2)):
        chunked.require_same(selector.set_params(n_features_to_select=2), X, parts, y)


# ---- bad input ----


def refused(X, y, message, selector=None):
    for one in [selector] if selector else [InformationSelector(), FilterSelector(), GramSchmidt()]:
        with pytest.raises(ValueError, match=message):
            one.set_params(n_features_to_select=1).fit(X, y)


def test_unknown_chunks():
    X, y = frame()
    unknown = dd.from_pandas(X, npartitions=2).to_dask_array()
    refused(unknown, y, r"unknown chunk sizes; call X\.compute_chunk_sizes\(\)")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_cells_that_are_no_numbers(value):
    X, y = frame()
    X.loc[50, "size"] = value
    what = "NaN" if np.isnan(value) else "infinity"
    refused(dd.from_pandas(X, npartitions=4), y, rf"{what} in column 'size' \(partition 3\)")
    array = da.from_array(X.to_numpy(float), chunks=(20, 1))
    refused(array, y, rf"{what} in column 0 \(row chunk 2\)")


def test_nan_may_be_a_level():
    X, y = frame()
    X.loc[X["size"] > 1.5, "size"] = np.nan
    selector = InformationSelector(missing="category", n_features_to_select=2)
    chunked.require_same(selector, X, dd.from_pandas(X, npartitions=3), y)
    X.loc[3, "size"] = np.inf
    refused(dd.from_pandas(X, npartitions=3), y, "infinity in column 'size'", selector)


def test_partitions_that_differ():
    X, y = frame()
    first, second = X[:30], X[30:]
    refused(partitions(first, second.drop(columns="yes")), y, "Partition 1 of X lacks column 'yes'")
    refused(
        partitions(first, second.assign(more=1)), y, "Partition 1 of X also has a column 'more'"
    )
    refused(partitions(first, second[second.columns[::-1]]), y, "Partition 1 .* another order")
    text = second.assign(size="tall")
    refused(partitions(first, text), y, "Column 'size' holds .*, not numbers")
    refused(partitions(first, second.assign(yes=0.5)), y, "Partition 1 .* float64 in column 'yes'")


def test_text_and_twice_the_same_name():
    X, y = frame()
    refused(dd.from_pandas(X.assign(name="a"), npartitions=2), y, "Column 'name' holds str")
    twice = dd.from_pandas(X.rename(columns={"yes": "size"}), npartitions=2)
    refused(twice, y, "Column name 'size' stands 2 times")


def test_a_target_of_another_length():
    X, y = frame()
    refused(dd.from_pandas(X, npartitions=2), y[:-1], "X has 60 rows and y has 59")
    refused(da.from_array(X.to_numpy(float)), da.ones(61, chunks=7), "X has 60 rows and y has 61")


def test_shapes():
    refused(da.ones((2, 2, 2)), [0, 1], "3 dimensions")
    refused(da.ones((1, 2)), [0], "1 sample")
    refused(da.ones((3, 0)), [0, 1, 1], "0 feature")
    with pytest.raises(TypeError, match="give an array or a data frame"):
        columns.open(FilterSelector(), dd.from_pandas(pd.Series([1])))


def test_other_columns_at_transform():
    X, y = frame()
    selector = FilterSelector(n_features_to_select=1).fit(dd.from_pandas(X), y)
    with pytest.raises(ValueError, match="3 features, but FilterSelector is expecting 4"):
        selector.transform(dd.from_pandas(X.drop(columns="yes")))
    with pytest.raises(ValueError, match="Column 0 of X is 'constant', and was 'size'"):
        selector.transform(dd.from_pandas(X[X.columns[::-1]]))


def test_a_method_that_needs_the_whole_table_says_so(monkeypatch):
    X, y = wide(40, 5)
    selector = FilterSelector(lambda X, y: X.mean(axis=0), n_features_to_select=2)
    chunked.require_same(selector, X, da.from_array(X, chunks=10), y)
    monkeypatch.setattr(grid, "LOADED", 100)
    with pytest.raises(ValueError, match=r"needs the whole table in memory at once"):
        selector.fit(da.from_array(X), y)
