"""Who may import whom: every module imports from the layers below its own, never sideways.

All imports count, those inside functions and those for type checkers too.
"""

import ast
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

import handful

SOURCE = Path(handful.__file__).parent

# From the bottom to the top. A package stands for all of its modules, which may import each other.
LAYERS = [
    {"_core", "checks", "files", "progress", "threads"},
    {"path", "metrics", "target"},
    {"columns"},
    {"features"},
    {"solvers"},
    {"classifiers"},
    {"stopping"},
    {"selector"},
    {"methods"},
    {"evaluation"},
    {"report", "table", "datasets"},
    {"handful"},  # the public names, of all that is below
    {"cli"},
    {"__main__"},
]
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}

# Not allowed otherwise, and only inside a function: a record shows itself as a report.
LATE = {("evaluation.record", "report")}


class Import(NamedTuple):
    """One import of a module of handful by another; names without the leading "handful."."""

    importer: str
    imported: str
    late: bool
    line: int

    def __str__(self):
        return f"{self.importer} line {self.line} imports {self.imported}"


def name_of(file):
    parts = file.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts) or "handful"


def part_of(module):
    return module.split(".")[0]


MODULES = {name_of(file): file for file in sorted(SOURCE.rglob("*.py"))}


def short(module, name=None):
    """The module of handful that ``import module`` or ``from module import name`` loads."""
    if module.split(".")[0] != "handful":
        return None
    inside = module.removeprefix("handful").removeprefix(".")
    deeper = f"{inside}.{name}".removeprefix(".")
    if name is not None and (deeper in MODULES or deeper == "_core"):
        return deeper
    return inside or "handful"


def imports_of(importer, tree):
    """Every import of handful's own modules in a module's syntax tree."""
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    inside = {id(inner) for function in functions for inner in ast.walk(function)}
    for node in ast.walk(tree):
        targets = []
        if isinstance(node, ast.Import):
            targets = [short(alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{importer} line {node.lineno}: a relative import"
            targets = [short(node.module, alias.name) for alias in node.names]
        for target in targets:
            if target is not None:
                yield Import(importer, target, id(node) in inside, node.lineno)


def complaint(found):
    """What is wrong with an import, or None."""
    mine, other = part_of(found.importer), part_of(found.imported)
    if (found.importer, other) in LATE:
        return None if found.late else f"{found}: allowed inside a function only"
    if mine == other:
        if mine == "methods" and found.imported != "methods":
            return f"{found}: a method knows no other method; share code through solvers"
        return None
    if LEVEL[other] < LEVEL[mine]:
        return None
    return f"{found}: {other} is not below {mine}"


IMPORTS = [
    found
    for module, file in MODULES.items()
    for found in imports_of(module, ast.parse(file.read_text(encoding="utf-8")))
]


def test_every_module_has_its_layer():
    unknown = {part_of(module) for module in MODULES} - set(LEVEL)
    assert not unknown, f"say in LAYERS above which layer these belong to: {unknown}"


def test_imports_go_down_only():
    assert not [text for found in IMPORTS if (text := complaint(found))]


def test_the_exceptions_are_needed():
    assert {(found.importer, part_of(found.imported)) for found in IMPORTS} >= LATE


def test_no_circles():
    """Without late imports: the order in which Python loads the modules exists."""
    needs = {module: set() for module in MODULES}
    for found in IMPORTS:
        # the root imports for type checkers only; a package's own __init__ re-exports its modules
        if not found.late and found.importer != "handful":
            needs[found.importer].add(found.imported)
    assert list(TopologicalSorter(needs).static_order())


@pytest.mark.parametrize(
    ("importer", "source", "wrong"),
    [
        ("columns.dense", "from handful.stopping import resolve", "stopping is not below columns"),
        ("methods.filters", "from handful.methods.trees import x", "a method knows no other"),
        ("methods.filters", "from handful.solvers import scores", None),
        ("methods.filters", "def f():\n import handful.cli", "cli is not below methods"),
        ("table", "from handful import datasets", "datasets is not below table"),
        ("stopping.base", "from handful import FilterSelector", "handful is not below stopping"),
        ("columns.open", "from handful.columns.base import Columns", None),
        ("evaluation.record", "from handful.report import render", "inside a function only"),
        ("evaluation.record", "def f():\n from handful.report import render", None),
        ("checks", "import numpy", None),
    ],
)
def test_the_test_itself(importer, source, wrong):
    (found, *_) = [*imports_of(importer, ast.parse(source)), None]
    said = found and complaint(found)
    assert said is None if wrong is None else wrong in said
