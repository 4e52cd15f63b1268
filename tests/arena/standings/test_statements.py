"""What an event publishes about itself, signed by which key, and what holds after names are forgotten."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from arena.accounts.models import User
from arena.common.errors import Conflict
from arena.competition.challenges import challenge_create
from arena.competition.keys import digest_sign, key_current, key_rotate, keys_published
from arena.competition.labels import labels_forget
from arena.competition.models import Label, SigningKey, Statement, Tournament
from arena.competition.services import (
    entry_confirm,
    entry_decline,
    entry_withdraw,
    tournament_lock,
    tournament_update,
)
from arena.jobs.flow import tournament_cancel
from arena.roster.models import Bot
from arena.roster.services import bot_update, player_of, version_retire
from arena.standings import document
from arena.standings.audit import tournament_audit
from arena.standings.document import frame_of
from arena.standings.export import tournament_export
from engine.played import played_table
from league.statements import (
    MAY_CHANGE,
    NOT_IN_SETTINGS,
    frame_digest,
    frame_lines,
    hash_labels,
    label_hash,
    signed_message,
    statement_digest,
)
from league.verify.export import disagreements
from referee.contract import Limits
from tests import factories
from tests.arena.play import begun, claimed, play_out, play_table, waiting
from tests.factories import logged_events
from tests.league.archives import unpacked
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


@pytest.fixture
def running(shared_running: Tournament) -> Tournament:
    """The same for all tests here."""
    return shared_running


def exported(tournament: Tournament, viewer: User | None = None) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The document of its archive, and the records by hash."""
    archive = unpacked(tournament_export(tournament, viewer))
    return archive.document, archive.records


def statements_hold(exported: dict[str, Any]) -> list[str]:
    """The kinds of its statements, each checked by itself: digest, chain, signature, what it says."""
    previous = None
    tournament = hash_labels(exported["tournament"])
    for statement in exported["statements"]:
        body = statement["body"]
        assert statement_digest(body) == statement["digest"]
        assert (body["kind"], body["previous"]) == (statement["kind"], previous)
        assert body["tournament"] == tournament["id"]
        public = bytes(SigningKey.objects.get(name=statement["key"]).public)
        Ed25519PublicKey.from_public_bytes(public).verify(
            bytes.fromhex(statement["signature"]), signed_message(statement["digest"])
        )
        previous = statement["digest"]
        if body["kind"] == "opened":
            unlike = {key for key, value in body["settings"].items() if tournament[key] != value}
            assert set(tournament) - set(body["settings"]) == set(NOT_IN_SETTINGS)
            assert unlike <= set(MAY_CHANGE)
            for stage, planned in zip(exported["stages"], body["stages"], strict=True):
                assert planned == {key: stage[key] for key in planned}
                assert set(planned) == {"number", "format", "options", "qualify", "boards_per_round"}
        elif body["kind"] == "locked":
            first = exported["stages"][0]
            playing = {row["entry"] for row in first["entries"]}
            assert [entry["id"] for entry in body["entries"]] == [
                entry["id"] for entry in exported["entries"] if entry["id"] in playing
            ]
            known = {entry["id"]: hash_labels(entry) for entry in exported["entries"]}
            for entry in body["entries"]:
                assert entry == {key: known[entry["id"]][key] for key in entry}
                assert set(entry) == {"id", "player", "partner", "seed", "versions", "own"}
            assert body["field_digest"] == first["field_digest"]
        else:
            assert (body["frame"], body["lines"]) == frame_digest(frame_lines(exported))
    return [statement["kind"] for statement in exported["statements"]]


def test_an_event_is_bound_when_it_opens_is_locked_and_is_final(running: Tournament) -> None:
    # Odo's own entry and a pair, which has two bots, are of another event.
    assert statements_hold(exported(running)[0]) == ["opened", "locked"]
    play_out(running)
    shown, records = exported(running)
    assert shown["format"] == "rensho-export/3"
    assert statements_hold(shown) == ["opened", "locked", "final"]
    assert disagreements(shown, records.__getitem__, played_table) == []


