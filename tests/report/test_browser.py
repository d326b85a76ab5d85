"""Pages in Chromium: both widths and themes, keyboard, accessibility, print."""

import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from records import record

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None or find_spec("playwright") is None:
    pytest.skip("needs Chromium and the package playwright", allow_module_level=True)

sync_api = pytest.importorskip("playwright.sync_api")

NAMES = ["probe", "smallest size", "many classes", "hostile", "compared", "compared hostile"]
SIZES = {"desk": (1280, 900), "phone": (390, 844)}


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM)
        yield started
        started.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Where the page of a record lies."""
    folder = tmp_path_factory.mktemp("pages")

    def written(name):
        place = folder / f"{name}.html"
        record(name).report(place, force=True)
        return place.as_uri()

    return written


@pytest.fixture
def visit(browser, address):
    """Open the page of a record; whatever the browser complained about or asked for is an error."""
    opened, complaints, requests, wanted = [], [], [], []

    def go(name, size="desk", theme="light"):
        width, height = SIZES[size]
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme
        )
        opened.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(address(name))
        wanted.append(address(name))
        return page

    yield go
    for context in opened:
        context.close()
    assert not complaints
    assert requests == wanted


@pytest.fixture(scope="session")
def axe():
    """The accessibility checks of axe-core, as a script."""
    spec = find_spec("axe_playwright_python")
    if spec is None:
        pytest.skip("needs the package axe-playwright-python, which holds axe-core")
    return (Path(spec.origin).parent / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "size", "theme"),
    [
        *((name, "desk", "light") for name in NAMES),
        *((name, "phone", "dark") for name in NAMES),
        *((name, "desk", "dark") for name in ("probe", "compared")),
        *((name, "phone", "light") for name in ("probe", "compared")),
    ],
)
def test_a_page_fits_and_can_be_used_by_everyone(name, size, theme, visit, axe):
    page = visit(name, size, theme)
    assert page.evaluate("document.documentElement.scrollWidth") == SIZES[size][0]
    outside = """[...document.querySelectorAll("main *")].filter(one => {
        const box = one.getBoundingClientRect();
        return box.width && !one.closest(".unseen")
            && (box.left < -0.5 || box.right > innerWidth + 0.5);
    }).length"""
    assert page.evaluate(outside) == 0
    page.evaluate(axe)
    found = page.evaluate("axe.run()")
    assert len(found["passes"]) > 20
    assert not [
        (problem["id"], problem["nodes"][0]["html"])
        for problem in found["violations"]
        if problem["impact"] in ("serious", "critical")
    ]


def test_the_themes_differ_and_follow_the_system(visit):
    paint = "getComputedStyle(document.body).backgroundColor"
    light, dark = (visit("probe", theme=theme).evaluate(paint) for theme in ("light", "dark"))
    brightness = [sum(map(int, re.findall(r"\d+", one)[:3])) for one in (light, dark)]
    assert brightness[0] > 700
    assert brightness[1] < 100


@pytest.mark.parametrize(("name", "n_charts"), [("probe", 2), ("compared", 5)])
@pytest.mark.parametrize(("size", "shown"), [("desk", "wide"), ("phone", "narrow")])
def test_one_version_of_each_chart_is_shown_with_readable_text(size, shown, name, n_charts, visit):
    page = visit(name, size)
    charts = page.locator("svg.chart:visible")
    assert charts.count() == n_charts
    for i in range(n_charts):
        assert shown in charts.nth(i).get_attribute("class").split()
    heights = page.evaluate("""[...document.querySelectorAll("svg text")]
        .filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect().height)""")
    assert min(heights) >= 10


def test_a_keyboard_reaches_everything(visit):
    page = visit("probe")
    focused = "document.activeElement.textContent"
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "Skip to the first section"
    assert page.locator(".skip").bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    assert page.url.endswith("#features")
    page.keyboard.press("Tab")
    # past the table of contents: what follows the first section is the command
    assert page.evaluate("document.activeElement.tagName") == "PRE"
    links = page.locator("nav a")
    for i in range(links.count()):
        ident = links.nth(i).get_attribute("href")
        assert page.locator(ident).get_by_role("heading").first.inner_text() == (
            links.nth(i).inner_text()
        )


def test_a_screen_reader_is_told_of_every_picture(visit):
    page = visit("smallest size")
    pictures = page.get_by_role("img")
    assert pictures.count() == page.locator("svg:visible").count() == 12
    assert page.get_by_role("img", name="Balanced error against the number kept").count() == 1
    described = page.locator("#size-wide-desc").text_content()
    assert re.findall(r"(\d+): \d", described) == ["1", "5", "10", "20"]


@pytest.mark.parametrize("name", ["probe", "long", "compared"])
def test_print_is_complete_and_light(name, visit):
    page = visit(name, theme="dark")
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    sheets = len(re.findall(rb"/Type\s*/Page\b", paper))
    page.emulate_media(media="print")
    # an A4 sheet without margins, in pixels of 1/96 inch
    page.set_viewport_size({"width": 688, "height": 1002})
    assert page.evaluate("document.documentElement.scrollWidth") == 688
    whole = page.evaluate("document.documentElement.scrollHeight") / 1002
    assert whole <= sheets <= 1.4 * whole + 1
    hidden = """[...document.querySelectorAll("main section, tr, dd, figure, pre")]
        .filter(one => one.getBoundingClientRect().height < 8).length"""
    assert page.evaluate(hidden) == 0
    paint = "getComputedStyle(document.querySelector('h1')).color"
    assert max(map(int, re.findall(r"\d+", page.evaluate(paint)))) < 60
