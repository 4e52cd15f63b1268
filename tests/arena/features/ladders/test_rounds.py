"""Rounds of a ladder: drawn, played, rated, dropped; seasons turn."""

from __future__ import annotations

import datetime
import random
from itertools import combinations

import pytest
from django.utils import timezone

from arena.competition.models import Tournament
from arena.features.ladders.installing import ladders_install, ladders_unknown
from arena.features.ladders.models import Ladder, LadderRound, LadderSeason, Placement
from arena.features.ladders.seasons import season_end
from arena.features.ratings.models import RatedSet, Rating, RatingChange, RatingList
from arena.features.ratings.services import ratings_check, ratings_make
from arena.jobs.flow import tournament_advance, tournament_cancel
from arena.jobs.tasks import tick
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import BoardSet, Fixture
from arena.standings.audit import tournament_audit
from arena.standings.export import export_document
from league.fairness import commitment, field_digest, ladder_lot
from league.rating.ladder import LadderContender, estimate_strengths, next_round
from tests import factories
from tests.arena.features.ladders.ladders import (
    a_ladder,
    house,
    ladders_advance,
    ladders_set,
    placed,
    round_open,
    round_play,
)
from tests.arena.play import play_out, play_table, waiting
from tests.scores import results_change

pytestmark = pytest.mark.django_db
State = LadderRound.State


def met(played: LadderRound) -> list[tuple[str, ...]]:
    """Who met in a round, by public ids of versions, from its fixtures."""
    return [
        tuple(side.entry.version.public_id for side in fixture.sides.order_by("position"))
        for fixture in Fixture.objects.filter(tournament=played.tournament).order_by("number")
    ]


def test_three_rounds_are_drawn_played_and_rated() -> None:
    ladder = a_ladder()
    house()
    placed(ladder, *factories.players(3))
    rounds = [round_play(ladder) for _ in range(3)]
    assert [played.number for played in rounds] == [1, 2, 3]
    assert {played.kind for played in rounds} == {"floor"}
    assert {played.state for played in rounds} == {State.COUNTED}
    for played in rounds:
        tournament = played.tournament
        assert (tournament.kind, tournament.visibility, tournament.state) == ("ladder", "public", "final")
        assert len(played.contenders) == 5, "greedy and rules play along, the random one does not"
        assert len(played.unpaired) == 1
        # Every pairing has its reason.
        assert met(played) == [tuple(row["versions"]) for row in played.pairings]
        for row in played.pairings:
            (pair,) = row["pairs"]
            assert {pair["version"], pair["other"]} == set(row["versions"])
            assert pair["error"] > 0
    found = RatingList.objects.get(kind="ladder")
    season = LadderSeason.objects.get()
    assert (found.ladder_season, found.season, found.sets) == (season.public_id, season.name, 3)
    assert Rating.objects.filter(list=found).count() == 5
    assert ratings_check(found) == []
    assert RatingList.objects.count() == 1, "rounds of ladders are in no list of events"
    fourth = round_play(ladder)
    assert fourth.kind == "overlap"


def test_who_was_unpaired_plays_in_the_next_round() -> None:
    ladder = a_ladder()
    placed(ladder, *factories.players(3))
    left = round_play(ladder).unpaired
    for _ in range(4):
        played = round_play(ladder)
        (now,) = met(played)
        assert set(left) <= set(now)
        left = played.unpaired


def test_nobody_meets_a_bot_of_its_owner() -> None:
    ladder = a_ladder()
    owners = factories.players(3)
    places = placed(ladder, *owners, *owners)
    owner = {row.version.public_id: row.bot.owner for row in places}
    for _ in range(3):
        for pairing in met(round_play(ladder)):
            assert owner[pairing[0]] != owner[pairing[1]]
    assert not Fixture.objects.filter(same_owner=True).exists()


def test_a_draw_follows_from_the_secret_and_the_field() -> None:
    ladder = a_ladder()
    places = placed(ladder, *factories.players(5))
    played = round_play(ladder)
    tournament = played.tournament
    assert tournament.commitment == commitment(bytes(tournament.secret))
    digest = field_digest(row.version.bundle_sha256 for row in places)
    assert played.contenders_digest == digest
    names = sorted(row.version.public_id for row in places)
    again = next_round(
        [LadderContender(name, name, 0) for name in names],
        estimate_strengths([], names),
        {},
        rounds=0,
        lot=random.Random(ladder_lot(bytes(tournament.secret), played.season.public_id, 1, digest)),
    )
    assert [list(fixture.entries) for fixture in again.fixtures] == [
        row["versions"] for row in played.pairings
    ]
    assert list(again.unpaired) == played.unpaired


