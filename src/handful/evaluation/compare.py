"""compare: several selectors under several classifiers, on the same folds, at the same sizes."""

import platform
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from math import isnan
from os import PathLike
from time import perf_counter
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import BaseEstimator

from handful import columns
from handful.evaluation import inputs
from handful.evaluation.checkpoint import Checkpoint
from handful.evaluation.codec import plain
from handful.evaluation.comparison import Compared, Comparison, Fold, Metric, Ranking
from handful.evaluation.hearing import hearing
from handful.evaluation.parts import Part, decides_itself, weight_name
from handful.evaluation.pieces import Piece, Work, run_piece
from handful.evaluation.profiles import Profile
from handful.evaluation.record import Data, profiles_of, versions
from handful.evaluation.summary import Found, redundancy
from handful.methods import catalogue
from handful.progress import track
from handful.stopping import OwnScorer, refuse_shared_groups, split_rows
from handful.threads import one_thread

# Of each method's own list, the columns that are pictured against the target.
_PICTURED = 12

Task = tuple[int, int | None]


def compare(
    selectors: Mapping[str, Any],
    classifiers: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    sizes: Iterable[int] | None = None,
    cv: Any = 5,
    metrics: str | Sequence[Any] | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    checkpoint: str | PathLike[str] | None = None,
    verbose: int = 0,
    name: str = "table",
    target: str = "y",
    called: str = "columns",
    descriptions: Sequence[str] | None = None,
    command: str = "",
) -> Comparison:
    """Measure selectors under classifiers, fold by fold, so that nothing leaks.

    In every fold every selector ranks the training rows once; every classifier is then fitted on
    the first columns of that ranking, for every size, and asked about the test rows. Thresholds,
    scalers and a selector's own choice of size are part of what is fitted: they see training rows
    only.

    Parameters
    ----------
    selectors : mapping of name to selector
        A selector that decides by a stopping rule how many features to keep is run as it is: the
        rule's own folds, probes or resamples are drawn inside the training rows. A scikit-learn
        selector with ``get_support`` is run as it is, too.
    classifiers : mapping of name to scikit-learn classifier, regressor or pipeline
    X : array, data frame, sparse matrix or table of handful's own
    y : array-like of shape (n_rows,), or (n_rows, n_labels) for several labels per row
    sizes : iterable of int, optional
        Numbers of features. None: every selector keeps as many as its own parameters say.
    cv : int, str, splitter or iterable of (train, test)
        An int as in scikit-learn; "5x4" for 4 rounds of 5 shuffled folds; one pair for a given
        division. For a division in three give the first two parts as the training rows, and tell
        them apart in the selector's own rule: ``CrossValidated(cv=PredefinedSplit(...))``.
    metrics : str or sequence
        "balanced_error", "accuracy", "auc", scikit-learn names, or callables
        ``(estimator, X, y)``. None: "balanced_error"; for numbers "r2"; for several labels
        "f1_macro" and "f1_micro" (`handful.classifiers.SCut` tunes the thresholds).
    groups : array-like of shape (n_rows,), optional
        Rows of one group are never on both sides of a fold.
    sample_weight : array-like of shape (n_rows,), optional
        A row of weight 2 counts as two, in ranking, fitting and metrics. What takes no weights is
        fitted without, and the record's warnings say so.
    n_jobs : int, optional
        Methods and folds side by side, through joblib and its backends. Each then computes in one
        thread; the record is the same for every number.
    random_state : int, RandomState or None
        For shuffled folds and for whatever has no random_state of its own. None draws a seed,
        which the record keeps.
    checkpoint : path, optional
        A folder that keeps what is finished. A run that was killed goes on where it stopped when
        the same call is made again; the folder of another run is refused.
    verbose : int
        1 draws a bar with the time left, on a terminal.
    name, target, called : str
        The names of the table and of the target, and what to call the columns ("genes").
    descriptions : sequence of str, optional
        One per column of X.
    command : str
        What repeats the run; "" for a Python expression.

    Returns
    -------
    Comparison
        A record: `frame`, `to_json`, `report`, and all results by name.

    Raises
    ------
    ValueError
        Before any work where the input cannot be used, and where not one score could be had.

    Notes
    -----
    A size beyond what a selector returned uses all it returned. Without any feature a classifier
    is the most frequent class, a regressor the mean. What fails (a selector, a classifier, a
    metric) is NaN in the scores and stands in `failures` with its message; the rest goes on. A
    class without training rows can only be got wrong; one without test rows does not count in
    that fold; `folds` and `warnings` name both.

    Beside the folds, each selector is fitted once on all rows: that list is the one to use, the
    folds say how good and how stable it is. (For a single fold it is the fold's.)

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from handful import FilterSelector
    >>> from handful.datasets import make_linear_separator
    >>> X, y, relevant = make_linear_separator(100, 30, random_state=0)
    >>> found = compare(
    ...     {"fisher": FilterSelector()}, {"Bayes": GaussianNB()}, X, y,
    ...     sizes=[1, 2, 5], cv=5, random_state=0,
    ... )
    >>> [round(error, 2) for error in found.curve("fisher", "Bayes").mean]
    [0.36, 0.19, 0.16]
    """
    started = perf_counter()
    kept = None if checkpoint is None else Checkpoint(checkpoint)
    inputs.check_named("selectors", ("fit", "get_support"), selectors)
    inputs.check_named("classifiers", ("fit", "predict"), classifiers)
    seed = inputs.draw_seed(random_state, None if kept is None else kept.seed)
    table = columns.open(BaseEstimator(), X)
    aimed = inputs.open_target(y, classifiers, table.shape[0], sample_weight)
    together = inputs.open_groups(groups, table.shape[0])
    notes: list[str] = []
    with hearing(notes) as said_by:
        splits = split_rows(cv, aimed, together, seed)
        said_by("folds")
    if together is not None:
        refuse_shared_groups(splits, together)
    shared, asked = effective_n_jobs(n_jobs) > 1, inputs.check_sizes(sizes, table.shape[1])
    most = {
        name: None if decides_itself(selector, asked) else max(asked or ())
        for name, selector in selectors.items()
    }
    work = Work(
        selectors={
            name: Part.of(selector, aimed.task, shared=shared, size=most[name])
            for name, selector in selectors.items()
        },
        classifiers={
            name: Part.of(model, aimed.task, shared=shared) for name, model in classifiers.items()
        },
        scorers=inputs.resolve_metrics(metrics, aimed),
        table=table,
        target=aimed,
        groups=together,
        splits=splits,
        sizes=asked,
        seed=seed,
        shared=shared,
    )
    data = inputs.describe_data(table, aimed, name, target, called)
    answer = _empty(work, data, command or _expression(work, cv))
    if kept is not None:
        kept.start(_identity(work, answer))
    pieces = _run(work, kept, n_jobs, verbose)
    notes += _about(work, answer.folds, pieces)
    with one_thread():
        answer = _filled(answer, work, pieces, descriptions)
    return replace(answer, warnings=notes, time=_time(pieces, perf_counter() - started))


