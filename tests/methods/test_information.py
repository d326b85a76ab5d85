"""InformationSelector against a search that scores every column at every step."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import oracles
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_array, csr_array
from sklearn.metrics import mutual_info_score
from timing import best_of, require_within

from handful import InformationSelector, _core
from handful.columns import Bits, Dense
from handful.datasets import make_latent_signals
from handful.stopping import AnalyticProbe, EmpiricalProbe, StabilityThreshold


def fitted(X, y, weight=None, **parameters):
    parameters = {"n_features_to_select": None, **parameters}
    return InformationSelector(**parameters).fit(X, y, sample_weight=weight)


@st.composite
def problems(draw):
    """Levels and classes with ties, constants, copies, rare levels and columns that decide y."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows, n_columns = draw(st.integers(4, 90)), draw(st.integers(1, 24))
    n_classes, most = draw(st.integers(2, min(12, n_rows))), draw(st.sampled_from([2, 3, 4, 6, 14]))
    y = np.r_[np.arange(n_classes), rng.integers(n_classes, size=n_rows - n_classes)]
    y = rng.permutation(y)
    X = rng.integers(0, rng.integers(1, most + 1, n_columns), (n_rows, n_columns))
    X = np.where(rng.random(X.shape) < rng.choice([0, 0.3, 0.8], n_columns), y[:, None] % most, X)
    copies = rng.random(n_columns) < draw(st.sampled_from([0, 0.4]))
    X[:, copies] = X[:, rng.integers(n_columns, size=copies.sum())]
    X[:, rng.random(n_columns) < 0.1] = 3
    assume((X[0] != X).any())
    return X.astype(np.int8), y


# A quotient of two small differences of entropies loses the digits that ties are decided by.
CRITERIA = [criterion for criterion in _core.criteria if criterion != "mrmr_quotient"]


def choice(X, y, criterion, weight=None):
    return oracles.information_choice(X.T.tolist(), y.tolist(), X.shape[1], criterion, weight)


@pytest.mark.parametrize("criterion", CRITERIA)
@given(problem=problems())
@settings(max_examples=250, deadline=None)
def test_the_choice_is_that_of_scoring_all_at_every_step(criterion, problem):
    X, y = problem
    expected, scores, evaluations = choice(X, y, criterion)
    selector = fitted(X, y, criterion=criterion)
    assert selector.path_.features.tolist() == expected
    assert selector.path_.scores == pytest.approx(scores, abs=1e-9)
    assert selector.n_evaluations_ <= evaluations
    if criterion in ("cmim", "mim"):
        informative = sum(score > 1e-12 for score in scores)
        assert (selector.stopping_.warning is None) == (informative == len(expected))


