"""Ridge regression that loses its columns, with the weights of a new fit each time.

``|Y - X W - intercept|^2 + alpha |W|^2``, the intercept by centring; rows weigh by their weights.
With more columns than rows everything is computed among rows (the dual), else among columns (the
primal). One column at a time is the compiled core's work; blocks of columns are products and one
factorisation, which BLAS does well.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, qr, svd
from threadpoolctl import threadpool_limits

from handful import _core
from handful.columns import Columns
from handful.solvers.backward import Plan
from handful.target import Target

# The smallest share of the largest pivot that leaves a Cholesky factor enough digits.
_PIVOT, _PIVOT_SINGLE = 1e-6, 1e-3
# From so many rows and columns on, factors are of single precision, and answers are refined.
_LARGE = 500
# What answers that cannot be refined to less, as a share of the targets, are not taken for.
_REFINED, _REFINEMENTS = 1e-13, 8
# Rows that are turned into columns at a time.
_ROWS = 64
# Smaller singular values, as shares of the largest, are rounding.
_RANK = 1e-13
# Among so many values of alpha, spread over the powers of ten around the mean eigenvalue.
_POWERS = np.linspace(6, -6, 25)
_N_FOLDS = 5


def centred(table: Columns, target: Target) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Columns and targets about their means, rows times the root of their weight, in float64."""
    weight = target.weight
    share = np.full(target.n_rows, 1 / target.n_rows) if weight is None else weight / weight.sum()
    X = _by_column(table.gather())
    Y = target.columns().astype(np.float64)
    for values in (X, Y):
        # twice: what rounding leaves of large means goes with the second
        values -= share @ values
        values -= share @ values
        if weight is not None:
            values *= np.sqrt(weight)[:, None]
    return X, Y


def _by_column(table: NDArray) -> NDArray[np.float64]:
    """A copy in which columns are contiguous; some rows at a time, so that the cache holds them."""
    answer = np.empty(table.shape, order="F")
    for start in range(0, len(table), _ROWS):
        answer[start : start + _ROWS] = table[start : start + _ROWS]
    return answer