def test_the_digest_of_the_whole_is_read_piece_by_piece(running: Tournament, monkeypatch: Any) -> None:
    play_out(running)
    whole = frame_digest(frame_lines(exported(running)[0]))
    monkeypatch.setattr(document, "FIXTURE_BATCH_SIZE", 1)
    assert frame_of(running) == whole
    Tournament.objects.filter(pk=running.pk).update(state="archived")
    running.refresh_from_db()
    assert frame_of(running) == whole, "what becomes of it after the end is not in it"


def test_an_own_entry_and_withdrawn_ones_are_bound_too(db: None) -> None:
    event = factories.an_open_tournament()
    factories.an_entry(event, event.organiser)
    factories.a_pair_entry(event, factories.aya())
    factories.an_entry(event, factories.ben())
    entry_withdraw(factories.an_entry(event, factories.chie()), factories.chie())
    tournament_lock(event, event.organiser)
    shown, _ = exported(event)
    assert statements_hold(shown) == ["opened", "locked"]
    assert [entry["own"] for entry in shown["entries"]] == [True, False, False, False]
    locked = shown["statements"][1]["body"]
    assert [len(entry["versions"]) for entry in locked["entries"]] == [1, 2, 1]
    assert all(len(entry["player"]["hash"]) == 64 for entry in shown["entries"])


def test_cancelled_events_are_bound_by_what_they_have_published(running: Tournament) -> None:
    play_table(waiting(running)[0])
    tournament_cancel(running, running.organiser, "a storm")
    assert statements_hold(exported(running)[0]) == ["opened", "locked", "cancelled"]
    opened = factories.an_open_tournament()
    factories.an_entry(opened, factories.aya())
    tournament_cancel(opened, opened.organiser, "a storm")
    shown, _ = exported(opened)
    assert statements_hold(shown) == ["opened", "cancelled"]
    assert shown["entries"][0]["player"]["hash"]
    draft = factories.a_tournament()
    tournament_cancel(draft, draft.organiser)
    shown, _ = exported(draft, draft.organiser)
    assert statements_hold(shown) == ["cancelled"]
    assert tournament_audit(draft) == []


def test_what_nothing_has_bound_yet_has_neither_hash_nor_salt(db: None) -> None:
    draft = factories.a_tournament()
    shown, _ = exported(draft, draft.organiser)
    assert shown["tournament"]["name"] == {"hash": None, "salt": None, "text": draft.name}
    opened = factories.an_open_tournament()
    factories.an_entry(opened, factories.aya())
    shown, _ = exported(opened)
    assert shown["tournament"]["name"]["hash"]
    assert shown["entries"][0]["player"] == {"hash": None, "salt": None, "text": "aya"}


def test_an_event_that_registered_before_there_were_statements_is_bound_by_the_last(
    running: Tournament,
) -> None:
    Statement._base_manager.filter(tournament=running).delete()
    play_out(running)
    shown, records = exported(running)
    assert statements_hold(shown) == ["final"]
    assert disagreements(shown, records.__getitem__, played_table) == []


def test_a_challenge_is_bound_as_it_begins(db: None) -> None:
    versions = [factories.a_version(factories.a_bot(factories.aya())) for _ in range(2)]
    challenge = challenge_create(factories.aya(), versions, preset=factories.PRESET, boards=1)
    play_out(challenge)
    shown, records = exported(challenge, factories.aya())
    assert statements_hold(shown) == ["opened", "locked", "final"]
    assert disagreements(shown, records.__getitem__, played_table) == []


def test_statements_name_no_names_and_reveal_nothing_sealed(running: Tournament) -> None:
    play_table(waiting(running)[0])
    bodies = "".join(Statement.objects.values_list("body", flat=True))
    names = {label.text for label in Label.objects.all()}
    assert len(names) == 7, "of three players, their bots and the event"
    assert [name for name in names if f'"{name}"' in bodies] == []
    assert bytes(running.secret).hex() not in bodies
    assert [salt for salt in Label.objects.values_list("salt", flat=True) if salt in bodies] == []


