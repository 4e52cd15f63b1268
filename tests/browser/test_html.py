"""The HTML of every page is valid, as html-validate judges it: content, ids, roles, labels, landmarks."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.browser.addresses import PAGES
from tests.browser.groups import FIRST
from tests.browser.site import Site
from tests.browser.validator import findings

pytestmark = [FIRST, pytest.mark.full]


def test_the_html_of_every_page_is_valid(site: Site, tmp_path: Path) -> None:
    verify = httpx.create_ssl_context()
    for number, row in enumerate(PAGES):
        cookies = {"sessionid": site.people[row.who]} if row.who else {}
        with httpx.Client(cookies=cookies, follow_redirects=True, timeout=60, verify=verify) as client:
            page = client.get(site.url(row.address))
        (tmp_path / f"{number:03} {row.name}.html").write_text(page.text)
    found = findings(tmp_path)
    lines = [f"{name}: {line}" for name, lines in sorted(found.items()) for line in lines[:5]]
    assert "\n".join(lines) == ""


def test_the_validator_finds_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "wrong.html").write_text("<!DOCTYPE html><html><body><p><div>x</p></body></html>")
    assert any(line.startswith("no-implicit-close") for line in findings(tmp_path)["wrong"])
