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
from tests.league.sample_events import EVENTS, entry_of, fixture_of, stage_of

Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def events() -> dict[str, Event]:
    return {name: make() for name, make in EVENTS.items()}


def by_operator(document: dict[str, Any]) -> dict[str, Any]:
    """The document with statements that say what it says, signed."""
    return signed(forged(Archive(document, {}, b""))).document


@pytest.mark.parametrize("name", EVENTS)
def test_every_event_is_derived_again_with_its_statements(name: str, events: dict[str, Event]) -> None:
    document = events[name].document()
    assert events[name].found(document) == []
    assert list(published_disagreements(document, (), KEYS)) == []


def stage_removed(document: dict[str, Any]) -> None:
    document["stages"].pop()


def no_stages(document: dict[str, Any]) -> None:
    document["stages"] = []


def round_dropped(document: dict[str, Any]) -> None:
    stage_of(document, 2)["rounds"].pop()


def all_voided(document: dict[str, Any]) -> None:
    """Every fixture of the winner is void, and no ruling says why."""
    winner = stage_of(document)["standings"][0]["entry"]
    for played in stage_of(document)["rounds"]:
        for fixture in played["fixtures"]:
            if winner in fixture["sides"] and len(fixture["sides"]) > 1:
                fixture.update(state="void", reason="power cut", scores=[])


def marked(document: dict[str, Any]) -> None:
    fixture_of(document, 1, 1)["same_owner"] = True


def bye_with_score(document: dict[str, Any]) -> None:
    bye = next(f for f in stage_of(document)["rounds"][0]["fixtures"] if len(f["sides"]) == 1)
    bye["scores"] = [{"board": 1, "entry": bye["sides"][0], "value": "2"}]


def row_twice(document: dict[str, Any]) -> None:
    stage_of(document)["standings"].append(stage_of(document)["standings"][0])


def unknown_key(document: dict[str, Any]) -> None:
    fixture_of(document, 1, 1)["comment"] = "as agreed"


def state_undone(document: dict[str, Any]) -> None:
    stage_of(document, 2)["state"] = "running"


def closed_by_nobody(document: dict[str, Any]) -> None:
    stage_of(document)["closed_early"] = True


def other_end(document: dict[str, Any]) -> None:
    stage_of(document, 2)["end_code"] = "budget_spent"


def left_a_round_not_played(document: dict[str, Any]) -> None:
    entry_of(document, "a")["left_round"] = 9


def ruled_by_the_system(document: dict[str, Any]) -> None:
    fixture_of(document, 1, 1)["adjudications"][0]["by"] = "system"


def other_reason(document: dict[str, Any]) -> None:
    fixture_of(document, 2, 2)["reason"] = "bribed"


def system_fault_at_a_played_table(document: dict[str, Any]) -> None:
    fixture_of(document, 3, 1)["tables"][0]["cause"] = "disk"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (stage_removed, ""),
        (no_stages, "stages must have 1 or more rows"),
        (round_dropped, "stage 2: it ended before its last round"),
        (all_voided, "its state is void, its records say otherwise"),
        (marked, "same_owner is True"),
        (bye_with_score, "it is a bye, but has scores"),
        (row_twice, "stands twice"),
        (unknown_key, "has an unknown key 'comment'"),
        (state_undone, "it is running, although the event was played to its end"),
        (closed_by_nobody, "it was played, although the stage before it was closed early"),
        (other_end, "is said to have ended by budget_spent"),
        (left_a_round_not_played, "which was never opened"),
        (ruled_by_the_system, "the system lets only entries forfeit that left"),
        (other_reason, "its reason is not that of its last ruling"),
        (system_fault_at_a_played_table, "names a fault of the platform"),
    ],
)
def test_what_follows_is_derived_even_if_the_operator_signs_again(
    change: Change, sentence: str, events: dict[str, Event]
) -> None:
    document = events["eventful"].document()
    change(document)
    found = events["eventful"].found(document)
    assert found, "bound by its statements in any case"
    if sentence:
        found = events["eventful"].found(by_operator(document) if document["stages"] else document)
        assert any(sentence in line for line in found), found


def test_a_pass_less_is_named(events: dict[str, Event]) -> None:
    document = events["in_passes"].document()
    stage_of(document)["rounds"] = stage_of(document)["rounds"][:5]
    stage_of(document)["end_code"] = ""
    found = events["in_passes"].found(by_operator(document))
    assert any("it ended before its last round" in line for line in found), found