def test_the_owner_of_a_partner_is_named(db: None) -> None:
    event = factories.an_open_tournament(entries_per_player=2)
    entry_confirm(factories.a_pending_entry(event, factories.aya(), factories.ben()), factories.ben())
    factories.a_pair_entry(event, factories.ben())
    tournament_lock(event, event.organiser)
    shown, _ = exported(event)
    assert statements_hold(shown) == ["opened", "locked"]
    pair, own = shown["entries"]
    assert (pair["player"]["text"], pair["partner"]["text"]) == ("aya", "ben")
    assert (own["player"], own["partner"]) == (pair["partner"], None)


def test_an_event_keeps_the_faults_it_was_made_with(running: Tournament, settings: Any) -> None:
    assert running.faults_before_forfeit == 3
    settings.BOT_LIMITS = Limits(faults_before_forfeit=5)
    assert claimed(waiting(running)[0]).order.limits.faults_before_forfeit == 3
    assert exported(running)[0]["tournament"]["faults_before_forfeit"] == 3
    assert factories.a_tournament().faults_before_forfeit == 5


def test_no_reason_the_system_writes_has_a_name_in_it(db: None) -> None:
    event = factories.an_open_tournament(entries_per_player=3)
    entry_decline(
        factories.a_pending_entry(event, factories.aya(), factories.ben()),
        factories.ben(),
        "busy",
    )
    factories.a_pending_entry(event, factories.aya(), factories.ben())
    retired = factories.an_entry(event, factories.aya())
    version_retire(retired.version, factories.aya())
    for owner in (factories.ben(), factories.chie()):
        factories.an_entry(event, owner)
    tournament_lock(event, event.organiser)
    entries = exported(event)[0]["entries"]
    reasons = [entry["status_reason"] for entry in entries if entry["status"] == "withdrawn"]
    assert reasons == [
        "the partner's owner declined: busy",
        "the partner's owner did not agree before the lock",
        "version 1 was retired at the lock",
    ]


def test_equal_names_have_unequal_hashes_in_other_events_and_one_in_the_same(db: None) -> None:
    first, second = (factories.an_open_tournament(entries_per_player=2, min_entries=2) for _ in range(2))
    for event in (first, second):
        for _ in range(2):
            factories.an_entry(event, factories.aya())
        factories.an_entry(event, factories.ben())
        tournament_lock(event, event.organiser)
    seen = [[entry["player"]["hash"] for entry in exported(event)[0]["entries"]] for event in (first, second)]
    assert seen[0][0] == seen[0][1] != seen[0][2]
    assert not set(seen[0]) & set(seen[1])


def test_a_name_changed_after_the_lock_changes_no_label(running: Tournament) -> None:
    before = exported(running)[0]
    bot = Bot.objects.filter(versions__entries__tournament=running).order_by("pk")[0]
    bot_update(bot, bot.owner.user, name="renamed")
    assert exported(running)[0] == before


def test_the_name_of_an_event_stays_once_it_is_published(db: None) -> None:
    event = factories.an_open_tournament()
    refused = refusal(Conflict, tournament_update, event, event.organiser, name="Another cup")
    assert (refused.code, refused.extra["field"]) == ("wrong_state", "name")


def test_a_budget_raised_while_it_is_played_breaks_nothing(running: Tournament) -> None:
    tournament_update(running, running.organiser, budget_cpu_s=5000)
    play_out(running)
    shown, _ = exported(running)
    assert shown["tournament"]["budget_cpu_s"] == 5000
    assert statements_hold(shown) == ["opened", "locked", "final"]


def test_a_name_that_is_forgotten_leaves_everything_else_true(running: Tournament) -> None:
    play_out(running)
    before, _ = exported(running)
    player = player_of(factories.aya())
    assert labels_forget(player) == 2
    shown, records = exported(running)
    entry = next(entry for entry in shown["entries"] if entry["player"]["text"] is None)
    told = [entry["player"], entry["versions"][0]["bot"]]
    was = next(entry_ for entry_ in before["entries"] if entry_["id"] == entry["id"])
    assert told == [
        {"hash": label["hash"], "salt": None, "text": None}
        for label in (was["player"], was["versions"][0]["bot"])
    ]
    assert was["player"]["hash"] == label_hash(was["player"]["salt"], "aya")
    assert '"aya"' not in json.dumps(shown)
    assert statements_hold(shown) == ["opened", "locked", "final"]
    assert disagreements(shown, records.__getitem__, played_table) == []
    assert sum(entry["player"]["text"] is None for entry in shown["entries"]) == 1, "others keep theirs"


