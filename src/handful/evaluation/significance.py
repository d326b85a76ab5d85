"""Significance: is one method better than another, or did the folds fall well for it?

References
----------
Fleuret (2004), Fast binary feature selection with conditional mutual information, JMLR 5, section
6.1: `two_proportion_score`. Nadeau and Bengio (2003), Inference for the generalization error,
Machine Learning 52: `corrected_resampled_test`. Yang and Liu (1999), A re-examination of text
categorization methods, SIGIR: `paired_test` over categories, as Li and Yang (2005) use it.
"""

from dataclasses import dataclass
from math import copysign, inf, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from handful import checks


@dataclass(frozen=True)
class TTest:
    """What a t test of paired differences found.

    Attributes
    ----------
    difference : float
        The mean of the differences.
    lower, upper : float
        Its confidence interval at `level`.
    statistic : float
    degrees : int
        Degrees of freedom.
    p_value : float
        Two-sided.
    level : float
    """

    difference: float
    lower: float
    upper: float
    statistic: float
    degrees: int
    p_value: float
    level: float


def two_proportion_score(error: float, reference: float, n: int, n_reference: int = 0) -> float:
    """By how many standard errors an error rate is above a reference, as Fleuret's tables print.

    Both rates count as means of independent Bernoulli variables, so the score is
    ``(e - e*) / sqrt(e (1 - e) / n + e* (1 - e*) / n*)``: negative where `error` is the better one.
    (The tables' heading has the difference the other way round; the numbers below it are these.)

    Parameters
    ----------
    error, reference : float
        Error rates, from 0 to 1.
    n : int
        Number of rows that `error` is the mean of; over all rounds, where there are several.
    n_reference : int
        The same for `reference`; 0: as many.

    Examples
    --------
    Table 1 of the paper, CMIM + SVM against CMIM + naive Bayes, 25 rounds of 500 test images:

    >>> round(two_proportion_score(0.0112, 0.0152, 12500), 2)
    -2.77
    """
    checks.real("error", error, 0, 1, closed="both")
    checks.real("reference", reference, 0, 1, closed="both")
    checks.whole("n", n)
    checks.whole("n_reference", n_reference, 0)
    variance = error * (1 - error) / n + reference * (1 - reference) / (n_reference or n)
    return _ratio(error - reference, sqrt(variance))


def corrected_resampled_test(
    differences: ArrayLike, *, n_train: float, n_test: float, level: float = 0.95
) -> TTest:
    """The t test for differences over folds whose training rows overlap.

    Folds share most of their training rows, so their results vary less than results on new data
    would, and the usual t test finds differences where there are none. The variance is therefore
    multiplied by ``1 / n_folds + n_test / n_train`` in place of ``1 / n_folds``.

    Parameters
    ----------
    differences : array-like of shape (n_folds,)
        One method's error minus another's, fold by fold. A method's error minus a constant gives
        the interval of that error.
    n_train, n_test : float
        Rows per fold to learn from and to test on; means, where folds differ.
    level : float
        Of the confidence interval.

    Examples
    --------
    >>> found = corrected_resampled_test([0.1, 0.3, 0.2, 0.0, 0.4], n_train=80, n_test=20)
    >>> round(found.difference, 2), round(found.statistic, 3), round(found.p_value, 3)
    (0.2, 1.886, 0.132)
    """
    checks.real("n_train", n_train, 0)
    checks.real("n_test", n_test, 0)
    return _t_test(differences, n_test / n_train, level)


def paired_test(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> TTest:
    """The t test for two methods' scores on the same independent cases, such as text categories.

    Parameters
    ----------
    first, second : array-like of shape (n_cases,)
        For example the F1 of each category, from ``f1_score(Y, answers, average=None)``.
    level : float
        Of the confidence interval of the mean difference, first minus second.

    Examples
    --------
    >>> found = paired_test([0.9, 0.6, 0.7, 0.8], [0.8, 0.5, 0.7, 0.6])
    >>> round(found.difference, 2), round(found.statistic, 2), round(found.p_value, 3)
    (0.1, 2.45, 0.092)
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.shape != b.shape:
        raise ValueError(f"first has shape {a.shape} and second {b.shape}; pairs are needed.")
    return _t_test(a - b, 0.0, level)


def _t_test(differences: ArrayLike, overlap: float, level: float) -> TTest:
    checks.real("level", level, 0, 1)
    values: NDArray[np.float64] = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or len(values) < 2:
        raise ValueError(
            f"A t test needs a row of at least two differences, not shape {values.shape}."
        )
    n, mean = len(values), float(values.mean())
    # differences that are equal but for rounding have no spread
    spread = float(values.std(ddof=1))
    spread = 0.0 if spread <= 1e-14 * float(np.abs(values).max()) else spread
    error = spread * sqrt(1 / n + overlap)
    statistic = _ratio(mean, error)
    half = float(stdtrit(n - 1, (1 + level) / 2)) * error
    p_value = nan if np.isnan(statistic) else float(2 * stdtr(n - 1, -abs(statistic)))
    return TTest(mean, mean - half, mean + half, statistic, n - 1, p_value, level)


def _ratio(difference: float, error: float) -> float:
    """A difference in standard errors: 0 where both are 0, infinite where only the error is."""
    if error == 0:
        return 0.0 if difference == 0 else copysign(inf, difference)
    return difference / error
