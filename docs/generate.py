"""Write what the documentation takes from the program itself: python docs/generate.py

The command line's help and the table of methods. A test fails while the files differ from it.
"""

import re
from pathlib import Path

from click.testing import CliRunner

from handful.cli.app import handful as program
from handful.methods.catalogue import METHODS, Method

ROOT = Path(__file__).parents[1]
WIDTH = 88


def command_line() -> str:
    """The page of every command's help, as the program prints it."""
    title = "The command line"
    parts = [
        f"{title}\n{'=' * len(title)}",
        "What ``--help`` prints, for every command. ``python -m handful`` is the same program.",
        _help(),
        "Exit codes: 0 done (also when nothing is worth keeping), 1 the data cannot be used, with\n"
        "one line that says what and where, 2 the command was mistyped.",
    ]
    for name in program.commands:
        heading = f"handful {name}"
        parts += [f"{heading}\n{'-' * len(heading)}", _help(name)]
    return "\n\n".join(parts) + "\n"


def _help(*command: str) -> str:
    asked = [*command, "--help"]
    printed = CliRunner().invoke(program, asked, prog_name="handful", terminal_width=WIDTH).output
    lines = (f"   {line}".rstrip() for line in printed.rstrip().splitlines())
    return "\n".join([".. code-block:: text", "", *lines])


def _row(method: Method) -> tuple[str, str, str, str]:
    call = ", ".join(
        f"{key}={value!r}".replace("'", '"') for key, value in method.parameters.items()
    )
    tasks = " and ".join(
        {"classification": "classes", "regression": "numbers"}[t] for t in method.tasks
    )
    return method.name, f"{method.selector}({call})", tasks, method.when


def methods_markdown() -> str:
    """The methods as a table of the README."""
    head = ["| method | in Python | for | when |", "|---|---|---|---|"]
    rows = (_row(method) for method in METHODS)
    return "\n".join(
        [
            *head,
            *(f"| `{name}` | `{call}` | {tasks} | {when} |" for name, call, tasks, when in rows),
        ]
    )


def methods_list() -> str:
    """The methods as a list of the documentation."""
    parts = []
    for method in METHODS:
        name, call, tasks, when = _row(method)
        text = " ".join(f"{part[0].upper()}{part[1:]}." for part in (method.idea, when))
        parts.append(f"``{name}``, for {tasks}: ``{call}``\n    {text}")
    return "\n\n".join(parts)


def between(text: str, start: str, end: str, content: str) -> str:
    """The text with `content` between the two markers."""
    pattern = f"(?<={re.escape(start)}).*?(?={re.escape(end)})"
    changed, count = re.subn(pattern, lambda _: f"\n\n{content}\n\n", text, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"{start!r} ... {end!r} stands there {count} times; once is needed.")
    return changed


def generated() -> dict[Path, str]:
    """Every file with generated content, as it must be."""
    readme, methods = ROOT / "README.md", ROOT / "docs/methods.rst"
    return {
        ROOT / "docs/command_line.rst": command_line(),
        readme: between(
            readme.read_text(encoding="utf-8"),
            "<!-- generated: make generated -->",
            "<!-- end -->",
            methods_markdown(),
        ),
        methods: between(
            methods.read_text(encoding="utf-8"),
            ".. generated: make generated",
            ".. end",
            methods_list(),
        ),
    }


if __name__ == "__main__":
    for file, content in generated().items():
        file.write_text(content, encoding="utf-8")
