"""The documentation says what the program does: examples run, generated parts are in step."""

import importlib
import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_public_names import PUBLIC, RULES

import handful
from handful import datasets, evaluation, stopping
from handful.methods import catalogue
from handful.selector import Selector

ROOT = Path(__file__).parents[1]
SELECTORS = [name for name in PUBLIC["handful"] if inspect.isclass(getattr(handful, name))]
DOCUMENTED = {
    **{f"handful.{name}": getattr(handful, name) for name in SELECTORS},
    **{f"handful.stopping.{name}": getattr(stopping, name) for name in RULES},
    **{f"handful.evaluation.{name}": getattr(evaluation, name) for name in evaluation.__all__},
    **{
        f"{module}.{name}": getattr(importlib.import_module(module), name)
        for module in PUBLIC
        if module != "handful"
        for name in PUBLIC[module]
    },
}


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def run(*arguments):
    ran = subprocess.run(
        [sys.executable, "-W", "error", *arguments], capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def generate():
    specification = importlib.util.spec_from_file_location("generate", ROOT / "docs/generate.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_generated_parts_are_in_step(generate):
    for file, content in generate.generated().items():
        assert file.read_text(encoding="utf-8") == content, f"{file.name}: run make generated"


def test_the_page_of_the_command_line_has_every_command(generate):
    page = generate.command_line()
    for name, command in generate.program.commands.items():
        assert f"\nhandful {name}\n" in page
        assert all(option in page for parameter in command.params for option in parameter.opts)


def test_the_example_of_the_readme_runs():
    """It keeps what the same selector keeps outside of a pipeline."""
    (example,) = re.findall(r"```python\n(.*?)```", read("README.md"), flags=re.DOTALL)
    assert 8 <= len(example.strip().splitlines()) <= 15
    printed = run("-c", example)
    X, y = datasets.load_leukaemia(split="all", return_X_y=True)
    rule = stopping.EmpiricalProbe(risk=0.05, random_state=0)
    kept = handful.InformationSelector("cmim", n_features_to_select=rule).fit(X, y)
    assert printed.split()[0] == str(kept.n_features_)
    assert [int(number) for number in re.findall(r"\d+", printed)[1:]] == (
        kept.selection_order_.tolist()
    )


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda e: e.stem)
def test_examples_run_and_are_shown(example):
    assert run(str(example)).strip()
    assert f".. literalinclude:: ../examples/{example.name}" in read("docs/examples.rst")


@pytest.mark.parametrize("name", DOCUMENTED)
def test_public_names_are_documented(name):
    page = read("docs/api.rst")
    kind = "(class|exception|function|data)"
    assert re.search(rf"^\.\. auto{kind}:: {re.escape(name)}$", page, re.MULTILINE)
    assert f"`{name.rpartition('.')[2]}`" in read("CHANGELOG.md")


FUNCTIONS = [name for name, what in DOCUMENTED.items() if inspect.isfunction(what)]
ESTIMATORS = [name for name, what in DOCUMENTED.items() if hasattr(what, "get_params")]
# These need files or the network, so that no example of theirs runs everywhere.
AWAY = ["handful.datasets.fetch", "handful.datasets.load", "handful.evaluation.read_record"]


@pytest.mark.parametrize("name", [name for name in FUNCTIONS + ESTIMATORS if name not in AWAY])
def test_docstrings_show_an_example(name):
    assert re.search(r"^Examples\n--------\n(.*\n)*>>> ", inspect.getdoc(DOCUMENTED[name]), re.M)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_describe_every_parameter(name):
    _, _, text = inspect.getdoc(DOCUMENTED[name]).partition("Parameters\n----------\n")
    section = re.split(r"^\w[\w ]*\n-+$", text, maxsplit=1, flags=re.MULTILINE)[0]
    described = re.findall(r"^(\w[\w, ]*?) : ", section, re.MULTILINE)
    named = [one for names in described for one in names.split(", ")]
    assert named == list(inspect.signature(DOCUMENTED[name]).parameters)


@pytest.mark.parametrize("method", catalogue.METHODS, ids=lambda method: method.name)
def test_every_method_is_a_documented_selector_with_its_citation(method):
    selector = getattr(handful, method.selector)
    assert issubclass(selector, Selector)
    assert method.selector in SELECTORS
    module = sys.modules[method.module].__doc__
    (cited,) = re.findall(r"References\n-+\n(.*?)\n\n", module, flags=re.DOTALL)
    assert re.search(r"\b(19|20)\d\d\b", cited)
