"""The house rules a machine can check: sizes, docstrings, what headers and packages may hold."""

import ast
import re
from pathlib import Path

import pytest
from test_layers import MODULES

ROOT = Path(__file__).parents[1]
HEADERS = sorted((ROOT / "cpp").glob("*.hpp"))
LONGEST_MODULE = 400
LONGEST_FUNCTION = 50

PACKAGES = [module for module, file in MODULES.items() if file.name == "__init__.py"]
METHODS = [
    module
    for module, file in MODULES.items()
    if file.parent.name == "methods" and file.stem not in {"__init__", "catalogue"}
]

modules = pytest.mark.parametrize("module", MODULES)


def read(module):
    return MODULES[module].read_text(encoding="utf-8")


def body(node):
    """The statements of a function, class or module without its docstring."""
    return node.body[ast.get_docstring(node) is not None :]


@pytest.mark.parametrize("file", [*MODULES.values(), *HEADERS], ids=lambda file: file.name)
def test_no_module_is_too_long(file):
    assert len(file.read_text(encoding="utf-8").splitlines()) <= LONGEST_MODULE


@modules
def test_no_function_is_too_long(module):
    too_long = []
    for node in ast.walk(ast.parse(read(module))):
        if isinstance(node, ast.FunctionDef) and body(node):
            lines = node.end_lineno - body(node)[0].lineno + 1
            if lines > LONGEST_FUNCTION:
                too_long.append(f"{node.name}: {lines}")
    assert not too_long


@modules
def test_every_module_says_what_it_is(module):
    assert ast.get_docstring(ast.parse(read(module)))


@pytest.mark.parametrize("module", PACKAGES)
def test_packages_only_re_export(module):
    functions = {"__getattr__", "__dir__"} if module == "handful" else set()
    for node in body(ast.parse(read(module))):
        if isinstance(node, ast.FunctionDef):
            assert node.name in functions
        elif isinstance(node, ast.Assign):
            assert ast.unparse(node.targets[0]) in {"__all__", "_HOME"}
        else:
            imports = ast.Import | ast.ImportFrom
            assert isinstance(node, imports) or ast.unparse(node).startswith("if TYPE_CHECKING")


@modules
def test_only_public_names_of_scikit_learn(module):
    private = []
    for node in ast.walk(ast.parse(read(module))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            private += [name for part in parts if parts[0] == "sklearn" and part.startswith("_")]
    assert not private


@pytest.mark.parametrize("module", METHODS)
def test_methods_open_with_the_idea_then_the_citation_then_an_example(module):
    text = ast.get_docstring(ast.parse(read(module))) or ""
    idea, cited, rest = text.partition("\nReferences\n----------\n")
    reference, shown, example = rest.partition("\nExamples\n--------\n")
    assert len(idea.split()) > 20
    assert cited
    assert re.search(r"\b(19|20)\d\d\b", reference)
    assert shown
    assert ">>> " in example


@pytest.mark.parametrize("file", HEADERS, ids=lambda file: file.name)
def test_headers_know_no_python_and_have_no_side_effects(file):
    text = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
    assert "#pragma once" in text
    forbidden = {
        "Python": r"nanobind|Python\.h|\bPy_|\bPyErr",
        "random numbers": r"#include <random>|\bs?rand\(",
        "printing": r"#include <(iostream|cstdio|stdio\.h)>|\bprintf\(|std::cout|std::cerr",
        "memory by hand": r"\b(malloc|calloc|realloc|free)\(|\bnew\b|\bdelete\b(?!;)",
        "OpenMP": r"#pragma omp|<omp\.h>",
    }
    found = [what for what, pattern in forbidden.items() if re.search(pattern, text)]
    assert not found


def test_one_binding_file():
    sources = [file.name for file in (ROOT / "cpp").glob("*.cpp")]
    assert sources == ["bind.cpp"]


def test_what_is_shipped_runs_on_every_machine():
    text = re.sub(r"#.*", "", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    assert not re.search(r"-march|-mtune|-ffast-math|OpenMP|-mavx", text)
