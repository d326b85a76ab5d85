"""The generators follow the distributions that the papers state."""

import numpy as np
import pytest
from scipy import sparse

from handful.datasets import generators


def _labels(y):
    return np.unique(y).tolist()


@pytest.mark.parametrize(
    "make",
    [
        generators.make_linear_process,
        generators.make_linear_separator,
        generators.make_xor,
        generators.make_neural_network,
        generators.make_nonlinear_toy,
        generators.make_ternary,
        lambda random_state: generators.make_latent_signals(60, 5_000, random_state=random_state),
    ],
)
def test_a_seed_settles_everything(make):
    first, again, other = make(random_state=3), make(random_state=3), make(random_state=4)
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert (first.X != other.X).any()
    assert first.relevant.max() < first.X.shape[1]


def test_linear_process_is_a_combination_of_the_first_five():
    X, y, relevant = generators.make_linear_process(4000, noise_variance=0.02, random_state=0)
    coefficients, residual, *_ = np.linalg.lstsq(X, y, rcond=None)
    assert relevant.tolist() == [0, 1, 2, 3, 4]
    assert np.abs(coefficients[5:]).max() < 0.02 < np.abs(coefficients[:5]).min()
    assert residual[0] / 4000 == pytest.approx(0.02, rel=0.1)


def test_linear_separator_flips_exactly_a_tenth():
    X, y, _ = generators.make_linear_separator(random_state=0)
    assert X.shape == (1200, 240)
    assert _labels(y) == [-1, 1]
    # the best line through the two true columns errs on the flipped tenth, give or take
    angles = np.linspace(0, 2 * np.pi, 3600, endpoint=False)
    errors = [np.mean(np.sign(X[:, 0] * np.cos(a) + X[:, 1] * np.sin(a)) != y) for a in angles]
    assert min(errors) == pytest.approx(0.1, abs=0.003)
    np.testing.assert_allclose(X.std(axis=0), 1, atol=0.15)


def test_linear_separator_repeats_and_mixes_idle_columns_only():
    X, _, _ = generators.make_linear_separator(
        500, 42, dependent=0.25, repeated=0.25, random_state=1
    )
    assert np.linalg.matrix_rank(X) == 42 - 20
    assert np.linalg.matrix_rank(X[:, 2:]) == 20
    with pytest.raises(ValueError, match="below 1"):
        generators.make_linear_separator(dependent=0.5, repeated=0.5)


def test_xor_says_nothing_column_by_column():
    X, y, _ = generators.make_xor(20_000, 2, random_state=0)
    assert np.abs([np.corrcoef(X[:, j], y)[0, 1] for j in range(4)]).max() < 0.02
    assert np.mean(np.sign(X[:, 0] * X[:, 1]) == y) > 0.98
    assert np.abs(X[:, 2:]).max() <= 2
    assert X[y == 1, 0].var() == pytest.approx(1 + 0.4**2, rel=0.02)


def test_neural_network_has_the_stated_potential_and_noise():
    quiet = generators.make_neural_network(2000, noise_std=0, potential_std=5, random_state=0)
    noisy = generators.make_neural_network(2000, noise_std=1, potential_std=5, random_state=0)
    assert np.std(noisy.y - quiet.y) == pytest.approx(1, rel=0.05)
    weights = np.sqrt(0.1) * np.random.default_rng(0).standard_normal((10, 5))
    potential = quiet.X[:, :10] @ weights
    assert np.sqrt(np.mean(potential.var(axis=0))) == pytest.approx(5, rel=0.05)


def test_nonlinear_toy_has_the_four_stated_clouds():
    X, y, _ = generators.make_nonlinear_toy(40_000, random_state=0)
    assert X.shape[1] == 52
    assert np.mean(y) == pytest.approx(0, abs=0.02)
    right = (y == -1) & (X[:, 1] > 0)
    np.testing.assert_allclose(X[right, :2].mean(axis=0), [0.75, 3], atol=0.03)
    right = (y == 1) & (X[:, 1] > 0)
    np.testing.assert_allclose(X[right, :2].mean(axis=0), [-3, 3], atol=0.03)
    assert X[:, 2:].var() == pytest.approx(20, rel=0.01)


def test_ternary_marginals():
    X, y, _ = generators.make_ternary(60_000, random_state=0)
    # P(variable 1 is 1 | class 0) = 0.9 (two of three blocks hold it) + the uniform remainder
    expected = 0.6 + 0.4 / 3
    assert np.mean(X[y == 0, 0] == 1) == pytest.approx(expected, abs=0.01)
    assert np.mean(X[y == 1, 0] == 1) == pytest.approx(1 / 3, abs=0.01)
    assert np.mean(X[:, 50] == 1) == pytest.approx(1 / 3, abs=0.01)
    assert _labels(y) == [0, 1, 2]


def test_latent_signals_sparse_and_dense_are_one_table():
    options = {"n_positives": 9, "density": 0.02, "random_state": 5}
    dense = generators.make_latent_signals(120, 9_000, **options)
    packed = generators.make_latent_signals(120, 9_000, sparse=True, **options)
    assert dense.X.dtype == bool
    assert sparse.issparse(packed.X)
    assert packed.X.format == "csc"
    np.testing.assert_array_equal(packed.X.toarray(), dense.X)
    assert dense.y.sum() == 9
    assert dense.X[:, dense.X.sum(axis=0) > 0].mean() < 0.05
    assert dense.X[dense.y == 0].mean() == pytest.approx(0.02, abs=0.002)


def test_latent_signals_copies_carry_the_class_and_noise_does_not():
    X, y, relevant = generators.make_latent_signals(2_000, 3_000, random_state=0)
    gap = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    noise = np.setdiff1d(np.arange(3_000), relevant)
    assert np.abs(gap[noise]).max() < 0.1
    assert gap[relevant].mean() > 0.1
