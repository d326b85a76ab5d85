"""Reports: a record as one HTML page that a browser, a printer and a screen reader can read."""

from handful.report.render import render

__all__ = ["render"]