@given(problems(), st.booleans())
@settings(max_examples=250, deadline=None)
def test_every_step_of_the_quotient_takes_one_of_the_best(problem, weighted):
    X, y = problem
    weight = np.random.default_rng(0).uniform(0.1, 3, len(y)) if weighted else np.ones(len(y))
    path = fitted(X, y, weight if weighted else None, criterion="mrmr_quotient").path_
    _, scores, _ = oracles.information_choice(
        X.T.tolist(), y.tolist(), X.shape[1], "mrmr_quotient", weight.tolist(), path.features
    )
    taken, best = np.transpose(scores)
    assert taken == pytest.approx(best, rel=1e-7)
    assert path.scores == pytest.approx(taken, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("criterion", CRITERIA)
@given(problem=problems(), seed=st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_weights_count_rows(criterion, problem, seed):
    X, y = problem
    rng = np.random.default_rng(seed)
    whole = rng.integers(1, 4, len(y))
    repeated = fitted(np.repeat(X, whole, axis=0), np.repeat(y, whole), criterion=criterion)
    weighted = fitted(X, y, criterion=criterion, weight=whole)
    assert weighted.path_.features.tolist() == repeated.path_.features.tolist()
    weight = rng.uniform(0.1, 3, len(y))
    expected, scores, _ = choice(X, y, criterion, weight.tolist())
    found = fitted(X, y, criterion=criterion, weight=weight).path_
    assert found.features.tolist() == expected
    assert found.scores == pytest.approx(scores, abs=1e-9)


@given(problems())
@settings(max_examples=300, deadline=None)
def test_boolean_columns_have_a_loop_of_their_own(problem):
    X, y = problem
    X = X > 1
    assume((X[0] != X).any())
    expected, *_ = choice(X, y, "cmim")
    for table in (X, np.asfortranarray(X), csc_array(X), csr_array(X), X.astype(float)):
        assert fitted(table, y).path_.features.tolist() == expected


@given(st.integers(0, 2**32), st.integers(2, 6))
@settings(max_examples=150, deadline=None)
def test_floats_are_cut_on_the_rows_that_are_fitted(seed, n_bins):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=60)
    X = rng.standard_normal((60, 8)) + (rng.random(8) < 0.4) * y[:, None]
    X[:, 0] = np.round(X[:, 0])
    columns = [oracles.levels(X[:, j].tolist(), n_bins, max(5, n_bins)) for j in range(8)]
    expected, *_ = oracles.information_choice(columns, y.tolist(), 8, "cmim")
    for table in (X, np.asfortranarray(X), csc_array(X)):
        assert fitted(table, y, n_bins=n_bins).path_.features.tolist() == expected


def test_first_scores_are_scikit_learns_mutual_information():
    X, y, _ = make_latent_signals(300, 200, random_state=0)
    selector = fitted(X, y, criterion="mim")
    expected = [mutual_info_score(y, column) for column in X.T]
    assert selector.scores_ == pytest.approx(expected, abs=1e-13)
    assert selector.n_evaluations_ == 0


@pytest.mark.parametrize("criterion", CRITERIA)
def test_two_columns_that_decide_only_together(criterion):
    a, b, other = np.array(list(np.ndindex(2, 2, 2)) * 4).T
    X, y = np.column_stack([a, other, b]), a ^ b
    expected, scores, _ = choice(X, y, criterion)
    for weight in (None, np.ones(len(y))):
        path = fitted(X, y, weight, criterion=criterion).path_
        assert path.features.tolist() == expected
        assert path.scores == pytest.approx(scores, abs=1e-12)


@pytest.mark.parametrize("criterion", ["mim", "cmim", "jmim"])
@pytest.mark.parametrize("n", [1, None])
def test_columns_that_tell_nothing_even_together_are_named_so(criterion, n):
    y, *columns = np.array(list(np.ndindex(2, 2, 2)) * 4).T
    selector = fitted(np.column_stack(columns), y, criterion=criterion, n_features_to_select=n)
    assert not selector.path_.scores.any()
    assert "After the first 0 columns" in selector.stopping_.warning


def test_tables_in_another_byte_order_or_inside_records():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 5)), np.arange(60) % 2
    records = np.zeros(X.shape, [("count", "u4"), ("value", "f8")])
    records["value"] = X
    expected = fitted(X, y).path_.features.tolist()
    for table in (X.astype(">f8"), X.astype("<f8"), records["value"]):
        assert fitted(table, y).path_.features.tolist() == expected


def test_a_table_without_columns_is_refused():
    for table in (Dense(np.zeros((10, 0))), Bits.packed(np.zeros((10, 0)))):
        with pytest.raises(ValueError, match="0 feature"):
            InformationSelector().fit(table, np.arange(10) % 2)


def test_weights_that_overflow_are_refused_and_their_scale_does_not_matter():
    X, y, _ = make_latent_signals(60, 20, random_state=0)
    expected = fitted(X, y).path_.features.tolist()
    for size in (1e-300, 1e290):
        assert fitted(X, y, np.full(60, size)).path_.features.tolist() == expected
    for size in (1e306, 1e308):
        with pytest.raises(ValueError, match="sample_weight adds up to"):
            fitted(X, y, np.full(60, size))


