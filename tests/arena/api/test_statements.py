"""What an event has bound itself to, over the API: listed with its proofs, and the bodies to the byte."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from arena.competition.keys import key_rotate
from arena.competition.models import Tournament
from arena.competition.services import labels_forget
from arena.roster.services import player_of
from bots.kit.local.site_keys import keys_read
from bots.kit.local.verify import export_verify
from league.statements import signed_message
from tests.arena.api.conftest import caller
from tests.arena.play import play_out
from tests.factories import a_locked_tournament, a_tournament, aya, chie, odo

pytestmark = pytest.mark.django_db


@pytest.fixture
def running(shared_running: Tournament) -> Tournament:
    """The same for all tests here."""
    return shared_running


def at(event: Tournament, rest: str) -> str:
    return f"/api/v1/tournaments/{event.public_id}/{rest}"


def test_each_is_listed_as_it_is_made_with_its_body_a_link_away(running: Tournament) -> None:
    client = caller()
    assert [row["kind"] for row in client.get(at(running, "fairness")).json()["statements"]] == [
        "opened",
        "locked",
    ]
    play_out(running)
    listed = client.get(at(running, "fairness")).json()["statements"]
    assert [row["kind"] for row in listed] == ["opened", "locked", "final"]
    keys = {key["id"]: key for key in client.get("/.well-known/rensho-key").json()["keys"]}
    for row in listed:
        body = client.get(row["body"])
        assert (body.status_code, body["Content-Type"]) == (200, "application/json")
        assert hashlib.sha256(body.content).hexdigest() == row["digest"]
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(keys[row["key"]]["public"]))
        public.verify(bytes.fromhex(row["signature"]), signed_message(row["digest"]))
        assert json.loads(body.content)["published_at"][:19] == row["published_at"][:19]


def test_what_was_pinned_proves_the_export_after_a_rotation_and_a_name_forgotten(
    running: Tournament, tmp_path: Path
) -> None:
    client = caller()
    pinned = tmp_path / "rensho-key.json"
    pinned.write_bytes(client.get("/.well-known/rensho-key").content)
    play_out(running)
    digests = [row["digest"] for row in client.get(at(running, "fairness")).json()["statements"]]
    key_rotate()
    labels_forget(player_of(aya()))
    saved = tmp_path / "event.zip"
    saved.write_bytes(b"".join(client.get(at(running, "export")).streaming_content))
    promised = [running.commitment, *digests]
    assert export_verify(saved, commitments=promised, keys=keys_read(str(pinned))).disagreements == []
    others = {key_rotate().name: bytes(32)}
    assert export_verify(saved, commitments=promised, keys=others).disagreements != []
    assert export_verify(saved, commitments=["0" * 64]).disagreements != []


def test_what_has_not_been_stated_is_missing_and_says_so(running: Tournament) -> None:
    missing = caller().get(at(running, "statements/final"))
    assert (missing.status_code, missing.json()["code"]) == (404, "statement_not_found")
    assert caller().get(at(running, "statements/other")).status_code == 404
    draft = a_tournament()
    assert caller(odo()).get(at(draft, "fairness")).json()["statements"] == []


def test_only_those_who_see_an_event_see_what_it_states() -> None:
    event = a_locked_tournament(2, visibility="private")
    for rest in ("fairness", "statements/locked"):
        assert caller().get(at(event, rest)).status_code == 404
        assert caller(chie()).get(at(event, rest)).status_code == 404
        assert caller(aya()).get(at(event, rest)).status_code == 200