def test_statements_never_change_and_never_go(running: Tournament) -> None:
    statement = Statement.objects.filter(tournament=running)[0]
    for change in (
        statement.save,
        statement.delete,
        Statement.objects.all().delete,
        lambda: Statement.objects.filter(pk=statement.pk).update(digest="0" * 64),
    ):
        assert "never" in str(refusal(ValueError, change))
    refusal(ProtectedError, running.delete)
    again = {"kind": "opened", "number": 7, "body": "{}", "digest": "", "signature": ""}
    for changed in (again, {**again, "number": 1, "kind": "final"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Statement.objects.create(
                tournament=running, key=statement.key, published_at=statement.published_at, **changed
            )
    ending = {**again, "number": 3, "kind": "final"}
    Statement.objects.create(
        tournament=running, key=statement.key, published_at=statement.published_at, **ending
    )
    ending |= {"number": 4, "kind": "cancelled"}
    with pytest.raises(IntegrityError), transaction.atomic():
        Statement.objects.create(
            tournament=running, key=statement.key, published_at=statement.published_at, **ending
        )


def test_watchers_learn_the_digests(running: Tournament) -> None:
    play_out(running)
    digests = dict(Statement.objects.filter(tournament=running).values_list("kind", "digest"))
    told = {
        event.kind: event.data["statement"]
        for event in logged_events()
        if event.tournament == running.public_id and "statement" in event.data
    }
    assert told == {
        "tournament.opened": digests["opened"],
        "tournament.locked": digests["locked"],
        "tournament.final": digests["final"],
    }


def test_a_statement_comes_with_its_change_or_not_at_all(db: None) -> None:
    event = factories.an_open_tournament()
    factories.an_entry(event, factories.aya())
    assert refusal(Conflict, tournament_lock, event, event.organiser).code == "too_few_entries"
    assert list(event.statements.values_list("kind", flat=True)) == ["opened"]
    assert list(event.labels.values_list("subject", flat=True)) == ["tournament"]


def test_the_first_key_is_made_once_and_a_rotation_keeps_the_old_one(db: None) -> None:
    assert not SigningKey.objects.exists()
    first = key_current()
    assert key_current() == first
    old = digest_sign("0" * 64)
    second = key_rotate()
    assert [key.name for key in keys_published()] == [second.name, first.name]
    first.refresh_from_db()
    assert (first.valid_until is not None, second.valid_until) == (True, None)
    new = digest_sign("0" * 64)
    assert (old.key.name, new.key.name) == (first.name, second.name)
    public = Ed25519PublicKey.from_public_bytes(bytes(first.public))
    public.verify(bytes.fromhex(old.hex), signed_message("0" * 64))
    refusal(InvalidSignature, public.verify, bytes.fromhex(new.hex), signed_message("0" * 64))
    with pytest.raises(IntegrityError), transaction.atomic():
        SigningKey.objects.filter(pk=first.pk).update(valid_until=None)


def test_what_was_signed_before_a_rotation_keeps_the_name_of_its_key(running: Tournament) -> None:
    old = key_current().name
    new = key_rotate().name
    play_out(running)
    shown, _ = exported(running)
    assert [statement["key"] for statement in shown["statements"]] == [old, old, new]
    assert statements_hold(shown) == ["opened", "locked", "final"]


def test_every_format_of_several_stages_is_bound(db: None) -> None:
    stages = [
        {"format": "groups", "options": {"groups": 2}},
        {"format": "single_elimination", "qualify": 2},
    ]
    event = begun(4, stages=stages, boards_per_round=1)
    play_out(event)
    assert event.state == Tournament.State.FINAL, event.state_reason
    assert statements_hold(exported(event)[0]) == ["opened", "locked", "final"]
