"""The export, packed and line by line: complete, sealed while it must be, verifiable from itself alone."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.competition.models import Tournament
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import Fixture
from arena.standings import document
from arena.standings.export import export_document, export_lines, tournament_export, tournament_export_file
from engine.played import played_table
from league.verify.export import disagreements
from tests import factories
from tests.arena.play import begun, play_out, play_table, waiting
from tests.league.archives import unpacked


@pytest.fixture
def played(shared_played: Tournament) -> Tournament:
    """The same for all tests here: the event ``running``, played to its end."""
    return shared_played


def lines_of(tournament: Tournament, viewer: Any = None) -> list[dict[str, Any]]:
    return [json.loads(line) for line in export_lines(tournament, viewer)]


def test_a_final_tournament_is_verified_from_its_export_alone(played: Tournament) -> None:
    archive = unpacked(tournament_export(played, None))
    assert len(archive.records) == 6
    assert disagreements(archive.document, archive.records.__getitem__, played_table) == []


def test_the_same_event_gives_the_same_archive_and_lines(played: Tournament) -> None:
    assert tournament_export(played, None) == tournament_export(played, None)
    first = list(export_lines(played, None))
    assert first == list(export_lines(played, None))
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in first)


def test_an_open_board_set_and_the_secret_stay_out(running: Tournament) -> None:
    play_table(waiting(running)[0])
    secret = bytes(running.secret).hex().encode()
    for viewer, records in ((factories.chie(), 0), (factories.sota(), 1)):
        data, lines = tournament_export(running, viewer), b"".join(export_lines(running, viewer))
        assert secret not in data + lines
        archive = unpacked(data)
        assert archive.document["tournament"]["secret"] is None
        assert (len(archive.document["stages"][0]["rounds"]), len(archive.records)) == (records, records)
        kinds = {json.loads(line)["type"] for line in lines.splitlines()}
        assert ("fixture" in kinds) == bool(records)
        assert kinds >= {"tournament", "entry", "stage", "stage_entry", "statement", "end"}


def test_the_lines_say_what_the_archive_says(played: Tournament) -> None:
    lines = lines_of(played)
    whole = export_document(played, with_open_sets=False, with_secret=False)
    by_kind = {kind: [line for line in lines if line["type"] == kind] for kind in {x["type"] for x in lines}}
    assert by_kind["tournament"][0]["secret"] == whole["tournament"]["secret"]
    assert [line["id"] for line in by_kind["entry"]] == [entry["id"] for entry in whole["entries"]]
    stage = whole["stages"][0]
    fixtures = [fixture for played in stage["rounds"] for fixture in played["fixtures"]]
    tables = [table for fixture in fixtures for table in fixture["tables"]]
    assert [line["entry"] for line in by_kind["stage_entry"]] == [row["entry"] for row in stage["entries"]]
    assert [line["scores"] for line in by_kind["fixture"]] == [fixture["scores"] for fixture in fixtures]
    assert [line["results"] for line in by_kind["table"]] == [table["results"] for table in tables]
    assert [line["values"] for line in by_kind["standing"]] == [row["values"] for row in stage["standings"]]
    assert Counter(line["round"] for line in by_kind["table"]) == {1: 2, 2: 2, 3: 2}
    assert [{**statement, "type": "statement"} for statement in whole["statements"]] == by_kind["statement"]
    assert lines[-2]["type"] == "statement"
    assert lines[-1] == {"type": "end", "lines": len(lines) - 1}


def test_queries_grow_with_chunks_of_fixtures_alone(played: Tournament, monkeypatch: Any) -> None:
    def queries() -> tuple[int, bytes]:
        with CaptureQueriesContext(connection) as captured:
            lines = b"".join(export_lines(played, None))
        return len(captured), lines

    whole, lines = queries()
    monkeypatch.setattr(document, "FIXTURE_BATCH_SIZE", 2)
    cut, same_lines = queries()
    assert lines == same_lines
    assert whole < cut <= whole + 2 * 11, "six fixtures of three rounds: one chunk, or three"


def test_the_number_of_queries_does_not_grow_with_the_rounds(running: Tournament) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            export_document(running, with_open_sets=True, with_secret=False)
        return len(captured)

    play_table(waiting(running)[0])
    early = queries()
    play_out(running)
    assert queries() <= early + 1  # the scores' entries, once there are scores


def test_rulings_and_who_left_are_told(db: None) -> None:
    tournament = begun(2, boards_per_round=1)
    fixture = Fixture.objects.get(tournament=tournament)
    loser = fixture.sides.get(position=1).entry.public_id
    fixture_adjudicate(fixture, tournament.organiser, "forfeit", [loser], "absent")
    play_out(tournament)
    assert tournament.state == Tournament.State.FINAL, tournament.state_reason
    exported = next(line for line in lines_of(tournament) if line["type"] == "fixture")
    (ruling,) = exported["adjudications"]
    assert (ruling["kind"], ruling["entries"], ruling["by"]) == ("forfeit", [loser], "organiser")
    assert ruling["reason"] == "absent"
    winner = fixture.sides.get(position=0).entry.public_id
    assert {score["entry"]: score["value"] for score in exported["scores"]} == {winner: "2", loser: "-2"}


def test_the_archive_is_a_file_that_goes_when_it_is_closed(played: Tournament) -> None:
    with tournament_export_file(played, None) as file:
        assert file.tell() == 0
        assert file.read() == tournament_export(played, None)
    assert file.closed
