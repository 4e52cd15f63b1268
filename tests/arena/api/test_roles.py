"""Every end point for every role: what each gets to see and may do."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.urls import resolve

from arena.api.urls import urlpatterns
from arena.matches.faults import groups_of
from arena.matches.models import Table
from tests.arena.api.conftest import World, caller
from tests.factories import (
    a_bot,
    a_suspended_version,
    a_tournament,
    an_entry,
    an_open_tournament,
    aya,
    chie,
    odo,
    rin,
    sota,
)

ROLES = ("nobody", "chie", "aya", "odo", "rin", "sota")
"""Anonymous; a stranger; the bot's owner; the event's organiser; another organiser; staff."""

ALL = (200,) * 6
USERS = (401, 200, 200, 200, 200, 200)
OWNER = (401, 403, 200, 403, 403, 200)
ORGANISER = (401, 403, 403, 200, 403, 200)

MATRIX: list[tuple[str, str, dict[str, Any], tuple[int, ...]]] = [
    ("GET games", "games", {}, ALL),
    ("GET preset", "games/kakeya/presets/kakeya4", {}, ALL),
    ("GET limits", "limits", {}, ALL),
    ("GET me", "me", {}, USERS),
    ("GET tokens", "tokens", {}, USERS),
    ("POST tokens", "tokens", {"name": "x", "scopes": ["read"]}, (401, 201, 201, 201, 201, 201)),
    ("DELETE token", "tokens/{token}", {}, (401, 404, 204, 404, 404, 204)),
    ("GET audit", "audit", {}, USERS),
    ("GET notices", "notices", {}, USERS),
    ("POST read", "notices/{notice}/read", {}, (401, 404, 200, 404, 404, 404)),
    ("GET bots", "bots", {}, ALL),
    ("POST bots", "bots", {"name": "new", "game": "kakeya"}, (401, 201, 201, 201, 201, 201)),
    ("GET bot", "bots/{bot}", {}, ALL),
    ("GET private bot", "bots/{private}", {}, (404, 404, 200, 404, 404, 200)),
    ("PATCH bot", "bots/{bot}", {"name": "renamed"}, OWNER),
    ("PATCH private bot", "bots/{private}", {"name": "renamed"}, (401, 404, 200, 404, 404, 200)),
    ("GET versions", "bots/{bot}/versions", {}, ALL),
    ("POST versions", "bots/{bot}/versions", {"bundle": "a file"}, (401, 403, 202, 403, 403, 202)),
    ("GET version", "versions/{version}", {}, ALL),
    ("GET unchecked version", "versions/{upload}", {}, (404, 404, 200, 404, 404, 200)),
    ("GET check", "versions/{version}/check", {}, OWNER),
    ("POST check", "versions/{version}/check", {}, (401, 403, 409, 403, 403, 409)),
    ("GET faults", "versions/{version}/faults", {}, OWNER),
    ("GET faults of a private bot", "bots/{private}/faults", {}, (401, 404, 200, 404, 404, 200)),
    ("GET faults of a bot", "bots/{bot}/faults", {}, OWNER),
    ("GET fault", "versions/{version}/faults/{fault}", {}, OWNER),
    ("GET sealed fault", "versions/{version}/faults/{sealed_fault}", {}, (401, 403, 404, 403, 403, 200)),
    ("GET fault file", "versions/{version}/faults/{fault}/file", {}, OWNER),
    (
        "GET sealed fault file",
        "versions/{version}/faults/{sealed_fault}/file",
        {},
        (401, 403, 404, 403, 403, 200),
    ),
    ("POST reinstate", "versions/{version}/reinstate", {}, (401, 403, 409, 403, 403, 409)),
    ("POST reinstate a suspended one", "versions/{suspended}/reinstate", {}, (401, 403, 202, 403, 403, 200)),
    ("POST activate a suspended one", "versions/{suspended}/activate", {}, (401, 403, 409, 403, 403, 409)),
    ("POST activate", "versions/{version}/activate", {}, OWNER),
    ("POST retire", "versions/{version}/retire", {}, OWNER),
    ("GET tournaments", "tournaments", {}, ALL),
    ("POST tournaments", "tournaments", {"name": "x", "preset": "kakeya4"}, (401, 403, 403, 201, 201, 201)),
    ("GET tournament", "tournaments/{event}", {}, ALL),
    ("GET draft", "tournaments/{draft}", {}, (404, 404, 404, 200, 404, 200)),
    ("PATCH draft", "tournaments/{draft}", {"name": "y"}, (401, 403, 403, 200, 404, 200)),
    ("POST open", "tournaments/{draft}/open", {}, (401, 403, 403, 200, 404, 200)),
    ("POST lock", "tournaments/{registration}/lock", {}, (401, 403, 403, 409, 403, 409)),
    ("POST start", "tournaments/{event}/start", {}, (401, 403, 403, 409, 403, 409)),
    ("POST pause", "tournaments/{event}/pause", {}, ORGANISER),
    ("POST resume", "tournaments/{event}/resume", {}, (401, 403, 403, 409, 403, 409)),
    ("POST finalise", "tournaments/{event}/finalise", {}, (401, 403, 403, 409, 403, 409)),
    ("POST cancel", "tournaments/{event}/cancel", {}, ORGANISER),
    ("POST archive", "tournaments/{event}/archive", {}, (401, 403, 403, 409, 403, 409)),
    ("GET entries", "tournaments/{event}/entries", {}, ALL),
    (
        "POST entries",
        "tournaments/{registration}/entries",
        {"version": "{version}"},
        (401, 403, 201, 403, 403, 403),
    ),
    ("DELETE entry", "tournaments/{registration}/entries/{entry}", {}, (401, 403, 204, 204, 403, 204)),
    ("GET rounds", "tournaments/{event}/rounds", {}, ALL),
    ("GET fixtures", "tournaments/{event}/fixtures", {}, ALL),
    ("GET standings", "tournaments/{event}/standings", {}, ALL),
    ("GET changes", "tournaments/{event}/events", {}, ALL),
    ("GET changes of a draft", "tournaments/{draft}/events", {}, (404, 404, 404, 200, 404, 200)),
    ("GET fairness", "tournaments/{event}/fairness", {}, ALL),
    ("GET export", "tournaments/{event}/export", {}, ALL),
    ("GET fixture", "fixtures/{open_fixture}", {}, ALL),
    ("GET sealed fixture", "fixtures/{sealed_fixture}", {}, ALL),
    ("GET table", "tables/{open_table}", {}, ALL),
    ("GET sealed table", "tables/{sealed_table}", {}, ALL),
    ("GET record", "tables/{open_table}/record", {}, ALL),
    ("GET sealed record", "tables/{sealed_table}/record", {}, (423, 423, 423, 423, 423, 200)),
    ("GET log", "tables/{open_table}/log?seat={ayas_open_seat}", {}, OWNER),
    (
        "GET sealed log",
        "tables/{sealed_table}/log?seat={ayas_sealed_seat}",
        {},
        (401, 403, 423, 403, 403, 200),
    ),
    ("POST retry", "tables/{quarantined_table}/retry", {}, (401, 403, 403, 202, 403, 202)),
    ("GET board", "boards/{open_set}/1", {}, ALL),
    ("GET sealed board", "boards/{sealed_set}/1", {}, (423, 423, 423, 423, 423, 200)),
    ("GET schema", "schema", {}, ALL),
    ("GET docs", "docs", {}, ALL),
]


@pytest.fixture
def names(world: World) -> dict[str, Any]:
    """What the addresses of the matrix need."""
    registration = an_open_tournament(entries_per_player=2)
    entry = an_entry(registration, aya())
    quarantined = world.waiting_table
    Table.objects.filter(pk=quarantined.pk).update(state=Table.State.QUARANTINED, reason="no worker")

    def ayas_seat(table: Table) -> int:
        return table.seats.filter(version__bot__owner__user=aya()).order_by("seat")[0].seat

    return {
        "token": aya().tokens.create(name="x", token_hash="0").public_id,
        "bot": world.bot.public_id,
        "private": a_bot(aya(), visibility="private").public_id,
        "version": world.version.public_id,
        "upload": world.upload.public_id,
        "event": world.event.public_id,
        "draft": a_tournament().public_id,
        "registration": registration.public_id,
        "entry": entry.public_id,
        "open_fixture": world.open_fixture.public_id,
        "sealed_fixture": world.sealed_fixture.public_id,
        "open_table": world.open_table.public_id,
        "sealed_table": world.sealed_table.public_id,
        "quarantined_table": quarantined.public_id,
        "open_set": world.open_set.public_id,
        "sealed_set": world.sealed_set.public_id,
        "notice": aya().notices.get().public_id,
        "fault": fingerprint_of(world, "KeyError"),
        "sealed_fault": fingerprint_of(world, "IndexError"),
        "suspended": a_suspended_version(a_bot(aya())).public_id,
        "ayas_open_seat": ayas_seat(world.open_table),
        "ayas_sealed_seat": ayas_seat(world.sealed_table),
    }


def fingerprint_of(world: World, log: str) -> str:
    """Of Aya's faults whose log begins so."""
    groups = groups_of(world.version, with_sealed=True)
    return next(group.fingerprint for group in groups if group.sample["log_tail"].startswith(log))


