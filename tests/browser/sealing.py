"""What is sealed while a board set is open: read from a database, altered in it, or unsealed by playing on.

``main`` runs in a process of the site. A reader must not be able to tell an altered site from the first.
"""

from __future__ import annotations

import json
from pathlib import Path

from django.core.management import call_command

from arena.common.blobs import blob_get
from arena.competition.deals import board_seeds
from arena.competition.models import Tournament
from arena.features.ladders.models import Ladder
from arena.features.ratings.models import RatingList
from arena.jobs.flow import tournament_advance
from arena.matches.models import BoardResult, BoardSet, Fixture, Table, TableSeat
from arena.standings.models import FixtureScore
from tests import chance
from tests.arena.play import play_table, waiting
from viewer.build import view_of

SEALED = {"fixture__board_set__state": BoardSet.State.OPEN, "state": Table.State.FINISHED}


def sealed_tables() -> list[Table]:
    """The finished tables of the events' open sets; of one event, as the site has it."""
    return list(
        Table.objects.filter(**SEALED).select_related("fixture__board_set__round__stage").order_by("pk")
    )


def find() -> dict[str, object]:
    """Digests and seeds, each seat's hand, the plays of each deal in order, and the ids of the open round."""
    tables = sealed_tables()
    played = tables[0].fixture.board_set.round
    tournament = played.stage.tournament
    boards = range(1, tournament.boards_per_round + 1)
    digests = [bytes(tournament.secret).hex(), *board_seeds(played, boards).values()]
    hands, plays = [], []
    for table in tables:
        digests += [table.record_sha256, table.timings_sha256, table.view_sha256]
        for board in view_of(blob_get(table.record_sha256))["boards"]:
            for deal in board["deals"]:
                hands += [list(hand) for hand in deal["hands"].values()]
                plays.append([step["a"] for step in deal["steps"]])
    fixtures = Fixture.objects.filter(board_set=tables[0].fixture.board_set)
    every_table = Table.objects.filter(fixture__in=fixtures)
    return {
        "digests": sorted(filter(None, digests)),
        "hands": hands,
        "plays": plays,
        "tournament": [tournament.public_id],
        "board_set": [tables[0].fixture.board_set.public_id],
        "fixture": sorted(fixtures.values_list("public_id", flat=True)),
        "table": [
            table.public_id
            for table in (tables[0], tables[-1], every_table.exclude(pk__in=[t.pk for t in tables])[0])
        ],
        "entry": sorted(tournament.entries.values_list("public_id", flat=True))[:1],
        "bot": sorted(tournament.entries.values_list("version__bot__public_id", flat=True))[:1],
        "version": sorted(tournament.entries.values_list("version__public_id", flat=True))[:1],
        "handle": sorted(tournament.entries.values_list("player__handle", flat=True))[:1],
        "list": [found.public_id for found in RatingList.objects.order_by("pk")],
        "ladder": [found.public_id for found in Ladder.objects.order_by("pk")][:2],
        "boards": list(boards),
    }


def alter() -> None:
    """Other results, verdicts, rulings, counts and records in every sealed row."""
    stranger = (
        Table.objects.filter(state=Table.State.FINISHED).exclude(**SEALED).exclude(view_sha256="").first()
    )
    assert stranger is not None
    tables = sealed_tables()
    BoardResult.objects.filter(table__in=tables).update(stones=7351, verdict="CRASHED")
    TableSeat.objects.filter(table__in=tables).update(
        verdict="CRASHED", forfeited=True, cpu_ms=918273, decisions=64737
    )
    blobs = ("record_sha256", "timings_sha256", "view_sha256")
    Table.objects.filter(pk__in=[table.pk for table in tables]).update(
        decisions=64737, **{name: getattr(stranger, name) for name in blobs}
    )
    fixtures = {table.fixture_id for table in tables}
    done = Fixture.objects.filter(pk__in=fixtures).exclude(state=Fixture.State.OPEN)
    FixtureScore.objects.filter(fixture__in=done).update(numerator=7351, denominator=2)
    done.update(state=Fixture.State.FORFEITED, reason="a reason that tells")


def unseal(public_id: str) -> None:
    """Play the open round to its end."""
    chance.start("the rest of a round")
    tournament = Tournament.objects.get(public_id=public_id)
    opened = set(BoardSet.objects.filter(state=BoardSet.State.OPEN).values_list("pk", flat=True))
    for table in waiting(tournament):
        if table.fixture.board_set_id in opened:
            play_table(table)
    tournament_advance(tournament)
    call_command("views_make", verbosity=0)


def main(verb: str, value: str) -> None:
    """``find FILE``, ``alter -`` or ``unseal TOURNAMENT``."""
    if verb == "find":
        Path(value).write_text(json.dumps(find()))
    elif verb == "alter":
        alter()
    else:
        unseal(value)
