"""Reports and rulings on pairs over the API."""

from __future__ import annotations

from typing import Any

import pytest

from arena.competition.models import Tournament
from arena.features.integrity.models import Finding, PairRuling, Report
from arena.features.integrity.services import reports_make
from arena.features.ratings.models import ExcludedPair, RatingList
from arena.features.ratings.services import ratings_make
from tests.arena.api.conftest import World, caller
from tests.arena.api.problems import check
from tests.factories import odo, sota

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair(world: World) -> list[str]:
    """The two entries of an event with a report in which something stands out."""
    ratings_make()
    reports_make()
    first, second = world.event.entries.order_by("pk")
    board = {"board_set": world.open_set.public_id, "fixture": world.open_fixture.public_id, "board": 1}
    for report in Report.objects.all():
        names = (
            (first.public_id, second.public_id)
            if report.tournament_id
            else (first.version.public_id, second.version.public_id)
        )
        Finding.objects.create(
            report=report,
            number=1,
            subject="results",
            kind="duel",
            entry=names[0],
            other=names[1],
            residual=1.5,
            error=0.2,
            meetings=1,
            boards=2,
            p=0.0001,
            q=0.001,
            unusual_boards=[{**board, "stones": 4.0}],
        )
    Report.objects.update(finding_count=1)
    return [first.public_id, second.public_id]


def test_a_report_names_who_and_the_boards_to_look_at(world: World, pair: list[str]) -> None:
    found = caller(odo()).get(f"/api/v1/integrity/tournaments/{world.event.public_id}").json()
    assert (found["tournament"], found["list"], found["name"]) == (
        world.event.public_id,
        None,
        world.event.name,
    )
    assert (found["finding_count"], found["sets"], found["fixtures"], found["tables"]) == (1, 1, 1, 2)
    (finding,) = found["findings"]
    assert [finding["entry"]["id"], finding["other"]["id"]] == pair
    assert finding["entry"]["player"] == "aya"
    assert finding["unusual_boards"][0]["board_set"] == world.open_set.public_id
    assert finding["link"] is None
    assert found["rulings"] == []
    (row,) = caller(odo()).get("/api/v1/integrity", {"has_findings": "true"}).json()["results"]
    assert row == {name: value for name, value in found.items() if name not in ("findings", "rulings")}
    rating_list = RatingList.objects.get()
    of_list = caller(sota()).get(f"/api/v1/integrity/lists/{rating_list.public_id}").json()
    assert of_list["findings"][0]["entry"] == {
        "id": world.version.public_id,
        "player": "aya",
        "bot": str(world.version),
    }
    assert of_list["list"] == rating_list.public_id
    assert len(caller(sota()).get("/api/v1/integrity").json()["results"]) == 2
    check(caller(odo()).get("/api/v1/integrity/lists/nosuch"), 404, "not_found")


def test_a_pair_of_an_event_is_ruled_on_and_the_ruling_lifted(world: World, pair: list[str]) -> None:
    client, path = caller(odo()), f"/api/v1/integrity/tournaments/{world.event.public_id}/rulings"
    body: dict[str, Any] = {"entries": pair, "reason": "they played for each other"}
    tried = client.post(f"{path}?dry_run=true", body, format="json")
    assert (tried.status_code, tried["Dry-Run"], PairRuling.objects.count()) == (201, "true", 0)
    made = client.post(path, body, format="json")
    assert made.status_code == 201
    ruling = made.json()
    assert (ruling["fixtures"], ruling["by"], ruling["lifted_at"]) == (2, "odo", None)
    shown = caller().get(f"/api/v1/fixtures/{world.open_fixture.public_id}").json()
    assert (shown["state"], shown["reason"]) == ("void", "they played for each other")
    check(client.post(path, body, format="json"), 409, "wrong_state")
    Tournament.objects.filter(pk=world.event.pk).update(state="running")
    refused = check(client.post(path, body, format="json"), 409, "pair_ruled")
    assert refused["ruling"] == ruling["id"]
    lift = f"{path}/{ruling['id']}/lift"
    lifted = client.post(lift, {"reason": "a mistake"}, format="json").json()
    assert (lifted["lifted_by"], lifted["lift_reason"]) == ("odo", "a mistake")
    check(client.post(lift, {"reason": "a mistake"}, format="json"), 409, "nothing_to_lift")
    check(client.post(path, {"entries": pair[:1], "reason": "x"}, format="json"), 400, "invalid")


def test_a_pair_left_out_of_a_list_is_public_with_the_reason(world: World, pair: list[str]) -> None:
    found = RatingList.objects.get()
    path = f"/api/v1/integrity/lists/{found.public_id}/rulings"
    versions = [entry.version.public_id for entry in world.event.entries.all()]
    body = {"versions": versions, "reason": "they played for each other"}
    made = caller(sota()).post(path, body, format="json").json()
    public = caller().get(f"/api/v1/rating-lists/{found.public_id}/rulings").json()["results"]
    assert public == [made]
    assert (made["reason"], made["by"], made["fixtures"]) == ("they played for each other", "sota", 1)
    ratings_make()
    found.refresh_from_db()
    assert found.fixtures == 0
    lift = f"{path}/{made['id']}/lift"
    caller(sota()).post(f"{lift}?dry_run=true", {"reason": "a mistake"}, format="json")
    assert ExcludedPair.objects.get().lifted_at is None
    assert caller(sota()).post(lift, {"reason": "a mistake"}, format="json").status_code == 200
    ratings_make()
    found.refresh_from_db()
    assert found.fixtures == 1
