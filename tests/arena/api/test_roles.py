"""Every method of every end point for every role: what each gets to see and may do."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.urls import resolve

from arena.accounts.services import user_create
from arena.api.urls import urlpatterns
from tests.arena.api.conftest import caller, matrices
from tests.arena.api.roles import (
    ALL,
    HIDDEN,
    ORGANISER,
    OWNER,
    ROLES,
    SEALED,
    TOO_EARLY,
    USERS,
    Row,
    by,
    for_all,
)
from tests.factories import (
    aya,
    ben,
    chie,
    odo,
    rin,
    sota,
)

MATRIX: list[Row] = [
    ("GET games", "games", {}, ALL),
    ("GET formats", "formats", {}, ALL),
    ("GET preset", "games/kakeya/presets/kakeya4", {}, ALL),
    ("GET limits", "limits", {}, ALL),
    ("GET me", "me", {}, USERS),
    ("GET tokens", "tokens", {}, USERS),
    ("POST tokens", "tokens", {"name": "x", "scopes": ["read"]}, by(401, 201)),
    ("DELETE token", "tokens/{token}", {}, by(401, 404, aya=204, sota=204)),
    ("GET audit", "audit", {}, USERS),
    ("GET notices", "notices", {}, USERS),
    ("POST read", "notices/{notice}/read", {}, by(401, 404, aya=200)),
    ("GET bots", "bots", {}, ALL),
    ("POST bots", "bots", {"name": "new", "game": "kakeya"}, by(401, 201)),
    ("GET bot", "bots/{bot}", {}, ALL),
    ("GET private bot", "bots/{private}", {}, by(404, 404, aya=200, sota=200)),
    ("PATCH bot", "bots/{bot}", {"name": "renamed"}, OWNER),
    ("PATCH private bot", "bots/{private}", {"name": "renamed"}, by(401, 404, aya=200, sota=200)),
    ("GET versions", "bots/{bot}/versions", {}, ALL),
    ("POST versions", "bots/{bot}/versions", {"bundle": "a file"}, by(401, 403, aya=202, sota=202)),
    ("GET version", "versions/{version}", {}, ALL),
    ("GET unchecked version", "versions/{upload}", {}, by(404, 404, aya=200, sota=200)),
    ("GET check", "versions/{version}/check", {}, OWNER),
    ("POST check", "versions/{version}/check", {}, by(401, 403, aya=409, sota=409)),
    ("GET faults", "versions/{version}/faults", {}, OWNER),
    ("GET faults of a private bot", "bots/{private}/faults", {}, by(401, 404, aya=200, sota=200)),
    ("GET faults of a bot", "bots/{bot}/faults", {}, OWNER),
    ("GET fault", "versions/{version}/faults/{fault}", {}, OWNER),
    ("GET sealed fault", "versions/{version}/faults/{sealed_fault}", {}, by(401, 403, aya=404, sota=200)),
    ("GET fault file", "versions/{version}/faults/{fault}/file", {}, OWNER),
    (
        "GET sealed fault file",
        "versions/{version}/faults/{sealed_fault}/file",
        {},
        by(401, 403, aya=404, sota=200),
    ),
    ("POST reinstate", "versions/{version}/reinstate", {}, by(401, 403, aya=409, sota=409)),
    ("POST reinstate a suspended one", "versions/{suspended}/reinstate", {}, by(401, 403, aya=202, sota=200)),
    ("POST activate a suspended one", "versions/{suspended}/activate", {}, by(401, 403, aya=409, sota=409)),
    ("POST activate", "versions/{version}/activate", {}, OWNER),
    ("POST retire", "versions/{version}/retire", {}, OWNER),
    ("GET challenges", "challenges", {}, USERS),
    (
        "POST challenges",
        "challenges",
        {"versions": ["{version}", "{version}"], "preset": "kakeya4"},
        by(401, 400),
    ),
    ("GET tournaments", "tournaments", {}, ALL),
    (
        "POST tournaments",
        "tournaments",
        {"name": "x", "preset": "kakeya4"},
        by(401, 403, odo=201, rin=201, sota=201),
    ),
    ("GET tournament", "tournaments/{event}", {}, ALL),
    ("GET draft", "tournaments/{draft}", {}, by(404, 404, odo=200, sota=200)),
    ("PATCH draft", "tournaments/{draft}", {"name": "y"}, by(401, 403, odo=200, rin=404, sota=200)),
    ("POST open", "tournaments/{draft}/open", {}, by(401, 403, odo=200, rin=404, sota=200)),
    ("POST lock", "tournaments/{registration}/lock", {}, by(401, 403, odo=409, sota=409)),
    ("POST start", "tournaments/{event}/start", {}, by(401, 403, odo=409, sota=409)),
    ("POST pause", "tournaments/{event}/pause", {}, ORGANISER),
    ("POST resume", "tournaments/{event}/resume", {}, by(401, 403, odo=409, sota=409)),
    ("POST finalise", "tournaments/{event}/finalise", {}, by(401, 403, odo=409, sota=409)),
    ("POST cancel", "tournaments/{event}/cancel", {"reason": "x"}, ORGANISER),
    ("POST archive", "tournaments/{event}/archive", {}, by(401, 403, odo=409, sota=409)),
    ("GET entries", "tournaments/{event}/entries", {}, ALL),
    (
        "POST entries",
        "tournaments/{registration}/entries",
        {"version": "{version}"},
        by(401, 403, aya=201),
    ),
    ("GET entry", "tournaments/{registration}/entries/{entry}", {}, ALL),
    ("PATCH entry", "tournaments/{registration}/entries/{entry}", {"seed": 2}, ORGANISER),
    (
        "POST withdraw",
        "tournaments/{registration}/entries/{entry}/withdraw",
        {},
        by(401, 403, aya=200, odo=200, sota=200),
    ),
    (
        "POST withdraw a pair",
        "tournaments/{registration}/entries/{pair}/withdraw",
        {},
        by(401, 403, aya=200, ben=200, odo=200, sota=200),
    ),
    (
        "POST leave",
        "tournaments/{event}/entries/{playing}/withdraw",
        {"reason": "ill"},
        by(401, 403, aya=200, odo=200, sota=200),
    ),
    ("POST confirm", "tournaments/{registration}/entries/{pair}/confirm", {}, by(401, 403, ben=200)),
    ("POST decline", "tournaments/{registration}/entries/{pair}/decline", {}, by(401, 403, ben=200)),
    ("GET invitations", "tournaments/{registration}/invitations", {}, ORGANISER),
    (
        "POST invitations",
        "tournaments/{registration}/invitations",
        {"player": "chie"},
        by(401, 403, odo=201, sota=201),
    ),
    ("DELETE invitation", "tournaments/{registration}/invitations/chie", {}, by(401, 403, odo=204, sota=204)),
    (
        "DELETE entry",
        "tournaments/{registration}/entries/{entry}",
        {},
        by(401, 403, aya=204, odo=204, sota=204),
    ),
    ("GET reports of problems", "tournaments/{event}/reports", {}, USERS),
    (
        "POST reports of problems",
        "tournaments/{event}/reports",
        {"entry": "{playing}", "text": "Look at board 1."},
        by(401, 403, aya=201),
    ),
    (
        "POST close a report",
        "tournaments/{event}/reports/{report}/close",
        {"answer": "Seen."},
        by(401, 403, odo=200, rin=404, sota=200),
    ),
    ("GET rounds", "tournaments/{event}/rounds", {}, ALL),
    ("GET fixtures", "tournaments/{event}/fixtures", {}, ALL),
    ("GET standings", "tournaments/{event}/standings", {}, ALL),
    ("GET crosstable", "tournaments/{event}/crosstable", {}, ALL),
    ("GET display", "tournaments/{event}/display", {}, ALL),
    ("DELETE tournament", "tournaments/{event}", {}, by(401, 403, odo=409, sota=409)),
    ("POST trial of a draft", "tournaments/{draft}/trial", {}, by(401, 403, odo=409, rin=404, sota=409)),
    ("GET plan", "tournaments/{event}/plan", {}, ALL),
    ("GET plan of a draft", "tournaments/{draft}/plan", {}, HIDDEN),
    ("POST close_early", "tournaments/{event}/close_early", {}, by(401, 403, odo=409, sota=409)),
    ("POST retry_tables", "tournaments/{event}/retry_tables", {}, by(401, 403, odo=200, sota=200)),
    ("GET changes", "tournaments/{event}/events", {}, ALL),
    ("GET changes of a draft", "tournaments/{draft}/events", {}, by(404, 404, odo=200, sota=200)),
    ("GET fairness", "tournaments/{event}/fairness", {}, ALL),
    ("GET statement", "tournaments/{event}/statements/locked", {}, ALL),
    ("GET export", "tournaments/{event}/export", {}, ALL),
    ("GET export lines", "tournaments/{event}/export.ndjson", {}, ALL),
    ("GET all fixtures", "fixtures", {}, ALL),
    (
        "POST adjudicate",
        "fixtures/{open_fixture}/adjudicate",
        {"kind": "void", "reason": "power cut"},
        by(401, 403, odo=201, sota=201),
    ),
    ("GET all tables", "tables", {}, ALL),
    ("GET tables of a version", "versions/{version}/tables", {}, ALL),
    ("GET tables of an unchecked version", "versions/{upload}/tables", {}, by(404, 404, aya=200, sota=200)),
    ("GET fixture", "fixtures/{open_fixture}", {}, ALL),
    ("GET sealed fixture", "fixtures/{sealed_fixture}", {}, ALL),
    ("GET table", "tables/{open_table}", {}, ALL),
    ("GET sealed table", "tables/{sealed_table}", {}, ALL),
    ("GET record", "tables/{open_table}/record", {}, ALL),
    ("GET sealed record", "tables/{sealed_table}/record", {}, by(423, 423, sota=200)),
    ("GET replay", "tables/{open_table}/replay", {}, ALL),
    ("GET sealed replay", "tables/{sealed_table}/replay", {}, SEALED),
    ("GET view", "tables/{open_table}/view", {}, ALL),
    ("GET sealed view", "tables/{sealed_table}/view", {}, SEALED),
    ("GET board of a view", "tables/{open_table}/view?board=1", {}, ALL),
    ("GET sealed board of a view", "tables/{sealed_table}/view?board=1", {}, SEALED),
    ("GET timings", "tables/{open_table}/timings?seat={ayas_open_seat}", {}, OWNER),
    (
        "GET sealed timings",
        "tables/{sealed_table}/timings?seat={ayas_sealed_seat}",
        {},
        by(401, 403, aya=423, sota=200),
    ),
    ("POST rerun", "tables/{sealed_table}/rerun", {"reason": "power cut"}, by(401, 403, odo=202, sota=202)),
    ("GET log", "tables/{open_table}/log?seat={ayas_open_seat}", {}, OWNER),
    (
        "GET sealed log",
        "tables/{sealed_table}/log?seat={ayas_sealed_seat}",
        {},
        by(401, 403, aya=423, sota=200),
    ),
    ("POST retry", "tables/{quarantined_table}/retry", {}, by(401, 403, odo=202, sota=202)),
    ("GET board", "boards/{open_set}/1", {}, ALL),
    ("GET sealed board", "boards/{sealed_set}/1", {}, by(423, 423, sota=200)),
    ("GET events", "events", {}, ALL),
    ("GET commitments", "commitments", {}, ALL),
    ("GET all series", "series", {}, ALL),
    (
        "POST series",
        "series",
        {"name": "Cup", "template": {"preset": "kakeya4"}, "frequency": "daily", "start_time": "20:00"},
        by(401, 403, odo=201, rin=201, sota=201),
    ),
    ("GET series", "series/{series}", {}, ALL),
    ("PATCH series", "series/{series}", {"name": "Other"}, ORGANISER),
    ("POST pause series", "series/{series}/pause", {}, ORGANISER),
    ("POST resume series", "series/{series}/resume", {}, TOO_EARLY),
    ("POST end series", "series/{series}/end", {}, ORGANISER),
    ("GET season table", "series/{series}/table", {}, ALL),
    ("GET subscriptions", "series/{series}/subscriptions", {}, ALL),
    ("POST subscriptions", "series/{series}/subscriptions", {"bot": "{partners_bot}"}, by(401, 403, ben=201)),
    (
        "DELETE subscription",
        "series/{series}/subscriptions/{bot}",
        {},
        by(401, 403, aya=204, odo=204, sota=204),
    ),
    ("GET schema", "schema", {}, ALL),
    ("GET docs", "docs", {}, for_all(302)),
    *(row for feature in matrices("ROWS") for row in feature.ROWS),
]


def user_of(role: str) -> Any:
    """The account of a role, or nobody."""
    if role == "newcomer":
        return user_create(role)
    cast = {"chie": chie, "aya": aya, "ben": ben, "odo": odo, "rin": rin, "sota": sota}
    return cast[role]() if role in cast else None


def filled_in(value: Any, names: dict[str, Any]) -> Any:
    """The value with the world's names in it."""
    if isinstance(value, list):
        return [filled_in(item, names) for item in value]
    return value.format(**names) if isinstance(value, str) else value


