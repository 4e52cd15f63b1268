"""Positions of boards: values, cache, quotas and bad requests."""

from __future__ import annotations

import datetime
import json
from typing import Any

import pytest
import pytest_django
from django.core.cache import cache
from django.utils import timezone

from analysis.process import position_values
from arena.common.blobs import blob_get
from arena.competition.models import Tournament
from arena.features.analysis.models import SolvedPosition
from arena.features.analysis.positions import position_from_json
from arena.features.analysis.solving import (
    MAX_FAILURES,
    MAX_WAITING,
    position_claim,
    position_fail,
    position_finish,
    position_release,
    positions_expire,
    positions_prune,
)
from arena.features.play.models import CasualTable
from arena.features.play.person import Person
from arena.features.play.sharing import share
from arena.matches.models import Table
from arena.matches.replays import table_view
from arena.settings.analysis import AnalysisLimits, analysis_limits_of
from tests.arena.api.conftest import caller
from tests.arena.features.analysis.conftest import tables_of
from tests.arena.features.analysis.notes import notes_of
from tests.arena.features.analysis.positions import ask, code, steps_of
from tests.arena.features.play.tables import a_seat
from tests.factories import aya, ben, sota

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("solver_up")]
State = SolvedPosition.State


def solve_next() -> SolvedPosition:
    """Solve the position that has waited longest, as the process would."""
    row = position_claim()
    assert row is not None
    position_finish(row, position_values(position_from_json(row.position)), 0.5)
    row.refresh_from_db()
    return row


def test_values_agree_with_the_notes_of_the_table(event: Tournament) -> None:
    table, noted = next(
        (table, deal)
        for table in tables_of(event)
        for deal in notes_of(blob_get(table.record_sha256))["deals"]
        if deal["steps"]
    )
    index, board = int(next(iter(noted["steps"]))), noted["board"]
    steps = steps_of(table, board)
    plays = [step["a"] for step in steps[:index]]
    waits = ask(table, board=board, table=table.public_id, plays=plays)
    assert (waits.status_code, waits.json()["state"], waits.json()["values"]) == (200, "working", None)
    solve_next()
    answer = ask(table, board=board, table=table.public_id, plays=plays)
    assert (answer.status_code, answer.json()["state"]) == (200, "done")
    found = answer.json()
    assert {value: set(cards) for value, cards in found["values"].items()} == {
        value: set(cards) for value, cards in noted["steps"][str(index)]["values"].items()
    }
    assert found["seat"] == steps[index]["s"]
    assert sorted(map(int, found["values"]), reverse=True) == list(map(int, found["values"]))


def test_answers_are_kept_whoever_asks_and_while_no_process_runs(table: Table) -> None:
    plays = [step["a"] for step in steps_of(table)[:48]]
    ask(table, plays=plays)
    solve_next()
    cache.clear()
    assert ask(table, aya(), address="192.0.2.9", plays=plays).status_code == 200
    assert code(ask(table, plays=plays[:47])) == (503, "solver_down")


def test_a_position_without_an_answer_within_its_limit_says_so(table: Table) -> None:
    ask(table)
    row = position_claim()
    assert row is not None
    position_finish(row, None, 2.0)
    answer = ask(table)
    assert (answer.status_code, answer.json()["state"], answer.json()["values"]) == (200, "too_long", None)


def test_another_leader_has_another_position(table: Table) -> None:
    view = json.loads(table_view(table, 1) or b"")
    deal = view["boards"][0]["deals"][0]
    found = set()
    for seat in deal["leaders"]:
        ask(table, lead=seat, address=f"192.0.2.{seat}")
        row = SolvedPosition.objects.latest("id")
        found.add(row.key)
    assert len(found) == 2
    resting = next(seat for seat in range(1, 5) if seat not in deal["leaders"])
    assert code(ask(table, lead=resting)) == (400, "illegal_sequence")


@pytest.mark.parametrize(
    ("body", "status", "problem"),
    [
        ({"plays": ["XX"]}, 400, "illegal_sequence"),
        ({"plays": ["AS", "AS"]}, 400, "illegal_sequence"),
        ({"plays": "AS"}, 400, "invalid"),
        ({"plays": ["AS"] * 53}, 400, "invalid"),
        ({"plays": [["AS"]]}, 400, "invalid"),
        ({"plays": ["ASS"]}, 400, "invalid"),
        ({"deal": 2}, 404, "deal_not_found"),
        ({"deal": 0}, 400, "invalid"),
        ({"table": "nosuchtable"}, 404, "table_not_found"),
        ({"lead": 0}, 400, "invalid"),
        ({"surprise": 1}, 400, "invalid"),
    ],
)
def test_bad_requests(table: Table, body: dict[str, Any], status: int, problem: str) -> None:
    assert code(ask(table, **body)) == (status, problem)
    assert not SolvedPosition.objects.exists()


def test_a_sequence_to_the_end_of_the_deal_is_refused(table: Table) -> None:
    plays = [step["a"] for step in steps_of(table)]
    assert code(ask(table, plays=plays)) == (400, "illegal_sequence")
    assert code(ask(table, plays=[*plays[:4], plays[0]])) == (400, "illegal_sequence")
    assert code(ask(table, board=3)) == (404, "board_not_found")


