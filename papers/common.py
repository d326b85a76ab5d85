"""What the papers' scripts share: the printed numbers, the command line and README.md."""

import argparse
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple


class Picture(NamedTuple):
    """A picture under a table, drawn into the file that is given to `draw`."""

    name: str
    words: str
    draw: Callable[[Path], None]


class Section(NamedTuple):
    """A table of the README: its rows are made while they are shown."""

    title: str
    columns: tuple[str, ...]
    rows: Iterable[tuple[str, ...]]
    pictures: tuple[Picture, ...] = ()


def expected(here: Path) -> dict[str, Any]:
    """What the paper prints."""
    return tomllib.loads((here / "expected.toml").read_text(encoding="utf-8"))


def main(here: Path, description: str, sections: Callable[[bool], Iterable[Section]]) -> None:
    """Show every section; the full run writes README.md, under introduction.md, and pictures."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a part of the draws; write nothing")
    quick = parser.parse_args().quick
    text: list[str] = []
    for section in sections(quick):
        rule = "|" + "---|" * len(section.columns)
        text += ["", f"## {section.title}", "", _row(section.columns), rule]
        print(f"\n{section.title}", flush=True)
        for cells in section.rows:
            text.append(_row(cells))
            print(text[-1], flush=True)
        for picture in section.pictures if not quick else ():
            picture.draw(here / picture.name)
            text += ["", f"![{picture.words}]({picture.name})"]
    if not quick:
        top = (here / "introduction.md").read_text(encoding="utf-8")
        (here / "README.md").write_text(top + "\n".join(text) + "\n", encoding="utf-8")


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
