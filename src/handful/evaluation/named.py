"""Named: what a command line says as text, as the arguments of `compare`.

Examples
--------
>>> sorted(selectors("fisher,f", "classification"))
['f', 'fisher']
>>> classifiers("tree", "regression")
{'tree': DecisionTreeRegressor()}
>>> sizes("1,2,5")
[1, 2, 5]
"""

from collections.abc import Callable
from typing import Any

from handful.classifiers import catalogue as models
from handful.methods import catalogue as methods


def selectors(text: str, task: str) -> dict[str, Any]:
    """Selectors of `handful methods`, from their names with commas between."""

    def build(name: str) -> Any:
        method = methods.find(name)
        if task not in method.tasks:
            raise ValueError(f"The method {name!r} is for {method.tasks[0]}, not {task}.")
        return method.build()

    return _each("method", text, build)


def classifiers(text: str, task: str, *, sparse: bool = False) -> dict[str, Any]:
    """Classifiers (for numbers: regressors), from their names with commas between."""
    return _each("classifier", text, lambda name: models.find(name).build(task, sparse=sparse))


def sizes(text: str) -> list[int]:
    """Numbers of features, with commas between; `compare` checks that the table has so many."""
    parts = parts_of("size", text)
    try:
        return [int(part) for part in parts]
    except ValueError:
        raise ValueError(f"{text!r} are no sizes; use whole numbers such as 1,2,5,10.") from None


def metrics(text: str) -> list[str]:
    """Names of metrics, with commas between; `compare` checks them."""
    return parts_of("metric", text)


def _each(what: str, text: str, build: Callable[[str], Any]) -> dict[str, Any]:
    return {name: build(name) for name in parts_of(what, text)}


def parts_of(what: str, text: str) -> list[str]:
    """What stands between the commas, once each; `what` that is, for messages."""
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise ValueError(f"{text!r} lacks a {what} beside a comma.")
    for part in parts:
        if parts.count(part) > 1:
            raise ValueError(f"The {what} {part!r} stands twice in {text!r}.")
    return parts
