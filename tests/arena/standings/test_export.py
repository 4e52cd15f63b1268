"""The export: complete, sealed while it must be, and verifiable from itself alone."""

from __future__ import annotations

import copy
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.competition.models import Tournament
from arena.standings.export import export_document, tournament_export
from engine.played import played_table
from league.verify.export import disagreements
from tests import factories
from tests.arena.play import play_out, play_table, waiting


@pytest.fixture
def played(shared_played: Tournament) -> Tournament:
    """The same for all tests here: the event ``running``, played to its end."""
    return shared_played


def opened(data: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The document and the records of an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        records = {
            name.removeprefix("records/").removesuffix(".ndjson"): archive.read(name)
            for name in archive.namelist()
            if name.startswith("records/")
        }
        return json.loads(archive.read("tournament.json")), records


def test_a_final_tournament_is_verified_from_its_export_alone(played: Tournament) -> None:
    document, records = opened(tournament_export(played, None))
    assert len(records) == 6
    assert disagreements(document, records.__getitem__, played_table) == []


def test_the_same_event_gives_the_same_archive(played: Tournament) -> None:
    assert tournament_export(played, None) == tournament_export(played, None)


def test_an_open_board_set_and_the_secret_stay_out(running: Tournament) -> None:
    play_table(waiting(running)[0])
    data = tournament_export(running, factories.chie())
    document, records = opened(data)
    assert document["tournament"]["secret"] is None
    assert document["stages"][0]["rounds"] == []
    assert records == {}
    assert bytes(running.secret).hex().encode() not in data


def test_staff_export_open_board_sets_but_no_secret(running: Tournament) -> None:
    play_table(waiting(running)[0])
    document, records = opened(tournament_export(running, factories.sota()))
    assert document["tournament"]["secret"] is None
    assert len(records) == 1


def test_the_number_of_queries_does_not_grow_with_the_rounds(running: Tournament) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            export_document(running, with_open_sets=True, with_secret=False)
        return len(captured)

    play_table(waiting(running)[0])
    early = queries()
    play_out(running)
    assert queries() <= early + 1  # the scores' entries, once there are scores


def _set(path: list[Any], value: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        at: Any = document
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value(at[path[-1]]) if callable(value) else value

    return change


STAGE = ["stages", 0]
FIXTURE = [*STAGE, "rounds", 0, "fixtures", 0]
TABLE = [*FIXTURE, "tables", 0]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("change", "named"),
    [
        (_set(["tournament", "secret"], "00" * 32), "committed"),
        (_set(["tournament", "secret"], None), "not revealed"),
        (_set(["tournament", "preset"], "kakeya4.league"), "other rules"),
        (_set([*STAGE, "field_digest"], "0" * 64), "field digest"),
        (_set(["entries", 0, "versions", 0, "bundle_sha256"], "1" * 64), "field digest"),
        (_set([*FIXTURE, "sides"], lambda sides: sides[::-1]), "pairings"),
        (_set([*FIXTURE, "scores", 0, "value"], "99"), "board scores"),
        (_set([*FIXTURE, "state"], "forfeited"), "its state"),
        (_set([*TABLE, "results", 0, 2], 3), "results"),
        (_set([*TABLE, "seats", 0, "bundle_sha256"], "2" * 64), "other bundles"),
        (_set([*TABLE, "seats", 0, "forfeited"], True), "other forfeits"),
        (_set([*TABLE, "seats", 0, "verdict"], "CRASHED"), "other verdicts"),
        (_set([*TABLE, "first_board"], 2), "not those that follow"),
        (_set([*TABLE, "record_sha256"], "3" * 64), "3333"),
        (_set([*STAGE, "standings"], lambda rows: rows[::-1]), "standings"),
        (_set([*STAGE, "standings", 0, "decided_by"], "wins"), "standings"),
        (_set(["format"], "rensho-export/9"), "format"),
        (_set(["stages", 0, "rounds"], 5), "stages[0].rounds must be a list"),
    ],
)
def test_whatever_is_changed_is_named(
    played: Tournament, change: Callable[[dict[str, Any]], None], named: str
) -> None:
    document, records = opened(tournament_export(played, None))
    changed = copy.deepcopy(document)
    change(changed)

    def record(sha256: str) -> bytes:
        if sha256 not in records:
            raise LookupError(f"no record {sha256}")
        return records[sha256]

    found = disagreements(changed, record, played_table)
    assert any(named in line for line in found), found


def test_a_record_with_another_hash_is_named(played: Tournament) -> None:
    document, records = opened(tournament_export(played, None))
    found = disagreements(document, lambda sha256: records[sha256] + b"\n", played_table)
    assert any("another hash" in line for line in found)
