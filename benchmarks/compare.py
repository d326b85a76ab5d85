"""What a comparison costs beside the work itself: 3 selectors, 2 classifiers, 10 sizes, 50 folds.

    python benchmarks/compare.py

Leukaemia, 72 samples by 7,129 genes. Two figures:

- overhead: the share of a run in one process that is not spent inside the selectors' `fit` and the
  classifiers' `fit` and `predict`, which are timed by subclasses from outside, in seconds of the
  processor (other work on the machine does not count then; nor does reading the clock). It is to
  stay under 5 %.
- two processes against one: to be at least 1.6 times as fast, start of the processes not counted
  (they are kept for the next comparison).
"""

import sys
from statistics import median
from time import perf_counter, process_time

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from handful import FilterSelector, InformationSelector
from handful.datasets import load_leukaemia
from handful.evaluation import compare

SIZES = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50]
MOST_OVERHEAD = 0.05
LEAST_SPEEDUP = 1.6
N_RUNS = 5

inside, n_calls = 0.0, 0


def timed(method):
    """The method, adding the seconds it takes to `inside`."""

    def called(*arguments, **named):
        global inside, n_calls
        n_calls += 1
        start = process_time()
        try:
            return method(*arguments, **named)
        finally:
            inside += process_time() - start

    called.__wrapped__ = method
    return called


class TimedInformation(InformationSelector):
    fit = timed(InformationSelector.fit)


class TimedFilter(FilterSelector):
    def fit(self, X, y):
        return timed(super().fit)(X, y)


class TimedBayes(GaussianNB):
    fit = timed(GaussianNB.fit)
    predict = timed(GaussianNB.predict)


class TimedMachine(LinearSVC):
    fit = timed(LinearSVC.fit)
    predict = timed(LinearSVC.predict)


def run(n_jobs=None, clocked=True):
    """Seconds of one comparison; of the processor, where the work inside is clocked."""
    clock = process_time if clocked else perf_counter
    information, filters = (
        (TimedInformation, TimedFilter) if clocked else (InformationSelector, FilterSelector)
    )
    bayes, machine = (TimedBayes, TimedMachine) if clocked else (GaussianNB, LinearSVC)
    X, y = load_leukaemia(split="all", return_X_y=True)
    activity = np.log2(np.clip(X, 100, 16000)) - 10
    start = clock()
    record = compare(
        {"cmim": information(), "fisher": filters(), "f": filters("f")},
        {"naive Bayes": bayes(), "linear SVM": machine()},
        activity,
        y,
        sizes=SIZES,
        cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=10, random_state=0),
        n_jobs=n_jobs,
        random_state=0,
    )
    seconds = clock() - start
    assert len(record.columns()["size"]) == 3 * 2 * 10 * 50
    assert not record.failures
    return seconds


def seconds_of_a_clock():
    """What a timed call costs outside of its own measurement."""
    global inside
    inside, nothing, n = 0.0, timed(lambda: None), 100_000
    start = process_time()
    for _ in range(n):
        nothing()
    return (process_time() - start - inside) / n


def overhead(clock):
    """The share of one run that is not spent in the work itself."""
    global inside, n_calls
    inside, n_calls = 0.0, 0
    seconds = run() - n_calls * clock
    share = 1 - inside / seconds
    print(
        f"{seconds:.2f} s of the processor, {inside:.2f} s in fit and predict: {share:.1%} beside"
    )
    return share


def main():
    run()
    clock = seconds_of_a_clock()
    shares = [overhead(clock) for _ in range(N_RUNS)]
    run(n_jobs=2, clocked=False)
    ratios = []
    for _ in range(N_RUNS):
        one, two = run(clocked=False), run(n_jobs=2, clocked=False)
        ratios.append(one / two)
        print(f"one process {one:.2f} s, two processes {two:.2f} s: {ratios[-1]:.2f} times as fast")
    beside, speedup = median(shares), median(ratios)
    print(f"\noverhead {beside:.1%} (limit {MOST_OVERHEAD:.0%})")
    print(f"two processes {speedup:.2f} times as fast as one (limit {LEAST_SPEEDUP})")
    return int(beside > MOST_OVERHEAD or speedup < LEAST_SPEEDUP)


if __name__ == "__main__":
    sys.exit(main())