def sent_to(client: Any, what: str, url: str, body: dict[str, Any]) -> Any:
    """The answer to one row of the matrix."""
    method = what.split()[0].lower()
    if method == "get":
        return client.get(url)
    if "bundle" in body:
        return client.post(url, {"bundle": SimpleUploadedFile("bot.py", b"print()")}, format="multipart")
    return getattr(client, method)(url, body, format="json")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("role", ROLES)
def test_what_a_role_may(names: dict[str, Any], role: str) -> None:
    client = caller(user_of(role))
    wrong = {}
    for what, path, body, expected in MATRIX:
        cache.clear()
        filled = {key: filled_in(value, names) for key, value in body.items()}
        # Each row finds the world as it was. No block: the log of events is read outside of any.
        before = transaction.savepoint()
        response = sent_to(client, what, f"/api/v1/{path.format(**names)}", filled)
        transaction.savepoint_rollback(before)
        if response.status_code != expected[ROLES.index(role)]:
            wrong[what] = (response.status_code, expected[ROLES.index(role)], response.getvalue()[:200])
        if response.status_code >= 400:
            assert response["Content-Type"] == "application/problem+json", what
    assert not wrong, "what came, what was expected, and the answer"


def test_the_matrix_misses_no_method_of_any_end_point() -> None:
    covered = set()
    for what, path, _, _ in MATRIX:
        address = re.sub(r"\{\w+\}", "x", path.split("?")[0]).replace("/x/1", "/x/1")
        covered.add((resolve(f"/api/v1/{address}").url_name, what.split()[0]))
    there_are = {
        (pattern.name, method)
        for pattern in urlpatterns
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
        if hasattr(pattern.callback.view_class, method.lower()) and pattern.name != "nowhere"
    }
    assert there_are - covered == set()
