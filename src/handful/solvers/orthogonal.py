"""The walk of Gram and Schmidt: columns chosen one by one, each for what the others left.

Two ideas make it fast without touching the table. What is left of every column after a projection
need not be known, only its inner product with what is left of the target and its squared length;
and both follow from one product ``X'q`` per step, most of which a large table makes ahead of time
(see `ahead`). Where these followed numbers have lost digits, or cannot tell the best column from
the next, the columns in question are projected afresh in float64: so the answer is that of the
textbook algorithm, whatever the type of the table.

Rows of weight w are rows times the square root of w; the intercept is a first column of ones.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import betainc, betaincc

from handful.columns import Columns
from handful.columns.base import BLOCK
from handful.path import TIE, order_by_score
from handful.solvers.ahead import Ahead, likely
from handful.threads import one_thread

EPS = float(np.finfo(np.float64).eps)
# Columns among which those that may be chosen soon are looked for; and how many columns a table
# must have so that a pass over all of them takes much longer than the work on these.
CANDIDATES, WIDE = 32, 2048


class Basis:
    """Orthonormal vectors, one more with every column that is not a mixture of them."""

    def __init__(self, weight: NDArray | None, n_rows: int, intercept: bool) -> None:
        self.root = np.ones(n_rows) if weight is None else np.sqrt(weight)
        self._rows = np.empty((16, n_rows))
        # how much of each column is in each vector, in lengths of that column; a constant is exact
        self._parts = np.zeros((16, 16))
        self._size = 0
        if intercept:
            self.append(self.root / np.linalg.norm(self.root))

    @property
    def vectors(self) -> NDArray[np.float64]:
        """The vectors, one per row."""
        return self._rows[: self._size]

    def append(self, vector: NDArray[np.float64], along: NDArray | None = None) -> None:
        """One more vector; `along` are its column's products with those before and with itself."""
        n = self._size
        if n == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
            self._parts = np.pad(self._parts, (0, n))
        self._rows[n] = vector
        if along is not None:
            self._parts[:n, n] = -self._parts[:n, :n] @ along[:n] / along[n]
            self._parts[n, n] = np.linalg.norm(along) / along[n]
        self._size += 1

    def project(
        self, values: NDArray, passes: int = 2
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What the vectors leave of some columns (already times `root`), and the shares they take.

        Done twice, so that little that is left is still orthogonal.
        """
        left, along = values, np.zeros((self._size, *values.shape[1:]))
        # so little work that several threads would mostly wait for one another
        with one_thread():
            for _ in range(passes):
                part = self.vectors @ left
                left = left - self.vectors.T @ part
                along += part
        return left, along

    def of(self, table: Columns, cols: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """`project` for columns of a table."""
        block = table.gather(None, cols).astype(np.float64, copy=False)
        return self.project(block * self.root[:, None])

    def mixed(self, table: Columns, lengths: NDArray, along: NDArray) -> NDArray[np.bool_]:
        """Of which columns the vectors leave, in these lengths, no more than rounding.

        A mixture carries its own rounding and that of each column in it, times its coefficient. So
        where chosen columns nearly depend on each other, more is left of a mixture of them.
        """
        with one_thread():
            parts = self._parts[: self._size, : self._size] @ along
        whole = np.hypot(lengths, np.linalg.norm(along, axis=0))
        return lengths <= rounding(table) * (whole + np.abs(parts).sum(axis=0))

    def extend(self, table: Columns, feature: int) -> tuple[NDArray, NDArray[np.float64]]:
        """Append what the vectors leave of a column, and return it with the column's products.

        Where that is only rounding a zero is appended, which changes nothing that comes after.
        """
        left, along = self.of(table, np.array([feature]))
        length = np.linalg.norm(left, axis=0)
        if self.mixed(table, length, along)[0]:
            self.append(np.zeros(len(left)))
            return self.vectors[-1], np.append(along[:, 0], 1.0)
        self.append(left[:, 0] / length, np.append(along[:, 0], length))
        return self.vectors[-1], np.append(along[:, 0], length)


def rounding(table: Columns) -> float:
    """The share of a column's length that may be no more than rounding."""
    return max(table.shape[0] * EPS, 10 * float(np.finfo(table.work_dtype).eps))


class Step(NamedTuple):
    """One column chosen.

    Attributes
    ----------
    feature : int
    share : float
        How much of what is left of the column lies in what is left of the target space: the
        squared cosine of the angle between them.
    rest : float
        ``1 - share``, without the rounding of that subtraction.
    n_targets : int
        Dimensions that were left of the target space.
    vector : ndarray
        What is left of the column, at unit length.
    along : ndarray
        The column's inner products with the vectors chosen before and with its own.
    """

    feature: int
    share: float
    rest: float
    n_targets: int
    vector: NDArray[np.float64]
    along: NDArray[np.float64]


class Walk:
    """Forward orthogonal ranking, a `Step` at a time, until no column or no target is left.

    Parameters
    ----------
    table : Columns
    targets : ndarray of shape (n_rows, n_targets)
    weight : ndarray or None
    intercept : bool

    Attributes
    ----------
    explained : bool
        True once nothing is left of the target.
    """

    def __init__(
        self, table: Columns, targets: NDArray, weight: NDArray | None, intercept: bool
    ) -> None:
        self.table = table
        self.basis = Basis(weight, table.shape[0], intercept)
        whole = table.squared_lengths(weight)
        self._length = np.sqrt(whole)
        self._ahead = Ahead.nothing() if table.pass_width > 1 and table.shape[1] >= WIDE else None
        # how far the product of a column of length 1 with a vector may be off, with room to spare;
        # one that is made ahead takes part in sums
        self._slack = (8 if self._ahead is None else 32) * float(np.finfo(table.work_dtype).eps)
        # squared length left of each column; infinite once it can no longer be chosen
        able = whole > 0 if intercept else table.varying()
        self._left = np.where(able, whole, np.inf)
        self._known = self._left.copy()
        self._space, self._size = self._space_of(targets)
        # the intercept, where there is one, and the targets in one pass
        known = len(self.basis.vectors)
        products = self._products(np.column_stack([self.basis.vectors.T, self._space]))
        self._inner, self._growth = products[known:], 1.0
        for product in products[:known]:
            self._take_out(product)

    def _space_of(self, targets: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """An orthonormal basis of what is left of the targets, and how much each stands for."""
        left, _ = self.basis.project(targets * self.basis.root[:, None])
        lengths = np.linalg.norm(targets * self.basis.root[:, None], axis=0)
        kept = np.linalg.norm(left, axis=0) > self.table.shape[0] * EPS * lengths
        left = left[:, kept] / np.linalg.norm(left[:, kept], axis=0)
        space, size, _ = np.linalg.svd(left, full_matrices=False)
        space = space[:, size > self.table.shape[0] * EPS * size.max(initial=0.0)]
        return space, np.ones(space.shape[1])

    @property
    def explained(self) -> bool:
        return not len(self._size)

    def _products(self, vectors: NDArray) -> NDArray[np.float64]:
        """Inner products of all columns with some vectors, a row per vector."""
        weighted = vectors * self.basis.root[:, None]
        if weighted.shape[1] == 1:
            weighted = weighted[:, 0]
        products = np.ascontiguousarray(self.table.tdot(weighted).T, dtype=np.float64)
        return products.reshape(-1, self.table.shape[1])

    def _renew(self) -> None:
        """Inner products of all columns with the target space, computed and not followed."""
        self._inner = self._products(self._space)
        self._growth = 1.0

    def __iter__(self) -> Iterator[Step]:
        while not self.explained:
            nominees = self._nominees()
            if len(nominees) > 1:
                nominees = nominees[order_by_score(self._weigh(nominees), 1)]
            if not len(nominees):
                if not np.isfinite(self._left).any():
                    break
                continue
            chosen = self._choose(nominees)
            if chosen is not None:
                yield chosen
                # not before another step is asked for: this is what costs a pass over the table
                self._advance(chosen)

    def _nominees(self) -> NDArray[np.intp]:
        """The columns that may be the best, as far as followed numbers can tell."""
        share = np.einsum("ij,ij->j", self._inner, self._inner) / self._left
        best = int(np.argmax(share))
        if not np.isfinite(self._left[best]):
            return np.flatnonzero(np.isfinite(self._left))
        # a bound of every doubt, so that only the columns that are near or tied are looked at
        stretch = np.max(self._length**2 / self._left)
        most = self._doubt(share[best], stretch, stretch)
        near = np.flatnonzero(share >= share[best] - 2 * most - TIE)
        near = near[np.isfinite(self._left[near])]
        left = self._left[near]
        doubt = self._doubt(share[near], self._known[near] / left, self._length[near] ** 2 / left)
        floor = np.max(share[near] - doubt)
        return near[share[near] + doubt >= floor - TIE]

    def _doubt(self, share: Any, lost: Any, stretch: Any) -> Any:
        """How far a share may be off, by what of a column's square was lost since it was known."""
        slack = 2 * self._slack * np.sqrt(len(self.basis.vectors) + 1)
        return slack * (np.sqrt(share) * self._growth + share * np.sqrt(lost)) * np.sqrt(stretch)

    def _weigh(self, cols: NDArray[np.intp]) -> NDArray[np.float64]:
        """Exact shares of some columns, NaN for mixtures of chosen ones; the numbers are noted."""
        shares = np.empty(len(cols))
        width = max(16, BLOCK // self.table.shape[0])
        for start in range(0, len(cols), width):
            some = cols[start : start + width]
            left, along = self.basis.of(self.table, some)
            squares = np.einsum("ij,ij->j", left, left)
            squares[self.basis.mixed(self.table, np.sqrt(squares), along)] = np.inf
            self._left[some] = self._known[some] = squares
            self._inner[:, some] = self._space.T @ left
            found = np.einsum("ij,ij->j", self._inner[:, some], self._inner[:, some]) / squares
            shares[start : start + width] = np.where(np.isfinite(squares), found, np.nan)
        return shares

    def _choose(self, winner: NDArray[np.intp]) -> Step | None:
        """Go one step along the only nominee, unless it is a mixture of chosen columns."""
        left, along = self.basis.of(self.table, winner)
        length = np.linalg.norm(left, axis=0)
        self._left[winner] = np.inf
        if self.basis.mixed(self.table, length, along)[0]:
            return None
        vector = left[:, 0] / length
        aim = self._space.T @ vector
        rest = vector - self._space @ aim
        return Step(
            int(winner[0]),
            min(float(aim @ aim), 1.0),
            min(float(rest @ rest), 1.0),
            len(aim),
            vector,
            np.append(along[:, 0], length),
        )

    def _product_with(self, chosen: Step) -> NDArray[np.float64]:
        """Inner products of all columns with the direction of a chosen one."""
        if self._ahead is None:
            return self._products(chosen.vector[:, None])[0]
        product = self._ahead.product(chosen.feature)
        if product is None:
            self._ahead, product = self._look_ahead(chosen)
        self._ahead.take_out(chosen.vector, product)
        return product

    def _look_ahead(self, chosen: Step) -> tuple[Ahead, NDArray[np.float64]]:
        """The same in a pass that also serves the columns that are likely to come next."""
        share = np.einsum("ij,ij->j", self._inner, self._inner) / self._left
        n = min(CANDIDATES, np.count_nonzero(np.isfinite(self._left)))
        cols = np.argpartition(-share, n - 1)[:n] if n else np.empty(0, dtype=np.intp)
        left, _ = self.basis.of(self.table, cols)
        vector = chosen.vector[:, None]
        left = left - vector @ (vector.T @ left)
        targets = self._space - vector @ (vector.T @ self._space)
        next_ones = likely(left, targets, self.table.pass_width - 1)
        left = left[:, next_ones]
        products = self._products(np.column_stack([vector, left]))
        return Ahead(cols[next_ones], left, products[1:]), products[0]

    def _advance(self, chosen: Step) -> None:
        """Take a chosen direction out of the target and out of every column."""
        vector = chosen.vector
        aim = self._space.T @ vector
        product = self._product_with(chosen)
        self.basis.append(vector, chosen.along)
        remaining = (self._space - np.outer(vector, aim)) * self._size
        # orthogonal already, but for rounding
        remaining, _ = self.basis.project(remaining, passes=1)
        self._space, size, back = np.linalg.svd(remaining, full_matrices=False)
        kept = size > self.table.shape[0] * EPS
        turn = (back[kept] * self._size) / size[kept, None]
        self._space, self._size = self._space[:, kept], size[kept]
        if self.explained:
            return
        self._inner = turn @ (self._inner - aim[:, None] * product)
        self._growth *= max(1.0, float(np.linalg.norm(turn, 2)))
        # half of the digits gone: time for a fresh look
        if self._growth > self._slack**-0.25:
            self._renew()
        self._take_out(product)

    def _take_out(self, product: NDArray[np.float64]) -> None:
        """Shorten the columns by what a vector took, anew where half of the digits are gone."""
        self._left -= product**2
        lost = np.flatnonzero(self._left < np.sqrt(self._slack / 8) * self._known)
        if lost.size:
            self._weigh(lost)


class LeastSquares:
    """Models of every size along a walk, and their leave-one-out errors, without a refit.

    Each chosen column adds one orthonormal vector: coefficients follow by back-substitution, the
    leverage of a row grows by its squared entry (Myers, 1990), and a row's error with the row left
    out is its error divided by one minus its leverage.
    """

    def __init__(self, basis: Basis, targets: NDArray[np.float64]) -> None:
        self._root = basis.root
        self._targets = targets * basis.root[:, None]
        self._residual = self._targets.copy()
        self._leverage = np.zeros(len(targets))
        for vector in basis.vectors:
            self._take_out(vector)
        self._offset = len(basis.vectors)
        self._along: list[NDArray[np.float64]] = []
        self._taken: list[NDArray[np.float64]] = []
        self.loo_errors = [self._loo()]

    def add(self, vector: NDArray[np.float64], along: NDArray[np.float64]) -> None:
        """One more column: the vector it added to the basis, and its products with all of them."""
        self._along.append(along[self._offset :])
        self._taken.append(self._take_out(vector))
        self.loo_errors.append(self._loo())

    def _take_out(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        taken = vector @ self._residual
        self._residual -= np.outer(vector, taken)
        self._leverage += (vector / self._root) ** 2
        return taken

    def _loo(self) -> float:
        """Mean squared error of rows left out one by one; infinite where one cannot be spared."""
        spared = 1.0 - self._leverage
        if spared.min() <= len(spared) * EPS:
            return np.inf
        errors = self._residual / spared[:, None]
        return float(np.sum(errors**2) / (np.sum(self._root**2) * self._residual.shape[1]))

    def coefficients(self) -> NDArray[np.float64]:
        """Of each size, for the columns in the order of the walk: (size, column, target)."""
        n = len(self._along)
        triangle = np.zeros((n, n))
        for i, along in enumerate(self._along):
            triangle[: i + 1, i] = along
        inverse = solve_triangular(triangle, np.eye(n))
        taken = np.array(self._taken).reshape(n, -1)
        return np.cumsum(inverse.T[:, :, None] * taken[:, None, :], axis=0)


def chance_of_probe(share: float, rest: float, freedom: float, n_targets: int) -> float:
    """The chance that one random column has at least this share in the target space.

    In `freedom` dimensions the share of a normal column follows ``Beta(c / 2, (freedom - c) / 2)``
    for c targets (Stoppiglia et al., 2003, equation 3, for c = 1). 1 where the target fills all
    dimensions, so that any column would do. Accurate down to 1e-300: the smaller of `share` and
    ``rest = 1 - share`` is the one that is used.

    Examples
    --------
    >>> round(chance_of_probe(0.25, 0.75, 3, 1), 12)
    0.5
    """
    if freedom <= n_targets:
        return 1.0
    first, second = n_targets / 2, (freedom - n_targets) / 2
    if share < 0.5:
        return float(betaincc(first, second, share))
    return float(betainc(second, first, rest))
