"""A bot written in a page or sent from a folder, in a real browser: keys, drafts, what is told before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.groups import SECOND
from tests.browser.site import Site
from tests.browser.visits import sound

pytestmark = [SECOND, pytest.mark.full]
MANIFEST = 'name = "kita"\nruntime = "python/1"\nentry_point = "main.py"\n'


@pytest.fixture
def page(site: Site, browser: Browser) -> Iterator[Page]:
    """Aya's, at the site."""
    context = browser.new_context(base_url=site.origin)
    context.add_cookies([{"name": "sessionid", "value": site.people["aya"], "url": site.origin}])
    with sound(context.new_page()) as page:
        yield page
        context.close()


def made_bot(page: Page, name: str, then: str) -> str:
    """The address of a new bot."""
    page.goto("/me/bots/new")
    page.fill("#id_name", name)
    page.check("input[value=kakeya]")
    page.click(f"button[value={then}]")
    page.wait_for_url(f"**/bots/*/{then}")
    return page.url.rpartition("/")[0]


def test_the_editor_indents_keeps_drafts_and_lets_one_go(page: Page) -> None:
    bot = made_bot(page, "Of the editor", "write")
    source = page.locator("#id_source")
    assert "class MyBot(Bot):" in source.input_value()
    source.fill("")
    source.press_sequentially("def act():")
    source.press("Enter")
    source.press_sequentially("if x:")
    source.press("Enter")
    source.press_sequentially("pass")
    source.press("Shift+Tab")
    assert source.input_value() == "def act():\n    if x:\n    pass"
    source.press("Control+a")
    source.press("Tab")
    assert source.input_value() == "    def act():\n        if x:\n        pass"
    source.press("Shift+Tab")
    assert page.locator(".author-numbers").inner_text().split() == ["1", "2", "3"]
    source.press("Escape")
    source.press("Tab")
    assert page.evaluate("document.activeElement.name") == "notes"

    page.goto(f"{bot}/write")
    assert "class MyBot(Bot):" in page.input_value("#id_source")
    page.click("text=Restore it")
    assert page.input_value("#id_source") == "def act():\n    if x:\n    pass"
    page.fill("#id_notes", "from the page")
    page.click("text=Submit as v1")
    page.wait_for_url("**/versions/*")
    assert "from the page" in page.inner_text("#version-check")
    page.click("text=Edit it in the browser")
    assert page.input_value("#id_source") == "def act():\n    if x:\n    pass\n"[:-1]


def test_a_folder_is_looked_at_packed_and_sent(page: Page, tmp_path: Path) -> None:
    made_bot(page, "Of a folder", "submit")
    folder = tmp_path / "kita"
    (folder / "data").mkdir(parents=True)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.pyc").write_bytes(b"x")
    (folder / "data" / ("book" * 20 + ".json")).write_text("{}")
    (folder / "main.py").write_text("print('a bot')\n")
    page.set_input_files("#folder", folder)
    page.wait_for_selector("[data-chosen] >> text=rensho.toml is missing")
    (folder / "rensho.toml").write_text(MANIFEST.replace("main.py", "other.py"))
    page.set_input_files("#folder", folder)
    page.wait_for_selector("text=names other.py as entry_point, which is not among the files")
    assert page.is_disabled("text=Submit the version"), "what the browser knows to be wrong is not sent"
    page.fill("#id_notes", "from a folder")
    (folder / "rensho.toml").write_text(MANIFEST.replace("python/1", "python/99"))
    page.set_input_files("#folder", folder)
    page.click("text=Submit the version")
    page.wait_for_selector("[data-errors] .form-errors >> text=python/99")
    assert page.evaluate("document.activeElement.className") == "form-errors"
    assert "python/99" in page.inner_text("#id_bundle_error"), "in the same words at the field"
    assert page.locator("text=python/99").count() == 2
    assert page.input_value("#id_notes") == "from a folder", "refused by the server, and nothing lost"
    (folder / "rensho.toml").write_text(MANIFEST)
    page.set_input_files("#folder", folder)
    page.wait_for_selector("text=The browser found no problems")
    assert "x.pyc" not in page.inner_text("[data-chosen]")
    page.click("text=Submit the version")
    page.wait_for_url("**/versions/*")
    assert "from a folder" in page.inner_text("#version-check")
    page.click("text=Edit it in the browser")
    assert page.input_value("#id_source") == "print('a bot')\n"
    assert "book.json" in page.inner_text("main")


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("bot.rar", b"Rar!\x1a\x07\x00", "neither a zip"),
        ("bot.zip", b"PK\x05\x06" + b"\0" * 18, "It contains no files"),
        ("bot.py", b"print('a bot')\n", "bot.py, 15 bytes"),
    ],
)
def test_an_archive_is_looked_at_before_it_is_sent(page: Page, name: str, data: bytes, words: str) -> None:
    made_bot(page, f"Of {name}", "submit")
    page.set_input_files("#id_bundle", {"name": name, "mimeType": "application/octet-stream", "buffer": data})
    page.wait_for_selector(f"[data-chosen] >> text={words}")
