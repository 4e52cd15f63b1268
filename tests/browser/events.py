"""Events of every preset and in every state, made by the services as on a real site."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.utils import timezone

from arena.competition.challenges import challenge_create
from arena.competition.models import Series, Tournament
from arena.competition.problem_reports import report_close, report_open
from arena.competition.series.services import series_create, series_pause
from arena.competition.services import tournament_lock, tournament_pause
from arena.features.ladders.models import Ladder, LadderSeason
from arena.features.ratings.models import RatingList
from arena.features.ratings.services import ratings_make
from arena.jobs.flow import tournament_advance, tournament_cancel
from arena.roster.models import Bot
from engine import all_games
from tests import factories
from tests.arena.features.ladders.ladders import a_ladder, house, ladders_set, placed, round_play
from tests.arena.play import begun, play_out, play_table, waiting
from tests.arena.web import faulty

HOSTILE_NAME = "<b>Kingfisher</b> & sons <script>alert(1)</script>"
LONG_NAME = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbau"
ROWS = 102
"""Entries of the large event: a full page of its standings, and a second one."""
BOARDS = 32
"""Boards of the longest table."""
SHORT_CLOCK = {"bank_cpu_ms_per_deal_board": 250, "increment_cpu_ms": 10}
"""With more CPU time its boards would be cut into two tables."""
SEATS = range(2, 9)
"""Of Kakkuri, an event for each number."""
GAME: dict[str, Any] = {"board_kind": "game", "boards_per_round": 1}


class Kind(NamedTuple):
    """What an event plays, and under which key its facts are."""

    key: str
    preset: str
    options: dict[str, Any]
    sides: int


def kinds() -> Iterator[Kind]:
    """Every preset of every game, Kakkuri with each number of seats."""
    for game in all_games().values():
        for preset, ruleset in game.presets.items():
            key = preset.replace(".", "_")
            if preset == "kakkuri":
                for seats in SEATS:
                    yield Kind(f"{key}{seats}", preset, {"seats": seats}, seats)
            else:
                yield Kind(key, preset, {}, len(game.sides(ruleset)))


def of_kind(kind: Kind, **fields: Any) -> Tournament:
    """A final event of two deal boards, or of fields, with just enough entries."""
    given: dict[str, Any] = {"name": f"Show of {kind.preset}", "boards_per_round": 2, **fields}
    if kind.sides > 2:
        given.setdefault("stages", [{"format": "heats", "options": {"rounds": 1}}])
    return play_out(begun(kind.sides, preset=kind.preset, ruleset=kind.options, **given))


def long_table() -> Tournament:
    """Two entries, and each table plays 32 boards."""
    return play_out(begun(2, name="Marathon", boards_per_round=BOARDS, clock=SHORT_CLOCK))


def large() -> Tournament:
    """Some hundred entries, fixtures and rows: a round is over, and one waits."""
    stages = [{"format": "swiss", "options": {"rounds": 2}}]
    fields: dict[str, Any] = {"preset": "etori.simple", "boards_per_round": 1, "max_entries": ROWS}
    tournament = begun(ROWS, name="Great autumn Swiss", stages=stages, **fields)
    for table in waiting(tournament):
        play_table(table)
    tournament_advance(tournament)
    tournament.refresh_from_db()
    return tournament


def faults() -> Tournament:
    """Bots that fail in every way, among them with markup and with words without an end."""
    tournament = begun(4, name="Faulty field", boards_per_round=2)
    versions = [faulty.version_of(tournament, owner).pk for owner in factories.players(3)]
    misdeeds = {
        versions[0]: {3: faulty.illegal, 9: faulty.markup},
        versions[1]: {5: faulty.crash},
        versions[2]: {2: faulty.endless_word},
    }
    while waiting(tournament):
        faulty.play_round(tournament, misdeeds)
    return tournament


def games(preset: str, **options: Any) -> Tournament:
    """A final event of game boards: whole games instead of single deals."""
    return play_out(begun(2, name=f"Games of {preset}", preset=preset, ruleset=options, **GAME))


def draft() -> Tournament:
    """Nobody but its organiser sees it."""
    return factories.a_tournament(name="Draft of the spring cup")


def registration() -> Tournament:
    """Registration open; names that a careless page would run or break by."""
    tournament = factories.an_open_tournament(name=f"Open cup {HOSTILE_NAME}", entries_per_player=3)
    for owner, name in ((factories.aya(), HOSTILE_NAME), (factories.ben(), LONG_NAME)):
        version = factories.a_version(factories.a_bot(owner, name))
        factories.entry_create(tournament, version, owner)
    factories.a_pending_entry(tournament, factories.chie(), factories.aya())
    return tournament


def locked() -> Tournament:
    """Its field is fixed, and nothing has begun."""
    tournament = factories.an_open_tournament(name="Locked cup")
    for owner in factories.players(3):
        factories.an_entry(tournament, owner)
    tournament_lock(tournament, tournament.organiser)
    return tournament


def running() -> Tournament:
    """One round is closed; of the second, whose board set is open, a fixture is done and another is not."""
    stages = [{"format": "swiss", "options": {"rounds": 3}}]
    tournament = begun(6, name="Running Swiss", stages=stages, boards_per_round=2)
    for table in waiting(tournament):
        play_table(table)
    tournament_advance(tournament)
    tables = waiting(tournament)
    first = [table for table in tables if table.fixture_id == tables[0].fixture_id]
    play_table(first[0], faulty=frozenset({1}))
    for table in first[1:]:
        play_table(table)
    tournament_advance(tournament)
    tournament.refresh_from_db()
    return tournament


def reviewed() -> Tournament:
    """In its review, with an answered report and an open one."""
    tournament = play_out(begun(3, name="Reviewed cup", boards_per_round=1, review_hours=72))
    for entry in tournament.entries.order_by("pk"):
        report = report_open(
            entry, entry.player.user, "In round 1, board 1:\nthe trump suit looks wrong to me."
        )
        if entry.player.user.username == "aya":
            report_close(report, tournament.organiser, "The record is right: trump was spades on that board.")
    return tournament


def paused() -> Tournament:
    """Stopped in its first round."""
    tournament = begun(3, name="Paused cup")
    tournament_pause(tournament, tournament.organiser, "lunch is served")
    return tournament


def cancelled() -> Tournament:
    """Cancelled in its first round, of which a table was played."""
    tournament = begun(4, name="Cancelled cup", boards_per_round=1)
    play_table(waiting(tournament)[0])
    tournament_cancel(tournament, tournament.organiser, "rain")
    return tournament


def elimination() -> Tournament:
    """A bracket of five with a match for the third place."""
    stages = [{"format": "single_elimination", "options": {"third_place": True}}]
    return play_out(begun(5, name="Knockout", stages=stages, boards_per_round=1))


def double_elimination() -> Tournament:
    """A bracket with a second chance."""
    stages = [{"format": "double_elimination"}]
    return play_out(begun(4, name="Two lives", stages=stages, boards_per_round=1))


def groups() -> Tournament:
    """Groups, then finals."""
    stages = [
        {"format": "groups", "options": {"groups": 3}},
        {"format": "single_elimination", "qualify": 4},
    ]
    return play_out(begun(6, name="Groups and finals", stages=stages, boards_per_round=1))


def movement() -> Tournament:
    """Four who partner each other."""
    stages = [{"format": "movement"}]
    return play_out(begun(4, name="Movement", accepts_partners=True, stages=stages, boards_per_round=1))


def rated() -> Tournament:
    """Six who play enough boards to be rated, with a point of their history after each of the last rounds."""
    tournament = begun(6, name="League", boards_per_round=6)
    while tables := waiting(tournament):
        for table in tables:
            play_table(table)
        tournament_advance(tournament)
        ratings_make()
    tournament.refresh_from_db()
    return tournament


def ladder() -> Ladder:
    """The house and three of the cast; a season that is over, and five rounds of one that runs."""
    ladders_set(boards=4)
    found = a_ladder()
    house()
    placed(found, *factories.players(3))
    round_play(found)
    over = timezone.now() - datetime.timedelta(seconds=1)
    LadderSeason.objects.update(name="2001-Q1", begins_at=over - datetime.timedelta(days=90), ends_at=over)
    RatingList.objects.filter(kind="ladder").update(season="2001-Q1")
    for _ in range(5):
        round_play(found)
    return found


def challenge() -> Tournament:
    """Two versions, in private: Aya's alone to see."""
    versions = [factories.a_version(factories.a_bot(owner)) for owner in (factories.aya(), factories.ben())]
    return play_out(challenge_create(factories.aya(), versions, preset="kakeya4", boards=2))


