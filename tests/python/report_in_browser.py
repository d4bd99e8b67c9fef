"""The report's page in headless Chromium: no console message, nothing wider than the window, what the script promises, and
no serious finding of axe-core. Exits 77 with a message where Chromium or a driver for it is not installed.

usage: report_in_browser.py REPORT_RESULTS FOLDER RESULTS.h5...
"""

import pathlib
import re
import shutil
import subprocess
import sys


def skip(what):
    print(f"SKIPPED: {what}")
    sys.exit(77)


chromium = shutil.which("chromium") or shutil.which("google-chrome")
if not chromium:
    skip("no chromium here (apt-get install chromium)")
try:
    from playwright.sync_api import sync_playwright
except ImportError:
    skip("python has no playwright (pip install playwright axe-playwright-python)")
try:
    import axe_playwright_python

    axe = next(pathlib.Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text()
except (ImportError, StopIteration):
    axe = None


def looks_right(page, results):
    """What holds at every width and in every theme."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
    clipped = page.evaluate("""() => [...document.querySelectorAll('.panel svg')].filter(s => s.getClientRects().length).flatMap(
        svg => { const box = svg.getBoundingClientRect();
                 return [...svg.querySelectorAll('text')].filter(t => { const b = t.getBoundingClientRect();
                     return b.width && (b.left < box.left - 1 || b.right > box.right + 1 || b.bottom > box.bottom + 1); })
                     .map(t => svg.getAttribute('aria-label').slice(0, 40) + ': ' + t.textContent); })""")
    assert not clipped, f"labels are clipped: {clipped[:5]}"
    small = page.evaluate("""() => Math.min(...[...document.querySelectorAll('.panel svg')].filter(s => s.getClientRects().length)
        .map(s => s.getBoundingClientRect().width / s.viewBox.baseVal.width * 11.5))""")
    assert small > 9, f"text of {small} px"
    assert page.locator(".file").count() == len(results)


def behaves(page):
    figure = page.locator("figure").first
    buttons = figure.locator(".legend button")
    if buttons.count():
        buttons.first.click()
        index = buttons.first.get_attribute("data-s")
        dimmed = page.evaluate("""index => [...document.querySelector('.file').querySelectorAll('.panel [data-s]')].map(
            mark => [mark.dataset.s === index, getComputedStyle(mark).opacity < 0.5])""", index)
        assert dimmed and all(own != dim for own, dim in dimmed), "highlighting is linked over all figures"
        buttons.first.click()
    drawing = figure.locator("svg:visible[role=img]").first
    drawing.focus()
    page.keyboard.press("ArrowRight")
    tip = page.locator("#tip")
    assert tip.is_visible() and ":" in tip.inner_text(), "the arrow keys show a mark's numbers"
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    figure.locator("details.table summary").click()
    figure.locator("tbody tr").first.wait_for(timeout=20000)  # a table stands behind the figure
    with page.expect_download() as download:
        figure.locator("a.csv").click()
    lines = pathlib.Path(download.value.path()).read_text().splitlines()
    stated = int(re.search(r"[\d,]+", figure.locator("summary").first.inner_text())[0].replace(",", ""))
    assert len(lines) == stated + 1, "the CSV has every row"
    select = page.locator("select.cell").first
    if select.count():
        panel = page.locator(".panel", has=select).first
        before = panel.locator("svg:visible").first.inner_html()
        last = select.locator("option").count() - 1
        select.select_option(index=0 if select.evaluate("s => s.selectedIndex") == last else last)
        assert panel.locator("svg:visible").first.inner_html() != before, "another swept value is another map"


def accessible(page):
    if not axe:
        print("axe-core is not installed: accessibility unchecked")
        return
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    serious = [f"{v['id']}: {v['nodes'][0]['html'][:120]} ({len(v['nodes'])})" for v in found if v["impact"] in ("serious", "critical")]
    assert not serious, serious
    print(f"axe-core: no serious finding, {len(found)} lesser ones {[v['id'] for v in found]}")


def main():
    program, folder, results = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    file = folder / "report_in_browser.html"
    subprocess.run([program, *results, "-o", file, "--force"], check=True, stdout=subprocess.DEVNULL)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for width in (1280, 390, 360):
            for theme in ("light", "dark"):
                page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme,
                                           reduced_motion="reduce").new_page()
                messages = []
                page.on("console", lambda message: messages.append(message.text))
                page.on("pageerror", lambda error: messages.append(str(error)))
                page.on("request", lambda request: messages.append(request.url) if request.url.startswith("http") else None)
                page.goto(file.resolve().as_uri())
                looks_right(page, results)
                accessible(page)
                behaves(page)
                assert not messages, messages
                page.context.close()
        browser.close()
    print("the page holds at 1280, 390 and 360 px, light and dark")


main()