def eliminate_one_by_one(
    X: NDArray, Y: NDArray, alpha: float, plan: Plan, weight: NDArray | None, n_jobs: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The columns of `centred` tables best first, and their scores, by single elimination."""
    left, kept = np.arange(X.shape[1]), plan.kept.copy()
    gone, scores = [], []
    # the same bits on every machine, and for the little that BLAS does here threads only wait
    with threadpool_limits(1, user_api="blas"):
        turned = _fewer_rows(X, Y, weight)
        while len(left):
            if kept[left].all():
                kept[:] = False
            found, judged = _as_far_as_it_goes(*turned, alpha, kept[left].view(np.uint8), n_jobs)
            gone.append(left[found])
            scores.append(judged)
            turned = np.delete(turned[0], found, axis=1), turned[1]
            left = np.delete(left, found)
    return np.concatenate(gone)[::-1], np.concatenate(scores)[::-1]


def _fewer_rows(X: NDArray, Y: NDArray, weight: NDArray | None) -> tuple[NDArray, NDArray]:
    """The same problem turned into fewer rows: as many as columns, or all but the mean's."""
    n_rows, n_columns = X.shape
    if n_rows > n_columns:
        (both,) = qr(np.hstack([X, Y]), mode="r", check_finite=False)
        return both[:n_columns, :n_columns], both[:n_columns, n_columns:]
    # a reflection that turns the direction of the means, in which nothing is left, to row 0
    mean = np.ones(n_rows) if weight is None else np.sqrt(weight)
    mean = mean / np.linalg.norm(mean)
    mean[0] += 1
    factor = mean[1:, None] / mean[0]
    return X[1:] - factor * (mean @ X), Y[1:] - factor * (mean @ Y)


def _as_far_as_it_goes(
    T: NDArray, Z: NDArray, alpha: float, kept: NDArray[np.uint8], n_jobs: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    rows, values, inverse = _sound(T, Z, alpha)
    columns, targets = np.ascontiguousarray(rows.T), np.ascontiguousarray(values.T)
    if inverse is not None:
        return _core.eliminate_dual(columns, targets, inverse, alpha, kept, n_jobs)
    n, below = len(columns), np.zeros((len(columns), len(targets)))
    system = np.block([[rows, values], [np.sqrt(alpha) * np.eye(n), below]])
    (factor,) = qr(system, mode="r", check_finite=False)
    parts = (np.ascontiguousarray(part) for part in (factor[:n, :n], factor[:n, n:]))
    return _core.eliminate_primal(columns, targets, *parts, alpha, kept)


def _sound(T: NDArray, Z: NDArray, alpha: float) -> tuple[NDArray, NDArray, NDArray | None]:
    """The problem in rows that can be told from rounding, and the inverse of ``T T' + alpha``.

    Where columns depend on each other and alpha is tiny, they fill fewer dimensions than there are
    rows, and what rounding leaves in the others would be divided by alpha: those are left out. No
    inverse where there are no more columns than rows.
    """
    n_rows, n_columns = T.shape
    dual = n_columns > n_rows
    factor = cholesky(T @ T.T if dual else T.T @ T, alpha)
    if factor is not None:
        return T, Z, cho_solve((factor, True), np.eye(n_rows)).T if dual else None
    U, sizes, turned = _svd(T)
    inverse = np.diag(1 / (sizes**2 + alpha)) if n_columns > len(sizes) else None
    return sizes[:, None] * turned, U.T @ Z, inverse


def cholesky(gram: NDArray, alpha: float) -> NDArray | None:
    """The lower factor of ``gram + alpha``, or None where it has too few digits."""
    # symmetric: its transpose is it, in the order in which it is factorised in place
    system = gram.copy().T
    np.fill_diagonal(system, system.diagonal() + alpha)
    try:
        factor, _ = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return None
    pivots = np.diag(factor) ** 2
    fewest = _PIVOT if gram.dtype == np.float64 else _PIVOT_SINGLE
    return factor if pivots.min() > fewest * pivots.max() else None


def _svd(X: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Singular vectors and values, without those that are rounding."""
    U, sizes, V = svd(X, full_matrices=False, check_finite=False)
    rank = int(np.sum(sizes > _RANK * sizes[0]))
    return U[:, :rank], sizes[:rank], V[:rank]


class Ridge:
    """Ridge regression on the columns that are left, for any number that goes at a time.

    Parameters
    ----------
    X, Y : ndarray
        As from `centred`.
    alpha : float, "gcv" or "cv"
        Named: chosen anew for every fit, by generalised or by five-fold cross-validation. Both are
        exact formulas on one decomposition, without refits.
    total : float
        The rows' summed weight.
    fold : ndarray of int
        Of each row.
    weight : ndarray or None

    Attributes
    ----------
    alphas : list of (int, float)
        For each fit how many columns it had, and its alpha.
    serves_single : bool
        Whether factors of single precision were good enough so far.
    """

    def __init__(
        self,
        X: NDArray,
        Y: NDArray,
        alpha: float | str,
        *,
        total: float,
        fold: NDArray[np.intp],
        weight: NDArray | None = None,
    ) -> None:
        self._table, self._targets, self._alpha = X, Y, alpha
        self._total, self._fold = total, fold
        self._mean = np.ones(len(X)) if weight is None else np.sqrt(weight)
        self._mean /= np.linalg.norm(self._mean)
        self._gram: NDArray | None = None
        self._fresh = X.shape[1]  # how many columns there were when the Gram matrix was made
        self.serves_single = True
        self.alphas: list[tuple[int, float]] = []

    @property
    def _is_dual(self) -> bool:
        return self._table.shape[1] > self._table.shape[0]

    def scores(self) -> NDArray[np.float64]:
        return np.linalg.norm(self.weights(), axis=1)

    def weights(self) -> NDArray[np.float64]:
        """One row per column that is left, one column per target."""
        X, Y = self._table, self._targets
        if isinstance(self._alpha, str):
            return self._choose(self._alpha)
        self.alphas.append((X.shape[1], self._alpha))
        if min(X.shape) >= _LARGE and self.serves_single:
            found = self._refined(self._alpha)
            self.serves_single = found is not None
            if found is not None:
                return found
        factor = cholesky(self._its_gram(), self._alpha)
        if factor is None:
            U, sizes, V = _svd(X)
            return V.T @ ((sizes / (sizes**2 + self._alpha))[:, None] * (U.T @ Y))
        if self._is_dual:
            return X.T @ cho_solve((factor, True), Y, check_finite=False)
        weights = cho_solve((factor, True), X.T @ Y, check_finite=False)
        # a step of refinement makes equals of columns that are duplicates
        rest = X.T @ (Y - X @ weights) - self._alpha * weights
        return weights + cho_solve((factor, True), rest, check_finite=False)

    def _refined(self, alpha: float) -> NDArray[np.float64] | None:
        """The weights by a factor of single precision, refined until residuals are rounding.

        Half the time of double precision where the factor has a few digits; None where it has not.
        """
        X, dual = self._table, self._is_dual
        with np.errstate(over="ignore", invalid="ignore"):  # then there is no factor
            factor = cholesky(self._its_gram(np.float32), alpha)
        if factor is None:
            return None
        wanted = self._targets if dual else X.T @ self._targets
        size = np.linalg.norm(wanted, axis=0)
        size[size == 0] = 1
        answer, rest = np.zeros_like(wanted), wanted
        for _ in range(_REFINEMENTS):
            answer += size * cho_solve((factor, True), (rest / size).astype(np.float32))
            product = X @ (X.T @ answer) if dual else X.T @ (X @ answer)
            rest = wanted - product - alpha * answer
            if np.max(np.linalg.norm(rest, axis=0) / size) <= _REFINED:
                return X.T @ answer if dual else answer
        return None

    def keep(self, places: NDArray[np.intp]) -> None:
        was_dual, n_left = self._is_dual, len(places)
        gone = np.delete(np.arange(self._table.shape[1]), places)
        lost, self._table = self._table[:, gone], self._table[:, places]
        if self._gram is None:
            return
        if not was_dual:
            self._gram = self._gram[np.ix_(places, places)]
        elif self._is_dual and 2 * n_left > self._fresh:
            lost = lost.astype(self._gram.dtype, copy=False)
            self._gram -= lost @ lost.T
        else:
            self._gram = None

    def _its_gram(self, dtype: type = np.float64) -> NDArray:
        """Inner products of rows or of columns, whichever are fewer."""
        if self._gram is None or self._gram.dtype != dtype:
            X = self._table.astype(dtype, copy=False)
            self._gram, self._fresh = (X @ X.T if self._is_dual else X.T @ X), X.shape[1]
        return self._gram

    def _choose(self, how: str) -> NDArray[np.float64]:
        U, sizes, V = _svd(self._table)
        along = U.T @ self._targets
        rest = self._targets - U @ along
        alphas = 10.0**_POWERS * np.mean(sizes**2)
        shares = sizes**2 / (sizes**2 + alphas[:, None])
        errors = [
            self._generalised(share, along, rest) if how == "gcv" else self._folds(share, U, rest)
            for share in shares
        ]
        alpha = float(alphas[np.argmin(errors)])
        self.alphas.append((self._table.shape[1], alpha))
        return V.T @ ((sizes / (sizes**2 + alpha))[:, None] * along)

    def _generalised(self, share: NDArray, along: NDArray, rest: NDArray) -> float:
        squares = np.sum(((1 - share)[:, None] * along) ** 2) + np.sum(rest**2)
        freedom = self._total - 1 - share.sum()
        return float(squares / freedom**2) if freedom > 0 else np.inf

    def _folds(self, share: NDArray, U: NDArray, rest: NDArray) -> float:
        """The squared error on folds that are left out: ``(I - H)^-1`` of the residuals there."""
        residual = rest + U @ ((1 - share)[:, None] * (U.T @ self._targets))
        error = 0.0
        for number in range(int(self._fold.max()) + 1):
            rows = np.flatnonzero(self._fold == number)
            part = U[rows]
            hat = (part * share) @ part.T + np.outer(self._mean[rows], self._mean[rows])
            error += float(np.sum(np.linalg.solve(np.eye(len(rows)) - hat, residual[rows]) ** 2))
        return error


def folds_of(target: Target) -> NDArray[np.intp]:
    """Five folds, each with its part of every class, rows in turn."""
    fold = np.empty(target.n_rows, dtype=np.intp)
    codes = np.zeros(target.n_rows) if target.codes is None else target.codes
    n_folds = min(_N_FOLDS, target.n_rows)
    fold[np.argsort(codes, kind="stable")] = np.arange(target.n_rows) % n_folds
    return fold
