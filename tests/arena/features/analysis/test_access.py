"""The access rule: public tournament, closed board set, settled fixture. Checked before a request is read."""

from __future__ import annotations

import pytest
from django.test import Client

from arena.competition.models import Tournament
from arena.matches.models import BoardSet, Fixture, Table
from tests.arena.api.conftest import caller
from tests.arena.features.analysis.notes import analysed
from tests.arena.features.analysis.positions import code
from tests.factories import rin, sota
from viewer.render import Around

pytestmark = pytest.mark.django_db
HOSTILE = [
    b"{",
    b"\xff\xfe",
    b'{"plays": 7}',
    b'{"plays": ["' + b"x" * 300_000 + b'"]}',
    b"[" * 100_000,
    b'{"lead": 99, "surprise": {}}',
]


def answers(event: Tournament, table: Table) -> dict[str, tuple[int, str]]:
    """Status and code of each address, for a stranger; staff must get the same."""
    board_set = table.fixture.board_set.public_id
    found: dict[str, tuple[int, str]] = {}
    for user in (None, sota()):
        client = caller(user)
        responses = {
            "notes": client.get(f"/api/v1/tables/{table.public_id}/notes"),
            "solve": client.post(f"/api/v1/boards/{board_set}/1/solve", {}, format="json"),
        }
        got = {name: code(answer) for name, answer in responses.items()}
        assert not found or got == found
        found = got
    return found


def test_everybody_sees_the_analysis_of_a_public_closed_and_settled_table(
    event: Tournament, table: Table, solver_up: None
) -> None:
    analysed()
    assert answers(event, table) == {"notes": (200, "rensho-notes/2"), "solve": (200, "working")}


@pytest.mark.parametrize("state", ["planned", "open"])
def test_a_fixture_that_is_played_again_is_sealed(
    event: Tournament, table: Table, solver_up: None, state: str
) -> None:
    analysed()
    Fixture.objects.filter(pk=table.fixture_id).update(state=state)
    sealed = (423, "sealed")
    assert answers(event, table) == {"notes": sealed, "solve": sealed}


@pytest.mark.parametrize("state", ["forfeited", "void"])
def test_a_fixture_that_is_not_settled_has_no_notes(
    event: Tournament, table: Table, solver_up: None, state: str
) -> None:
    analysed()
    Fixture.objects.filter(pk=table.fixture_id).update(state=state)
    assert answers(event, table) == {"notes": (404, "notes_not_found"), "solve": (404, "table_not_found")}


def test_an_open_board_set_is_sealed(event: Tournament, table: Table, solver_up: None) -> None:
    analysed()
    BoardSet.objects.filter(pk=table.fixture.board_set_id).update(state="open")
    assert answers(event, table) == {"notes": (423, "sealed"), "solve": (423, "sealed")}


def test_of_a_private_tournament_nothing_is_analysed(
    event: Tournament, table: Table, solver_up: None
) -> None:
    analysed()
    Tournament.objects.filter(pk=event.pk).update(visibility="private")
    board_set = table.fixture.board_set.public_id
    addresses = {
        f"/api/v1/tables/{table.public_id}/notes": "table_not_found",
        f"/api/v1/tournaments/{event.public_id}/costly": "tournament_not_found",
    }
    for address, problem in addresses.items():
        answer = caller(rin()).get(address)
        assert (answer.status_code, answer.json()["code"]) == (404, problem)
    for user in (event.organiser, sota()):
        client = caller(user)
        assert client.get(f"/api/v1/tables/{table.public_id}/notes").json()["code"] == "notes_not_found"
        assert client.get(f"/api/v1/tournaments/{event.public_id}/costly").json() == {"plays": []}
        solve = client.post(f"/api/v1/boards/{board_set}/1/solve", {}, format="json")
        assert (solve.status_code, solve.json()["code"]) == (404, "notes_not_found")
    version = table.seats.get(seat=1).version.public_id
    assert caller(None).get(f"/api/v1/versions/{version}/accuracy").json()["decisions"] == 0


@pytest.mark.parametrize("body", HOSTILE)
def test_a_sealed_board_is_refused_before_its_request_is_read(table: Table, body: bytes) -> None:
    address = f"/api/v1/boards/{table.fixture.board_set.public_id}/1/solve"
    opened = Client().post(address, body, content_type="application/json")
    assert opened.status_code in (400, 413)
    Fixture.objects.filter(pk=table.fixture_id).update(state="open")
    for content_type in ("application/json", "text/plain"):
        answer = Client().post(address, body, content_type=content_type)
        assert (answer.status_code, answer.json()["code"]) == (423, "sealed")


def test_the_page_of_a_table_has_notes_only_while_they_may_be_seen(
    client: Client, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[object] = []

    def stop(*_: object, around: Around, **__: object) -> None:
        given.append(around.notes)
        raise ZeroDivisionError

    monkeypatch.setattr("viewer.render.scene_of", stop)
    for changes in ({}, {"state": "open"}):
        analysed()
        Fixture.objects.filter(pk=table.fixture_id).update(**changes)
        with pytest.raises(ZeroDivisionError):
            client.get(f"/tables/{table.public_id}")
    assert [bool(notes) for notes in given] == [True, False]