def _empty(work: Work, data: Data, command: str) -> Comparison:
    """The record before the work: what is compared, on what."""
    return Comparison(
        data=data,
        methods=[
            Compared(
                name,
                catalogue.name_of(part.given),
                plain(part.given.get_params(deep=False)),
                not decides_itself(part.given, work.sizes),
            )
            for name, part in work.selectors.items()
        ],
        classifiers=[
            Compared(name, type(part.given).__name__, plain(part.given.get_params(deep=False)))
            for name, part in work.classifiers.items()
        ],
        metrics=[
            Metric(name, scorer.larger_is_better if isinstance(scorer, OwnScorer) else True)
            for name, scorer in work.scorers.items()
        ],
        sizes=work.sizes or [],
        folds=[inputs.describe_fold(split, work.target) for split in work.splits],
        rankings=[],
        scores=[],
        seed=work.seed,
        versions=versions(),
        weighted=work.target.weight is not None,
        grouped=work.groups is not None,
        command=command,
        platform=f"{platform.system()} {platform.machine()}",
    )


def _identity(work: Work, record: Comparison) -> dict[str, Any]:
    """What two runs must have in common for the pieces of one to be those of the other."""
    return {
        "data": {"sha256": record.data.sha256, "task": record.data.task},
        "groups": inputs.hash_of(work.groups),
        "sample_weight": inputs.hash_of(work.target.weight),
        "selectors": {one.name: [one.what, one.parameters] for one in record.methods},
        "classifiers": {one.name: [one.what, one.parameters] for one in record.classifiers},
        "order": [list(work.selectors), list(work.classifiers)],
        "metrics": [metric.name for metric in record.metrics],
        "sizes": work.sizes,
        "folds": [fold.sha256 for fold in record.folds],
        "seed": record.seed,
        "versions": record.versions,
        "platform": record.platform,
    }


def _run(work: Work, kept: Checkpoint | None, n_jobs: int | None, verbose: int) -> list[Piece]:
    """All pieces, method by method, from the folder or made here."""
    folds: list[int | None] = [*range(len(work.splits))]
    if len(folds) > 1:
        folds.append(None)
    tasks = [(number, fold) for number in range(len(work.selectors)) for fold in folds]
    found: dict[Task, Piece] = {}
    if kept is not None:
        loaded = {task: kept.load(*task) for task in tasks}
        found = {task: piece for task, piece in loaded.items() if piece is not None}
    # fold by fold, so that what is shown or kept of an unfinished run has all methods
    missing = [task for fold in folds for task in tasks if task[1] == fold and task not in found]
    made = _made(work, missing, n_jobs)
    for task, piece in track(made, "Comparing", length=len(missing), verbose=verbose):
        if kept is not None:
            kept.save(*task, piece)
        found[task] = piece
    pieces = [found[task] for task in tasks]
    _refuse_nothing(pieces)
    return pieces


