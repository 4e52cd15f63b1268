"""What authors get: costliest plays on pages, accuracy by version, and downloads of positions."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from arena.competition.models import Tournament
from arena.features.analysis.models import CostlyPlay, SeatAnalysis
from arena.features.analysis.panels.costly import accuracy_plot, costly_lines
from arena.features.analysis.selectors import accuracy_by_version, version_accuracy
from arena.matches.models import Fixture, Table, TableSeat
from arena.roster.models import BotVersion
from referee.contract import Verdict
from referee.inprocess import InProcessDriver
from referee.reproduce import read_fault_file, reproduce
from tests.arena.features.analysis.conftest import tables_of
from tests.arena.features.analysis.notes import analysed
from tests.referee import speakers

pytestmark = pytest.mark.django_db


@pytest.fixture
def costliest(event: Tournament) -> CostlyPlay:
    """The costliest double-dummy play of the analysed event; its version is active."""
    analysed()
    play = CostlyPlay.objects.exclude(kind="average").select_related("version__bot__owner__user").first()
    assert play is not None
    bot = play.version.bot
    bot.active_version = play.version
    bot.save(update_fields=["active_version"])
    return play


def signed_in(play: CostlyPlay) -> Client:
    client = Client()
    owner = play.version.bot.owner.user
    assert owner is not None
    client.force_login(owner)
    return client


def file_path(play: CostlyPlay) -> str:
    table = play.analysis.table.public_id
    return f"/versions/{play.version.public_id}/lost/{table}/{play.position}/{play.seat}"


def test_the_page_of_a_bot_has_its_costliest_plays(costliest: CostlyPlay) -> None:
    page = f"/bots/{costliest.version.bot.public_id}"
    link = f"/tables/{costliest.analysis.table.public_id}?at={costliest.position}"
    owner, stranger = signed_in(costliest).get(page).text, Client().get(page).text
    assert link in owner
    assert link in stranger
    assert file_path(costliest) in owner
    assert "/lost" not in stranger
    desk = signed_in(costliest).get("/desk").text
    assert link in desk
    assert file_path(costliest) in desk


def test_a_table_that_is_played_again_leaves_pages_and_downloads(costliest: CostlyPlay) -> None:
    table = costliest.analysis.table
    Fixture.objects.filter(pk=table.fixture_id).update(state="open")
    version = costliest.version
    assert table.pk not in [line.play.analysis.table_id for line in costly_lines([version.pk], 100)]
    client = signed_in(costliest)
    assert table.public_id not in client.get(f"/versions/{version.public_id}/lost").text
    assert client.get(file_path(costliest)).status_code == 423


def test_the_file_of_a_position_puts_a_bot_there(costliest: CostlyPlay) -> None:
    client = signed_in(costliest)
    response = client.get(file_path(costliest))
    assert response.status_code == 200
    assert response["Content-Disposition"].startswith("attachment;")
    file = read_fault_file(response.content)
    assert (file.fault.verdict, file.seat, file.fault.board) == (Verdict.OK, costliest.seat, costliest.board)
    assert json.loads(file.fault.answer or "")["action"] == costliest.action
    assert f"{costliest.cost:g} stone" in file.fault.reason
    found = reproduce(file, InProcessDriver(speakers.Seeded(), file.limits))
    assert (found.is_reached, found.verdict) == (True, Verdict.OK)


def test_only_the_owner_gets_the_files(costliest: CostlyPlay) -> None:
    other = BotVersion.objects.exclude(bot__owner=costliest.version.bot.owner).first()
    assert other is not None
    user = other.bot.owner.user
    assert user is not None
    client = Client()
    client.force_login(user)
    for path in (file_path(costliest), f"/versions/{costliest.version.public_id}/lost"):
        assert client.get(path).status_code == 403
        assert Client().get(path).status_code == 302


@pytest.mark.parametrize("change", ["/b9t1p1/", "/b1/", "/zz/"])
def test_what_is_no_decision(costliest: CostlyPlay, change: str) -> None:
    path = file_path(costliest).replace(f"/{costliest.position}/", change)
    assert signed_in(costliest).get(path).status_code == 404


def test_all_lost_positions_of_a_version(event: Tournament, costliest: CostlyPlay) -> None:
    version = costliest.version
    text = signed_in(costliest).get(f"/versions/{version.public_id}/lost").text
    lines = [json.loads(line) for line in text.splitlines()]
    seats = {(row.table.public_id, row.seat) for row in TableSeat.objects.filter(version=version)}
    assert {(line["table"], line["seat"]) for line in lines} <= seats
    stones = sum(row.stones for row in SeatAnalysis.objects.filter(version=version))
    assert sum(line["cost"] for line in lines if "t" in line["position"]) == stones
    assert stones
    client = signed_in(costliest)
    for line in lines[:3]:
        assert client.get(line["file"]).status_code == 200


def test_the_accuracy_of_versions_is_that_of_the_api(event: Tournament, costliest: CostlyPlay) -> None:
    versions = list(BotVersion.objects.filter(seats__table__tournament=event).distinct())
    found = {each.version: each for each in accuracy_by_version(versions)}
    assert found[costliest.version] == version_accuracy(costliest.version.public_id, None)
    plot = accuracy_plot(versions, costliest.version_id)
    assert plot is not None
    assert len(plot.lines) == len(found)
    assert sum(line.is_active for line in plot.lines) == 1
    assert all(0 <= line.reach.left <= line.reach.x <= line.reach.right <= 100 for line in plot.lines)


def test_the_latest_tables_count(
    event: Tournament, costliest: CostlyPlay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.features.analysis.selectors.MAX_TABLES", 1)
    version = costliest.version
    latest = SeatAnalysis.objects.filter(version=version).order_by("-analysis_id")[0].analysis
    (found,) = accuracy_by_version([version])
    own = SeatAnalysis.objects.filter(version=version, analysis=latest)
    assert found.accuracy is not None
    assert found.accuracy.decisions == sum(row.decisions for row in own)
    assert len(tables_of(event)) > 1
    assert Table.objects.filter(seats__version=version).distinct().count() > 1
