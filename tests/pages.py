"""Reading pages back: their elements, and the numbers in their text."""

import re
from html.parser import HTMLParser

from handful.report.numbers import MINUS

EMPTY = {"meta", "link", "br", "hr", "img", "input"}
NUMBER = re.compile(rf"{MINUS}?\d+(?:,\d{{3}})*(?:\.\d+)?(?:e{MINUS}?\d+)?")


class Page(HTMLParser):
    """A page's elements with their own text, in order; complains where tags are not balanced."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements = [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        parents = [element["tag"] for element in self.open]
        element = {"tag": tag, "text": "", "parents": parents, **dict(attrs)}
        self.elements.append(element)
        if tag not in EMPTY:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def all(self, *tags):
        return [element for element in self.elements if element["tag"] in tags]


def numbers_of(value):
    """All numbers of a JSON value, and the lengths of its lists: places are numbers too."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        yield len(value)
        for item in value:
            yield from numbers_of(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def stands_for(said, value):
    """Whether a written number is a number, rounded; or as a percentage, or in milliseconds."""
    text = said.replace(",", "").replace(MINUS, "-")
    mantissa, _, exponent = text.partition("e")
    half = 0.5 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return any(
        abs(abs(factor * value) - abs(float(text))) <= half * 1.000001 for factor in (1, 100, 1000)
    )
