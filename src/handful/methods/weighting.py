"""OptimalFeatureWeighting: learn how likely each column should be drawn into a classifier.

Draw k columns by lot, train a classifier on them with a few of the rows, test it on a few others.
Then make the drawn columns more likely where it erred less than usual, and less likely where it
erred more: after many draws the likely columns are those in whose company classifiers do well. It
is a stochastic gradient descent on the expected error of such a classifier over all distributions
of the columns. Any classifier will do, many classes as well as two, and a column is judged by how
often it is of use.

References
----------
Gadat and Younes (2007), "A stochastic algorithm for feature selection in pattern recognition",
Journal of Machine Learning Research 8.

Examples
--------
>>> from handful import OptimalFeatureWeighting
>>> from handful.datasets import make_ternary
>>> X, y, relevant = make_ternary(random_state=0)
>>> selector = OptimalFeatureWeighting(base="knn", metric="hamming", max_iter=200, random_state=0)
>>> bool(set(selector.fit(X, y).selection_order_[:3].tolist()) <= set(relevant.tolist()))
True
"""

import os
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Bunch

from handful import columns
from handful.columns import Columns
from handful.path import Path, order_by_score
from handful.progress import follow
from handful.selector import Selector
from handful.solvers.scores import fisher
from handful.solvers.weighting import (
    State,
    check,
    complaints,
    judge_of,
    learn,
    learn_exactly,
    load,
    mark_of,
    saved,
    settings_of,
    tasks_of,
)
from handful.stopping import StoppingRule
from handful.target import Target

# Of larger tables, constant columns are looked for only among the first of the ranking.
_CELLS_LOOKED_AT = 1 << 28


