"""The head of a tournament's page: the leader, how certain it is, the podium, and the line on disputes."""

from __future__ import annotations

import datetime

import pytest
from django.utils import timezone

from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.standings.models import StandingRow
from arena.web.tournaments.disputes import build_disputes
from arena.web.tournaments.event import head_context, load_event, results_context
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out

pytestmark = pytest.mark.django_db

State = Tournament.State

rows_of_an_event = made_once(lambda: play_out(begun(4, boards_per_round=1)), serials=2000)
rows_of_a_bracket = made_once(
    lambda: play_out(begun(4, stages=[{"format": "single_elimination"}], boards_per_round=1)), serials=3000
)


@pytest.fixture
def final(rows_of_an_event: Tournament, db: None) -> Tournament:
    process_cache.clear()
    return given(rows_of_an_event)


@pytest.fixture
def bracket(rows_of_a_bracket: Tournament, db: None) -> Tournament:
    process_cache.clear()
    return given(rows_of_a_bracket)


def in_state(tournament: Tournament, state: State, **fields: object) -> Tournament:
    Tournament.objects.filter(pk=tournament.pk).update(state=state, **fields)
    process_cache.clear()
    return Tournament.objects.get(pk=tournament.pk)


def test_a_running_event_has_a_leader_and_a_final_one_a_podium(final: Tournament) -> None:
    rows = StandingRow.objects.filter(stage__tournament=final).select_related("entry").order_by("rank")
    order = [row.entry.public_id for row in rows]
    over = head_context(load_event(final))
    assert [place.entry.id for place in over["podium"]] == order[:3]
    assert [place.decided_by for place in over["podium"]] == [row.decided_by for row in rows[1:4]]
    assert not over["leads_now"]
    live = head_context(load_event(in_state(final, State.RUNNING)))
    assert live["podium"] == []
    assert live["leads_now"]
    assert live["lead"].leader.id == order[0]
    certainty = live["lead"].certainty
    assert (certainty.state, certainty.second.id, certainty.boards) == ("few", order[1], 3)
    assert over["lead"].certainty == certainty
    assert results_context(load_event(final))["lead"].certainty == certainty


def test_a_leader_on_a_tie_break_has_its_name_and_both_values(final: Tournament) -> None:
    stage = final.stages.get()
    stage.standings.filter(rank__lte=2).update(decided_by="board_score")
    for rank, score in ((1, "3/2"), (2, "1")):
        row = stage.standings.get(rank=rank)
        row.values |= {"match_points": "4", "board_score": score}
        row.save()
    lead = head_context(load_event(in_state(final, State.RUNNING)))["lead"]
    assert (lead.ahead, lead.tie_break, lead.own, lead.below) == ("", "board score", "+1.5", "+1.0")


def test_the_main_button_leads_to_the_board_with_the_largest_swing(final: Tournament) -> None:
    over = head_context(load_event(final))["watch"]
    live = head_context(load_event(in_state(final, State.RUNNING)))["watch"]
    last = final.stages.get().rounds.count()
    for swing in (over, live):
        assert swing is None or swing.href.startswith(("/fixtures/", "/boards/"))
    assert live is None or live.round == last
    assert head_context(load_event(in_state(final, State.CANCELLED)))["watch"] is None


def test_the_end_of_the_last_round_is_known_while_it_runs(final: Tournament) -> None:
    ended = max(final.stages.get().rounds.values_list("closed_at", flat=True))
    assert head_context(load_event(final))["round_ended_at"] is None
    assert head_context(load_event(in_state(final, State.RUNNING)))["round_ended_at"] == ended


def test_nobody_leads_a_bracket_that_is_being_played(bracket: Tournament) -> None:
    over = head_context(load_event(bracket))
    assert over["podium"][0].decided_by == "progress"
    assert over["podium"][0].score == ""
    assert head_context(load_event(in_state(bracket, State.RUNNING)))["lead"] is None


def test_the_time_to_report_problems_follows_the_state(final: Tournament) -> None:
    assert build_disputes(final) is None
    running = build_disputes(in_state(final, State.RUNNING, review_hours=5))
    assert running is not None
    assert (running.period, running.hours, running.until) == ("during", 5, None)
    until = timezone.now() + datetime.timedelta(hours=1)
    review = build_disputes(in_state(final, State.PROVISIONAL, review_until=until))
    assert review is not None
    assert (review.period, review.until) == ("review", until)
    over = build_disputes(in_state(final, State.FINAL))
    assert over is not None
    assert over.period == "over"
    assert (over.ruled, over.forfeited) == (0, 0)
    assert build_disputes(in_state(final, State.CANCELLED)) is None
