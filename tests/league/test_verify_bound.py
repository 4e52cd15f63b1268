"""Exports with statements: what they bind, what follows, and what nobody can say unnoticed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from league.proof import claims
from league.statements import key_id
from league.verify.statements import keys_by_id, published_disagreements
from tests.league.archives import KEYS, Archive, forged, signed
from tests.league.events import Event
from tests.league.sample_events import EVENTS, entry_of, event, fixture_of, stage_of

Change = Callable[[dict[str, Any]], object]


def by_operator(document: dict[str, Any]) -> dict[str, Any]:
    """The document with statements that say what it says, signed."""
    return signed(forged(Archive(document, {}, b""))).document


@pytest.mark.parametrize("name", EVENTS)
def test_every_event_is_derived_again_with_its_statements(name: str) -> None:
    document = event(name).document()
    assert event(name).found(document) == []
    assert list(published_disagreements(document, (), KEYS)) == []


def all_voided(document: dict[str, Any]) -> None:
    """Every fixture of the winner is void, and no ruling says why."""
    winner = stage_of(document)["standings"][0]["entry"]
    for played in stage_of(document)["rounds"]:
        for fixture in played["fixtures"]:
            if winner in fixture["sides"] and len(fixture["sides"]) > 1:
                fixture.update(state="void", reason="power cut", scores=[])


def bye_with_score(document: dict[str, Any]) -> None:
    bye = next(f for f in stage_of(document)["rounds"][0]["fixtures"] if len(f["sides"]) == 1)
    bye["scores"] = [{"board": 1, "entry": bye["sides"][0], "value": "2"}]


@pytest.mark.parametrize(
    ("change", "culprit"),
    [
        (lambda d: d["stages"].pop(), ""),
        (lambda d: d.update(stages=[]), "stages must have"),
        (lambda d: stage_of(d, 2)["rounds"].pop(), "stage 2: it ended"),
        (all_voided, "void"),
        (lambda d: fixture_of(d, 1, 1).update(same_owner=True), "same_owner"),
        (bye_with_score, "bye"),
        (lambda d: stage_of(d)["standings"].append(stage_of(d)["standings"][0]), "twice"),
        (lambda d: fixture_of(d, 1, 1).update(comment="as agreed"), "'comment'"),
        (lambda d: stage_of(d, 2).update(state="running"), "it is running"),
        (lambda d: stage_of(d).update(closed_early=True), "closed early"),
        (lambda d: stage_of(d, 2).update(end_code="budget_spent"), "budget_spent"),
        (lambda d: entry_of(d, "a").update(left_round=9), "never opened"),
        (lambda d: fixture_of(d, 1, 1)["adjudications"][0].update(by="system"), "the system"),
        (lambda d: fixture_of(d, 2, 2).update(reason="bribed"), "its reason"),
        (lambda d: fixture_of(d, 3, 1)["tables"][0].update(cause="disk"), "a fault of the platform"),
    ],
)
def test_what_follows_is_derived_even_if_the_operator_signs_again(change: Change, culprit: str) -> None:
    document = event("eventful").document()
    change(document)
    disagreements = event("eventful").found(document)
    assert disagreements, "bound by its statements in any case"
    if culprit:
        disagreements = event("eventful").found(by_operator(document) if document["stages"] else document)
        assert any(culprit in line for line in disagreements), disagreements


def test_a_pass_less_is_named() -> None:
    document = event("in_passes").document()
    stage_of(document)["rounds"] = stage_of(document)["rounds"][:5]
    stage_of(document)["end_code"] = ""
    found = event("in_passes").found(by_operator(document))
    assert any("its last round" in line for line in found), found


def test_a_further_pass_in_which_nobody_would_meet_is_none() -> None:
    played = Event(
        list("abcd"), [{"format": "movement"}], {(1, 3): [lambda e: e.leave("c")]}, max_passes=2, spread=1
    )
    assert (len(played.rounds), played.stages[0]["end_code"]) == (3, "")
    document = played.document()
    assert played.found(document) == []
    entry_of(document, "c").update(status="entered", left_stage=None, left_round=None)
    found = played.found(by_operator(document))
    assert any("its last round" in line for line in found), found


def other_player(document: dict[str, Any]) -> None:
    entry_of(document, "a")["player"] = entry_of(document, "b")["player"]


@pytest.mark.parametrize(
    ("change", "culprit"),
    [
        (lambda d: d["statements"][1].update(digest="0" * 64), "statement 2 (locked): its digest"),
        (lambda d: d["statements"].insert(1, d["statements"].pop(0)), "statement 1 (locked)"),
        (
            lambda d: fixture_of(d, 2, 2)["adjudications"][0].update(created_at="2027-01-01T00:00:00+00:00"),
            "'final'",
        ),
        (lambda d: d["tournament"]["clock"].update(start_wall_ms=1), "tournament.clock"),
        (lambda d: d["statements"][0]["body"]["stages"].pop(), "2 stages"),
        (other_player, "entry a: its player"),
        (lambda d: entry_of(d, "a")["player"].update(text="Nobody"), "entries[0].player: its hash"),
        (lambda d: entry_of(d, "a")["player"].update(salt=None), "entries[0].player"),
        (lambda d: d["statements"].pop(), "is missing"),
        (lambda d: d["tournament"].update(state="cancelled"), "cancelled"),
    ],
)
def test_what_contradicts_a_statement_is_named(change: Change, culprit: str) -> None:
    document = event("eventful").document()
    change(document)
    disagreements = event("eventful").found(document)
    assert any(culprit in line for line in disagreements), disagreements


def test_a_deleted_name_leaves_everything_else() -> None:
    document = event("eventful").document()
    entry_of(document, "a")["player"].update(salt=None, text=None)
    assert event("eventful").found(document) == []
    assert list(published_disagreements(document, (), KEYS)) == []


def test_a_forger_without_the_key_and_strange_keys_are_named() -> None:
    document = event("movement").document()
    false = copy.deepcopy(document)
    entry_of(false, "a")["status_reason"] = "so"
    false = forged(Archive(false, {}, b"")).document
    assert event("movement").found(false) == []
    (found,) = published_disagreements(false, (), KEYS)
    assert "statement 3 (final): its signature" in found
    other = keys_by_id([bytes(32)])
    (found,) = published_disagreements(document, (), other)
    assert "/.well-known/rensho-key" in found
    (found,) = published_disagreements({**document, "statements": []}, (), KEYS)
    assert found


def test_digests_noted_beforehand_are_compared() -> None:
    document = event("movement").document()
    noted = [document["tournament"]["commitment"], document["statements"][1]["digest"]]
    assert list(published_disagreements(document, noted)) == []
    (found,) = published_disagreements(document, [*noted, "a" * 64])
    assert "a" * 12 in found


def test_the_table_of_proof_says_what_rests_on_what() -> None:
    def how(document: dict[str, Any], *noted: str, is_signed: bool = False) -> dict[str, str]:
        return {
            claim.what.partition(",")[0]: claim.how for claim in claims(document, noted, is_signed=is_signed)
        }

    document = event("movement").document()
    alone = how(document)
    assert alone["deals"] == "proven"
    assert alone["rulings"] == alone["settings"] == alone["the secret"] == "trusted"
    by_key = how(document, is_signed=True)
    assert by_key["rulings"] == by_key["settings"] == by_key["the secret"] == "bound"
    assert by_key["who the players are"] == "trusted"
    locked = how(document, document["statements"][1]["digest"])
    assert (locked["settings"], locked["entries: players"], locked["rulings"]) == (
        "bound",
        "bound",
        "trusted",
    )
    old = how(event("movement").document(), event("movement").document()["tournament"]["commitment"])
    assert (old["the secret"], old["settings"], old["deals"]) == ("bound", "trusted", "proven")
    assert key_id(bytes(32)) in keys_by_id([bytes(32)])
