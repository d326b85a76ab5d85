"""Inner products about the means."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from handful.columns import Dense, Sparse
from handful.solvers.gram import centred_gram, scaled_gram


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e3, 1e8])
@pytest.mark.parametrize("kind", [Dense, Sparse])
def test_about_the_means_whatever_they_are(offset, kind):
    rng = np.random.default_rng(0)
    X = np.round(64 * rng.standard_normal((12, 40))) / 64  # so that adding the offset is exact
    centred = X - X.mean(axis=0)
    table = kind(X + offset if kind is Dense else csr_array(X + offset))
    atol = 1e-9 * np.trace(centred @ centred.T)
    np.testing.assert_allclose(centred_gram(table), centred @ centred.T, rtol=0, atol=atol)
    scale = rng.random(40)
    expected = (centred * scale) @ (centred * scale).T
    np.testing.assert_allclose(scaled_gram(table, scale), expected, rtol=0, atol=atol)
