"""``python -m benchmarks.seeding`` makes events that could have happened, the same ones for the same seed."""

from __future__ import annotations

import io
import json
from collections import Counter

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from arena.accounts.models import AuditEvent, User
from arena.common.blobs import blob_get
from arena.competition.models import Entry, Tournament
from arena.jobs.flow import tournament_advance
from arena.matches.models import BoardSet, Fixture, Table, TableSeat
from arena.roster.models import BotVersion, CheckRun
from arena.standings.audit import tournament_audit
from arena.standings.models import FixtureScore, StandingRow
from arena.standings.services import scores_build, standings_rebuild
from benchmarks.seeding.bundles import programs
from benchmarks.seeding.command import Command as Seeding
from referee.bundle import read_bundle
from tests.factories import a_bot, aya
from tests.scores import all_results

PRESETS = ("kakeya4", "kakeya6")
SIZE = {"bots": 40, "fixtures": 110, "presets": list(PRESETS)}


def seed(**options: object) -> str:
    out = io.StringIO()
    call_command(Seeding(), quiet=True, stdout=out, **{**SIZE, **options})
    return out.getvalue()


def contents() -> str:
    """What the database holds, without times and numbers of rows."""
    rows = [
        list(
            Tournament.objects.order_by("public_id").values_list("public_id", "name", "state", "commitment")
        ),
        list(BotVersion.objects.order_by("public_id").values_list("public_id", "bundle_sha256", "state")),
        list(Entry.objects.order_by("public_id").values_list("public_id", "version__public_id", "status")),
        list(Fixture.objects.order_by("public_id").values_list("public_id", "state", "number")),
        list(Table.objects.order_by("public_id").values_list("public_id", "state", "record_sha256")),
        list(
            TableSeat.objects.order_by("table__public_id", "seat").values_list(
                "verdict", "decisions", "faults"
            )
        ),
        list(StandingRow.objects.order_by("stage", "rank").values_list("entry__public_id", "values")),
        list(BoardSet.objects.order_by("public_id").values_list("public_id", "closed_seq")),
    ]
    return json.dumps(rows, sort_keys=True, default=str)


@pytest.mark.full
@pytest.mark.django_db
def test_a_seeded_database_could_have_come_about() -> None:
    said = seed()
    assert "Seeded 40 bots" in said
    assert Fixture.objects.count() >= 110
    assert set(Tournament.objects.values_list("state", flat=True)) == set(Tournament.State.values)
    assert set(Tournament.objects.values_list("preset", flat=True)) == set(PRESETS)

    # Deals, records, results and standings are real: the audit derives them again.
    over = Tournament.objects.filter(state__in=("provisional", "final", "archived"))
    assert over.count() >= 3
    for event in over:
        assert tournament_audit(event) == []
        assert "no event that anybody held" in event.description

    # What can be made again comes out the same.
    for event in Tournament.objects.exclude(state__in=("draft", "open", "locked")):
        for stage in event.stages.exclude(state="planned"):
            columns = ("entry", "rank", "values", "decided_by")
            before = list(stage.standings.values_list(*columns))
            standings_rebuild(stage)
            assert list(stage.standings.values_list(*columns)) == before
    for fixture in Fixture.objects.filter(board_set__state="closed").order_by("?")[:10]:
        columns = ("entry", "numerator", "denominator", "board_values")
        totals = sorted(fixture.totals.values_list(*columns))
        scores_build(fixture)
        assert sorted(fixture.totals.values_list(*columns)) == totals

    # Source: docs/contracts.md#invariants.
    sums: Counter[tuple[int, int]] = Counter()
    for table, result in all_results():
        sums[table, result.board] += result.stones
    assert not any(sums.values())
    closed = BoardSet.objects.filter(state="closed").order_by("closed_at", "pk")
    assert list(closed.values_list("closed_seq", flat=True)) == list(range(1, len(closed) + 1))
    assert not Table.objects.filter(state="finished", compact_results="").exists()
    sealed = {"fixture__board_set__state": "open"}
    assert not FixtureScore.objects.filter(**sealed).exists()
    assert not CheckRun.objects.filter(state__in=("waiting", "running")).exists()

    # Bots are real bundles.
    for program in programs():
        assert read_bundle(blob_get(program.sha256)).manifest.name == program.style

    # What still runs goes on.
    running = Tournament.objects.filter(state="running").first()
    assert running is not None
    tournament_advance(running)

    # Once is enough.
    assert "nothing to do" in seed()
    with pytest.raises(CommandError, match="seeded with seed 1 already, but otherwise"):
        seed(fixtures=120)


@pytest.mark.full
@pytest.mark.django_db
def test_equal_seeds_give_equal_databases() -> None:
    found = []
    for number in (7, 7, 8):
        with transaction.atomic():
            seed(seed=number, bots=16, fixtures=5, presets=["kakeya4"])
            found.append(contents())
            transaction.set_rollback(True)
    assert found[0] == found[1]
    assert found[0] != found[2]


@pytest.mark.django_db
def test_data_of_others_are_not_touched_unless_told() -> None:
    a_bot(aya())
    with pytest.raises(CommandError, match=r"not empty: .*1 bots.*--into-existing"):
        seed()
    assert not Tournament.objects.exists()
    seed(bots=16, fixtures=5, presets=["kakeya4"], into_existing=True)
    assert Tournament.objects.exists()
    assert User.objects.filter(username="aya").exists()


@pytest.mark.django_db
def test_a_seeding_that_broke_off_is_not_taken_for_a_whole_one() -> None:
    AuditEvent.objects.create(actor=None, action="seed_begin", kind="database", object_id="seed 1", after={})
    with pytest.raises(CommandError, match="broke off"):
        seed()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"bots": 0}, "--bots must be from 1"),
        ({"fixtures": -1}, "--fixtures must be from 1"),
        ({"bots": 3}, "--bots must be at least"),
        ({"presets": ["chess"]}, "No game has a preset 'chess'"),
    ],
)
def test_impossible_wishes_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        seed(**options)
    assert not User.objects.exists()
