"""The bar: drawn on a terminal only, and never in the way of the items."""

import io

import pytest

from handful.progress import track


class Terminal(io.StringIO):
    def isatty(self):
        return True


def collect(monkeypatch, stream, verbose):
    monkeypatch.setattr("sys.stderr", stream)
    return list(track(iter("abc"), "letters", length=3, verbose=verbose)), stream.getvalue()


@pytest.mark.parametrize(("stream", "verbose"), [(io.StringIO(), 1), (Terminal(), 0)])
def test_silent(monkeypatch, stream, verbose):
    assert collect(monkeypatch, stream, verbose) == (["a", "b", "c"], "")


def test_a_bar_on_a_terminal(monkeypatch):
    items, drawn = collect(monkeypatch, Terminal(), 1)
    assert items == ["a", "b", "c"]
    assert "letters" in drawn
    assert "100%" in drawn
