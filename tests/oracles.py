"""Slow, obvious twins of the package's kernels: loops and exact fractions, no cleverness."""

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from math import exp, inf, isinf, log, sqrt

import numpy as np
from sklearn.base import clone

# ---- ties and order ----


def beats(a, b):
    """Larger by more than 1e-12 max(1, |a|, |b|)."""
    if isinf(a) or isinf(b):
        return a > b
    return a - b > 1e-12 * max(1.0, abs(a), abs(b))


def order_by_score(scores):
    """Pick the best again and again, each time by a scan from the lowest index."""
    remaining = [j for j, score in enumerate(scores) if score == score]
    order = []
    while remaining:
        best = remaining[0]
        for j in remaining[1:]:
            if beats(scores[j], scores[best]):
                best = j
        remaining.remove(best)
        order.append(best)
    return order


# ---- moments and scores, in exact arithmetic ----


def moments(column, weight=None):
    """Weight, mean and sum of squared deviations of one list of numbers, as fractions."""
    values = [Fraction(float(value)) for value in column]
    weights = (
        [Fraction(1)] * len(values) if weight is None else [Fraction(float(w)) for w in weight]
    )
    total = sum(weights)
    mean = sum(w * v for w, v in zip(weights, values, strict=True)) / total
    return total, mean, sum(w * (v - mean) ** 2 for w, v in zip(weights, values, strict=True))


def class_moments(column, y, weight=None):
    """`moments` of each class, in the order of the sorted labels."""
    weight = np.ones(len(y)) if weight is None else weight
    return [moments(column[y == label], weight[y == label]) for label in np.unique(y)]


def _variance(total, squares):
    return squares / (total - 1) if total > 1 else Fraction(0)


def _ratio(above, below):
    return float("inf") if below == 0 else float(above / below)


def fisher(X, y, weight=None):
    """sum_k (mean_k - mean)^2 / sum_k s_k^2 for every column; NaN where a column is constant."""
    scores = []
    for column in X.T:
        grand = moments(column, weight)[1]
        groups = class_moments(column, y, weight)
        between = sum((mean - grand) ** 2 for _, mean, _ in groups)
        within = sum(_variance(total, squares) for total, _, squares in groups)
        scores.append(np.nan if len(set(column)) == 1 else _ratio(between, within))
    return np.array(scores)


def golub(X, y, weight=None):
    """|mean_1 - mean_2| / (s_1 + s_2), the largest over pairs of classes."""
    scores = []
    for column in X.T:
        pairs = [np.nan]
        for (n_a, mean_a, q_a), (n_b, mean_b, q_b) in combinations(
            class_moments(column, y, weight), 2
        ):
            spread = sqrt(_variance(n_a, q_a)) + sqrt(_variance(n_b, q_b))
            difference = abs(float(mean_a - mean_b))
            pairs.append(difference / spread if spread else np.inf if difference else np.nan)
        scores.append(np.nan if len(set(column)) == 1 else np.nanmax(pairs))
    return np.array(scores)


def pearson(X, y, weight=None):
    """|correlation| of every column with y."""
    weights = np.ones(len(y)) if weight is None else weight
    weights = [Fraction(float(w)) for w in weights]
    _, mean_y, squares_y = moments(y, weight)
    scores = []
    for column in X.T:
        _, mean, squares = moments(column, weight)
        product = sum(
            w * (Fraction(float(a)) - mean) * (Fraction(float(b)) - mean_y)
            for w, a, b in zip(weights, column, y, strict=True)
        )
        root = sqrt(squares * squares_y)
        scores.append(abs(float(product)) / root if root else np.nan)
    return np.array(scores)


# ---- stopping rules ----


def scores_by_size(rank: Callable, estimator, score: Callable, X, y, sizes, splits):
    """For each split: rank on its training rows, fit on the first features, score on the rest."""
    table = []
    for train, test in splits:
        order = rank(X[train], y[train])
        row = []
        for size in sizes:
            chosen = order[:size]
            fitted = clone(estimator).fit(X[train][:, chosen], y[train])
            row.append(score(y[test], fitted.predict(X[test][:, chosen])))
        table.append(row)
    return np.array(table)


def probe_rounds(rank: Callable, X, y, probe_tables, risk):
    """How many features come first in each round, and how many of them to keep.

    `rank` gives the whole order of a table's columns. A probe stands before every feature.
    """
    reached = []
    for probes in probe_tables:
        order = rank(np.hstack([probes, X]), y)
        count = 0
        for j in order:
            if j < probes.shape[1]:
                break
            count += 1
        reached.append(count)
    n = 0
    while (1 + sum(count < n + 1 for count in reached)) / (1 + len(reached)) <= risk:
        n += 1
    return reached, n


