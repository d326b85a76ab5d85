"""Slow, obvious twins of the ensembles of machines and of the zero norm."""

from itertools import combinations

import numpy as np
from sklearn.svm import SVC

from handful.solvers.support import intercepts, solve


def svm(gram, signs, bounds):
    """libsvm's machine on the rows whose bound is not 0: coefficients and intercept."""
    rows = np.flatnonzero(bounds)
    model = SVC(kernel="precomputed", C=1, tol=1e-10)
    model.fit(gram[np.ix_(rows, rows)], signs[rows], sample_weight=bounds[rows])
    beta = np.zeros(len(signs))
    beta[rows[model.support_]] = model.dual_coef_[0]
    return beta, model.intercept_[0]


def exact_svm(gram, signs, bounds):
    """The same with the digits that libsvm, which holds kernels in float32, has not."""
    beta = solve(gram, signs, bounds[None])
    return beta[0], intercepts(gram, signs[None], bounds[None], beta)[0]


def linear_machine(X, signs, bounds, train=svm):
    """Weights, and decisions on all rows."""
    beta, intercept = train(X @ X.T, signs, bounds)
    return X.T @ beta, X @ X.T @ beta + intercept


def rbf_kernel(X, gamma):
    return np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))


def rbf_machine(X, signs, bounds, gamma):
    """Criterion 10 with its sign, a new kernel for each column, and decisions."""
    kernel = rbf_kernel(X, gamma)
    beta, intercept = exact_svm(kernel, signs, bounds)
    lost = [
        beta @ (kernel - rbf_kernel(np.delete(X, k, axis=1), gamma)) @ beta
        for k in range(X.shape[1])
    ]
    return np.array(lost), kernel @ beta + intercept


def ridge_machine(X, signs, weights, alpha):
    """The normal equations, intercept and all."""
    rows = np.column_stack([X, np.ones(len(X))])
    penalty = np.diag([alpha] * X.shape[1] + [0.0])
    answer = np.linalg.solve(
        rows.T @ (weights[:, None] * rows) + penalty, rows.T @ (weights * signs)
    )
    return answer[:-1], rows @ answer


def ensemble(X, pairs, machine):
    """Stability of each column, and the out-of-bag rate.

    `pairs` holds, for each pair of classes, the rows' signs and one vector of counts for each
    resample; ``machine(X, signs, counts)`` gives a number per column and a decision per row.
    """
    stability, rates = [], []
    for signs, resamples in pairs:
        matrix = []
        for counts in resamples:
            values, decisions = machine(X, signs, counts)
            matrix.append(values)
            unseen = [i for i in range(len(X)) if counts[i] == 0 and signs[i] != 0]
            if unseen:
                rates.append(np.mean([(decisions[i] > 0) == (signs[i] > 0) for i in unseen]))
        matrix = np.array(matrix)
        stability.append(np.abs(matrix.mean(axis=0)) / matrix.std(axis=0))
    return np.max(stability, axis=0), np.mean(rates)


def combined(X, pairs, machine, share, patience=None):
    """Table III: all columns best first, and the number of columns and rate of each ensemble."""
    left, gone, rates, best, worse = list(range(X.shape[1])), [], [], 0.0, 0
    while left:
        stability, rate = ensemble(X[:, left], pairs, machine)
        rates.append((len(left), rate))
        best, worse = (best, worse + 1) if rate < best else (rate, 0)
        order = np.argsort(stability)
        if worse == patience:
            gone += [left[place] for place in order]
            break
        going = order[: max(1, int(share * len(left)))]
        gone += [left[place] for place in going]
        left = [j for place, j in enumerate(left) if place not in going]
    return gone[::-1], rates


def pairs_of(y):
    """The rows' signs for each pair of classes."""
    return [
        np.where(y == b, 1.0, 0.0) - np.where(y == a, 1.0, 0.0)
        for a, b in combinations(np.unique(y), 2)
    ]


def zero_norm(X, y, C, n_rounds):
    """For each round the columns that take part and their weights; those of the last one stay."""
    X = X - X.mean(axis=0)
    classes = np.unique(y)[1:] if len(np.unique(y)) == 2 else np.unique(y)
    factors, taking_part, rounds = np.ones(X.shape[1]), np.ones(X.shape[1], dtype=bool), []
    for _ in range(n_rounds):
        scaled = X * np.where(taking_part, factors, 0)
        total = np.zeros(X.shape[1])
        for label in classes:
            signs = np.where(y == label, 1.0, -1.0)
            beta, _ = exact_svm(scaled @ scaled.T, signs, np.full(len(y), C))
            total += np.abs(scaled.T @ beta)
        weights = np.where(taking_part, factors * total, 0)
        rounds.append((taking_part, weights))
        factors = weights * np.sqrt(np.sum(X**2) / np.sum((X * weights) ** 2))
        lengths = np.sqrt(np.sum((X * weights) ** 2, axis=0))
        taking_part = taking_part & (lengths > 1e-4 * lengths.max())
    rounds.append((taking_part, weights))
    return rounds


def zero_norm_order(rounds):
    """Columns that stay longer first; those that leave together by their last weights."""
    lasted = np.sum([taking_part for taking_part, _ in rounds], axis=0)
    last = [rounds[n - 1][1][j] for j, n in enumerate(lasted)]
    return sorted(range(len(last)), key=lambda j: (-lasted[j], -last[j]))