def test_a_further_pass_in_which_nobody_would_meet_is_none() -> None:
    event = Event(
        list("abcd"), [{"format": "movement"}], {(1, 3): [lambda e: e.leave("c")]}, most_passes=2, spread=1
    )
    assert (len(event.rounds), event.stages[0]["end_code"]) == (3, "")
    document = event.document()
    assert event.found(document) == []
    entry_of(document, "c").update(status="entered", left_stage=None, left_round=None)
    found = event.found(by_operator(document))
    assert any("it ended before its last round" in line for line in found), found


def other_digest(document: dict[str, Any]) -> None:
    document["statements"][1]["digest"] = "0" * 64


def other_order(document: dict[str, Any]) -> None:
    document["statements"][:2] = document["statements"][1::-1]


def unsigned_ruling(document: dict[str, Any]) -> None:
    fixture_of(document, 2, 2)["adjudications"][0]["at"] = "2027-01-01T00:00:00+00:00"


def other_setting(document: dict[str, Any]) -> None:
    document["tournament"]["clock"]["start_wall_ms"] = 1


def other_plan(document: dict[str, Any]) -> None:
    document["statements"][0]["body"]["stages"].pop()


def other_player(document: dict[str, Any]) -> None:
    entry_of(document, "a")["player"] = entry_of(document, "b")["player"]


def other_text(document: dict[str, Any]) -> None:
    entry_of(document, "a")["player"]["text"] = "Nobody"


def text_without_salt(document: dict[str, Any]) -> None:
    entry_of(document, "a")["player"]["salt"] = None


def ending_dropped(document: dict[str, Any]) -> None:
    document["statements"].pop()


def cancelled(document: dict[str, Any]) -> None:
    document["tournament"]["state"] = "cancelled"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (other_digest, "statement 2 (locked): its digest is not that of its body"),
        (other_order, "statement 1 (locked): it does not name the statement before it"),
        (unsigned_ruling, "the export is not what the statement 'final' binds"),
        (other_setting, "tournament.clock is not what was registered"),
        (other_plan, "2 stages are exported, 1 were registered"),
        (other_player, "entry a: its player, versions, seed or mark is not what was locked"),
        (other_text, "entries[0].player: its hash is not that of its salt and text"),
        (text_without_salt, "deleted together or not at all"),
        (ending_dropped, "the statement that binds all of it is missing"),
        (cancelled, "the event is cancelled, but its last statement is final"),
    ],
)
def test_what_contradicts_a_statement_is_named(
    change: Change, sentence: str, events: dict[str, Event]
) -> None:
    document = events["eventful"].document()
    change(document)
    found = events["eventful"].found(document)
    assert any(sentence in line for line in found), found


def test_a_deleted_name_leaves_everything_else(events: dict[str, Event]) -> None:
    document = events["eventful"].document()
    entry_of(document, "a")["player"].update(salt=None, text=None)
    assert events["eventful"].found(document) == []
    assert list(published_disagreements(document, (), KEYS)) == []


def test_a_forger_without_the_key_and_strange_keys_are_named(events: dict[str, Event]) -> None:
    document = events["movement"].document()
    false = copy.deepcopy(document)
    entry_of(false, "a")["status_reason"] = "so"
    false = forged(Archive(false, {}, b"")).document
    assert events["movement"].found(false) == []
    (found,) = published_disagreements(false, (), KEYS)
    assert "statement 3 (final): its signature is not that of the key" in found
    other = keys_by_id([bytes(32)])
    (found,) = published_disagreements(document, (), other)
    assert "save /.well-known/rensho-key" in found
    (found,) = published_disagreements({**document, "statements": []}, (), KEYS)
    assert "no signed statements" in found


def test_digests_noted_beforehand_are_compared(events: dict[str, Event]) -> None:
    document = events["movement"].document()
    noted = [document["tournament"]["commitment"], document["statements"][1]["digest"]]
    assert list(published_disagreements(document, noted)) == []
    (found,) = published_disagreements(document, [*noted, "a" * 64])
    assert "nothing in this export has the commitment aaaaaaaaaaaa" in found


def test_the_table_of_proof_says_what_rests_on_what(events: dict[str, Event]) -> None:
    def how(document: dict[str, Any], *noted: str, is_signed: bool = False) -> dict[str, str]:
        return {
            claim.what.partition(",")[0]: claim.how for claim in claims(document, noted, is_signed=is_signed)
        }

    document = events["movement"].document()
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
    old = how(events["movement"].document(), events["movement"].document()["tournament"]["commitment"])
    assert (old["the secret"], old["settings"], old["deals"]) == ("bound", "trusted", "proven")
    assert key_id(bytes(32)) in keys_by_id([bytes(32)])
