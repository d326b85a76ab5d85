"""Summary: what follows from rankings and scores over the folds of a comparison."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handful.columns import Columns
from handful.evaluation import agreement
from handful.evaluation.comparison import (
    Agreement,
    Compared,
    Contrast,
    Curve,
    Fold,
    Metric,
    Ranking,
    Redundancy,
    Returned,
    Scores,
    size_curve_of,
)
from handful.evaluation.significance import TTest, corrected_resampled_test
from handful.metrics import stability_index

# A picture of more correlations than this shows nothing.
MAX_CORRELATED = 32


@dataclass(frozen=True, eq=False)
class Found:
    """The results of a comparison, method by method."""

    methods: Sequence[Compared]
    classifiers: Sequence[Compared]
    metrics: Sequence[Metric]
    folds: Sequence[Fold]
    rankings: Sequence[Ranking]
    scores: Sequence[Scores]
    n_features: int

    def curves(self) -> list[Curve]:
        """The curve of every method, classifier and metric that has a score."""
        found = []
        for method, classifier in product(self.methods, self.classifiers):
            scores = self._of(method, classifier)
            if scores:
                found += [self._curve(scores, metric, method.sizes) for metric in self.metrics]
        return found

    def agreement(self, sizes: Sequence[int]) -> list[Agreement]:
        """How alike the folds' lists are, for every method and size."""
        found = []
        for method in self.methods:
            lists = self._lists(method)
            if len(lists) > 1:
                wanted = sizes if method.sizes else [None]
                found += [_agreement(method.name, lists, n, self.n_features) for n in wanted]
        return found

    def returned(self, own: Iterable[Ranking], sizes: Sequence[int]) -> list[Returned]:
        """How often the features of each method's own list come back in the folds."""
        methods = {method.name: method for method in self.methods}
        answer = []
        for ranking in own:
            method = methods[ranking.method]
            lists = self._lists(method)
            wanted = list(sizes) if method.sizes else [len(ranking.indices)]
            counts = []
            for size in wanted:
                members = [set(one[:size] if method.sizes else one) for one in lists]
                first = ranking.indices[:size]
                counts.append([sum(feature in among for among in members) for feature in first])
            answer.append(Returned(method.name, len(lists), ranking.indices, wanted, counts))
        return answer

    def contrasts(self) -> list[Contrast]:
        """Every method against the first one, at equal sizes."""
        if len(self.methods) < 2:
            return []
        first, *others = self.methods
        answer = []
        for other, classifier in product(others, self.classifiers):
            pair = self._of(other, classifier), self._of(first, classifier)
            if other.sizes == first.sizes and all(pair):
                for metric in self.metrics:
                    answer += self._contrasts(*pair, metric, other.sizes)
        return answer

    def _curve(self, scores: list[Scores], metric: Metric, asked: bool) -> Curve:
        values = size_curve_of(scores, metric)
        sense = 1.0 if metric.larger_is_better else -1.0
        name = scores[0].method, scores[0].classifier, metric.name
        n_folds = len(values.scores)
        kept = values.sizes.astype(float).tolist()
        if not asked:
            kept = [float(np.mean([one.sizes[0] for one in scores]))]
        if not n_folds:
            unknown = [nan] * len(kept)
            return Curve(*name, 0, kept, unknown, unknown, unknown, unknown, nan, nan)
        mean = (sense * values.mean).tolist()
        tests = [self._test(sense * column) for column in values.scores.T]
        best, smallest = (
            float(values.best(rule)) if asked else kept[0]
            for rule in ("best", "one_standard_error")
        )
        return Curve(
            *name,
            n_folds,
            kept,
            mean,
            values.standard_error.tolist(),
            [nan if test is None else test.lower for test in tests],
            [nan if test is None else test.upper for test in tests],
            best,
            smallest,
        )

    def _contrasts(
        self, of: list[Scores], against: list[Scores], metric: Metric, asked: bool
    ) -> list[Contrast]:
        """One contrast per size, over the folds in which both have a score."""
        before = {scores.fold: scores.values[metric.name] for scores in against}
        pairs = np.array(
            [
                np.subtract(scores.values[metric.name], before[scores.fold])
                for scores in of
                if scores.fold in before
            ]
        )
        answer = []
        for size, differences in zip(of[0].sizes, pairs.T, strict=True):
            test = self._test(differences[~np.isnan(differences)])
            if test is not None:
                answer.append(
                    Contrast(
                        of[0].method,
                        against[0].method,
                        of[0].classifier,
                        metric.name,
                        size if asked else None,
                        test.difference,
                        test.lower,
                        test.upper,
                        test.p_value,
                    )
                )
        return answer

    def _test(self, values: NDArray[np.float64]) -> TTest | None:
        if len(values) < 2:
            return None
        n_train = float(np.mean([fold.train for fold in self.folds]))
        n_test = float(np.mean([fold.test for fold in self.folds]))
        return corrected_resampled_test(values, n_train=n_train, n_test=n_test)

    def _of(self, method: Compared, classifier: Compared) -> list[Scores]:
        wanted = method.name, classifier.name
        return [one for one in self.scores if (one.method, one.classifier) == wanted]

    def _lists(self, method: Compared) -> list[list[int]]:
        """What the method chose in each fold."""
        return [
            ranking.indices
            for ranking in self.rankings
            if ranking.method == method.name and ranking.fold is not None
        ]


def redundancy(ranking: Ranking, table: Columns) -> Redundancy:
    """The correlations among the first features of a list; NaN with a constant one."""
    indices = ranking.indices[:MAX_CORRELATED]
    if not indices:
        return Redundancy(ranking.method, [], [])
    columns = np.array([table.column(j) for j in indices])
    centred = columns - columns.mean(axis=1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        unit = np.where(length > 0, centred / length, nan)
    return Redundancy(ranking.method, indices, np.clip(unit @ unit.T, -1, 1).tolist())


def _agreement(method: str, lists: list[list[int]], size: int | None, d: int) -> Agreement:
    chosen = [one if size is None else one[:size] for one in lists]
    features = np.unique(np.concatenate([np.array(one, dtype=np.intp) for one in chosen]))
    masks = np.zeros((len(chosen), max(1, len(features))), dtype=bool)
    for mask, one in zip(masks, chosen, strict=True):
        mask[np.searchsorted(features, one)] = True
    index = stability_index(masks, n_features=d)
    one_size = len({len(one) for one in chosen}) == 1
    values: list[Any] = [
        float(index),
        index.lower,
        index.upper,
        float(index) if one_size else nan,  # for one size Kuncheva's index is the same number
        agreement.jaccard_index(masks),
        agreement.hamming_distance(masks),
    ]
    return Agreement(method, size, len(chosen), *values)
