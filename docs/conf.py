"""How Sphinx makes the documentation; `make docs` runs it with warnings as errors."""

from importlib import metadata

project = "handful"
author = "The handful developers"
copyright = author
release = metadata.version("handful")

extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_parser"]
exclude_patterns = ["_build"]
# `name` in a docstring is code
default_role = "literal"

autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

html_theme = "furo"
html_title = f"handful {release}"
html_static_path = ["_static"]
