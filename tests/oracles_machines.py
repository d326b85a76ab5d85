"""Support vector machines in exact arithmetic: fractions prove or refute a guess in floats."""

from fractions import Fraction

import numpy as np

from handful.solvers import support

# By how much coefficients that the equations leave open may miss, being guesses.
SMALL = Fraction(1, 10**12)


def machine_weights(X, signs, bounds):
    """The weights of a linear machine, from scratch, to the last digit.

    Where the guess comes from does not matter: the conditions of optimality are checked exactly.
    """
    guess = support.solve(X @ X.T, signs, bounds)[0]
    for near in (1e-9, 1e-6, 1e-12):
        between = (np.abs(guess) > near * bounds) & (np.abs(guess) < (1 - near) * bounds)
        at_bound = np.where(np.abs(guess) > bounds / 2, signs * bounds, 0.0)
        # in few digits, which makes short fractions: the equations mend it
        rough = bounds * np.round(guess / np.where(bounds > 0, bounds, 1) * 2**20) / 2**20
        beta = [Fraction(b) for b in np.where(between, rough, at_bound).tolist()]
        table = [[Fraction(x) for x in row] for row in X.tolist()]
        weights = _optimal(table, signs.tolist(), bounds.tolist(), beta, np.flatnonzero(between))
        if weights is not None:
            return np.array([float(w) for w in weights])
    raise ArithmeticError("the guess was wrong")


def _optimal(table, signs, bounds, beta, between):
    """The weights once those between their bounds meet their equations, if that is the answer."""

    def weights():
        columns = range(len(table[0]))
        return [sum(b * x[j] for b, x in zip(beta, table, strict=True) if b) for j in columns]

    def slopes():
        w = weights()
        return [int(s) - _inner(w, x) for s, x in zip(signs, table, strict=True)]

    before = slopes()
    system = [
        [*(_inner(table[i], table[j]) for j in between), Fraction(1), before[i]] for i in between
    ]
    system.append([*(Fraction(1) for _ in between), Fraction(0), -sum(beta)])
    for i, change in zip(between, _some_solution(system), strict=False):
        beta[i] += change
    low = [min(Fraction(0), Fraction(s * c)) for s, c in zip(signs, bounds, strict=True)]
    high = [max(Fraction(0), Fraction(s * c)) for s, c in zip(signs, bounds, strict=True)]
    limits = list(zip(slopes(), low, beta, high, strict=True))
    inside = all(a - SMALL <= b <= c + SMALL for _, a, b, c in limits)
    may_grow = [g for g, _, b, c in limits if b < c]
    may_shrink = [g for g, a, b, _ in limits if b > a]
    done = not may_grow or not may_shrink or max(may_grow) - min(may_shrink) <= SMALL
    return weights() if inside and done and abs(sum(beta)) <= SMALL else None


def _inner(a, b):
    return sum(u * v for u, v in zip(a, b, strict=True))


def _some_solution(system):
    """By Gauss-Jordan elimination; unknowns that the equations leave open are 0."""
    rows, n, done = [list(row) for row in system], len(system[0]) - 1, 0
    pivots = {}
    for j in range(n):
        found = next((k for k in range(done, len(rows)) if rows[k][j]), None)
        if found is None:
            continue
        rows[done], rows[found] = rows[found], rows[done]
        rows[done] = [value / rows[done][j] for value in rows[done]]
        for k, row in enumerate(rows):
            if k != done and row[j]:
                rows[k] = [a - row[j] * b for a, b in zip(row, rows[done], strict=True)]
        pivots[j] = done
        done += 1
    return [rows[pivots[j]][n] if j in pivots else Fraction(0) for j in range(n)]