def cup(**fields: Any) -> Series:
    """A daily cup."""
    given: dict[str, Any] = {
        "name": "Evening cup",
        "template": {"preset": "kakeya4", "boards_per_round": 4},
        "frequency": "daily",
        "start_time": datetime.time(18, 0),
        "open_hours": 6,
    }
    return series_create(factories.odo(), **{**given, **fields})


def edition(series: Series, tournament: Tournament) -> None:
    """Make an event that is over the first edition of a cup, which has a table of its season then."""
    events = Tournament.objects.filter(pk=tournament.pk)
    events.update(series=series, edition=1, starts_at=tournament.created_at)
    Series.objects.filter(pk=series.pk).update(last_edition=1)


def paused_cup() -> Series:
    """A cup that rests."""
    series = cup(name="Resting cup", template={"preset": "kakkuri", "ruleset": {"seats": 4}})
    series_pause(series, factories.odo(), "holidays")
    return series


def bots() -> dict[str, Bot]:
    """Bots in every state: rejected, checking, suspended, with many versions, and one with nothing."""
    owner = factories.aya()
    bare = factories.a_bot(owner, "Without versions")
    checking = factories.a_bot(owner, "Being checked")
    factories.an_upload(checking)
    suspended = factories.a_bot(owner, "Suspended")
    factories.a_suspended_version(suspended)
    many = factories.a_bot(owner, "Of many versions", game="kakkuri")
    for _ in range(6):
        factories.a_version(many)
    return {"bare": bare, "checking": checking, "suspended": suspended, "many": many}


EVENTS = (
    draft,
    registration,
    locked,
    running,
    reviewed,
    paused,
    cancelled,
    elimination,
    double_elimination,
    groups,
    movement,
    rated,
    challenge,
    faults,
    long_table,
    large,
)
"""Each under its name among the facts; those of ``kinds`` are beside them."""
