"""While boards are sealed the API shows progress alone; afterwards everything, for ever the same."""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from collections.abc import Callable

import pytest
from django.utils import timezone

from arena.accounts.models import User
from arena.common.blobs import blob_put
from arena.jobs.flow import tournament_advance
from arena.matches.faults import check_faults_group
from arena.matches.models import Fixture, TableSeat
from arena.matches.reruns import table_rerun
from arena.roster.services import check_finish
from engine import replay
from tests.arena.api.conftest import World, caller
from tests.arena.play import a_start_fault, play_out, play_table
from tests.factories import a_bot, a_running_check, an_upload, aya, ben, chie, odo, sota

pytestmark = pytest.mark.django_db


def seat_of(world: World, owner: User, *, of_open: bool) -> TableSeat:
    table = world.open_table if of_open else world.sealed_table
    return table.seats.filter(version__bot__owner__user=owner).order_by("seat")[0]


@pytest.mark.parametrize("state", list(Fixture.DONE))
def test_an_ended_fixture_is_done_while_sealed(world: World, state: str) -> None:
    Fixture.objects.filter(pk=world.sealed_fixture.pk).update(
        state=state, note={"code": "typed", "text": "because"}
    )
    path = f"/api/v1/fixtures/{world.sealed_fixture.public_id}"
    fixture = caller(aya()).get(path).json()
    assert (fixture["state"], fixture["reason"], fixture["is_sealed"], fixture["scores"]) == (
        "done",
        "",
        True,
        None,
    )
    assert caller(sota()).get(path).json()["state"] == state
    listed = caller().get(f"/api/v1/tournaments/{world.event.public_id}/fixtures").json()["results"]
    assert [fixture["state"] for fixture in listed] == ["settled", "done"]


def test_an_open_fixture_shows_its_scores_as_exact_fractions(world: World) -> None:
    fixture = caller().get(f"/api/v1/fixtures/{world.open_fixture.public_id}").json()
    assert fixture["state"] == "settled"
    assert len(fixture["scores"]) == 2 * world.event.boards_per_round


def test_a_sealed_table_shows_progress_alone(world: World) -> None:
    path = f"/api/v1/tables/{world.sealed_table.public_id}"
    table = caller(aya()).get(path).json()
    assert (table["state"], table["boards_done"], table["board_count"]) == ("finished", 2, 2)
    assert (table["results"], table["record_sha256"]) == (None, None)
    conduct = ("verdict", "forfeited", "decisions", "cpu_ms", "wall_ms", "peak_bytes")
    assert {seat[key] for seat in table["seats"] for key in conduct} == {None}
    open_to_staff = caller(sota()).get(path).json()
    assert open_to_staff["started_at"] < open_to_staff["finished_at"]
    assert len(open_to_staff["results"]) == 8
    assert [seat["verdict"] for seat in open_to_staff["seats"]].count("OK") == 2


@pytest.mark.parametrize("who", [None, chie, aya, odo])
def test_how_long_a_sealed_table_took_is_not_told(world: World, who: Callable[[], User] | None) -> None:
    """A table that is forfeited ends sooner than the others."""
    long_ago = {"since": "2020-01-01T00:00:00Z"}
    listed = caller(who() if who else None).get("/api/v1/tables", long_ago).json()["results"]
    assert {table["id"] for table in listed} & {world.sealed_table.public_id, world.open_table.public_id} == {
        world.open_table.public_id
    }


def test_when_a_sealed_fixture_ended_is_not_told(world: World) -> None:
    Fixture.objects.filter(pk=world.sealed_fixture.pk).update(state="settled", done_at=timezone.now())
    sealed, opened = world.sealed_fixture.public_id, world.open_fixture.public_id

    def done_at(user: User) -> dict[str, str | None]:
        client = caller(user)
        listed = client.get(f"/api/v1/tournaments/{world.event.public_id}/fixtures").json()["results"]
        found = {fixture["id"]: fixture["done_at"] for fixture in listed}
        assert client.get(f"/api/v1/fixtures/{sealed}").json()["done_at"] == found[sealed]
        return found

    def since(user: User) -> set[str]:
        answer = caller(user).get("/api/v1/fixtures", {"since": "2020-01-01T00:00:00Z"})
        return {fixture["id"] for fixture in answer.json()["results"]}

    for user in (aya(), odo()):
        assert done_at(user)[sealed] is None
        assert done_at(user)[opened] is not None
        assert since(user) == {opened}
    assert None not in done_at(sota()).values()
    assert since(sota()) == {opened, sealed}


def test_the_audit_of_a_table_played_again_tells_no_time_while_sealed(world: World) -> None:
    table_rerun(world.sealed_table, odo(), "power cut")
    (line,) = caller(odo()).get("/api/v1/audit", {"action": "rerun"}).json()["results"]
    assert line["before"]["state"] == "finished"
    assert "finished_at" not in line["before"]


def test_what_is_sealed_is_refused_by_its_code(world: World) -> None:
    seat = seat_of(world, aya(), of_open=False).seat
    path = f"/api/v1/tables/{world.sealed_table.public_id}"
    for part in ("record", f"timings?seat={seat}", f"log?seat={seat}"):
        assert caller(aya()).get(f"{path}/{part}").json()["code"] == "sealed", part
    assert caller(ben()).get(f"{path}/timings?seat={seat}").json()["code"] == "not_owner"


def test_nothing_to_say_of_a_table_is_null_for_everybody(world: World) -> None:
    path = f"/api/v1/tables/{world.open_table.public_id}"
    assert {caller(user).get(path).json()["reason"] for user in (None, aya(), odo(), sota())} == {None}


