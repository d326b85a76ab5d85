"""OptimalFeatureWeighting: what it learns, how it goes on, what it says when it goes wrong."""

import pickle
import subprocess
import sys
from itertools import product

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from handful import OptimalFeatureWeighting
from handful.solvers.weighting import State, learn, load, settings_of
from handful.solvers.weighting.checkpoint import save
from handful.solvers.weighting.judges import judge_of
from handful.stopping import EmpiricalProbe


def problem(n_rows=80, n_columns=40, seed=0):
    """Two classes, told apart by columns 5 and 17 together better than by either."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns))
    return X, X[:, 5] + X[:, 17] > 0


X, y = problem()
OFW = OptimalFeatureWeighting
OPTIMIZERS = ["riemannian", "multiplicative", "euclidean", "clipped", "diffusion"]


def model(optimizer="riemannian", **more):
    clip = optimizer == "clipped"
    given = {"max_iter": 150, "random_state": 0, "clip": clip, "sample_size": 40, **more}
    return OFW(2, optimizer="euclidean" if clip else optimizer, **given)


# ---- what it learns ----


@pytest.mark.parametrize(
    ("optimizer", "base"),
    [
        *product(["riemannian", "multiplicative"], ["svm", "knn", "tree"]),
        ("clipped", "svm"),
        ("diffusion", "tree"),
    ],
)
def test_columns_that_tell_the_classes_apart_get_the_weight(optimizer, base):
    # differences take longer than factors
    n_steps = 400 if optimizer in ("riemannian", "multiplicative") else 1500
    found = model(optimizer, base=base, max_iter=n_steps).fit(X, y)
    assert sorted(found.selection_order_.tolist()) == [5, 17]
    assert found.weights_[[5, 17]].min() > 2 / 40
    history = found.history_
    assert history.energy[-4:].mean() < history.energy[:4].mean() - 0.02
    assert history.entropy[-1] < history.entropy[0]
    assert found.n_iter_ == n_steps
    assert found.n_evaluations_ == n_steps * 8 + 200


@pytest.mark.parametrize("optimizer", ["riemannian", "multiplicative"])
def test_any_classifier_and_the_compiled_ones_agree(optimizer):
    """The same draws, learned from by scikit-learn's neighbours and by the core's."""
    given = {"optimizer": optimizer, "max_iter": 20, "sample_size": 30, "random_state": 0}
    rounded = X.round(2)  # few ties of distances
    compiled = OFW(base="knn", n_neighbors=1, **given).fit(rounded, y)
    fitted = OFW(base=KNeighborsClassifier(1), **given).fit(rounded, y)
    np.testing.assert_allclose(fitted.weights_, compiled.weights_, rtol=1e-9)
    two = OFW(base=KNeighborsClassifier(1), n_jobs=2, **given).fit(rounded, y)
    assert two.weights_.tobytes() == fitted.weights_.tobytes()


@pytest.mark.parametrize("error", ["plain", "balanced"])
def test_the_error_of_a_rare_class(error):
    rare = np.arange(80) % 10 == 0
    found = OFW(base=GaussianNB(), error=error, max_iter=3, random_state=0).fit(X, rare)
    compiled = model(error=error, max_iter=30).fit(X, rare)
    # hardly anything can be learned here but "no", which errs for one row in ten and class in two
    low, high = (0.05, 0.2) if error == "plain" else (0.25, 0.5)
    assert low < found.history_.energy.mean() < high
    assert low < compiled.history_.energy.mean() < high


def test_the_exact_optimizer_is_where_the_others_go():
    iris, species = load_iris(return_X_y=True)
    given = {"base": "tree", "subset_size": 2, "random_state": 0}
    exact = OFW(optimizer="exact", batch_size=30, max_iter=100, **given).fit(iris, species)
    assert (np.diff(exact.history_.energy) <= 1e-15).all()
    drawn = OFW(max_iter=800, **given).fit(iris, species)
    assert set(exact.selection_order_[:2]) == set(drawn.selection_order_[:2]) == {2, 3}
    assert drawn.history_.energy[-8:].mean() < exact.history_.energy[0]


def test_several_tasks_at_once():
    other = X[:, 30] > 0
    both = model(tasks=other, max_iter=400).fit(X, y)
    assert set(model(max_iter=400).fit(X, y).selection_order_.tolist()) == {5, 17}
    assert both.weights_[30] > 3 * np.median(both.weights_)
    assert both.weights_[[5, 17]].min() > 2 * np.median(both.weights_)


def test_the_baseline_lets_multiplicative_weights_learn():
    """Without, they come to rest at weights in inverse proportion to errors: nearly all alike."""
    given = {"subset_size": 4, "step_size": 0.5, "max_iter": 1500}
    with_baseline = model("multiplicative", **given).fit(X, y)
    without = model("multiplicative", baseline=False, **given).fit(X, y)
    effective = [np.exp(found.history_.entropy[-1]) for found in (with_baseline, without)]
    assert effective[0] < 10 < 30 < effective[1]


def test_only_columns_above_the_prefilter():
    found = OFW(None, prefilter=0.1, max_iter=20, random_state=0).fit(X, y)
    assert 2 <= found.n_features_ < 40
    assert {5, 17} <= set(found.selection_order_.tolist())
    assert (found.weights_[~found.support_] == 0).all()


# ---- the same bits ----


@pytest.mark.parametrize("base", ["svm", "knn", "tree"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.filterwarnings("ignore:A step left the simplex:UserWarning")
def test_threads_change_no_bit(optimizer, base):
    one, four = (model(optimizer, base=base, n_jobs=n, max_iter=60).fit(X, y) for n in (1, 4))
    assert one.weights_.tobytes() == four.weights_.tobytes()
    assert one.history_.energy.tobytes() == four.history_.energy.tobytes()


def test_partial_fit_and_warm_start_go_on():
    whole = model(max_iter=200, step_size=0.5).fit(X, y)
    half = model(max_iter=100, step_size=0.5).fit(X, y)
    again = pickle.loads(pickle.dumps(half))
    half.partial_fit(X, y)
    assert half.weights_.tobytes() == whole.weights_.tobytes()
    assert half.n_iter_ == 200
    warm = again.set_params(warm_start=True).fit(X, y)
    assert warm.weights_.tobytes() == whole.weights_.tobytes()
    assert clone(warm).fit(X, y).n_iter_ == 100
    assert warm.set_params(warm_start=False).fit(X, y).n_iter_ == 100
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 40"):
        warm.partial_fit(X[:, :3], y)
    first = model().partial_fit(X, y)
    assert first.weights_.tobytes() == model().fit(X, y).weights_.tobytes()


def run_of(settings, state):
    from handful.columns import Dense

    parameters = {**OFW().get_params(), "n_neighbors": 3}
    codes = [y.astype(np.int32)]
    return learn(judge_of(Dense(X), state.columns, codes, parameters, 1), settings, state)


def fresh(end):
    return State(np.arange(40), np.full(40, 1 / 40), np.random.default_rng(3), end=end)


@pytest.mark.parametrize("optimizer", ["riemannian", "diffusion"])
def test_a_run_taken_up_from_a_file_is_one_that_was_never_broken_off(tmp_path, optimizer):
    given = {**OFW(optimizer=optimizer, tol=1e-12).get_params(), "max_iter": 300}
    settings = settings_of(given, 80, 40)
    *_, whole = run_of(settings, fresh(300))
    broken = run_of(settings, fresh(300))
    for _ in range(5):
        state = next(broken)
    save(state, tmp_path / "run", "mark")
    *_, taken_up = run_of(settings, load(tmp_path / "run", "mark"))
    assert taken_up.weights.tobytes() == whole.weights.tobytes()
    assert taken_up.history == whole.history
    assert (taken_up.stopped, taken_up.n_steps) == (whole.stopped, 300)
    with pytest.raises(ValueError, match=r"run is of a run with other parameters"):
        load(tmp_path / "run", "another")


def test_a_checkpoint_of_a_fit(tmp_path):
    file = tmp_path / "run.npz"
    first = model(checkpoint=file).fit(X, y)
    assert first.weights_.tobytes() == model().fit(X, y).weights_.tobytes()
    again = model(checkpoint=file).fit(X, y)
    assert again.n_evaluations_ == first.n_evaluations_
    assert again.weights_.tobytes() == first.weights_.tobytes()
    with pytest.raises(ValueError, match="other parameters, classes or rows"):
        model(checkpoint=file, C=2.0, subset_size=3).fit(X, y)
    rule = model(checkpoint=file).set_params(n_features_to_select=EmpiricalProbe())
    with pytest.raises(ValueError, match="EmpiricalProbe ranks several tables, and a checkpoint"):
        rule.fit(X, y)


# ---- when it goes wrong, and when it is over ----


def test_a_collapse_is_caught_undone_and_said():
    noise = np.random.default_rng(4).standard_normal((60, 300))
    noise[:, :30] += 0.8 * y[:60, None]
    with pytest.warns(UserWarning, match=r"Steps were too large: .* taken back \d+ times"):
        found = model(step_size=200.0, subset_size=30, max_iter=400).fit(noise, y[:60])
    steps = found.history_.step
    assert steps[-1] < steps[0]
    assert found.history_.average[-1] <= found.history_.average.max()
    calm = model(subset_size=30, max_iter=400).fit(noise, y[:60])
    assert calm.history_.energy[-4:].mean() < found.history_.average.max()
    assert np.exp(calm.history_.entropy[-1]) > 30


def test_a_euclidean_run_that_leaves_the_simplex_ends_with_a_word():
    with pytest.warns(UserWarning, match=r"A step left the simplex after .* clip=True"):
        found = model("euclidean", step_size=0.01).fit(X, y)
    assert found.history_.stopped == "simplex"
    assert found.n_iter_ < 150
    assert found.weights_.min() > 0
    assert found.weights_.sum() == pytest.approx(1, abs=1e-12)


def test_the_steps_follow_their_formula_and_the_run_stops_at_rest():
    found = model(step_size=3.0, step_offset=10, max_iter=100).fit(X, y)
    starts = np.concatenate([[0], found.history_.iteration[:-1]])
    np.testing.assert_allclose(found.history_.step, 3.0 / (starts + 10))
    rest = model(step_size=1e-6, tol=1e-3, window=4, patience=3).fit(X, y)
    # compared at steps n with n - n // 4 that of the test before: 4, 5, 6, 8; the first has nothing
    assert (rest.history_.stopped, rest.n_iter_) == ("tol", 8)
    assert model(tol=1e-9).fit(X, y).history_.stopped == "max_iter"


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"optimizer": "newton"}, ValueError, "optimizer='newton' is not known"),
        ({"base": "forest"}, ValueError, "base='forest' is not known"),
        ({"base": 3}, TypeError, "or a classifier, not 3"),
        ({"metric": "cosine"}, ValueError, "metric='cosine'"),
        ({"error": "none"}, ValueError, "error='none'"),
        ({"subset_size": 0}, ValueError, "subset_size=0 must be at least 1"),
        ({"window": 1}, ValueError, "window=1 must be at least 2"),
        ({"step_size": 0}, ValueError, "step_size=0 is out of range"),
        ({"sigma": -1.0}, ValueError, r"sigma=-1.0 is out of range"),
        ({"clip": True}, ValueError, "clip=True is for optimizer='euclidean'"),
        ({"optimizer": "exact"}, ValueError, r"40\*\*13 is more than 1,000,000"),
        ({"tasks": [0, 1]}, ValueError, r"tasks has shape \(2,\).* each of the 80 rows"),
        ({"tasks": np.ones(80)}, ValueError, r"A task puts all rows into one class \(1.0\)"),
    ],
)
def test_bad_parameters(given, error, message):
    with pytest.raises(error, match=message):
        OFW(**given).fit(X, y)


_LARGE = """
import resource
import numpy as np
from sklearn import config_context
from handful import OptimalFeatureWeighting

# of memory that is not a file's; whoever wants more gets a MemoryError
resource.setrlimit(resource.RLIMIT_DATA, (2**30, 2**30))
n_rows, n_columns = 5_000, 500_000
table = np.memmap({path!r}, np.float64, "w+", shape=(n_rows, n_columns))
table[0, ::2] = 1  # the other columns are constant
assert table.nbytes == 20 * 10**9
y = np.arange(n_rows) % 2
with config_context(assume_finite=True):
    model = OptimalFeatureWeighting(5, max_iter=20, sample_size=20, random_state=0).fit(table, y)
assert len(model.weights_) == n_columns
assert (model.selection_order_ % 2 == 0).all()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems limit memory in other ways")
def test_twenty_gigabytes_in_a_file_need_less_than_one_in_memory(tmp_path):
    code = _LARGE.format(path=str(tmp_path / "table"))
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
