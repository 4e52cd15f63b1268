"""Every address under /api answers with a problem, and every answer has headers that parse."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.arena.api.conftest import caller
from tests.arena.api.test_problems import check
from tests.factories import a_bot, aya, sota

pytestmark = pytest.mark.django_db

REPOSITORY = Path(__file__).resolve().parents[3]
CONTRACT = yaml.safe_load((REPOSITORY / "docs" / "openapi.yaml").read_text())
STREAM = r"/events$"
DIRECTIVE = re.compile(r"(?:no-cache|no-store|private|public|must-revalidate|immutable|max-age=\d+)\Z")
"""What may stand in Cache-Control here; each of the others has no value (RFC 9111, 5.2)."""


@pytest.mark.parametrize("method", ["get", "post", "delete"])
@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/v1", "/api/v1/", "/api/v2", "/api/v1/bots/abc%0A", "/api/v1/%0Abots"]
)
def test_whatever_lies_beside_the_api_is_a_problem_without_a_redirect(method: str, path: str) -> None:
    check(getattr(caller(), method)(path), 404, "no_such_address")


def test_an_id_with_a_newline_is_another_id() -> None:
    bot = a_bot(aya())
    check(caller().get(f"/api/v1/bots/{bot.public_id}%0A"), 404, "no_such_address")
    body = check(caller().get("/api/v1/fixtures", {"bot": f"{bot.public_id}\n"}), 400, "invalid")
    assert body["errors"][0]["field"] == "bot"


def _addresses(names: dict[str, Any]) -> list[str]:
    """Every readable address but the streams, about things that there are."""
    things = {
        **names,
        "tournament": names["event"],
        "fixture": names["open_fixture"],
        "table": names["open_table"],
        "board_set": names["open_set"],
        "fingerprint": names["fault"],
        "number": "1",
        "game": "kakeya",
        "preset": "kakeya4",
        "player": "ben",
    }
    found = []
    for path, operations in CONTRACT["paths"].items():
        if "get" not in operations or re.search(STREAM, path):
            continue
        address = re.sub(r"{(\w+)}", lambda place: str(things[place[1]]), path)
        if re.search(r"/(log|timings)\Z", path):
            address += f"?seat={names['ayas_open_seat']}"
        found.append(address)
    assert len(found) > 40
    return found


@pytest.mark.parametrize("who", ["nobody", "aya", "staff"])
def test_cache_control_parses_wherever_it_is_sent(names: dict[str, Any], who: str) -> None:
    client = caller({"nobody": lambda: None, "aya": aya, "staff": sota}[who]())
    seen = set()
    for address in _addresses(names):
        answer = client.get(address)
        assert answer.status_code in (200, 401, 403, 404), (address, answer.status_code)
        header = answer.get("Cache-Control")
        if header is None:
            continue
        directives = header.split(", ")
        assert all(DIRECTIVE.match(directive) for directive in directives), (address, header)
        assert ("private" in directives) == (who != "nobody") or "no-store" in directives, (address, header)
        seen.add(address)
    assert len(seen) > 8
