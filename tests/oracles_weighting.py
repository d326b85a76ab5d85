"""Slow, obvious twins of what the feature weighting computes: classifiers, steps, energies."""

from itertools import pairwise, product

import numpy as np

# ---- classifiers that learn from rows drawn with replacement ----


def wrong_share(said, truth, balanced):
    """The share of wrong answers, or its mean over the classes that are tested."""
    wrong = said != truth
    if not balanced:
        return wrong.mean()
    return np.mean([wrong[truth == code].mean() for code in np.unique(truth)])


def in_order(rows):
    """Distinct rows in the order in which they were drawn first."""
    return list(dict.fromkeys(rows.tolist()))


def neighbours(X, y, learn, test, n_neighbors, metric):
    """Every answer by a scan: nearest rows, of equal ones those drawn first."""
    said = []
    for row in test.tolist():
        near = []
        for place, other in enumerate(in_order(learn)):
            gap = X[other] - X[row]
            distance = float((gap**2).sum() if metric == "euclidean" else (gap != 0).sum())
            near += [(distance, place, y[other])] * int((learn == other).sum())
        votes = [code for *_, code in sorted(near)[:n_neighbors]]
        said.append(max(dict.fromkeys(votes), key=votes.count))
    return np.array(said)


def impurity(codes):
    shares = np.unique(codes, return_counts=True)[1] / len(codes)
    return len(codes) * (1 - (shares**2).sum())


def tree(X, y, learn):
    """Nested questions (column, threshold, below, above), or the class of a leaf."""
    codes = y[learn]
    best = None
    if len(set(codes.tolist())) > 1:
        for column in range(X.shape[1]):
            values = np.unique(X[learn, column])
            for low, high in pairwise(values):
                below = X[learn, column] <= low
                cost = impurity(codes[below]) + impurity(codes[~below])
                if best is None or cost < best[0] - 1e-9:
                    best = cost, column, (low + high) / 2
    if best is None:
        order = dict.fromkeys(codes.tolist())
        return max(order, key=codes.tolist().count)
    _, column, threshold = best
    below = X[learn, column] <= threshold
    return column, threshold, tree(X, y, learn[below]), tree(X, y, learn[~below])


def asked(grown, row):
    while isinstance(grown, tuple):
        column, threshold, below, above = grown
        grown = below if row[column] <= threshold else above
    return grown


# ---- energies of small problems, by enumeration ----


def energy(weights, error, k):
    """The mean error over all draws of k features."""
    return sum(
        np.prod(weights[list(draw)]) * error(draw)
        for draw in product(range(len(weights)), repeat=k)
    )


def gradient(weights, error, k):
    """By the weights, the sum of C(draw, j) / P(j) times chance and error of each draw."""
    answer = np.zeros(len(weights))
    for draw in product(range(len(weights)), repeat=k):
        chance = np.prod(weights[list(draw)]) * error(draw)
        for j in draw:
            answer[j] += chance / weights[j]
    return answer


# ---- steps ----


def riemannian_step(weights, loss, size):
    """`loss` is C q: P exp(-size (C q - kappa P)), normalised; figure 4 as it was derived."""
    kappa = (loss * weights).sum() / (weights**2).sum()
    grown = weights * np.exp(-size * (loss - kappa * weights))
    return grown / grown.sum()


def euclidean_step(weights, loss, size):
    """Figure 3: the projection of C q / P subtracts its mean over all features."""
    drift = loss / weights
    return weights - size * (drift - drift.mean())


def multiplicative_step(weights, loss, size):
    grown = weights * np.exp(-size * loss)
    return grown / grown.sum()


def diffusion_step(weights, loss, size, sigma, noise):
    drift = np.divide(loss, weights, out=np.zeros_like(weights), where=loss != 0)
    return projection(weights - size * drift + np.sqrt(size) * sigma * noise)


def projection(x):
    """Section 4.3: onto the hyperplane, then again and again without what became negative."""
    x = x - (x.sum() - 1) / len(x)
    while (x < 0).any():
        inside = x > 0
        x = np.where(inside, x + (1 - x[inside].sum()) / inside.sum(), 0.0)
    return x