def analytic_probe(chance, n_candidates, risk, n_probes):
    """How many steps to keep, and G_n up to there and one further.

    G_n = G_{n-1} + P_n (1 - G_{n-1}) stays at most the risk.
    `n_probes` is 1, or "all" for as many random columns as there are candidates left.
    """
    gone_wrong, kept, curve = 0.0, 0, []
    for step, p in enumerate(chance):
        left = 1 if n_probes == 1 else n_candidates - step
        some_probe = 1 - (1 - p) ** left
        gone_wrong += some_probe * (1 - gone_wrong)
        curve.append(gone_wrong)
        if gone_wrong > risk:
            break
        kept += 1
    return kept, curve


def stability_order(votes, full_order, threshold, n_resamples):
    """The kept features: those with enough votes, most first, then by the full data's rank."""
    kept = [j for j, count in enumerate(votes) if count >= threshold * n_resamples]
    place = {j: i for i, j in enumerate(full_order)}
    return sorted(kept, key=lambda j: (-votes[j], place[j]))


# ---- orthogonal forward ranking ----


def gram_schmidt(X, Y, n, weight=None, intercept=True):
    """The textbook's modified Gram-Schmidt: features and scores, every column deflated each time.

    The score is the share of what is left of a column in what is left of the targets' span.
    Constant columns are never chosen, nor those of which no more is left than the rounding of the
    columns that they are mixtures of.
    """
    rounding = max(len(X) * np.finfo(float).eps, 10 * np.finfo(X.dtype).eps)
    root = np.sqrt(np.ones(len(X)) if weight is None else weight)[:, None]
    varying = np.ptp(X, axis=0) > 0
    X, Y = root * np.asarray(X, dtype=np.float64), root * np.reshape(Y, (len(X), -1))
    whole, columns = np.linalg.norm(X, axis=0), X
    if intercept:
        one = root[:, 0] / np.linalg.norm(root)
        X, Y = X - np.outer(one, one @ X), Y - np.outer(one, one @ Y)
    features, scores = [], []
    while len(features) < n:
        left = np.linalg.norm(X, axis=0)
        basis, size, _ = np.linalg.svd(Y, full_matrices=False)
        basis = basis[:, size > 1e-10]
        chosen = np.hstack([columns[:, features], root * intercept])
        # without a limit to their size, as one chosen column may be nearly a mixture of others
        mixture = np.linalg.lstsq(chosen, columns, rcond=0)[0][: len(features)]
        alive = varying & (left > rounding * (whole + whole[features] @ np.abs(mixture)))
        alive[features] = False
        if not alive.any() or not basis.size:
            break
        share = np.full(X.shape[1], -1.0)
        share[alive] = ((basis.T @ X[:, alive]) ** 2).sum(axis=0) / left[alive] ** 2
        # the lowest index among those within the tolerance of the best
        best = int(np.argmax(share >= share.max() - 1e-12))
        features.append(best)
        scores.append(share[best])
        q = X[:, best] / left[best]
        for _ in range(2):
            X, Y = X - np.outer(q, q @ X), Y - np.outer(q, q @ Y)
    return features, np.array(scores)


def forward_refits(X, y, n):
    """The column whose addition leaves the smallest least-squares error, by refitting them all."""
    chosen = []
    for _ in range(n):
        errors = np.full(X.shape[1], np.inf)
        for j in set(range(X.shape[1])) - set(chosen):
            errors[j] = squared_error(X[:, [*chosen, j]], y)
        chosen.append(int(np.argmin(errors)))
    return chosen


def squared_error(X, y):
    """Of the least-squares model with an intercept."""
    design = np.column_stack([np.ones(len(y)), X])
    return float(np.sum((y - design @ np.linalg.lstsq(design, y)[0]) ** 2))


# ---- the random probe ----


