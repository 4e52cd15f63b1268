"""Markdown as the site shows it: raw HTML does not come through, and anchors are those of GitHub."""

from __future__ import annotations

import doctest
import re

import pytest

from arena.web.base.documents import collection, files, links, markdown, rulebook
from arena.web.base.documents.reference import schemas
from arena.web.drawing.verdicts import VERDICTS
from tests import citations

PAGES = sorted(files.page_keys())


def html_of(text: str) -> str:
    return str(markdown.render_document(text).html)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        'a <b onclick="x()">word</b>',
        "## <img src=x onerror=y>",
        "| a |\n|---|\n| <i>x</i> |",
        "```\n</code></pre><script>1</script>\n```",
        "[x](javascript:alert(1))",
        '![x]("><script>)',
        "`<script>`",
    ],
)
def test_html_in_markdown_is_text(text: str) -> None:
    page = html_of(text)
    assert not re.search(r"<(script|b|i|img)\b|src=", page.replace("src=x", ""))
    assert 'href="javascript' not in page


def test_aligned_columns_have_no_style() -> None:
    page = html_of("| a | b | |\n|:--|--:|---|\n| 1 | 2 | 3 |")
    assert "style" not in page
    assert page.count("<th ") == 2, "a column without a name has no header"


def test_japanese_words_say_that_they_are() -> None:
    assert '<span lang="ja">絵柄</span>' in html_of("*egara* 絵柄: sixteen")
    assert html_of("## Kakkuri (カックリ)").count('lang="ja"') == 1


def test_code_has_a_button_that_a_script_shows() -> None:
    page = html_of("```sh\nmake up\n```\n\n```\nmore\n```")
    assert re.findall(r'data-copy="([^"]+)" hidden', page) == re.findall(r'<code id="([^"]+)"', page)
    assert len(set(re.findall(r'<code id="([^"]+)"', page))) == 2


@pytest.mark.parametrize("path", PAGES)
def test_headings_have_the_anchors_of_github(path: str) -> None:
    text = files.read_document(path)
    page = markdown.render_document(text)
    title = citations.slug_of(text.split("\n", 1)[0].removeprefix("# "))
    theirs = citations.page_of(text).headings - {title}
    assert theirs <= page.anchors


@pytest.mark.parametrize("path", PAGES)
def test_an_outline_is_that_of_the_whole_page(path: str) -> None:
    text = files.read_document(path)
    page = markdown.render_document(text)
    assert markdown.extract_headings(text) == (page.title, page.headings)


def test_a_link_to_what_the_site_has_not_is_text() -> None:
    page = markdown.render_document("[code](../engine/cards.py), [there](x.md)", {"x.md": "/x"}.get)
    assert str(page.html).count("<a ") == 1
    assert "code" in page.html


def test_every_verdict_and_every_code_has_an_anchor() -> None:
    verdicts = {verdict.lower() for verdict in VERDICTS}
    assert verdicts
    assert verdicts - collection.document("bot-protocol").anchors == set()
    codes = re.findall(r"^\| `([a-z_]+)` \|", files.read_document("docs/problems.md"), re.MULTILINE)
    assert len(codes) > 100
    assert [code for code in codes if not links.code_address(code)] == []
    assert all(links.verdict_address(verdict) for verdict in VERDICTS)


def test_every_document_is_in_the_list_beside_it() -> None:
    listed = {line.key for section in collection.sections() for line in section.pages}
    keys = {key for path, key in files.page_keys().items() if not path.startswith(files.RULES)}
    decisions = {key for key in keys if key.startswith("decisions/")}
    assert keys - decisions - {""} - listed == set()


def test_headings_are_found_with_their_addresses() -> None:
    found = {entry.address: entry.heading for entry in collection.headings()}
    assert found["/rules/kakeya#payment"] == "Payment"
    assert found["/docs/kit"] == ""


@pytest.mark.parametrize("module", [files, collection, links, markdown, rulebook, schemas])
def test_examples_in_docstrings_hold(module: object) -> None:
    results = doctest.testmod(module)  # type: ignore[arg-type]
    assert results.failed == 0
