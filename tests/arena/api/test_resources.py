"""What the API offers beyond the road from upload to standings: each thing does what it says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.accounts.models import AuditEvent
from arena.competition.models import Entry, Tournament
from arena.matches.models import Adjudication, Fixture, Table
from tests.arena.api.conftest import World, caller
from tests.arena.api.problems import check, ok
from tests.arena.play import begun, play_out
from tests.factories import (
    a_bot,
    a_tournament,
    a_version,
    an_open_tournament,
    aya,
    ben,
    odo,
    rin,
    sota,
)

pytestmark = pytest.mark.django_db


TRY = "/api/v1/tournaments?dry_run=true"


def at(event: Tournament, what: str = "") -> str:
    return f"/api/v1/tournaments/{event.public_id}{what}"


# Trying things out


def test_a_dry_run_of_a_new_tournament_is_its_plan_and_makes_nothing() -> None:
    body = {"name": "Cup", "preset": "kakeya4", "boards_per_round": 4, "max_entries": 8}
    answer = caller(odo()).post(TRY, body)
    plan = ok(answer)
    assert answer["Dry-Run"] == "true"
    assert (plan["entries"], plan["rounds"], plan["fixtures"], plan["tables"]) == (8, 7, 28, 56)
    assert plan["boards"] == 56 * 4
    assert plan["cpu_s_max"] > 0
    assert not Tournament.objects.exists()
    check(caller(odo()).post(TRY, {**body, "preset": "x"}), 400, "unknown_preset")
    check(caller(aya()).post(TRY, body), 403, "organiser_role_required")


def test_the_plan_of_a_tournament_can_be_asked_for_other_numbers() -> None:
    event = a_tournament()
    whole, four = (
        ok(caller(odo()).get(at(event, "/plan"))),
        ok(caller(odo()).get(at(event, "/plan?entries=4"))),
    )
    assert (whole["entries"], four["entries"], four["fixtures"]) == (64, 4, 6)
    check(caller(odo()).get(at(event, "/plan?entries=1")), 400, "invalid")


def test_a_dry_run_of_a_verb_says_what_would_be_and_changes_nothing() -> None:
    event = a_tournament()
    client = caller(odo())
    before = AuditEvent.objects.count()
    answer = client.post(at(event, "/open?dry_run=true"))
    assert (ok(answer)["state"], answer["Dry-Run"]) == ("open", "true")
    event.refresh_from_db()
    assert (event.state, event.commitment, AuditEvent.objects.count()) == ("draft", "", before)
    refused = check(caller(odo()).post(at(event, "/lock?dry_run=true")), 409, "wrong_state")
    assert refused["allowed_actions"] == ["update", "invite", "trial", "open", "cancel"]
    check(caller(rin()).post(at(event, "/open?dry_run=true")), 404, "tournament_not_found")
    check(caller(odo()).post(at(event, "/open?dry_run=perhaps")), 400, "invalid")


def test_entering_ruling_and_playing_again_can_be_tried_out(world: World) -> None:
    event = an_open_tournament()
    version = a_version(a_bot(aya(), "another")).public_id
    tried = caller(aya()).post(at(event, "/entries?dry_run=true"), {"version": version})
    assert ok(tried, 201)["status"] == "entered"
    assert not event.entries.exists()
    body = {"kind": "void", "reason": "power cut"}
    fixture = f"/api/v1/fixtures/{world.open_fixture.public_id}"
    assert ok(caller(odo()).post(f"{fixture}/adjudicate?dry_run=true", body), 201)["adjudications"]
    assert not Adjudication.objects.exists()
    table = f"/api/v1/tables/{world.sealed_table.public_id}"
    again = ok(caller(odo()).post(f"{table}/rerun?dry_run=true", {"reason": "power cut"}), 202)
    assert (again["state"], again["reruns"]) == ("waiting", 1)
    assert Table.objects.get(public_id=again["id"]).state == "finished"


# Entries


def test_who_leaves_after_the_lock_forfeits_what_is_open() -> None:
    event = begun(3)
    leaving = Entry.objects.get(tournament=event, player__user=aya())
    path = at(event, f"/entries/{leaving.public_id}")
    kept = check(caller(aya()).post(f"{path}/withdraw", {"may_leave": False}), 409, "field_fixed")
    assert kept["state"] == "running"
    assert ok(caller(aya()).get(path))["status"] == "entered"
    left = ok(caller(aya()).post(f"{path}/withdraw", {"reason": "ill"}))
    assert (left["status"], left["status_reason"], left["left_stage"]) == ("left", "ill", 1)
    assert left["allowed_actions"] == []
    again = check(caller(aya()).post(f"{path}/withdraw"), 409, "already_withdrawn")
    assert again["entry_status"] == "left"
    play_out(event)
    assert not Fixture.objects.filter(sides__entry=leaving, adjudications=None, tables__isnull=False).exists()


def test_invitations_are_made_listed_and_taken_back() -> None:
    event = an_open_tournament(entry_policy="invited")
    version = a_version(a_bot(aya())).public_id
    client, path = caller(odo()), at(event, "/invitations")
    check(caller(aya()).post(at(event, "/entries"), {"version": version}), 403, "not_invited")
    assert ok(client.post(path, {"player": "aya"}), 201)["player"] == "aya"
    ok(client.post(path, {"player": "aya"}), 201)
    assert [invitation["player"] for invitation in ok(client.get(path))["results"]] == ["aya"]
    check(client.post(path, {"player": "nobody"}), 404, "player_not_found")
    ok(caller(aya()).post(at(event, "/entries"), {"version": version}), 201)
    check(client.delete(f"{path}/aya"), 409, "already_entered")
    a_bot(ben())
    ok(client.post(path, {"player": "ben"}), 201)
    assert client.delete(f"{path}/ben").status_code == 204
    check(caller(rin()).post(path, {"player": "zoe"}), 403, "not_organiser")


def test_standings_of_any_time(world: World) -> None:
    path = at(world.event, "/standings")
    now = ok(caller().get(path))
    assert ok(caller().get(f"{path}?as_of=1")) == now
    assert ok(caller().get(f"{path}?stage=1")) == now
    check(caller().get(f"{path}?as_of=2"), 400, "round_not_closed")
    check(caller().get(f"{path}?as_of=soon"), 400, "invalid")
    check(caller().get(f"{path}?stage=2"), 404, "stage_not_found")
    (before,) = ok(caller().get(f"{path}?as_of=2020-01-01T00:00:00Z"))
    assert {row["values"]["played"] for row in before["rows"]} <= {0}


def test_crosstable_and_display_name_everybody(world: World) -> None:
    table = ok(caller().get(at(world.event, "/crosstable")))
    assert {row["player"] for row in table["rows"]} == {"aya", "ben"}
    (cell, other) = (row["against"][0] for row in table["rows"])
    assert (cell["mean"], cell["boards"]) == (-other["mean"], world.event.boards_per_round)
    display = ok(caller().get(at(world.event, "/display")))
    slots = [slot for part in display["sections"] for column in part["columns"] for slot in column["slots"]]
    assert {entry for slot in slots for entry in slot["entries"] if entry} == set(display["names"])


def test_a_replay_shows_what_one_seat_saw_or_all(world: World) -> None:
    path = f"/api/v1/tables/{world.open_table.public_id}/replay"
    whole = ok(caller().get(path))
    assert (whole["board"], whole["boards"]) == (1, [1, 2])
    assert [step["step"] for step in whole["steps"]] == list(range(len(whole["steps"])))
    assert set(whole["steps"][0]["observations"]) == {"1", "2", "3", "4"}
    assert any(act["by"] == "referee" for step in whole["steps"] for act in step["acts"])
    assert sum(whole["stones"].values()) == 0
    answer = caller().get(f"{path}?board=2&seat=3")
    assert {tuple(step["observations"]) for step in ok(answer)["steps"]} == {("3",)}
    assert (
        caller().get(f"{path}?board=2&seat=3", headers={"If-None-Match": answer["ETag"]}).status_code == 304
    )
    check(caller().get(f"{path}?board=3"), 404, "board_not_found")
    check(caller().get(f"{path}?seat=5"), 404, "seat_not_found")


def test_times_are_those_of_the_seat(world: World) -> None:
    table = world.open_table
    seat = table.seats.filter(version__bot__owner__user=aya())[0].seat
    answer = caller(aya()).get(f"/api/v1/tables/{table.public_id}/timings?seat={seat}")
    lines = [json.loads(line) for line in answer.getvalue().splitlines()]
    assert lines[0]["format"] == "rensho-timings/1"
    assert {line["seat"] for line in lines[1:]} == {seat}


def test_a_board_says_how_everybody_did_with_its_cards(world: World) -> None:
    board = ok(caller().get(f"/api/v1/boards/{world.open_set.public_id}/1"))
    places = [(score["place"], score["player"]) for score in board["scores"]]
    assert places[0][0] == 1
    assert {player for _, player in places} == {"aya", "ben"}
    assert {row["entry"] for row in board["results"]} == {score["entry"] for score in board["scores"]}


def test_a_filter_by_state_tells_nothing_sealed(world: World) -> None:
    Fixture.objects.filter(pk=world.sealed_fixture.pk).update(state="forfeited")
    path = at(world.event, "/fixtures")

    def found(user: Any, state: str) -> list[int]:
        return [fixture["round"] for fixture in ok(caller(user).get(path, {"state": state}))["results"]]

    assert found(None, "done") == [1, 2]
    assert found(aya(), "forfeited") == []
    assert found(aya(), "settled") == [1]
    assert found(sota(), "forfeited") == [2]


def test_cpu_used_is_told_to_all_only_afterwards(world: World) -> None:
    cpu_s_by_user = {
        user: caller(user).get(at(world.event)).json()["cpu_s_spent"] for user in (None, aya(), odo())
    }
    assert [cpu_s_by_user[None], cpu_s_by_user[aya()]] == [None, None]
    assert cpu_s_by_user[odo()] is not None
    play_out(world.event)
    assert caller().get(at(world.event)).json()["cpu_s_spent"] is not None


def test_formats_are_described() -> None:
    formats = {format_["key"]: format_ for format_ in ok(caller().get("/api/v1/formats"))}
    assert {"round_robin", "swiss", "movement"} <= set(formats)
    assert formats["movement"]["mixes_partners"]
    assert all(option["meaning"] for format_ in formats.values() for option in format_["options"])


# Exports


def test_the_lines_of_an_export_end_with_their_number(world: World) -> None:
    answer = caller().get(at(world.event, "/export.ndjson"))
    lines = [json.loads(line) for line in answer.getvalue().splitlines()]
    assert answer["Content-Type"] == "application/x-ndjson"
    assert lines[-1] == {"type": "end", "lines": len(lines) - 1}


@pytest.mark.parametrize(
    ("stage", "entries"),
    [
        ({"format": "groups", "options": {"groups": 3}}, 5),
        ({"format": "swiss", "options": {"rounds": 7}}, 4),
        ({"format": "movement"}, 3),
    ],
)
def test_the_plan_for_a_field_no_stage_takes_says_why(stage: dict[str, Any], entries: int) -> None:
    event = a_tournament(stages=[stage])
    body = check(caller(odo()).get(at(event, f"/plan?entries={entries}")), 400, "invalid_stage")
    assert body["errors"][0]["field"] == "entries"
    assert str(entries) in body["detail"]