def probe_chance(share, freedom):
    """``1 - F`` of Stoppiglia et al., appendix A, by its recurrences and in 700 digits."""
    with localcontext() as context:
        context.prec = 700
        x = Decimal(share)
        term = total = Decimal(1)
        if freedom % 2:
            for k in range(1, (freedom - 3) // 2 + 1):
                term *= (1 - x) * (2 * k - 1) / (2 * k)
                total += term
            return 1 - x.sqrt() * total
        for k in range(1, freedom // 2 - 1):
            term *= (1 - x) * 2 * k / (2 * k + 1)
            total += term
        angle = _arctan((x / (1 - x)).sqrt())
        below = angle if freedom == 2 else angle + (x * (1 - x)).sqrt() * total
        return 1 - below / (2 * _arctan(Decimal(1)))


def _arctan(x):
    """Of a positive Decimal, by its series after the argument has been halved until it is small."""
    halvings = 0
    while x > Decimal("0.01"):
        x, halvings = x / (1 + (1 + x * x).sqrt()), halvings + 1
    power = total = x
    k = 1
    while abs(power) > Decimal(10) ** -690:
        power *= -x * x
        k += 2
        total += power / k
    return total * 2**halvings


def power_of_complement(chance, m):
    """``(1 - chance)^m`` in 700 digits."""
    with localcontext() as context:
        context.prec = 700
        return (1 - Decimal(chance)) ** m


# ---- levels and information ----


def levels(column, n_bins, most_distinct):
    """A column's level per row: its distinct values where they are few, else bins of equal count.

    A bin ends between two different values, nearest to where ``(n - 1) k / n_bins`` (rounded up)
    rows are below, the lower place on a tie, and never with nothing on one side.
    """
    missing = [value != value for value in column]
    if any(missing) and not all(missing):
        there = [value for value in column if value == value]
        found = iter(levels(there, n_bins, most_distinct))
        return [-1 if gone else next(found) for gone in missing]
    values = sorted(set(column))
    if len(values) <= most_distinct:
        return [values.index(value) for value in column]
    n, ordered = len(column), sorted(column)
    gaps = [i for i in range(1, n) if ordered[i - 1] != ordered[i]]
    cuts = set()
    for k in range(1, n_bins):
        target = -(-(n - 1) * k // n_bins)
        cuts.add(min(gaps, key=lambda gap: (abs(gap - target), gap)))
    return [sum(value >= ordered[cut] for cut in cuts) for value in column]


def entropy(*columns, weight=None):
    """H of the columns together in nats, rows counted with their weights."""
    sums = {}
    for cell, w in zip(zip(*columns, strict=True), weight or [1] * len(columns[0]), strict=True):
        sums[cell] = sums.get(cell, 0) + w
    total = sum(sums.values())
    return -sum(w / total * log(w / total) for w in sums.values() if w)


def information_terms(criterion, y, a, b, weight):
    """What column a gains or loses by the chosen column b (Brown et al. 2012)."""

    def h(*columns):
        return entropy(*columns, weight=weight)

    relevance = h(a) + h(y) - h(a, y)
    shared = h(a) + h(b) - h(a, b)
    shared_in_class = h(a, y) + h(b, y) - h(a, b, y) - h(y)
    joint = h(a, b) + h(y) - h(a, b, y)
    return {
        "mim": 0,
        "cmim": h(y, b) + h(a, b) - h(y, a, b) - h(b),
        "jmim": joint,
        "jmi": joint,
        "disr": joint / h(a, b, y) if h(a, b, y) > 1e-12 else 0,
        "mrmr": shared,
        "mrmr_quotient": shared,
        "cife": shared_in_class - shared,
        "icap": -max(0, shared - shared_in_class),
        "condred": shared_in_class,
    }[criterion], relevance


def information_choice(columns, y, n, criterion, weight=None, follow=None):
    """Every column scored beside all chosen ones at every step; the first of the best is chosen.

    Returns the choice, its scores and how often a column was scored beside a chosen one. Where
    there is a choice to `follow`, its columns are taken instead, and the scores are pairs: of the
    column taken and the best there was.
    """
    weight = [1] * len(y) if weight is None else weight
    left = [j for j, column in enumerate(columns) if len(set(column)) > 1]
    relevance = {j: information_terms("mim", y, columns[j], y, weight)[1] for j in left}
    terms = {j: [] for j in left}
    chosen, scores, evaluations = [], [], 0
    while left and len(chosen) < n:
        score = {j: _information_score(criterion, relevance[j], terms[j]) for j in left}
        best = left[0]
        for j in left[1:]:
            if beats(score[j], score[best]):
                best = j
        if follow is not None:
            taken = follow[len(chosen)]
            scores.append((score[taken], score[best]))
            best = taken
        else:
            scores.append(score[best])
        left.remove(best)
        chosen.append(best)
        if criterion != "mim" and len(chosen) < n:
            for j in left:
                terms[j].append(
                    information_terms(criterion, y, columns[j], columns[best], weight)[0]
                )
                evaluations += 1
    return chosen, scores, evaluations


def _information_score(criterion, relevance, terms):
    if not terms:
        return relevance
    mean = sum(terms) / len(terms)
    return {
        "cmim": min(relevance, *terms) if terms else 0,
        "jmim": min(terms),
        "jmi": sum(terms),
        "disr": sum(terms),
        "mrmr": relevance - mean,
        "mrmr_quotient": 0 if relevance < 1e-12 else relevance / mean if mean > 1e-12 else inf,
    }.get(criterion, relevance + sum(terms))


# ---- the filter by correlation, trees and boosting ----


def closeness(a, b, *, symmetrical):
    """Mutual information, or twice that for the sum of the entropies."""
    shared = entropy(a) + entropy(b) - entropy(a, b)
    return 2 * shared / (entropy(a) + entropy(b)) if symmetrical else shared


def fcbf(columns, y, delta, *, symmetrical):
    """Every pair of columns compared: those that stay, and the others, each by falling relevance.

    A column goes when one that stays is at least as relevant and at least as close to it as y is.
    """
    relevance = [
        closeness(column, y, symmetrical=symmetrical) if len(set(column)) > 1 else np.nan
        for column in columns
    ]
    ranked = order_by_score([np.nan if beats(delta, r) else r for r in relevance])
    staying, others = [], []
    for j in ranked:
        near = [closeness(columns[i], columns[j], symmetrical=symmetrical) for i in staying]
        stands = any(not beats(relevance[j], value) for value in near)
        (others if stands else staying).append(j)
    return staying, others, relevance


def tree_questions(answers, y, n_layers, min_rows):
    """A C4.5 tree of yes and no, node by node: how often each question is asked, by how many rows.

    The largest gain ratio wins, among questions whose gain is not below the average.
    """
    times, rows = [0] * len(answers), [0] * len(answers)
    if n_layers == 0 or len(set(y)) == 1:
        return times, rows
    gains, ratios = {}, {}
    for q, answer in enumerate(answers):
        if min(sum(answer), len(y) - sum(answer)) >= min_rows:
            gains[q] = entropy(y) + entropy(answer) - entropy(y, answer)
            ratios[q] = gains[q] / entropy(answer)
    if not gains or max(gains.values()) <= 1e-12:
        return times, rows
    mean = sum(gains.values()) / len(gains)
    score = [
        ratios[q] if q in gains and gains[q] >= mean - 1e-12 else np.nan
        for q in range(len(answers))
    ]
    best = order_by_score(score)[0]
    times[best], rows[best] = 1, len(y)
    for side in (True, False):
        here = [i for i in range(len(y)) if bool(answers[best][i]) == side]
        below = tree_questions(
            [[answer[i] for i in here] for answer in answers],
            [y[i] for i in here],
            n_layers - 1,
            min_rows,
        )
        times = [a + b for a, b in zip(times, below[0], strict=True)]
        rows = [a + b for a, b in zip(rows, below[1], strict=True)]
    return times, rows


def boosted(answers, y, n_classes, n_rounds, softness=0.0):
    """Every stump tried in every round: question, class of yes, class of no, vote, edge, weights.

    Questions that all rows answer alike are none.
    The vote is where the derivative of the loss changes its sign, by bisection. Ends before a stump
    whose vote would be 0 or without bound.
    """
    n, margins = len(y), [0.0] * len(y)
    found = []
    for _ in range(n_rounds):
        losses = [exp(-margin / 2) for margin in margins]
        weights = [loss / sum(losses) for loss in losses]
        best, edge = None, None
        for q, answer in enumerate(answers):
            for yes in range(n_classes) if len(set(answer)) == 2 else []:
                for no in set(range(n_classes)) - {yes}:
                    right = [(yes if answer[i] else no) == y[i] for i in range(n)]
                    sure = [1.0 if r else -1 / (n_classes - 1) for r in right]
                    mean = sum(w * m for w, m in zip(weights, sure, strict=True))
                    if best is None or beats(mean, edge):
                        best, edge, margin = (q, yes, no), mean, sure
        if best is None:
            break
        margin = [m + softness * w for m, w in zip(margin, weights, strict=True)]
        slope = [w * m for w, m in zip(weights, margin, strict=True)]
        if sum(slope) <= 1e-12 or min(margin) >= 0:
            break
        low, high = 0.0, 1e4
        while high - low > 1e-13 * high:
            middle = (low + high) / 2
            terms = [
                s * exp(-middle / 2 * (m - min(margin))) for s, m in zip(slope, margin, strict=True)
            ]
            low, high = (middle, high) if sum(terms) > 0 else (low, middle)
        margins = [a + low * m for a, m in zip(margins, margin, strict=True)]
        found.append((*best, low, edge, weights))
    return found


# ---- images ----


def has_edge(image, x, y, step):
    """Whether a fragment in this direction (right, down) lies at a pixel, from its eight pixels."""
    height, width = len(image), len(image[0])
    dx, dy = step
    cross = [(0, 0), (dx, dy), (-dx, -dy), (dy, -dx), (-dy, dx)]
    near = [(x + u, y + v) for u, v in cross]
    far = [(x + dx + u, y + dy + v) for u, v in cross]
    if any(not (0 <= u < width and 0 <= v < height) for u, v in [*near, *far]):
        return False
    dark, light = image[y][x], image[y + dy][x + dx]
    thin = [abs(image[v][u] - dark) for u, v in near[1:] if (u, v) != far[0]]
    thin += [abs(image[v][u] - light) for u, v in far[1:] if (u, v) != near[0]]
    assert len(thin) == 6
    return light > dark and all(other < light - dark for other in thin)


def edge_detector(image, x, y, step, tolerance):
    """Whether there is a fragment here, one ahead, one behind, ..., `tolerance` places in all."""
    places = [0, *(sign * far for far in range(1, tolerance) for sign in (1, -1))][:tolerance]
    height, width = len(image), len(image[0])
    strip = [(x + place * step[0], y + place * step[1]) for place in places]
    inside = [(u, v) for u, v in strip if 0 <= u < width and 0 <= v < height]
    return any(has_edge(image, u, v, step) for u, v in inside)


# ---- backward elimination ----


def weakest(scores):
    """The last place within 1e-8 of the smallest, or within rounding of the largest."""
    limit = min(scores) * (1 + 1e-8) + 1e-15 * max(scores)
    return max(place for place, score in enumerate(scores) if score <= limit)


def solve(A, B):
    """Gaussian elimination with pivoting, in the numbers' own arithmetic."""
    rows = [list(a) + list(b) for a, b in zip(A, B, strict=True)]
    n = len(rows)
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in range(n):
            if k != i and rows[k][i]:
                factor = rows[k][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[n:] for row in rows]


def ridge(X, Y, alpha, weight=None):
    """Exact ridge weights (a row per column, fractions) of one fit from scratch."""
    weight = [Fraction(1)] * len(X) if weight is None else [Fraction(float(w)) for w in weight]

    def about_mean(values):
        total = sum(weight)
        exact = [Fraction(float(value)) for value in values]
        mean = sum(w * v for w, v in zip(weight, exact, strict=True)) / total
        return [v - mean for v in exact]

    columns, targets = [about_mean(x) for x in X.T], [about_mean(y) for y in Y.T]

    def inner(a, b):
        return sum(w * u * v for w, u, v in zip(weight, a, b, strict=True))

    gram = [[inner(a, b) for b in columns] for a in columns]
    for j in range(len(columns)):
        gram[j][j] += Fraction(float(alpha))
    return solve(gram, [[inner(a, b) for b in targets] for a in columns])


def ridge_scores(X, Y, alpha, weight=None):
    """The root of each column's summed squared exact weights."""
    weights = ridge(X, Y, alpha, weight)
    return np.array([sqrt(sum(float(w) ** 2 for w in row)) for row in weights])


# ---- cuts ----


def mdl_cuts(column, labels):
    """Fayyad and Irani's cuts, by trying every one and writing out their criterion."""

    def bits(some):
        return entropy(some) / log(2)

    pairs = sorted(zip(column, labels, strict=True))
    values, ys = [value for value, _ in pairs], [label for _, label in pairs]
    n, best = len(pairs), None
    for cut in range(1, n):
        if values[cut - 1] == values[cut]:
            continue
        mean = (cut * bits(ys[:cut]) + (n - cut) * bits(ys[cut:])) / n
        if best is None or mean < best[0] - 1e-12:
            best = mean, cut
    if best is None:
        return []
    mean, cut = best
    k, k1, k2 = len(set(ys)), len(set(ys[:cut])), len(set(ys[cut:]))
    delta = log(3**k - 2) / log(2)
    delta -= k * bits(ys) - k1 * bits(ys[:cut]) - k2 * bits(ys[cut:])
    if bits(ys) - mean <= (log(n - 1) / log(2) + delta) / n + 1e-12:
        return []
    halves = (values[:cut], ys[:cut]), (values[cut:], ys[cut:])
    lower, upper = (mdl_cuts(*half) for half in halves)
    return [*lower, (values[cut - 1] + values[cut]) / 2, *upper]