def test_a_copy_tells_nothing_new_to_cmim():
    X, y, _ = make_latent_signals(300, 60, random_state=1)
    doubled = np.hstack([X, X])
    once, twice = fitted(X, y, n_features_to_select=20), fitted(doubled, y, n_features_to_select=20)
    assert once.selection_order_.tolist() == twice.selection_order_.tolist()
    assert set(fitted(doubled, y, criterion="mim", n_features_to_select=2).selection_order_) == {
        int(once.selection_order_[0]),
        int(once.selection_order_[0]) + 60,
    }


def test_what_must_not_matter_does_not():
    X, y, _ = make_latent_signals(200, 400, random_state=2)
    levels = X[:, ::2].astype(np.int16) + X[:, 1::2]
    order = fitted(levels, y, n_features_to_select=30).selection_order_.tolist()
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(200)
    assert fitted(
        levels[shuffled], y[shuffled], n_features_to_select=30
    ).selection_order_.tolist() == (order)
    names = np.array(["sick", "healthy"])[y]
    assert fitted(levels, names, n_features_to_select=30).selection_order_.tolist() == order
    renamed = np.array([7, -3, 40])[levels]
    assert fitted(renamed, y, n_features_to_select=30).selection_order_.tolist() == order
    columns = rng.permutation(200)
    moved = fitted(levels[:, columns], y, n_features_to_select=30)
    assert columns[moved.selection_order_].tolist() == order


def test_float32_is_cut_at_the_same_rows():
    rng = np.random.default_rng(3)
    X = rng.integers(-500, 500, (150, 40)) / 8
    y = (X[:, 3] + X[:, 5] > 0).astype(int)
    wide, narrow = fitted(X, y), fitted(X.astype(np.float32), y)
    assert wide.path_.features.tolist() == narrow.path_.features.tolist()


def test_a_missing_value_is_a_level_of_its_own_or_refused():
    X, y, _ = make_latent_signals(200, 30, random_state=0)
    X = X.astype(float)
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    levels = np.where(np.isnan(X), 2, X).astype(np.int8)
    for table in (X, csr_array(X)):
        found = fitted(table, y, missing="category")
        assert found.path_.features.tolist() == fitted(levels, y).path_.features.tolist()
    assert found.transform(X).shape == X.shape
    with pytest.raises(ValueError, match="NaN in columns 0, 1, 2 and 27 more"):
        fitted(X, y)
    X[3, 5] = np.inf
    with pytest.raises(ValueError, match="infinity in column 5"):
        fitted(X, y, missing="category")
    with pytest.raises(ValueError, match="missing='drop' is not known; use 'error' or 'category'"):
        fitted(levels, y, missing="drop")


def test_constant_columns_are_never_chosen():
    X, y, _ = make_latent_signals(100, 30, random_state=0)
    X[:, [0, 7]] = False
    X[:, 29] = True
    with pytest.warns(UserWarning, match="30 features were asked for and 27 are kept"):
        selector = fitted(X, y, n_features_to_select=30)
    assert not selector.support_[[0, 7, 29]].any()
    assert np.isnan(selector.scores_[[0, 7, 29]]).all()
    assert selector.ranking_[[0, 7, 29]].tolist() == [28, 28, 28]