def test_an_open_table_shows_results_that_add_up(world: World) -> None:
    table = caller().get(f"/api/v1/tables/{world.open_table.public_id}").json()
    assert sum(result["stones"] for result in table["results"]) == 0
    assert {seat["verdict"] for seat in table["seats"]} == {"OK", "ILLEGAL_ACTION"}


def test_why_a_table_failed_is_for_organiser_and_staff(world: World) -> None:
    world.open_fixture.tables.update(note={"code": "fault", "why": "host fell over"})
    path = f"/api/v1/tables/{world.open_table.public_id}"
    said = [caller(user).get(path).json()["reason"] for user in (None, aya(), odo(), sota())]
    assert said == [None, None, "host fell over", "host fell over"]


def test_a_record_replays(world: World) -> None:
    response = caller().get(f"/api/v1/tables/{world.open_table.public_id}/record")
    assert response["Content-Type"] == "application/x-ndjson"
    assert len(list(replay(response.content).boards)) == 2


def test_an_etag_does_not_open_a_seal(world: World) -> None:
    path = f"/api/v1/tables/{world.sealed_table.public_id}/record"
    etag = caller(sota()).get(path)["ETag"]
    assert caller(aya()).get(path, HTTP_IF_NONE_MATCH=etag).status_code == 423


def test_a_versions_etag_changes_with_its_state_and_with_who_asks(world: World) -> None:
    path = f"/api/v1/versions/{world.version.public_id}"
    seen = {caller(aya()).get(path)["ETag"], caller(chie()).get(path)["ETag"]}
    caller(aya()).post(f"{path}/retire")
    seen.add(caller(aya()).get(path)["ETag"])
    assert len(seen) == 3


def test_a_log_is_its_owners_and_the_staffs(world: World) -> None:
    seat = seat_of(world, aya(), of_open=True)
    TableSeat.objects.filter(pk=seat.pk).update(log_sha256=blob_put(b"thinking\n", "log"))
    path = f"/api/v1/tables/{world.open_table.public_id}/log"
    answers = {user: caller(user()).get(path, {"seat": seat.seat}) for user in (aya, ben, odo, sota)}
    assert [answer.status_code for answer in answers.values()] == [200, 403, 403, 200]
    assert answers[aya].content == b"thinking\n"
    assert answers[aya]["Content-Type"].startswith("text/plain")
    assert answers[ben].json()["code"] == "not_owner"


@pytest.mark.parametrize(("seat", "status"), [("", 400), ("x", 400), ("0", 400), ("9", 404)])
def test_a_log_needs_a_seat(world: World, seat: str, status: int) -> None:
    path = f"/api/v1/tables/{world.open_table.public_id}/log"
    assert caller(aya()).get(path, {"seat": seat}).status_code == status
    assert caller(aya()).get(path).status_code == 400


def test_a_board_shows_how_it_went_everywhere(world: World) -> None:
    board = caller().get(f"/api/v1/boards/{world.open_set.public_id}/2").json()
    assert len(board["results"]) == 8
    assert len(board["seed"]) == 64
    assert caller(sota()).get(f"/api/v1/boards/{world.sealed_set.public_id}/2").json()["seed"] is None
    assert caller().get(f"/api/v1/boards/{world.open_set.public_id}/3").status_code == 404


def test_faults_of_sealed_tables_wait(world: World) -> None:
    path = f"/api/v1/versions/{world.version.public_id}/faults"

    def logs(user: User) -> dict[str, int]:
        found: dict[str, int] = {}
        for group in caller(user).get(path).json():
            line = group["sample"]["log_tail"]
            found[line] = found.get(line, 0) + group["count"]
        return found

    assert logs(aya()) == {"KeyError: 'QH'": 4}
    assert logs(sota()) == {"KeyError: 'QH'": 4, "IndexError: sealed": 2}
    (own,) = {group["table"] for group in caller(aya()).get(path).json()}
    assert own in set(world.open_fixture.tables.values_list("public_id", flat=True))
    play_table(world.waiting_table)
    tournament_advance(world.event)
    assert logs(aya()) == logs(sota())


def test_faults_of_the_check_show_at_once() -> None:
    version = an_upload(a_bot(aya()))
    fault = dataclasses.asdict(a_start_fault())
    check = a_running_check(version)
    check_finish(
        check,
        accepted=False,
        steps=[],
        reasons=[{"code": "slow", "message": "It never said ready."}],
        report={"seats": [{"seat": 1, "faults": [fault]}]},
        runtime_digest="",
    )
    check_faults_group(check)
    (group,) = caller(aya()).get(f"/api/v1/versions/{version.public_id}/faults").json()
    assert (group["verdict"], group["count"], group["table"]) == ("OUT_OF_TIME", 1, "")
    assert caller(chie()).get(f"/api/v1/versions/{version.public_id}/faults").status_code == 404


def test_standings_count_closed_rounds_alone(world: World) -> None:
    path = f"/api/v1/tournaments/{world.event.public_id}/standings"
    before = caller().get(path).json()
    play_table(world.waiting_table)
    tournament_advance(world.event)
    after = caller().get(path).json()
    assert [row["rank"] for row in before[0]["rows"]] == [1, 2]
    assert sum(int(row["values"]["match_points"]) for row in before[0]["rows"]) == 2
    assert sum(int(row["values"]["match_points"]) for row in after[0]["rows"]) == 4


def test_an_export_holds_closed_sets_alone(world: World) -> None:
    path = f"/api/v1/tournaments/{world.event.public_id}/export"

    def rounds(user: User | None) -> int:
        archive = zipfile.ZipFile(io.BytesIO(caller(user).get(path).getvalue()))
        return len(json.loads(archive.read("tournament.json"))["stages"][0]["rounds"])

    assert (rounds(None), rounds(odo()), rounds(sota())) == (1, 1, 2)
    play_out(world.event)
    assert rounds(None) == 2
