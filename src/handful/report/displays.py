"""Displays: the pictures of a report with matplotlib, for notebooks and papers.

They are used as scikit-learn's: ``from_record`` draws and returns the display, whose `plot` draws
again on other axes, and whose `ax_` and `figure_` are there to be changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from handful.evaluation.comparison import Comparison
from handful.evaluation.record import Record, Selection
from handful.report.outcome import Outcome, points
from handful.report.words import measure, measured

# Okabe and Ito's colours, which people tell apart who see colours differently; in their order
# those that are hard to see on white come late.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_MARKERS = "os^Dv"
# So many sizes are each written on a logarithmic axis.
_MOST_TICKS = 10


@dataclass(frozen=True)
class Band:
    """Values over numbers of features, with the ends of the band around them."""

    sizes: NDArray[np.float64]
    values: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


class _Display:
    """What all displays have: axes, the figure they are in."""

    ax_: Any
    figure_: Any

    def _axes(self, ax: Any) -> Any:
        """The axes to draw on; new ones where there are none."""
        try:
            import matplotlib.pyplot as plt
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"{type(self).__name__} needs the package matplotlib: pip install "
                "'handful[report]'",
                name="matplotlib",
            ) from error
        if ax is None:
            _, ax = plt.subplots()
        self.ax_, self.figure_ = ax, ax.figure
        return ax


class RankingDisplay(_Display):
    """Features best first, as bars: scores of a selection, or how often a list came back.

    Parameters
    ----------
    names : sequence of str
    values : sequence of float
    label : str
        What the values are.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    bars_ : matplotlib container

    Examples
    --------
    >>> display = RankingDisplay(["g3", "g7"], [0.61, 0.44], "fisher score")
    >>> [float(bar.get_width()) for bar in display.plot().bars_]
    [0.61, 0.44]
    """

    def __init__(self, names: Sequence[str], values: Sequence[float], label: str) -> None:
        self.names, self.values, self.label = list(names), list(values), label

    @classmethod
    def from_record(
        cls, record: Record, *, method: str | None = None, most: int = 20, ax: Any = None
    ) -> Self:
        """Draw a record.

        Parameters
        ----------
        record : Selection or Comparison
            Of a selection the kept features with their scores; of a comparison a method's own list
            with the share of folds in which each feature came back.
        method : str, optional
            Which method of a comparison. None: the best.
        most : int
            How many features at most.
        ax : matplotlib axes, optional
        """
        if isinstance(record, Selection):
            label = f"{record.method} score"
            return cls(record.features[:most], record.scores[:most], label).plot(ax=ax)
        outcome = Outcome(_comparison(record, cls))
        listed = outcome.listed(_method(outcome, method))
        if not listed.counts:
            raise ValueError("A comparison of one fold does not say what comes back.")
        names = [outcome.record.names[str(j)] for j in listed.indices[:most]]
        shares = [count / listed.n_folds for count in listed.counts[:most]]
        return cls(names, shares, "share of folds in which it came back").plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on `ax`, or on new axes."""
        ax = self._axes(ax)
        places = np.arange(len(self.names))
        self.bars_ = ax.barh(places, self.values, color=_COLOURS[0])
        ax.set_yticks(places, self.names, parse_math=False)
        ax.invert_yaxis()
        ax.set_xlabel(self.label)
        return self


class _BandsDisplay(_Display):
    """Curves with bands over the number of features."""

    def __init__(self, bands: Mapping[str, Band], label: str, *, called: str = "features") -> None:
        self.bands, self.label, self.called = dict(bands), label, called

    def plot(self, ax: Any = None) -> Self:
        """Draw on `ax`, or on new axes."""
        ax = self._axes(ax)
        self.lines_: list[Any] = []
        for place, (name, band) in enumerate(self.bands.items()):
            colour = _COLOURS[place % len(_COLOURS)]
            marker = _MARKERS[place % len(_MARKERS)]
            style = "-" if place < len(_COLOURS) else "--"
            if len(band.sizes) == 1:
                ends = [band.values - band.lower, band.upper - band.values]
                ax.errorbar(band.sizes, band.values, yerr=ends, color=colour, capsize=3)
            else:
                ax.fill_between(
                    band.sizes, band.lower, band.upper, color=colour, alpha=0.15, linewidth=0
                )
            (line,) = ax.plot(
                band.sizes, band.values, style, marker=marker, color=colour, label=name
            )
            self.lines_.append(line)
        sizes = np.concatenate([band.sizes for band in self.bands.values()])
        if sizes.min() >= 1 and sizes.max() >= 10 * sizes.min():
            ax.set_xscale("log")
            ax.xaxis.set_major_formatter("{x:g}")
            different = np.unique(sizes)
            if len(different) <= _MOST_TICKS:
                ax.set_xticks(different)
                ax.set_xticks([], minor=True)
        ax.set_xlabel(f"number of {self.called}")
        ax.set_ylabel(self.label)
        if len(self.bands) > 1:
            # a label that starts with an underscore would be left out
            ax.legend(self.lines_, list(self.bands))
        return self