def test_another_game_is_refused(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    view = json.loads(table_view(table) or b"")
    other = json.dumps({**view, "game": "kakkuri"}).encode()
    monkeypatch.setattr("arena.features.analysis.boards.table_view", lambda _: other)
    assert code(ask(table)) == (409, "game_not_solvable")


def test_one_position_at_a_time_for_each_address(table: Table) -> None:
    plays = [step["a"] for step in steps_of(table)[:48]]
    assert code(ask(table, plays=plays)) == (200, "working")
    assert code(ask(table, plays=plays)) == (200, "working"), "the same again"
    answer = ask(table, plays=plays[:47])
    assert code(answer) == (429, "solve_in_progress")
    assert answer["Retry-After"] == "1"
    assert code(ask(table, address="192.0.2.2", plays=plays[:47])) == (200, "working")
    solve_next()
    assert code(ask(table, plays=plays[:46])) == (200, "working")


def test_quotas_of_strangers_accounts_and_the_site(table: Table, settings: pytest_django.Settings) -> None:
    settings.ANALYSIS = AnalysisLimits(guest_cpu_s=1, account_cpu_s=2, site_cpu_s=3)
    plays = [step["a"] for step in steps_of(table)[:48]]

    def spend(user: Any, length: int, address: str = "192.0.2.1") -> tuple[int, str]:
        answer = ask(table, user, address=address, plays=plays[:length])
        if code(answer) == (200, "working"):
            row = position_claim()
            assert row is not None
            position_finish(row, {"0": ["AS"]}, 1.0)
        return code(answer)

    assert spend(None, 40) == (200, "working")
    assert spend(None, 41) == (429, "solve_quota_exceeded")
    assert spend(None, 40) == (200, "done"), "solved positions cost nothing"
    assert [spend(aya(), length) for length in (42, 43)] == [(200, "working")] * 2
    assert spend(aya(), 44) == (429, "solve_quota_exceeded")
    assert spend(None, 45, "192.0.2.7") == (429, "site_solve_quota_exceeded")
    hour_ago = timezone.now() - datetime.timedelta(hours=1, seconds=1)
    SolvedPosition.objects.update(requested_at=hour_ago)
    assert spend(None, 45) == (200, "working")
    positions_prune()
    assert set(SolvedPosition.objects.values_list("requested_by", flat=True)) > {""}
    assert SolvedPosition.objects.exclude(requested_by="").count() == 1


def test_the_queue_is_bounded(table: Table) -> None:
    plays = [step["a"] for step in steps_of(table)[:48]]
    for number in range(MAX_WAITING):
        assert code(ask(table, address=f"192.0.2.{number}", plays=plays[:number])) == (200, "working")
    assert code(ask(table, address="192.0.2.200", plays=plays[:47])) == (503, "solver_busy")


def test_failures_of_the_process_end_a_position_and_a_stop_does_not(table: Table) -> None:
    ask(table)
    row = position_claim()
    assert row is not None
    position_release(row)
    for _ in range(MAX_FAILURES - 1):
        row = position_claim()
        assert row is not None
        position_fail(row)
    row = position_claim()
    assert row is not None
    assert position_claim() is None, "it is leased"
    SolvedPosition.objects.update(leased_until=timezone.now() - datetime.timedelta(seconds=1))
    assert positions_expire() == 1
    row.refresh_from_db()
    assert (row.state, row.failures) == (State.TOO_LONG, MAX_FAILURES)
    position_finish(row, {"0": ["AS"]}, 1.0)
    row.refresh_from_db()
    assert row.state == State.TOO_LONG, "a process that has lost its lease"


def test_positions_for_which_nobody_waits_are_dropped(table: Table) -> None:
    ask(table)
    SolvedPosition.objects.update(requested_at=timezone.now() - datetime.timedelta(seconds=61))
    assert position_claim() is None
    assert code(ask(table)) == (200, "working")
    assert position_claim() is not None, "it was asked for again"
    hours_ago = timezone.now() - datetime.timedelta(hours=2)
    SolvedPosition.objects.update(state=State.WAITING, requested_at=hours_ago)
    assert positions_prune() == 1


def test_a_table_against_bots_after_its_end_for_its_person_and_by_its_link(table: Table) -> None:
    casual = a_seat(aya())
    plays = [step["a"] for step in steps_of(table)[:48]]
    address = f"/api/v1/play/{casual.public_id}/solve"

    def post(path: str, user: Any, **body: Any) -> tuple[int, str]:
        return code(caller(user).post(path, {"plays": plays, **body}, format="json"))

    assert post(address, aya()) == (423, "sealed")
    assert post(address, aya(), plays=7) == (423, "sealed"), "before the request is read"
    CasualTable.objects.filter(pk=casual.pk).update(
        state="finished", ended_at=timezone.now(), view_sha256=table.view_sha256, first_board=1
    )
    assert post(address, aya()) == (200, "working")
    for stranger in (None, ben(), sota()):
        assert post(address, stranger) == (404, "casual_table_not_found")
    assert post(address, aya(), board=9) == (404, "board_not_found")
    assert post(address, aya(), table="x") == (400, "invalid")
    share(Person(aya(), "", "192.0.2.8"), casual.public_id)
    casual.refresh_from_db()
    shared = f"/api/v1/play/shared/{casual.share_token}/solve"
    assert post(shared, None) == (200, "working"), "the same position"
    assert post(shared[:-8] + "xxxxx/solve", None)[0] == 404
    CasualTable.objects.filter(pk=casual.pk).update(view_sha256="")
    assert post(shared, None) == (404, "view_not_found")


def test_limits_from_the_environment() -> None:
    found = analysis_limits_of({"RENSHO_ANALYSIS_NOTES_CPU_S": "0", "RENSHO_ANALYSIS_GUEST_CPU_S": "5"})
    assert found == AnalysisLimits(notes_cpu_s=0, guest_cpu_s=5)
    for wrong in ({"RENSHO_ANALYSIS_SITE_CPU_S": "-1"}, {"RENSHO_ANALYSIS_CPU_S": "3"}):
        with pytest.raises(SystemExit, match="RENSHO_ANALYSIS"):
            analysis_limits_of(wrong)