def test_when_nothing_is_left_to_learn_the_path_goes_on_by_index_and_says_so():
    y = np.array([0, 0, 1, 1] * 6)
    X = np.column_stack([np.arange(24) % 2, y, 1 - y, np.arange(24) % 4 // 2]).astype(bool)
    selector = fitted(X, y)
    assert selector.path_.features.tolist() == [1, 0, 2, 3]
    assert selector.path_.scores[1:].tolist() == [0, 0, 0]
    assert selector.stopping_.warning.startswith("After the first column no other tells more")


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_same_bits_for_every_number_of_threads(n_jobs):
    X, y, _ = make_latent_signals(300, 5000, random_state=0)
    one, more = (
        fitted(X, y, n_features_to_select=40),
        fitted(X, y, n_features_to_select=40, n_jobs=n_jobs),
    )
    assert one.path_.features.tolist() == more.path_.features.tolist()
    assert one.path_.scores.tolist() == more.path_.scores.tolist()
    assert one.n_evaluations_ == more.n_evaluations_


FULL_SIZE = {
    "faces": ((500, 43_904), {}, 50),
    "molecules": ((1909, 139_351), {"n_positives": 42, "density": 0.01}, 10),
}


@pytest.mark.parametrize("name", FULL_SIZE)
def test_at_most_three_percent_of_the_eager_evaluations(name):
    shape, options, n = FULL_SIZE[name]
    X, y, _ = make_latent_signals(*shape, random_state=0, **options)
    selector = fitted(X, y, n_features_to_select=n)
    assert 0 < selector.n_evaluations_ <= 0.03 * shape[1] * (n - 1)


MEMORY = """
import sys
from pathlib import Path
from handful import InformationSelector
from handful.datasets import make_latent_signals

def memory(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line.split()[1] for line in lines if line.startswith(field)))

shape, options, n = {shape}, {options}, {n}
X, y, _ = make_latent_signals(*shape, random_state=0, **options)
InformationSelector(n_features_to_select=3).fit(X[:, :50], y)  # loads what is loaded on first use
Path("/proc/self/clear_refs").write_text("5")  # the peak is measured anew
before = memory("VmRSS")
InformationSelector(n_features_to_select=n).fit(X, y)
print((memory("VmHWM") - before) / X.nbytes)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="needs Linux's /proc")
@pytest.mark.parametrize("name", FULL_SIZE)
def test_at_most_a_quarter_of_the_table_beside_it(name):
    """By the process's own peak, so that what the compiled core takes counts too."""
    shape, options, n = FULL_SIZE[name]
    code = MEMORY.format(shape=shape, options=options, n=n)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(ran.stdout) <= 0.25


def test_ties_in_nothing_get_no_votes():
    """Half of the rows say all there is to say with one column; the others would stand by index."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.integers(0, 2, (60, 50))
    X[:, 30] = y
    found = fitted(X, y, n_features_to_select=StabilityThreshold(0.9, n_features=5, random_state=0))
    assert found.selection_order_.tolist() == [30]
    assert found.path_.features.tolist() == [30]


def test_probes_end_the_path_early():
    X, y, _ = make_latent_signals(200, 300, random_state=0)
    rule = EmpiricalProbe(risk=0.2, n_rounds=9, random_state=0)
    selector = fitted(X, y, n_features_to_select=rule)
    assert 0 < selector.n_features_ < 100


def test_unknown_words_and_numbers():
    X, y = np.eye(6), np.arange(6) % 2
    with pytest.raises(ValueError, match=r"criterion='cmin' is not known.*'cmim'"):
        fitted(X, y, criterion="cmin")
    with pytest.raises(ValueError, match="n_bins=1 must be at least 2"):
        fitted(X, y, n_bins=1)
    with pytest.raises(ValueError, match="n_bins=300 must be at most 255"):
        fitted(X, y, n_bins=300)
    with pytest.raises(ValueError, match="n_bins='all' is not known; use 'auto'"):
        fitted(X, y, n_bins="all")
    with pytest.raises(ValueError, match="EmpiricalProbe, which works with all"):
        fitted(X, y, n_features_to_select=AnalyticProbe())
    with pytest.raises(ValueError, match="This method is for classification"):
        fitted(X, np.arange(6) + 0.5)


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
@best_of(3)
def test_an_interrupt_ends_a_long_fit_within_a_second():
    code = """
import numpy as np
from handful import InformationSelector, _core
rng = np.random.default_rng(0)
X = rng.standard_normal((3000, 4000))
y = rng.integers(2, size=3000)
print("ready", flush=True)
for _ in range(1000):
    InformationSelector(n_features_to_select=500, n_bins=40).fit(X, y)
"""
    running = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout.readline() == "ready\n"
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    start = time.perf_counter()
    _, errors = running.communicate(timeout=20)
    took = time.perf_counter() - start
    assert "KeyboardInterrupt" in errors
    require_within(1, took)
