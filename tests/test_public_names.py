"""The names that other people's code may rely on, and what it costs to ask for none of them."""

import importlib
import subprocess
import sys
from importlib.metadata import version
from time import perf_counter

import pytest

import handful

PUBLIC = {
    "handful": [
        "BoostedStumps",
        "FastCorrelationFilter",
        "FilterSelector",
        "GramSchmidt",
        "InformationSelector",
        "OptimalFeatureWeighting",
        "RandomSelector",
        "RecursiveElimination",
        "StabilityEnsemble",
        "SubsetVoteClassifier",
        "TreeFrequency",
        "ZeroNorm",
        "__version__",
        "datasets",
        "evaluation",
        "stopping",
    ],
    "handful.datasets": [
        "CATALOGUE",
        "Problem",
        "Published",
        "fetch",
        "load",
        "load_leukaemia",
        "make_latent_signals",
        "make_linear_process",
        "make_linear_separator",
        "make_neural_network",
        "make_nonlinear_toy",
        "make_ternary",
        "make_xor",
    ],
    "handful.classifiers": ["BooleanNaiveBayes", "BoostedStumpsClassifier", "SCut", "WeightedKNN"],
    "handful.features": ["Discretiser", "EdgeDetectors", "Monomials"],
    "handful.report": [
        "Band",
        "CorrelationDisplay",
        "RankingDisplay",
        "SizeCurveDisplay",
        "StabilityDisplay",
        "render",
    ],
}
# Other modules also export what other modules of handful need; these are for everyone.
RULES = ["AnalyticProbe", "CrossValidated", "EmpiricalProbe", "StabilityThreshold"]
MEASURES = ["balanced_error", "probe_fraction", "stability_index"]


@pytest.mark.parametrize("module", PUBLIC)
def test_names_are_pinned_and_there(module):
    home = importlib.import_module(module)
    assert sorted(home.__all__) == PUBLIC[module]
    for name in PUBLIC[module]:
        assert getattr(home, name) is not None
        assert name in dir(home)


@pytest.mark.parametrize(
    ("module", "names"), [("handful.stopping", RULES), ("handful.evaluation", MEASURES)]
)
def test_modules_of_the_interface_have_their_names(module, names):
    home = importlib.import_module(module)
    assert set(names) <= set(home.__all__)
    for name in names:
        assert callable(getattr(home, name))


def test_unknown_names_are_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'handful' has no attribute 'Selektor'"):
        _ = handful.Selektor
    assert not hasattr(handful, "methods_")


def test_version_is_the_installed_one():
    assert handful.__version__ == version("handful")


def _seconds(*arguments):
    """The time of a fresh interpreter: the best of seven, since others use the machine too."""
    times = []
    for _ in range(7):
        start = perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        times.append(perf_counter() - start)
    return min(times)


def _loaded_by(statement):
    """The modules that a fresh interpreter has after a statement."""
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(ran.stdout.split())


HEAVY = {"numpy", "scipy", "sklearn", "pandas", "polars", "matplotlib", "jinja2", "joblib"}


def test_import_loads_nothing_heavy():
    assert not _loaded_by("import handful") & (HEAVY | {"click", "importlib.metadata"})
    assert "sklearn" in _loaded_by("from handful import FilterSelector")


def test_import_takes_less_than_a_tenth_of_a_second():
    bare = _seconds("-c", "pass")
    best = _seconds("-c", "import handful")
    assert best - bare < 0.1


def test_help_loads_nothing_heavy():
    code = "import sys\nsys.argv = ['handful', '--help']\nfrom handful.cli import main\n"
    code += "try:\n    main()\nexcept SystemExit:\n    pass"
    printed = _loaded_by(code)
    assert "click" in printed
    assert not printed & HEAVY


def test_help_takes_less_than_three_tenths_of_a_second():
    best = _seconds("-m", "handful", "--help")
    assert best < 0.3