def users() -> list[Any]:
    return [None, chie(), aya(), odo(), rin(), sota()]


@pytest.mark.parametrize(("what", "path", "body", "expected"), MATRIX, ids=[row[0] for row in MATRIX])
def test_role(
    names: dict[str, Any], what: str, path: str, body: dict[str, Any], expected: tuple[int, ...]
) -> None:
    method = what.split()[0].lower()
    filled = {key: value.format(**names) for key, value in body.items() if isinstance(value, str)}
    sent, kind = {**body, **filled}, "json"
    if "bundle" in body:
        kind = "multipart"
    got = []
    for user in users():
        cache.clear()
        if "bundle" in body:
            sent = {"bundle": SimpleUploadedFile("bot.py", b"print()")}
        with transaction.atomic():
            # Each role finds the world as it was.
            client = caller(user)
            url = f"/api/v1/{path.format(**names)}"
            response = client.get(url) if method == "get" else getattr(client, method)(url, sent, format=kind)
            got.append(response.status_code)
            if response.status_code >= 400:
                assert response["Content-Type"] == "application/problem+json"
            transaction.set_rollback(True)
    assert dict(zip(ROLES, got, strict=True)) == dict(zip(ROLES, expected, strict=True))


def test_the_matrix_misses_no_end_point() -> None:
    fill = dict.fromkeys(
        [
            word.strip("{}")
            for _, path, _, _ in MATRIX
            for word in path.replace("?", "/").replace("=", "/").split("/")
        ],
        "x",
    )
    covered = set()
    for _, path, _, _ in MATRIX:
        address = path.split("?")[0].format(**fill)
        covered.add(resolve(f"/api/v1/{address}").url_name)
    assert {pattern.name for pattern in urlpatterns} - covered == {"nowhere"}
