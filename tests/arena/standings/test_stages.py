"""Stages in sequence and passes: who goes on, what is drawn next, and why a stage ends."""

from __future__ import annotations

from typing import Any

from arena.common.errors import Conflict
from arena.competition.entries.withdrawals import entry_withdraw
from arena.competition.models import Stage, Tournament
from arena.jobs.flow import tournament_advance
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import Fixture, TableSeat
from arena.standings.crosstables import crosstable_from, fixture_versions
from arena.standings.models import StandingRow
from arena.standings.selectors import stage_display
from arena.standings.services import next_pairings, next_stage_entries, next_stage_entries_fix
from league.separation import MIN_BOARDS
from tests.arena.play import begun, play_out, play_table, waiting
from tests.refusals import refusal

TWO_STAGES = [
    {"format": "groups", "options": {"groups": 2}},
    {"format": "single_elimination", "qualify": 3, "boards_per_round": 1},
]


def ranked(stage: Stage) -> list[str]:
    """Public ids in the order of the standings."""
    rows = StandingRow.objects.filter(stage=stage).order_by("rank")
    return list(rows.values_list("entry__public_id", flat=True))


def field(stage: Stage) -> list[tuple[str, int | None]]:
    """The stored field with its origins."""
    rows = stage.stage_entries.order_by("position")
    return list(rows.values_list("entry__public_id", "origin"))


def play_stage(tournament: Tournament, number: int) -> None:
    """Play until that stage is done."""
    while not tournament.stages.filter(number=number, state=Stage.State.DONE).exists():
        for table in waiting(tournament):
            play_table(table)
        tournament_advance(tournament)


def test_the_best_of_a_stage_go_on_in_their_order(db: None) -> None:
    tournament = play_out(begun(6, boards_per_round=1, stages=TWO_STAGES))
    assert tournament.state == Tournament.State.FINAL, tournament.state_reason
    groups, knockout = tournament.stages.order_by("number")
    assert [name for name, _ in field(knockout)] == ranked(groups)[:3]
    values = {row.entry.public_id: row.values for row in groups.standings.select_related("entry")}
    assert [str(origin) for _, origin in field(knockout)] == [
        values[name]["group"] for name, _ in field(knockout)
    ]
    assert [values[name]["place"] for name in ranked(groups)] == ["1", "1", "2", "2", "3", "3"]
    winner = knockout.standings.get(rank=1)
    assert int(winner.values["progress"]) > 0
    assert stage_display(knockout).kind == "bracket"
    assert stage_display(groups).kind == "groups"
    names = {slot.winner for s in stage_display(knockout).sections for c in s.columns for slot in c.slots}
    assert winner.entry.public_id in names


def test_who_left_does_not_go_on(db: None) -> None:
    tournament = begun(6, boards_per_round=1, stages=TWO_STAGES)
    groups, knockout = tournament.stages.order_by("number")
    for table in waiting(tournament):
        play_table(table)
    tournament_advance(tournament)
    best = StandingRow.objects.get(stage=groups, rank=1).entry
    entry_withdraw(best, best.player.user)
    play_out(tournament)
    assert tournament.state == Tournament.State.FINAL, tournament.state_reason
    assert best.public_id in ranked(groups)
    assert [name for name, _ in field(knockout)] == [
        name for name in ranked(groups) if name != best.public_id
    ][:3]


def test_a_field_is_fixed_once(db: None) -> None:
    tournament = begun(6, boards_per_round=1, stages=TWO_STAGES)
    groups = tournament.stages.get(number=1)
    assert next_stage_entries(groups) == [row.entry for row in groups.stage_entries.order_by("position")]
    before = field(groups)
    next_stage_entries_fix(groups)
    assert field(groups) == before


def test_a_stage_nobody_is_left_for_ends_at_once_and_says_why(db: None) -> None:
    tournament = begun(4, boards_per_round=1, stages=[{"format": "round_robin"}, {"format": "round_robin"}])
    first, second = tournament.stages.order_by("number")
    for row in first.stage_entries.all():
        entry_withdraw(row.entry, row.entry.player.user)
    tournament.refresh_from_db()
    assert next_pairings(second) is None
    second.refresh_from_db()
    assert second.end_code == Stage.Ended.EMPTY
    refusal(Conflict, next_stage_entries_fix, second)


