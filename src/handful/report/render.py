"""Render: a record as one self-contained HTML page. Nothing is computed here that it does not hold.

A kind of record has a module of its own, which says what its template is given. The templates
share `page.html` (the frame), `parts.html` (tables, figures, facts) and `page.css`.
"""

from functools import cache
from importlib import import_module, resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from handful.evaluation.record import Record

# Per kind of record: a module with `context(record)`, and the template that takes it.
_PAGES = {
    "selection": ("handful.report.selection", "selection.html"),
    "comparison": ("handful.report.comparison", "comparison.html"),
}


def render(record: "Record") -> str:
    """The record as one HTML page: no script, no request, the same bytes for the same record.

    Raises
    ------
    ModuleNotFoundError
        Where jinja2 is missing; it says how to get it.

    Examples
    --------
    >>> from handful import FilterSelector
    >>> from handful.datasets import make_linear_separator
    >>> from handful.evaluation import Selection
    >>> X, y, _ = make_linear_separator(200, 30, random_state=3)
    >>> selector = FilterSelector(n_features_to_select=2).fit(X, y)
    >>> page = render(Selection.of(selector, X, y))
    >>> "2 of 30 columns, chosen to tell -1 from 1" in page
    True
    """
    module, template = _PAGES[record.kind]
    environment = _environment()
    page = environment.get_template(template).render(import_module(module).context(record))
    # as in `to_json`
    return page.encode("utf-8", "replace").decode()


@cache
def _environment() -> Any:
    try:
        import jinja2
    except ModuleNotFoundError as error:
        if error.name not in ("jinja2", "markupsafe"):
            raise
        raise ModuleNotFoundError(
            "A report needs the package jinja2: pip install 'handful[report]'", name=error.name
        ) from error
    folder = resources.files("handful.report") / "templates"
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
