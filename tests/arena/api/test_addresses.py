"""Every address under /api answers with a problem, and every answer has headers that parse."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.arena.api.conftest import caller
from tests.arena.api.problems import check
from tests.factories import a_bot, aya, sota
from tests.openapi import contract

pytestmark = pytest.mark.django_db

CONTRACT = contract()
STREAM = r"/(events|stream)$"
DIRECTIVE = re.compile(r"(?:no-cache|no-store|private|public|must-revalidate|immutable|max-age=\d+)\Z")
"""What may stand in Cache-Control here; each of the others has no value (RFC 9111, 5.2)."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("method", ["get", "post", "delete"])
@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/v1", "/api/v1/", "/api/v2", "/api/v1/bots/abc%0A", "/api/v1/%0Abots"]
)
def test_whatever_lies_beside_the_api_is_a_problem_without_a_redirect(method: str, path: str) -> None:
    check(getattr(caller(), method)(path), 404, "unknown_endpoint")


def test_an_id_with_a_newline_is_another_id() -> None:
    bot = a_bot(aya())
    check(caller().get(f"/api/v1/bots/{bot.public_id}%0A"), 404, "unknown_endpoint")
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
        "kind": "opened",
        "day": "2026-11-20",
        "week": "2026-W47",
        "invitation": names["remote_invitation"],
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


@pytest.mark.sampled(3)
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


def test_whatever_is_read_has_an_etag_that_spares_it_the_next_time(names: dict[str, Any]) -> None:
    client = caller(sota())
    seen = 0
    for address in _addresses(names):
        first = client.get(address)
        if first.status_code != 200 or first.streaming:
            continue
        again = client.get(address, headers={"If-None-Match": first["ETag"]})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"]), address
        assert {"private", "no-cache"} <= set(re.split(", *", again["Cache-Control"])), address
        seen += 1
    assert seen > 35
