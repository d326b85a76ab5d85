"""The command line: parse, call, show. What is heavy is imported where it is used.

Exit codes: 0 done, 1 it cannot be done with these files (one line says what and where), 2 the
command was mistyped, 130 interrupted.
"""

from handful.cli.app import main

__all__ = ["main"]