def _made(work: Work, tasks: list[Task], n_jobs: int | None) -> Iterator[tuple[Task, Piece]]:
    """Pieces as they are finished."""
    if not work.shared:
        with one_thread():
            yield from (_one(work, task) for task in tasks)
        return
    try:
        side_by_side = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except ValueError:  # a backend, such as Ray's, that hands everything over at the end
        side_by_side = Parallel(n_jobs=n_jobs)
    yield from side_by_side(delayed(_one_elsewhere)(work, task) for task in tasks)


def _one(work: Work, task: Task) -> tuple[Task, Piece]:
    number, fold = task
    return task, run_piece(work, list(work.selectors)[number], fold)


def _one_elsewhere(work: Work, task: Task) -> tuple[Task, Piece]:
    with one_thread():
        return _one(work, task)


def _refuse_nothing(pieces: list[Piece]) -> None:
    failures = [failure for piece in pieces for failure in piece.failures]
    values = (value for piece in pieces for one in piece.scores for value in one.values.values())
    if failures and all(isnan(number) for numbers in values for number in numbers):
        first = failures[0]
        who = first.method if first.classifier is None else f"{first.method}, {first.classifier}"
        raise ValueError(f"Not one score could be had. {who}: {first.message}")


def _filled(
    empty: Comparison, work: Work, pieces: list[Piece], descriptions: Sequence[str] | None
) -> Comparison:
    """The record with all results and what follows from them."""
    rankings = [piece.ranking for piece in pieces if piece.ranking is not None]
    scores = [one for piece in pieces for one in piece.scores]
    found = Found(
        empty.methods,
        empty.classifiers,
        empty.metrics,
        empty.folds,
        rankings,
        scores,
        work.table.shape[1],
    )
    filled = replace(empty, rankings=rankings, scores=scores)
    own = [one for method in work.selectors if (one := filled.ranking(method)) is not None]
    mentioned = sorted({j for ranking in rankings for j in ranking.indices})
    names = work.table.names
    return replace(
        filled,
        failures=[failure for piece in pieces for failure in piece.failures],
        curves=found.curves(),
        agreement=found.agreement(empty.sizes),
        returned=found.returned(own, empty.sizes),
        redundancy=[redundancy(ranking, work.table) for ranking in own],
        contrasts=found.contrasts(),
        profiles=_pictured(own, work),
        names={str(j): f"x{j}" if names is None else str(names[j]) for j in mentioned},
        descriptions={}
        if descriptions is None
        else {str(j): str(descriptions[j]) for j in mentioned},
    )


def _pictured(own: list[Ranking], work: Work) -> list[Profile]:
    """The first columns of every method's own list, each column once."""
    target = work.target
    if target.original.ndim > 1:
        return []
    first = dict.fromkeys(j for ranking in own for j in ranking.indices[:_PICTURED])
    return profiles_of(work.table, list(first), target.original, target.task)


def _about(work: Work, folds: list[Fold], pieces: list[Piece]) -> list[str]:
    """What the reader should know about folds, weights and fits."""
    notes = []
    for number, fold in enumerate(folds):
        for what, labels in (("training", fold.unlearned), ("test", fold.untested)):
            if labels:
                notes.append(f"Fold {number} has no {what} row of class {', '.join(labels)}.")
    if work.target.weight is not None:
        for name, part in (*work.selectors.items(), *work.classifiers.items()):
            if weight_name(part.given) is None:
                notes.append(f"{name} takes no sample_weight and was fitted without.")
    total = Counter(piece.method for piece in pieces)
    count = Counter((piece.method, text) for piece in pieces for text in piece.warnings)
    return notes + [f"{text} (in {n} of {total[by]} fits)" for (by, text), n in count.items()]


def _expression(work: Work, cv: Any) -> str:
    """A call that repeats the run."""
    given = {
        "sizes": work.sizes,
        "cv": cv,
        "metrics": list(work.scorers),
        "groups": None if work.groups is None else _Name("groups"),
        "sample_weight": None if work.target.weight is None else _Name("sample_weight"),
        "random_state": work.seed,
    }
    shown = ", ".join(f"{key}={value!r}" for key, value in given.items() if value is not None)
    compared = (
        {name: part.given for name, part in parts.items()}
        for parts in (work.selectors, work.classifiers)
    )
    call = f"compare({', '.join(map(repr, compared))}, X, y, {shown})"
    return " ".join(call.split())


class _Name:
    """A name that stands for itself in an expression."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


def _time(pieces: list[Piece], seconds: float) -> dict[str, Any]:
    parts: dict[str, Any] = {"rank": {}, "fit": {}, "score": {}}
    for piece in pieces:
        parts["rank"].setdefault(piece.method, []).append(piece.seconds.rank)
        for part, spent in (("fit", piece.seconds.fit), ("score", piece.seconds.score)):
            by_classifier = parts[part].setdefault(piece.method, {})
            for classifier, one in spent.items():
                by_classifier.setdefault(classifier, []).append(one)
    finished = datetime.now(UTC).isoformat(timespec="seconds")
    return {"finished": finished, "seconds": seconds, **parts}