def test_a_tick_twice_draws_once() -> None:
    ladder = a_ladder()
    placed(ladder, *factories.players(2))
    tick()
    tick()
    assert ladder.rounds.count() == 1
    play_out(round_open(ladder).tournament)
    # Counted as its boards were closed, whether or not a tick comes.
    assert ladder.rounds.get().state == State.COUNTED
    assert RatedSet.objects.exclude(stale_mark="").count() == 1
    assert ladders_advance() == 0, "the next is drawn once the last one is rated"
    tick()
    tick()
    assert ladder.rounds.count() == 2


def test_the_house_alone_does_not_play() -> None:
    ladder = a_ladder()
    house()
    assert ladders_advance() == 0
    assert Placement.objects.filter(ladder=ladder, placed_by=None).count() == 2
    assert not LadderSeason.objects.exists()
    placed(ladder, factories.aya())
    assert ladders_advance() == 1


def test_bots_of_one_owner_alone_do_not_play() -> None:
    ladder = a_ladder()
    placed(ladder, factories.aya(), factories.aya())
    assert ladders_advance() == 0


def test_a_pause_between_rounds_that_nobody_new_waits_for() -> None:
    ladders_set(pause_s=3600)
    ladder = a_ladder()
    placed(ladder, *factories.players(2))
    for _ in range(3):
        round_play(ladder)
    assert ladders_advance() == 0
    (place,) = placed(ladder, factories.chie())
    for _ in range(3):
        ladders_advance()
        assert place.version.public_id in round_play(ladder).pairings[0]["versions"]
    assert ladders_advance() == 0
    an_hour_ago = timezone.now() - datetime.timedelta(seconds=3601)
    LadderRound.objects.update(ended_at=an_hour_ago)
    assert ladders_advance() == 1


def test_no_more_fixtures_than_the_budget_of_a_day_pays_for() -> None:
    ladder = a_ladder()
    placed(ladder, *factories.players(4))
    first = round_play(ladder)
    assert len(first.pairings) == 2
    # 8 tables of 2 boards: a board costs 500 ms.
    Tournament.objects.filter(pk=first.tournament_id).update(cpu_ms_spent=4000)
    ladders_set(cpu_s=6)
    ladders_install()
    played = round_play(ladder)
    assert len(played.pairings) == 1, "2 s are left of 6, and a fixture costs 2"
    Tournament.objects.filter(pk=played.tournament_id).update(cpu_ms_spent=2000)
    assert ladders_advance() == 0
    yesterday = timezone.now() - datetime.timedelta(hours=25)
    LadderRound.objects.filter(pk=first.pk).update(drawn_at=yesterday)
    assert ladders_advance() == 1


def test_a_cancelled_round_leaves_no_trace() -> None:
    ladder = a_ladder()
    placed(ladder, *factories.players(2))
    round_play(ladder)
    before = list(Rating.objects.values_list("version", "boards", "fixtures"))
    ladders_advance()
    played = round_open(ladder)
    tournament_cancel(played.tournament, factories.sota(), "a fault of the site")
    ladders_advance()
    played.refresh_from_db()
    assert (played.state, played.note) == (State.DROPPED, {"code": "typed", "text": "a fault of the site"})
    assert played.tournament.queued_commitment.revealed_at is not None
    ratings_make()
    assert list(Rating.objects.values_list("version", "boards", "fixtures")) == before
    ladders_set(pause_s=0)
    ladders_advance()
    following = round_open(ladder)
    assert following.number == 3, "its number is not used again"


def test_a_round_that_fails_its_audit_is_taken_out_of_the_ratings() -> None:
    ladder = a_ladder()
    placed(ladder, *factories.players(2))
    round_play(ladder)
    ladders_advance()
    played = round_open(ladder)
    for table in waiting(played.tournament):
        play_table(table)
    for table in played.tournament.tables.all():
        results_change(table, lambda result: result._replace(stones=0) if result.board == 1 else result)
    tournament_advance(played.tournament)
    ratings_make()
    assert RatingList.objects.get().sets == 2
    played.tournament.refresh_from_db()
    assert played.tournament.state == "provisional"
    tournament_cancel(played.tournament, None, played.tournament.state_reason)
    ladders_advance()
    played.refresh_from_db()
    assert played.state == State.DROPPED
    ratings_make()
    found = RatingList.objects.get()
    assert (found.sets, found.fixtures) == (1, 1)
    assert ratings_check(found) == []
    assert not RatingChange.objects.filter(board_set__round__stage__tournament=played.tournament).exists()


