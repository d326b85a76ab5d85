"""What a Gaussian kernel machine loses with a column, against a new kernel for each."""

import numpy as np
import oracles_ensemble
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handful.columns import Dense, Sparse
from handful.solvers import removal
from handful.solvers.removal import Removal


def expected(X, gamma, beta):
    kernel = oracles_ensemble.rbf_kernel(X, gamma)
    without = [
        oracles_ensemble.rbf_kernel(np.delete(X, k, axis=1), gamma) for k in range(X.shape[1])
    ]
    return kernel, np.array([[b @ (kernel - other) @ b for other in without] for b in beta])


@pytest.mark.parametrize("held", [True, False])
@given(
    seed=st.integers(0, 2**32),
    power=st.floats(-3, 3),
    offset=st.sampled_from([0.0, 1e4]),
    loud=st.booleans(),
)
def test_every_column_removed(monkeypatch_module, held, seed, power, offset, loud):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(2, 12), rng.integers(1, 7)
    X = np.round(8 * rng.standard_normal((n, d))) / 8
    X[:, 0] *= 100 if loud else 1  # a column that alone keeps rows apart
    beta = rng.standard_normal((3, n))
    monkeypatch_module.setattr(removal, "_HELD", 1 << 26 if held else 0)
    monkeypatch_module.setattr(removal, "_PART", 20)
    found = Removal(Dense(X + offset), 10**power)
    kernel, lost = expected(X, 10**power, beta)
    np.testing.assert_allclose(found.kernel(), kernel, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.lost(found.kernel(), beta), lost, rtol=1e-8, atol=1e-8)
    if d > 2:
        places = np.array([0, 2])
        found.keep(places)
        kernel, lost = expected(X[:, places], 10**power, beta)
        np.testing.assert_allclose(found.lost(found.kernel(), beta), lost, rtol=1e-8, atol=1e-8)


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


def test_values_too_small_for_a_difference_of_kernels():
    """Rows so far apart that a kernel with and without a column are both below 1e-100."""
    X = np.array([[0.0, 0.0, 0.0], [14.0, 6.0, 5.0]])
    found = Removal(Dense(X), 1.0)
    lost = found.lost(found.kernel(), np.array([[1.0, -1.0]]))[0]
    apart = (X[1] - X[0]) ** 2
    np.testing.assert_allclose(lost, 2 * np.exp(apart - apart.sum()) * -np.expm1(-apart))


def test_sparse_tables():
    from scipy.sparse import csr_array

    X = np.random.default_rng(0).integers(0, 3, (9, 5)).astype(float)
    one, other = Removal(Dense(X), 0.3), Removal(Sparse(csr_array(X)), 0.3)
    assert one.kernel().tobytes() == other.kernel().tobytes()