def test_a_field_too_small_for_its_format_ends_the_stage_with_the_reason(db: None) -> None:
    tournament = begun(
        4,
        boards_per_round=1,
        stages=[{"format": "round_robin"}, {"format": "swiss", "options": {"rounds": 3}}],
    )
    for row in list(tournament.stages.get(number=1).stage_entries.order_by("position"))[1:]:
        entry_withdraw(row.entry, row.entry.player.user)
    play_out(tournament)
    second = tournament.stages.get(number=2)
    assert (second.end_code, second.end_note["entries"]) == (Stage.Ended.UNFIT, 1)
    assert second.state == Stage.State.DONE


def passes(**fields: Any) -> Tournament:
    """Two entries who meet again and again on ten boards a pass."""
    given = {"board_plan": "until_separated", "boards_per_round": MIN_BOARDS // 2, "max_passes": 3}
    return begun(2, **{**given, **fields})


def rounds_of(tournament: Tournament) -> int:
    return tournament.stages.get().rounds.count()


def note_of(tournament: Tournament) -> dict[str, Any]:
    return dict(tournament.stages.get().end_note)


def test_passes_end_with_the_most_there_may_be(db: None) -> None:
    tournament = play_out(passes(boards_per_round=1))
    assert tournament.state == Tournament.State.FINAL, tournament.state_reason
    assert rounds_of(tournament) == 3
    assert note_of(tournament) == {"code": "max_passes", "passes": 3, "level": 1, "pairs": 1}
    assert tournament.stages.get().end_code == "max_passes"
    display = stage_display(tournament.stages.get())
    titles = [section.title for section in display.sections]
    assert [(title.code, title.n) for title in titles] == [("pass", 1), ("pass", 2), ("pass", 3)]
    slots = [
        slot.round for section in display.sections for column in section.columns for slot in column.slots
    ]
    assert slots == [1, 2, 3]


def test_passes_end_when_neighbours_are_separated(db: None) -> None:
    tournament = passes(max_passes=9)
    loser = tournament.entries.order_by("id")[0]
    while fixture := Fixture.objects.filter(tournament=tournament, state=Fixture.State.OPEN).first():
        fixture_adjudicate(fixture, tournament.organiser, "forfeit", [loser.public_id], "it is broken")
        tournament_advance(tournament)
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.FINAL, tournament.state_reason
    assert rounds_of(tournament) == 2, "ten boards are too few, twenty are not"
    assert note_of(tournament) == {"code": "separated", "passes": 2}
    assert tournament.stages.get().end_code == "separated"
    stage = tournament.stages.get()
    cell = crosstable_from((), fixture_versions(stage.pk)).cells[ranked(stage)[0], loser.public_id]
    assert (cell.mean, cell.boards, cell.mark, cell.match_points) == (2, 20, "**", 4)


def test_passes_end_before_the_budget_would(db: None) -> None:
    tournament = passes(boards_per_round=1, budget_cpu_s=10)
    for table in waiting(tournament):
        play_table(table)
    TableSeat.objects.filter(table__tournament=tournament).update(cpu_ms=1000)
    Tournament.objects.filter(pk=tournament.pk).update(cpu_ms_spent=8000)
    play_out(tournament)
    assert rounds_of(tournament) == 1
    note = note_of(tournament)
    assert (note["passes"], note["left"], note["budget"], note["cost"]) == (1, 2, 10, 8)
    assert tournament.stages.get().end_code == "budget_spent"
    assert tournament.state == Tournament.State.FINAL, tournament.state_reason


def test_nothing_is_shown_of_an_open_round_but_its_pairings(db: None) -> None:
    tournament = begun(4, boards_per_round=1)
    for table in waiting(tournament)[:3]:
        play_table(table)
    stage = tournament.stages.get()
    drawn = [
        slot
        for section in stage_display(stage).sections
        for column in section.columns
        for slot in column.slots
    ]
    assert any(slot.round == 1 for slot in drawn)
    assert all(slot.winner is None for slot in drawn)
    assert crosstable_from((), fixture_versions(stage.pk)).cells == {}