def test_a_round_of_which_nothing_counts_is_dropped() -> None:
    ladder = a_ladder()
    placed(ladder, *factories.players(2))
    ladders_advance()
    played = round_open(ladder)
    (fixture,) = Fixture.objects.filter(tournament=played.tournament)
    fixture_adjudicate(fixture, factories.sota(), "void", [], "faults of ours")
    play_out(played.tournament)
    played.refresh_from_db()
    assert played.state == State.DROPPED
    assert not RatedSet.objects.exists()


def test_a_round_that_is_stuck_does_not_hold_the_ladder() -> None:
    ladder = a_ladder()
    placed(ladder, *factories.players(2))
    ladders_advance()
    stuck = round_open(ladder)
    assert ladders_advance() == 0
    LadderRound.objects.update(drawn_at=timezone.now() - datetime.timedelta(hours=24))
    ladders_advance()
    stuck.refresh_from_db()
    assert stuck.state == State.DROPPED
    assert stuck.note == {"code": "late_round", "hours": 24}
    assert ladders_advance() + ladder.rounds.filter(state=State.OPEN).count() == 1


def test_a_season_ends_with_its_table_and_the_next_begins_with_who_is_there() -> None:
    ladder = a_ladder()
    placed(ladder, *factories.players(3))
    for _ in range(3):
        round_play(ladder)
    season = LadderSeason.objects.get()
    ladders_advance()
    last = round_open(ladder)
    over = timezone.now() - datetime.timedelta(seconds=1)
    LadderSeason.objects.update(name="2001-Q1", begins_at=over - datetime.timedelta(days=90), ends_at=over)
    ladders_advance()
    season.refresh_from_db()
    assert season.state == LadderSeason.State.ENDING, "its last round is still played"
    play_out(last.tournament)
    ladders_advance()
    season.refresh_from_db()
    assert season.state == LadderSeason.State.ENDING, "and not rated yet"
    ratings_make()
    ladders_advance()
    season.refresh_from_db()
    assert season.state == LadderSeason.State.ARCHIVED
    rows = Rating.objects.filter(list__ladder_season=season.public_id).order_by("-lines_after")
    assert [line["version"] for line in season.final] == [row.version.public_id for row in rows]
    assert [line["estimate"] for line in season.final] == [row.estimate for row in rows]
    assert sum(line["fixtures"] for line in season.final) == 8
    following = LadderSeason.objects.get(state=LadderSeason.State.RUNNING)
    assert following.ends_at == season_end(timezone.now(), 3)
    first = round_open(ladder)
    assert (first.season, first.number, first.kind) == (following, 1, "floor")
    assert len(first.contenders) == 3


def test_a_round_is_verified_like_any_event() -> None:
    ladder = a_ladder()
    placed(ladder, *factories.players(4))
    played = round_play(ladder)
    assert tournament_audit(played.tournament) == []
    document = export_document(played.tournament, with_open_sets=False, with_secret=False)
    assert document["tournament"]["kind"] == "ladder"
    assert document["stages"][0]["options"] == {"fixtures": [[1, 2], [3, 4]]}


def test_ladders_are_those_of_the_settings() -> None:
    ladders_set(presets=None)
    names = {row.name for row in ladders_install()}
    assert {"kakeya6.league", "etori.meiji", "kakkuri.league:2", "kakkuri:8"} <= names
    assert len(names) == Ladder.objects.count() == 23
    ladders_set(presets=frozenset({"kakkuri:3", "kakeya7"}), boards=4)
    (left,) = ladders_install()
    assert (left.name, left.boards) == ("kakkuri:3", 4)
    assert Ladder.objects.filter(state=Ladder.State.OFF).count() == 22
    assert ladders_unknown() == ["kakeya7"]


def test_three_at_a_table_of_their_own_size() -> None:
    ladders_set(presets=frozenset({"kakkuri:3"}))
    ladder = a_ladder("kakkuri")
    placed(ladder, *factories.players(4))
    played = round_play(ladder)
    (pairing,) = met(played)
    assert len(pairing) == 3
    assert len(played.pairings[0]["pairs"]) == 3
    assert played.tournament.ruleset["seats"] == 3
    found = RatingList.objects.get()
    assert (found.seats, found.sets) == (3, 1)
    left = played.unpaired
    assert set(left) <= set(met(round_play(ladder))[0])
    assert sorted(combinations(pairing, 2))
    assert waiting(played.tournament) == []
    assert BoardSet.objects.filter(state="open").count() == 0
