"""Events of every kind, played by the server's own services, with all that can happen to one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from arena.competition.challenges import challenge_create
from arena.competition.models import Tournament
from arena.competition.services import entry_confirm, entry_withdraw, tournament_lock
from arena.competition.small_events import background_event_start, ladder_account
from arena.jobs.flow import table_done, tournament_advance, tournament_cancel, tournament_close_early
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.leases import table_fail
from arena.matches.models import Fixture
from arena.matches.reruns import table_rerun
from tests import factories
from tests.arena.play import begun, claimed, play_out, play_table, seats_of, started, waiting

Make = Callable[[], Tournament]
ONE: dict[str, Any] = {"boards_per_round": 1}


def round_robin() -> Tournament:
    """Four entries, one of them the organiser's own and one a pair of two players; one withdrew before."""
    tournament = factories.an_open_tournament(entries_per_player=2, boards_per_round=2)
    factories.an_entry(tournament, factories.odo())
    factories.an_entry(tournament, factories.aya())
    factories.an_entry(tournament, factories.aya())
    gone = factories.an_entry(tournament, factories.chie())
    pair = factories.a_pending_entry(tournament, factories.ben(), factories.chie())
    entry_confirm(pair, factories.chie())
    entry_withdraw(gone, factories.chie(), "no time")
    return play_out(started(tournament))


def swiss() -> Tournament:
    """Five entries, so that somebody has a bye; ranked by stones."""
    stages = [{"format": "swiss", "options": {"rounds": 2}}]
    return play_out(begun(5, stages=stages, scoring="board_score", **ONE))


def single_elimination() -> Tournament:
    """Five entries with byes, and a match for the third place."""
    stages = [{"format": "single_elimination", "options": {"third_place": True}}]
    return play_out(begun(5, stages=stages, **ONE))


def double_elimination() -> Tournament:
    """Three entries."""
    return play_out(begun(3, stages=[{"format": "double_elimination"}], **ONE))


def groups_and_finals() -> Tournament:
    """Three groups of two, then the best of them, on other boards."""
    stages = [
        {"format": "groups", "options": {"groups": 3}},
        {"format": "single_elimination", "qualify": 4, "boards_per_round": 2},
    ]
    return play_out(begun(6, stages=stages, **ONE))


def movement() -> Tournament:
    """Four who partner each other."""
    return play_out(begun(4, accepts_partners=True, stages=[{"format": "movement"}], **ONE))


def free_for_all() -> Tournament:
    """Kakkuri of three, with four entries."""
    stages = [{"format": "heats", "options": {"rounds": 2}}]
    return play_out(begun(4, preset="kakkuri", ruleset={"seats": 3}, stages=stages, **ONE))


def until_separated() -> Tournament:
    """Two passes that separate nobody."""
    return play_out(begun(3, board_plan="until_separated", max_passes=2, **ONE))


def eventful() -> Tournament:
    """A forfeited table, faults, a table played again, rulings of every kind, an entry that leaves."""
    tournament = begun(6, boards_per_round=2)
    entry = tournament.entries.order_by("id")[0]
    table = next(table for table in waiting(tournament) if seats_of(table, entry))
    play_table(table, forfeiting=seats_of(table, entry))
    other = waiting(tournament)[0]
    play_table(other, faulty=frozenset({2}))
    again = waiting(tournament)[0]
    play_table(again)
    table_rerun(again, tournament.organiser, "the clock of the host jumped")
    leaver = tournament.entries.order_by("id")[5]
    entry_withdraw(leaver, tournament.organiser, "it harms others")
    round_play(tournament)
    first, second, third = list(
        Fixture.objects.filter(tournament=tournament, tables__isnull=False, adjudications__isnull=True)
        .distinct()
        .order_by("pk")
    )[:3]
    names = sorted(first.entries.values_list("public_id", flat=True))
    fixture_adjudicate(first, tournament.organiser, "forfeit", names[:1], "its record was wrong")
    fixture_adjudicate(first, tournament.organiser, "lift", (), "it was right after all")
    fixture_adjudicate(second, tournament.organiser, "draw", (), "both were stopped by the host")
    fixture_adjudicate(third, tournament.organiser, "void", (), "they were told the cards")
    return play_out(tournament)


def voided() -> Tournament:
    """A fixture of which a table could not be played."""
    tournament = begun(4, **ONE)
    Tournament.objects.update(quarantine_hours=0)
    table = waiting(tournament)[0]
    for _ in range(3):
        lease = claimed(table)
        table_fail(lease.table_id, lease.fence, "the sandbox did not start")
    return play_out(tournament)


def strict() -> Tournament:
    """The first fault forfeits."""
    tournament = begun(3, fault_policy="strict", boards_per_round=2)
    table = waiting(tournament)[0]
    play_table(table, forfeiting=frozenset({1, 3}))
    return play_out(tournament)


def closed_early() -> Tournament:
    """Ended by its organiser after two rounds."""
    tournament = begun(4, **ONE)
    round_play(tournament)
    round_play(tournament, advances=False)
    tournament_close_early(tournament, tournament.organiser, "a storm")
    tournament_advance(tournament)
    return tournament


def ladder_round() -> Tournament:
    """Three who meet as a ladder drew it, one of them twice."""
    entries = [[factories.a_version(factories.a_bot(user))] for user in factories.players(3)]
    fixtures, kind = [[1, 2], [3, 1]], Tournament.Kind.LADDER
    rules: dict[str, Any] = {"name": "round 7", "preset": "kakeya4", "boards": 1}
    return play_out(background_event_start(kind, ladder_account(), entries, fixtures, **rules))


def challenge() -> Tournament:
    """Two versions, in private."""
    versions = [factories.a_version(factories.a_bot(owner)) for owner in (factories.aya(), factories.ben())]
    return play_out(challenge_create(factories.aya(), versions, preset="kakeya4", boards=2))


def cancelled() -> Tournament:
    """Cancelled in its second round, of which one table was played."""
    tournament = begun(4, **ONE)
    round_play(tournament)
    play_table(waiting(tournament)[0])
    tournament_cancel(tournament, tournament.organiser, "rain")
    return tournament


def never_played() -> Tournament:
    """Cancelled after its field was fixed."""
    tournament = factories.an_open_tournament(stages=[{"format": "round_robin"}, {"format": "round_robin"}])
    for owner in factories.players(3):
        factories.an_entry(tournament, owner)
    tournament_lock(tournament, tournament.organiser)
    tournament_cancel(tournament, tournament.organiser, "rain")
    return tournament


def round_play(tournament: Tournament, *, advances: bool = True) -> None:
    """Play every table that waits, and open the next round."""
    for table in waiting(tournament):
        play_table(table)
        if advances:
            table_done(tournament.public_id)
    tournament.refresh_from_db()


EVENTS: Mapping[str, Make] = {
    make.__name__: make
    for make in (
        round_robin,
        swiss,
        single_elimination,
        double_elimination,
        groups_and_finals,
        movement,
        free_for_all,
        until_separated,
        eventful,
        voided,
        strict,
        closed_early,
        challenge,
        ladder_round,
        cancelled,
        never_played,
    )
}
