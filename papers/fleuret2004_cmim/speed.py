"""Section 6.2: what the lazy evaluation saves, in calls and in time."""

from collections.abc import Iterator
from time import process_time

import numpy as np
from threadpoolctl import threadpool_limits

from handful import InformationSelector
from handful.columns import Columns
from handful.path import order_by_score
from handful.solvers.dependence import dependence
from handful.solvers.questions import Questions, ask


class Naive:
    """Algorithm 1: every conditional information, by one matrix product per step."""

    def __init__(self, table: Columns, y: np.ndarray, n: int) -> None:
        questions = ask(table, 2)
        self.start = score = dependence(questions, y.astype(int), symmetrical=False)
        self.order: list[int] = []
        self.given: list[np.ndarray] = []  # I(Y; X | the k-th chosen) for all X
        while len(self.order) < n:
            best = int(order_by_score(score, 1)[0])
            self.order.append(best)
            if len(self.order) < n:
                self.given.append(_given(questions, y, best))
                score = np.fmin(score, self.given[-1])
                score[self.order] = np.nan


def _given(questions: Questions, y: np.ndarray, chosen: int) -> np.ndarray:
    """I(Y; X | Z) = I(X; Y, Z) - I(X; Z)."""
    z = questions.levels(chosen)
    both = np.unique(2 * z + y, return_inverse=True)[1]
    joint, alone = (dependence(questions, codes, symmetrical=False) for codes in (both, z))
    return joint - alone


def lazy_calls(naive: Naive) -> tuple[np.ndarray, np.ndarray]:
    """Algorithm 2 on these values: calls in each step after the first, and for each column."""
    bound = np.nan_to_num(naive.start).tolist()
    calls = [0] * len(bound)
    given: list[list[float]] = []
    in_step = []
    for values in naive.given:
        given.append(values.tolist())
        best, before = 0.0, sum(calls)
        for j, score in enumerate(bound):
            while score > best and calls[j] < len(given):
                score = min(score, given[calls[j]][j])
                calls[j] += 1
            bound[j] = score
            best = max(best, score)
        in_step.append(sum(calls) - before)
    return np.array(in_step), np.array(calls)


class Evaluated:
    """How many conditional informations are evaluated to choose `n` columns.

    Attributes
    ----------
    paper, own : ndarray of int
        In each step after the first, by the paper's lazy algorithm and by handful.
    calls : ndarray of int
        Of each column, by the paper's algorithm.
    """

    def __init__(self, table: Columns, y: np.ndarray, n: int) -> None:
        self.width, self.n = table.shape[1], n
        self.paper, self.calls = lazy_calls(Naive(table, y, n))
        total = [
            InformationSelector(n_features_to_select=k).fit(table, y).n_evaluations_
            for k in range(1, n + 1)
        ]
        self.own = np.diff(total)

    def share(self, in_step: np.ndarray, *, so_far: bool) -> np.ndarray:
        """Percent of all, step by step or since the beginning."""
        if so_far:
            in_step = np.cumsum(in_step) / np.arange(1, len(in_step) + 1)
        return 100 / self.width * in_step

    def decline(self) -> tuple[float, float]:
        """Slope and level of the logarithm of how many columns need so many evaluations.

        Without those that need none, and the chosen ones that need them all.
        """
        count = np.bincount(self.calls, minlength=self.n)[: self.n - 1]
        needs = 1 + np.flatnonzero(count[1:])
        slope, level = np.polyfit(needs, np.log(count[needs]), 1)
        return float(slope), float(level)


def figures_6_and_7(found: Evaluated, said: dict[str, str]) -> Iterator[tuple[str, ...]]:
    """The share of conditional informations that is evaluated, per step; calls per column."""
    ways = found.paper, found.own
    n = found.n
    in_step, so_far = (
        [found.share(way, so_far=so_far) for way in ways] for so_far in (False, True)
    )
    for step in sorted({1, 2, 5, 10, 20, 30, 40, n - 1} & set(range(1, n))):
        cells = (
            f"{own[step - 1]:.2f} % ({total[step - 1]:.2f} %)"
            for own, total in zip(in_step, so_far, strict=True)
        )
        what = f"column {step + 1}: evaluated of those of this step (since the beginning)"
        yield what, "", *cells
    yield ("on average over all steps", said["evaluated"],
           *(f"{total[-1]:.2f} %" for total in so_far))  # fmt: skip
    for times in sorted({0, 1, 2, 5, 10, 20, 30, 40, n - 1} & set(range(n))):
        columns = f"{np.count_nonzero(found.calls == times):,}"
        yield f"columns that need {times} evaluations", "", columns, ""
    slope, _ = found.decline()
    yield ("columns with one evaluation more", said["fewer"],
           f"{100 * (1 - np.exp(slope)):.0f} % fewer for each", "")  # fmt: skip


def speed(
    name: str, table: Columns, y: np.ndarray, n: int, said: dict[str, int], n_runs: int
) -> Iterator[tuple[str, ...]]:
    """Calls and processor times of one shape; the printed calls are of 100 columns: see README."""
    width = table.shape[1]
    lazy = InformationSelector(n_features_to_select=n)
    # "jmi" scores every column beside every chosen one from the same counts, in the same core
    eager = InformationSelector("jmi", n_features_to_select=n)
    times: dict[str, list[float]] = {}
    for _ in range(n_runs):
        for way, work in (
            ("lazy", lambda: lazy.fit(table, y)),
            ("eager", lambda: eager.fit(table, y)),
            ("naive", lambda: Naive(table, y, n)),
        ):
            start = process_time()
            with threadpool_limits(1):
                answer = work()
            times.setdefault(way, []).append(1e3 * (process_time() - start))
    assert answer.order == lazy.selection_order_.tolist()
    ms = {way: float(np.median(runs)) for way, runs in times.items()}
    yield (f"{name}, choose {n}: calls", "", f"{width * (n - 1):,}", f"{lazy.n_evaluations_:,}",
           f"{width * (n - 1) / lazy.n_evaluations_:.0f}")  # fmt: skip
    for way, what in (("eager", "the compiled core"), ("naive", "matrix products")):
        row = (f"{ms[way]:.0f} ms", f"{ms['lazy']:.1f} ms", f"{ms[way] / ms['lazy']:.0f}")
        factor = said["naive_ms"] / said["lazy_ms"]
        yield (f"{name}, choose {n}: time, every column at every step by {what}",
               f"{said['naive_ms']:,} ms → {said['lazy_ms']:,} ms: {factor:.0f}", *row)  # fmt: skip
    calls = InformationSelector(n_features_to_select=100).fit(table, y).n_evaluations_
    factor = said["naive_calls"] / said["lazy_calls"]
    yield (f"{name}, choose 100: calls",
           f"{said['naive_calls']:,} → {said['lazy_calls']:,}: {factor:.0f}",
           f"{99 * width:,}", f"{calls:,}", f"{99 * width / calls:.0f}")  # fmt: skip
