"""The whole road over the API: token, bot, upload, check, tournament, entry, start, standings."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from arena.accounts.models import AuditEvent
from arena.competition.models import Tournament
from arena.roster.models import BotVersion
from arena.roster.services import check_finish
from league.fairness import commitment, field_digest
from tests.arena.api.conftest import caller
from tests.arena.api.problems import ok
from tests.arena.play import play_out
from tests.factories import a_running_check, aya, ben, odo

pytestmark = pytest.mark.django_db

PROGRAM = b"print('ready')\n"


def uploaded(client: APIClient, name: str, program: bytes) -> dict[str, Any]:
    """A bot of the caller with one version that passed its check."""
    bot = ok(client.post("/api/v1/bots", {"name": name, "game": "kakeya"}), 201)
    form = {"bundle": SimpleUploadedFile("bot.py", program), "notes": "first"}
    response = client.post(f"/api/v1/bots/{bot['id']}/versions", form, format="multipart")
    version = ok(response, 202)
    assert (version["number"], version["state"], version["notes"]) == (1, "uploaded", "first")
    assert response["Location"] == version["check_url"]
    assert ok(client.get(version["check_url"]))["state"] == "waiting"
    check = a_running_check(BotVersion.objects.get(public_id=version["id"]))
    check_finish(check, accepted=True, steps=[], reasons=[], report=None, runtime_digest="d")
    version = ok(client.get(f"/api/v1/versions/{version['id']}"))
    assert version["state"] == "ready"
    assert ok(client.get(f"/api/v1/bots/{bot['id']}"))["active_version"] == version["id"]
    return dict(version)


def test_from_upload_to_standings() -> None:
    organiser, first, second = caller(odo()), caller(aya()), caller(ben())
    versions = [uploaded(first, "kita", PROGRAM), uploaded(second, "minami", PROGRAM + b"#\n")]

    plan = {
        "name": "First cup",
        "preset": "kakeya4",
        "boards_per_round": 2,
        "stages": [{"format": "round_robin", "options": {}}],
        "clock": {"increment_cpu_ms": 30},
    }
    event = ok(organiser.post("/api/v1/tournaments", plan), 201)
    assert (event["state"], event["commitment"]) == ("draft", "")
    assert event["allowed_actions"] == ["update", "invite", "trial", "open", "cancel"]
    path = f"/api/v1/tournaments/{event['id']}"
    assert ok(organiser.patch(path, {"description": "Bring a bot."}))["description"] == "Bring a bot."

    event = ok(organiser.post(f"{path}/open"))
    assert (event["state"], len(event["commitment"])) == ("open", 64)
    for client, version in zip((first, second), versions, strict=True):
        entry = ok(client.post(f"{path}/entries", {"version": version["id"]}), 201)
        assert entry["version"]["bundle_sha256"] == version["bundle_sha256"]
    assert ok(organiser.get(path))["entries"] == 2

    event = ok(organiser.post(f"{path}/lock"))
    expected = field_digest([version["bundle_sha256"] for version in versions])
    assert (event["state"], event["stages"][0]["field_digest"]) == ("locked", expected)
    assert ok(organiser.post(f"{path}/start"))["state"] == "running"
    assert ok(organiser.post(f"{path}/pause", {"reason": "lunch"}))["state_reason"] == "lunch"
    assert ok(organiser.post(f"{path}/resume"))["state"] == "running"

    (fixture,) = ok(first.get(f"{path}/fixtures"))["results"]
    assert [table["state"] for table in fixture["tables"]] == ["waiting", "waiting"]
    play_out(Tournament.objects.get(public_id=event["id"]))

    event = ok(first.get(path))
    assert event["state"] == "final"
    (stage,) = ok(first.get(f"{path}/standings"))
    assert [row["rank"] for row in stage["rows"]] == [1, 2]
    fairness = ok(first.get(f"{path}/fairness"))
    assert commitment(bytes.fromhex(fairness["secret"])) == event["commitment"]
    assert ok(organiser.post(f"{path}/archive"))["state"] == "archived"

    verbs = AuditEvent.objects.filter(object_id=event["id"]).order_by("id").values_list("action", flat=True)
    assert list(verbs) == [
        "create",
        "update",
        "open",
        "lock",
        "field_fix",
        "start",
        "pause",
        "resume",
        "finish",
        "finalise",
        "archive",
    ]


@pytest.mark.parametrize(
    ("filename", "data", "status"),
    [("bot.zip", b"this is no archive", 400), ("bot.zip", b"", 400), ("bot.py", b"x" * 2000, 400)],
)
def test_an_upload_that_cannot_be_read_leaves_nothing(
    settings: Any, filename: str, data: bytes, status: int
) -> None:
    settings.BUNDLE_UPLOAD_BYTES_MAX = 1000
    client = caller(aya())
    bot = ok(client.post("/api/v1/bots", {"name": "kita", "game": "kakeya"}), 201)
    form = {"bundle": SimpleUploadedFile(filename, data)}
    problem = ok(client.post(f"/api/v1/bots/{bot['id']}/versions", form, format="multipart"), status)
    assert problem["errors"][0]["field"] == "bundle"
    assert not BotVersion.objects.exists()


def test_an_upload_far_too_large_is_refused_by_its_announced_length(settings: Any) -> None:
    settings.BUNDLE_UPLOAD_BYTES_MAX = 1000
    client = caller(aya())
    bot = ok(client.post("/api/v1/bots", {"name": "kita", "game": "kakeya"}), 201)
    form = {"bundle": SimpleUploadedFile("bot.py", b"x" * (2 << 20))}
    problem = ok(client.post(f"/api/v1/bots/{bot['id']}/versions", form, format="multipart"), 400)
    assert (problem["code"], problem["limit_bytes"]) == ("bundle_too_large", 1000)