class OptimalFeatureWeighting(Selector):
    """Weigh columns by how well classifiers do that were trained on subsets drawn by these weights.

    Parameters
    ----------
    n_features_to_select : int, float, "auto", None or stopping rule
        How many to keep, see `handful.stopping`.
    optimizer : {"riemannian", "euclidean", "diffusion", "exact", "multiplicative"}
        How the weights move; see the notes.
    base : {"svm", "knn", "tree"} or classifier
        What is trained on each subset: a linear support vector machine (more than two classes: one
        against all, errors averaged), nearest neighbours, a classification tree (CART, Gini), all
        compiled; or any scikit-learn classifier, at the price of its own fits.
    subset_size : int or None
        Columns drawn for a classifier, with replacement. None: twice the root of the number of
        columns, at most 100 and at most half of them.
    sample_size : int or None
        Rows drawn with replacement to train it, and again to test it. None: as many as the table
        has, at most 100.
    batch_size : int
        Subsets per step; they are judged in parallel and the weights move by their mean.
    step_size : float or None
        The first step is ``step_size / step_offset``, the n-th after it ``step_size / (n +
        step_offset)``; without `step_offset` all are `step_size`. None: adapts to the number of
        columns, the subset's size, the spread of the errors and to how concentrated the weights
        are.
    step_offset : float or None
    sigma : float or None
        Of the diffusion's noise. None: weights drift by about a tenth of their first value.
    max_iter : int
        Steps.
    tol : float
        Stop where no weight moved by more since step ``n - n // window``; 0: never.
    window : int
        See `tol`.
    patience : int
        How many tests in a row must find the weights at rest.
    baseline : bool or None
        Count errors by how much they are above the mean error of the past ("multiplicative": of the
        other subsets of the step). None: yes, but not where it would move weights that are 0: for
        the diffusion, and with `clip`.
    prefilter : float or None
        Only columns with a larger Fisher score are weighted; the paper takes 0.01.
    error : {"plain", "balanced"}
        "balanced": each class counts the same.
    tasks : array-like of shape (n_rows, n_tasks) or None
        Further ways of putting the rows into classes; the error is the mean over y and these.
    C : float
        Of the support vector machine, as in scikit-learn's ``SVC``.
    n_neighbors : int
        Of the nearest neighbours.
    metric : {"euclidean", "hamming"}
        Of the nearest neighbours; "hamming" counts the columns that differ.
    clip : bool
        For "euclidean": a step that leaves the simplex is put back on it. Otherwise it ends the
        run.
    warm_start : bool
        Whether `fit` goes on from the weights of the last one.
    checkpoint : path or None
        A file to which the run is written every half a minute and at its end; where it exists, the
        run is taken up from there, and gives the same bits as one that was never broken off.
    random_state : int, RandomState or None
        Who draws.
    n_jobs : int or None
        Threads (for a classifier of scikit-learn: processes); the result is the same for all.
    verbose : int
        1 draws a bar on a terminal, with the energy and the effective number of columns.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features,)
        The chance of each column to be drawn; they add up to 1.
    history_ : Bunch
        After each stretch of steps the step's number (``iteration``), the mean error of the subsets
        (``energy``), its moving average (``average``), the entropy of the weights (``entropy``),
        the size of the step (``step``); and ``stopped``: why the run ended.
    n_evaluations_ : int
        How many classifiers were trained.
    n_iter_ : int
        How many steps were made.

    Notes
    -----
    "riemannian": factors, in the geometry in which the boundary of the simplex is infinitely far
    away.
    "euclidean": differences, projected on the weights of sum 1; may leave the simplex. "diffusion":
    the same with noise, put back on the simplex in each step. "exact": all ``n_features **
    subset_size`` ways of drawing, at most a million; the oracle of the others. "multiplicative",
    not in the paper: factors for the drawn columns alone, the others follow from the sum 1. With a
    baseline it comes to rest where the Riemannian optimizer does; without, it makes columns likely
    in inverse proportion to their errors, that is, hardly differs between them.

    The columns are used as they are: scale those of different units first, for the support vector
    machine and Euclidean distances. A column drawn twice is in the subset once, and counts twice.

    A table is read once, to find cells that are not finite (not under ``assume_finite``) and, up to
    2^28 cells, columns that are constant; after that only the drawn cells are. Up to 2^26 cells it
    is copied, column by column.

    A step that is too large lets columns win by lot, and the energy rises. Then the weights are set
    back to where it was lowest, and steps are cut to a quarter; a warning says so.

    Permuting the columns permutes the answer only in distribution; relabelled classes leave it
    alone. The same seed gives the same weights for every `n_jobs`, bit by bit.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = OptimalFeatureWeighting(2, base="tree", max_iter=300, random_state=0).fit(X, y)
    >>> sorted(selector.selection_order_.tolist())
    [2, 3]
    """

    # where the last run ended
    _state: State | None = None

    def __init__(
        self,
        n_features_to_select: Any = "auto",
        *,
        optimizer: str = "riemannian",
        base: Any = "svm",
        subset_size: int | None = None,
        sample_size: int | None = None,
        batch_size: int = 8,
        step_size: float | None = None,
        step_offset: float | None = None,
        sigma: float | None = None,
        max_iter: int = 3000,
        tol: float = 0.0,
        window: int = 10,
        patience: int = 1,
        baseline: bool | None = None,
        prefilter: float | None = None,
        error: str = "plain",
        tasks: ArrayLike | None = None,
        C: float = 1.0,
        n_neighbors: int = 3,
        metric: str = "euclidean",
        clip: bool = False,
        warm_start: bool = False,
        checkpoint: str | os.PathLike | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.optimizer = optimizer
        self.base = base
        self.subset_size = subset_size
        self.sample_size = sample_size
        self.batch_size = batch_size
        self.step_size = step_size
        self.step_offset = step_offset
        self.sigma = sigma
        self.max_iter = max_iter
        self.tol = tol
        self.window = window
        self.patience = patience
        self.baseline = baseline
        self.prefilter = prefilter
        self.error = error
        self.tasks = tasks
        self.C = C
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.clip = clip
        self.warm_start = warm_start
        self.checkpoint = checkpoint
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, *, groups: Any = None) -> Self:
        """Learn the weights and keep the columns that the stopping rule says.

        Parameters
        ----------
        X : array, data frame, sparse matrix or table of handful's own
        y : array-like of shape (n_rows,)
        groups : array-like of shape (n_rows,), optional
            For the splitter of `CrossValidated`.
        """
        if self.warm_start:
            return self._go_on(X, y, groups)
        self._state = None
        return self._fit(X, y, groups=groups)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Go on from the weights so far for another `max_iter` steps, on these rows.

        Parameters
        ----------
        X : array, data frame, sparse matrix or table of handful's own
            With the columns of the first call.
        y : array-like of shape (n_rows,)
        classes : ignored
            Classes may differ from call to call.
        """
        return self._go_on(X, y, None)

    def _go_on(self, X: Any, y: Any, groups: Any) -> Self:
        """From the weights so far where a rule asks about the whole table; anew for its parts."""
        self._whole = columns.open(self, X, reset=self._state is None)
        try:
            return self._fit(self._whole, y, groups=groups)
        finally:
            del self._whole

    def _rank(
        self, table: Columns, target: Target, n: int | None, rng: np.random.Generator, n_jobs: int
    ) -> Path:
        check(self.get_params(deep=False))
        state = self._start(table, target, rng)
        note = "the other columns are constant"
        if self.prefilter is not None:
            note += f" or have a Fisher score of at most {self.prefilter:g}"
        if not state.columns.size:
            return Path([], [], complete=True, note=note)  # type: ignore[arg-type]
        state = self._run(table, target, state, n_jobs)
        for message in complaints(state):
            warnings.warn(message, UserWarning, stacklevel=2)
        order = _varying(table, state.columns, order_by_score(state.weights), n)
        return Path(
            state.columns[order],
            state.weights[order],
            complete=n is None or len(order) < n,
            note=note,
            fitted=_shown(state, table.shape[1]),
        )

    def _run(self, table: Columns, target: Target, state: State, n_jobs: int) -> State:
        """Another `max_iter` steps, or what is left of them by the checkpoint."""
        parameters = self.get_params(deep=False)
        settings = settings_of(parameters, table.shape[0], len(state.columns))
        tasks = tasks_of(self.tasks, target)
        state.end, state.stopped = state.n_steps + settings.max_iter, ""
        mark = mark_of(settings, tasks, self.base)
        if self.checkpoint is not None and os.path.exists(self.checkpoint):
            state = load(self.checkpoint, mark)
        judge = judge_of(table, state.columns, tasks, parameters, n_jobs)
        run = (learn_exactly if self.optimizer == "exact" else learn)(judge, settings, state)
        if self.checkpoint is not None:
            run = saved(run, self.checkpoint, mark)
        texts = (
            (now.n_steps, f"energy {now.average:.2%}, {now.effective:,.0f} effective columns")
            for now in run
        )
        follow(texts, "weighting", length=state.end, verbose=self.verbose)
        return state

    def _start(self, table: Columns, target: Target, rng: np.random.Generator) -> State:
        """Equal weights, or those of the last run."""
        if self._state is not None and table is getattr(self, "_whole", None):
            return self._state.copy()
        if self.checkpoint is not None and isinstance(self.n_features_to_select, StoppingRule):
            rule = type(self.n_features_to_select).__name__
            raise ValueError(
                f"{rule} ranks several tables, and a checkpoint is of one run; give "
                "n_features_to_select a number, or no checkpoint."
            )
        few = table.shape[0] * table.shape[1] <= _CELLS_LOOKED_AT
        allowed = table.varying() if few else np.ones(table.shape[1], dtype=bool)
        if self.prefilter is not None:
            allowed &= np.nan_to_num(fisher(table, target), nan=-1.0) > self.prefilter
        features = np.flatnonzero(allowed)
        return State(features, np.full(len(features), 1 / max(1, len(features))), rng)


def _varying(
    table: Columns, features: NDArray[np.intp], order: NDArray[np.intp], n: int | None
) -> NDArray[np.intp]:
    """The first `n` places of the order that are not of constant columns, looked at as needed."""
    n = len(order) if n is None else n
    if table.shape[0] * table.shape[1] <= _CELLS_LOOKED_AT:
        return order[:n]
    found: list[NDArray[np.intp]] = []
    for start in range(0, len(order), table.block_width):
        some = order[start : start + table.block_width]
        found.append(some[table.take(features[some]).varying()])
        if sum(map(len, found)) >= n:
            break
    return np.concatenate(found)[:n]


def _shown(state: State, n_columns: int) -> dict[str, Any]:
    """What a run has found, under the names that the selector gives it."""
    weights = np.zeros(n_columns)
    weights[state.columns] = state.weights
    history = {name: np.array(values) for name, values in state.history.items()}
    return {
        "weights_": weights,
        "history_": Bunch(**history, stopped=state.stopped),
        "n_iter_": state.n_steps,
        "n_evaluations_": state.n_evaluations,
        "_state": state,
    }
