"""The papers' synthetic problems, where the right answer is known.

Each function draws one problem from a seed and returns a `Problem`: the table, the target and the
columns that matter. Where a paper leaves a number open, the number is a parameter and the docstring
says why its default was chosen.

Examples
--------
>>> from handful.datasets import make_xor
>>> X, y, relevant = make_xor(random_state=0)
>>> X.shape, relevant.tolist()
((100, 52), [0, 1])
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Seed = int | np.random.Generator | None


class Problem(NamedTuple):
    """A table with a known answer.

    Attributes
    ----------
    X : ndarray or scipy.sparse.csc_array of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    relevant : ndarray
        Indices of the columns that the target was made from, ascending.
    """

    X: NDArray
    y: NDArray
    relevant: NDArray[np.intp]


def make_linear_process(
    n_samples: int = 15,
    n_features: int = 10,
    n_relevant: int = 5,
    *,
    noise_variance: float = 0.02,
    random_state: Seed = None,
) -> Problem:
    """The simulated process of de Lagarde (1983): few rows, half of the columns without effect.

    Normal columns; the target is a combination of the first `n_relevant` of them, with normal
    coefficients, and normal noise. Stoppiglia et al. (2003), equation 5 and figure 1.

    Examples
    --------
    >>> make_linear_process(random_state=0).X.shape
    (15, 10)
    """
    rng = np.random.default_rng(random_state)
    X = rng.standard_normal((n_samples, n_features))
    coefficients = rng.standard_normal(n_relevant)
    noise = np.sqrt(noise_variance) * rng.standard_normal(n_samples)
    return Problem(X, X[:, :n_relevant] @ coefficients + noise, np.arange(n_relevant))


def make_linear_separator(
    n_samples: int = 1200,
    n_features: int = 240,
    *,
    flipped: float = 0.1,
    dependent: float = 0.1,
    repeated: float = 0.1,
    random_state: Seed = None,
) -> Problem:
    """Two true columns behind a random straight line, some labels flipped, many idle columns.

    Stoppiglia et al. (2003), section 6.1.1: 800 rows to learn from, 400 to test on, 238 idle
    columns, a tenth of the labels flipped. The labels are -1 and 1; exactly
    ``round(flipped * n_samples)`` of them are wrong.

    The paper says that some idle columns depend on or repeat others, without the percentages.
    Here `dependent` and `repeated` are shares of the idle columns, each made from independent
    idle columns only: mixtures of the TRUE columns would often lie closer to the separating line
    than either of them, and the paper's 100 of 100 could not come about.

    Examples
    --------
    >>> X, y, relevant = make_linear_separator(random_state=0)
    >>> X.shape, relevant.tolist()
    ((1200, 240), [0, 1])
    """
    rng = np.random.default_rng(random_state)
    n_idle = n_features - 2
    n_dependent, n_repeated = int(dependent * n_idle), int(repeated * n_idle)
    n_independent = n_idle - n_dependent - n_repeated
    if n_independent < min(1, n_idle):
        raise ValueError(
            f"dependent={dependent} and repeated={repeated} leave no independent column to "
            "build on; their sum must stay below 1."
        )
    true = rng.standard_normal((n_samples, 2))
    y = np.where(true @ rng.standard_normal(2) > 0, 1, -1)
    wrong = rng.choice(n_samples, round(flipped * n_samples), replace=False)
    y[wrong] *= -1
    independent = rng.standard_normal((n_samples, n_independent))
    # a dependent column is a mixture of two others, scaled back to unit variance
    pairs = rng.integers(n_independent, size=(2, n_dependent))
    angles = rng.uniform(0, 2 * np.pi, n_dependent)
    mixed = np.cos(angles) * independent[:, pairs[0]] + np.sin(angles) * independent[:, pairs[1]]
    copies = independent[:, rng.integers(n_independent, size=n_repeated)]
    return Problem(np.hstack([true, independent, mixed, copies]), y, np.arange(2))


def make_xor(
    n_per_class: int = 50,
    n_noise: int = 50,
    *,
    spread: float = 0.4,
    random_state: Seed = None,
) -> Problem:
    """Four clouds in exclusive-or positions, hidden among uniform columns.

    Stoppiglia et al. (2003), section 6.1.2: two classes of 50 rows each, from identical Gaussians
    centred at the corners (±1, ±1); 50 further columns are uniform in [-2, 2]. No single column
    says anything about the class; the product of the first two says all. The paper does not state
    the `spread` (standard deviation) of the clouds: 0.4 keeps them apart (0.6 % of each centre's
    rows cross an axis) yet fills the range of the idle columns.

    Examples
    --------
    >>> X, y, _ = make_xor(random_state=0)
    >>> bool(np.mean(np.sign(X[:, 0] * X[:, 1]) == y) > 0.95)
    True
    """
    rng = np.random.default_rng(random_state)
    y = np.repeat([1, -1], n_per_class)
    first = rng.choice([-1.0, 1.0], 2 * n_per_class)
    centres = np.column_stack([first, first * y])
    signal = centres + spread * rng.standard_normal(centres.shape)
    idle = rng.uniform(-2, 2, (2 * n_per_class, n_noise))
    return Problem(np.hstack([signal, idle]), y, np.arange(2))


def make_neural_network(
    n_samples: int = 4000,
    n_inputs: int = 10,
    n_hidden: int = 5,
    *,
    n_candidates: int = 20,
    potential_std: float = 3.0,
    noise_std: float = 0.1,
    random_state: Seed = None,
) -> Problem:
    """Rows answered by a random neural network that looks at half of the columns.

    Stoppiglia et al. (2003), section 6.1.3 and table 1: 2,000 rows to learn from and 2,000 to test
    on, 10 inputs, 5 sigmoid (tanh) hidden neurons, a linear output with added noise, and 20
    candidate columns of which 10 are idle. All weights come from a Gaussian of variance 0.1. The
    inputs' scale is set so that the hidden potentials have standard deviation `potential_std` on
    average over the neurons: the larger, the less linear.

    Examples
    --------
    >>> X, y, relevant = make_neural_network(random_state=0)
    >>> X.shape, relevant.size
    ((4000, 20), 10)
    """
    rng = np.random.default_rng(random_state)
    weights = np.sqrt(0.1) * rng.standard_normal((n_inputs, n_hidden))
    output = np.sqrt(0.1) * rng.standard_normal(n_hidden)
    scale = potential_std / np.sqrt(np.mean(np.sum(weights**2, axis=0)))
    X = scale * rng.standard_normal((n_samples, n_candidates))
    noise = noise_std * rng.standard_normal(n_samples)
    return Problem(X, np.tanh(X[:, :n_inputs] @ weights) @ output + noise, np.arange(n_inputs))


def make_nonlinear_toy(
    n_samples: int = 50, n_features: int = 52, *, random_state: Seed = None
) -> Problem:
    """Two columns of four clouds that no line separates; the others are loud noise.

    Weston et al. (2000), as used by Ban & Inoue, section IV-A: both classes are equally likely;
    class -1 lies around (-3/4, -3) and (3/4, 3), class 1 around (3, -3) and (-3, 3), with unit
    variance; the remaining columns have variance 20.

    Examples
    --------
    >>> X, y, _ = make_nonlinear_toy(1000, random_state=0)
    >>> bool(X[:, 2:].var() > 19)
    True
    """
    rng = np.random.default_rng(random_state)
    centres = np.array([[[-0.75, -3.0], [0.75, 3.0]], [[3.0, -3.0], [-3.0, 3.0]]])
    label, cloud = rng.integers(2, size=(2, n_samples))
    signal = centres[label, cloud] + rng.standard_normal((n_samples, 2))
    idle = np.sqrt(20) * rng.standard_normal((n_samples, n_features - 2))
    return Problem(np.hstack([signal, idle]), 2 * label - 1, np.arange(2))


# Gadat & Younes, section 5.1.1: for each class its three blocks of variables, counted from 1.
_TERNARY_BLOCKS = (
    ((1, 3, 5, 7), (1, 5), (3, 7)),
    ((2, 4, 6, 8), (2, 4), (6, 8)),
    ((1, 4, 8, 9), (1, 8), (4, 9)),
)


def make_ternary(
    n_samples: int = 500, n_features: int = 100, *, q: float = 0.9, random_state: Seed = None
) -> Problem:
    """A hundred ternary variables, nine of them useful, some to more than one of three classes.

    Gadat & Younes (2007), section 5.1.1. A row of class i takes, with probability `q`, one of the
    class's three blocks of variables (each as likely as the others) and sets all of it to 1; every
    other variable is uniform on -1, 0, 1. The classes, 0 to 2, are equally likely. Variables 1, 4
    and 8 (counted from 1) serve two classes each.

    Examples
    --------
    >>> X, y, relevant = make_ternary(random_state=0)
    >>> np.unique(X).tolist(), relevant.size
    ([-1, 0, 1], 9)
    """
    rng = np.random.default_rng(random_state)
    X = rng.integers(-1, 2, size=(n_samples, n_features), dtype=np.int8)
    y = rng.integers(3, size=n_samples)
    block = rng.integers(3, size=n_samples)
    structured = rng.random(n_samples) < q
    for label, blocks in enumerate(_TERNARY_BLOCKS):
        for number, variables in enumerate(blocks):
            rows = structured & (y == label) & (block == number)
            X[np.ix_(rows, np.array(variables) - 1)] = 1
    return Problem(X, y, np.arange(9))


def make_latent_signals(
    n_samples: int = 500,
    n_features: int = 43_904,
    *,
    n_latent: int = 200,
    n_positives: int | None = None,
    density: float = 0.5,
    informative: float = 0.5,
    sparse: bool = False,
    random_state: Seed = None,
) -> Problem:
    """Wide binary tables like Fleuret's faces and molecules: many weak copies of a few signals.

    There are `n_latent` binary signals. In each of them a share of the positive rows, the signal's
    strength (uniform up to 0.8), is switched on besides the ones that `density` alone would give.
    A column is, with probability `informative`, a copy of one signal in which each row is kept
    with the column's own fidelity (uniform between one half and 1) and drawn afresh otherwise;
    else it is noise. `relevant` lists the copies.

    Fleuret (2004), sections 5 and 6: ``make_latent_signals(500, 43_904)`` has the shape of the
    face data, ``make_latent_signals(1909, 139_351, n_positives=42, density=0.01)`` that of the
    thrombin molecules. With ``sparse=True`` the table is a CSC array with the same entries.

    Examples
    --------
    >>> X, y, relevant = make_latent_signals(100, 2_000, random_state=0)
    >>> X.dtype, X.shape, int(y.sum())
    (dtype('bool'), (100, 2000), 50)
    """
    rng = np.random.default_rng(random_state)
    n_positives = n_samples // 2 if n_positives is None else n_positives
    y = np.zeros(n_samples, dtype=np.int8)
    y[rng.choice(n_samples, n_positives, replace=False)] = 1
    strength = rng.uniform(0, 0.8, n_latent)
    latent = rng.random((n_samples, n_latent)) < density
    latent |= (rng.random((n_samples, n_latent)) < strength) & (y[:, None] == 1)
    source = np.where(
        rng.random(n_features) < informative, rng.integers(n_latent, size=n_features), -1
    )
    fidelity = rng.uniform(0.5, 1, n_features).astype(np.float32)
    blocks = [
        _copies(latent, source[start : start + 4096], fidelity[start : start + 4096], density, rng)
        for start in range(0, n_features, 4096)
    ]
    return Problem(_joined(blocks, sparse), y, np.flatnonzero(source >= 0))


def _copies(
    latent: NDArray, source: NDArray, fidelity: NDArray, density: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """One block of columns; blocks keep the random numbers in the cache and the memory low."""
    shape = (len(latent), len(source))
    fresh = rng.random(shape, dtype=np.float32) < density
    kept = (rng.random(shape, dtype=np.float32) < fidelity) & (source >= 0)
    return np.where(kept, latent[:, source], fresh)


def _joined(blocks: list[NDArray], sparse: bool) -> Any:
    if not sparse:
        return np.hstack(blocks)
    from scipy.sparse import csc_array, hstack

    return csc_array(hstack([csc_array(block) for block in blocks], format="csc"))