class SizeCurveDisplay(_BandsDisplay):
    """A measure against the number of features, with one standard error on both sides.

    Parameters
    ----------
    bands : mapping of name to Band
    label : str
        What is measured.
    called : str
        What the features are called.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    lines_ : list of matplotlib lines

    Examples
    --------
    >>> import numpy as np
    >>> sizes, error = np.array([1, 2, 5]), np.array([0.3, 0.1, 0.2])
    >>> band = Band(sizes, error, error - 0.05, error + 0.05)
    >>> SizeCurveDisplay({"cmim": band}, "balanced error").plot().ax_.get_ylabel()
    'balanced error'
    """

    @classmethod
    def from_record(
        cls,
        record: Record,
        *,
        metric: str | None = None,
        classifier: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw a record.

        Parameters
        ----------
        record : Comparison, or Selection under the rule `CrossValidated`
        metric : str, optional
            Which measure of a comparison. None: the first.
        classifier : str, optional
            Under which classifier. None: the one of the best curve.
        ax : matplotlib axes, optional
        """
        if isinstance(record, Selection):
            return cls._of_selection(record).plot(ax=ax)
        record = _comparison(record, cls)
        outcome = Outcome(record)
        best = outcome.winner.classifier if outcome.winner else record.classifiers[0].name
        classifier = _known("classifier", classifier, [m.name for m in record.classifiers], best)
        names = [one.name for one in record.metrics]
        metric = _known("metric", metric, names, names[0])
        bands = {}
        for curve in record.curves:
            if (curve.classifier, curve.metric) == (classifier, metric) and curve.n_folds:
                shown = points(curve)
                values = np.array([point.value for point in shown])
                errors = np.array(curve.standard_error)
                bands[curve.method] = Band(
                    np.array(curve.sizes), values, values - errors, values + errors
                )
        if not bands:
            raise ValueError(f"Nothing could be measured under {classifier!r} at every size.")
        return cls(bands, measure(metric), called=record.data.called).plot(ax=ax)

    @classmethod
    def _of_selection(cls, record: Selection) -> Self:
        why = record.stopping
        if why["rule"] != "CrossValidated":
            raise ValueError(
                f"This selection was decided by {why['rule']}; SizeCurveDisplay shows selections "
                "under CrossValidated, and comparisons."
            )
        values = np.array([measured(why["scoring"], value) for value in why["curve"]])
        errors = np.abs(why["standard_error"])
        band = Band(np.array(why["sizes"], dtype=float), values, values - errors, values + errors)
        return cls({record.method: band}, measure(why["scoring"]), called=record.data.called)


class StabilityDisplay(_BandsDisplay):
    """How alike the lists of different folds are, against their length, with 95 % intervals.

    Parameters
    ----------
    bands : mapping of name to Band
    label : str
        What is measured.
    called : str
        What the features are called.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    lines_ : list of matplotlib lines

    Examples
    --------
    >>> import numpy as np
    >>> index = np.array([0.6, 0.8])
    >>> band = Band(np.array([5, 10]), index, index - 0.1, index + 0.1)
    >>> StabilityDisplay({"fisher": band}, "stability index").plot().lines_[0].get_ydata().tolist()
    [0.6, 0.8]
    """

    @classmethod
    def from_record(cls, record: Record, *, ax: Any = None) -> Self:
        """Draw a comparison of at least two folds."""
        record = _comparison(record, cls)
        bands = {}
        for method in record.methods:
            found = [one for one in record.agreement if one.method == method.name]
            if found:
                own = [curve.sizes[0] for curve in record.curves if curve.method == method.name]
                sizes = [own[0] if one.size is None else one.size for one in found]
                values, lower, upper = (
                    np.array([getattr(one, part) for one in found])
                    for part in ("index", "lower", "upper")
                )
                bands[method.name] = Band(np.array(sizes, dtype=float), values, lower, upper)
        if not bands:
            raise ValueError("A comparison of one fold does not say how stable a list is.")
        return cls(bands, "stability index", called=record.data.called).plot(ax=ax)


class CorrelationDisplay(_Display):
    """The correlations among a method's first features, in the order of choice.

    Parameters
    ----------
    correlation : array-like of shape (n_features, n_features)
    names : sequence of str

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    im_ : matplotlib image
        Of the strength, from 0 to 1.

    Examples
    --------
    >>> display = CorrelationDisplay([[1, -0.5], [-0.5, 1]], ["g3", "g7"])
    >>> display.plot().im_.get_array().tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """

    def __init__(self, correlation: Any, names: Sequence[str]) -> None:
        self.correlation = np.asarray(correlation, dtype=np.float64)
        self.names = list(names)

    @classmethod
    def from_record(
        cls, record: Record, *, method: str | None = None, most: int = 32, ax: Any = None
    ) -> Self:
        """Draw a comparison.

        Parameters
        ----------
        record : Comparison
        method : str, optional
            None: the best.
        most : int
            How many features at most; a comparison keeps the correlations of 32.
        ax : matplotlib axes, optional
        """
        record = _comparison(record, cls)
        method = _method(Outcome(record), method)
        for one in record.redundancy:
            if one.method == method and one.indices:
                names = [record.names[str(j)] for j in one.indices[:most]]
                return cls([row[:most] for row in one.correlation[:most]], names).plot(ax=ax)
        raise ValueError(f"{method!r} has no list of its own in this comparison.")

    def plot(self, ax: Any = None) -> Self:
        """Draw on `ax`, or on new axes."""
        ax = self._axes(ax)
        self.im_ = ax.imshow(np.abs(self.correlation), vmin=0, vmax=1, cmap="Blues")
        ax.set_yticks(np.arange(len(self.names)), self.names, parse_math=False)
        ax.set_xticks([])
        self.figure_.colorbar(self.im_, ax=ax, label="strength of correlation")
        return self


def _comparison(record: Record, display: type) -> Comparison:
    if isinstance(record, Comparison):
        return record
    raise TypeError(
        f"{display.__name__} shows a comparison, as compare() returns it, not "
        f"{type(record).__name__}."
    )


def _method(outcome: Outcome, method: str | None) -> str:
    names = [one.name for one in outcome.record.methods]
    return _known("method", method, names, outcome.winner.method if outcome.winner else names[0])


def _known(what: str, name: str | None, names: Sequence[str], default: str) -> str:
    if name is None:
        return default
    if name in names:
        return name
    raise ValueError(f"{what}={name!r} is not in the record; it has {', '.join(names)}.")
