"""An experiment from the question to the answer, batch by batch."""

from __future__ import annotations

import datetime
import re
from fractions import Fraction
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from arena.accounts.house import HOUSE_USERNAME
from arena.accounts.models import Notice
from arena.accounts.services import system_account
from arena.common.causes import Cause
from arena.competition.entries.withdrawals import entry_withdraw
from arena.competition.models import Entry, Tournament
from arena.features.experiments.batches import outcome_of
from arena.features.experiments.consistency import experiment_check
from arena.features.experiments.evidence import estimate_of
from arena.features.experiments.models import Batch, Experiment
from arena.features.experiments.selectors import experiment_data, swing_boards
from arena.jobs.flow import tournament_advance, tournament_cancel
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import Fixture, Table
from arena.roster.services import version_retire
from arena.standings.export import tournament_export
from bots.kit.cli import main
from league.experiments import field_scores
from tests.arena.features.experiments.batches import (
    BASELINE,
    CANDIDATE,
    asked,
    begun,
    playing,
    two_versions,
    was_played,
)
from tests.arena.features.experiments.due import experiment_go_on, experiment_halt, experiments_due
from tests.arena.play import play_table, waiting
from tests.factories import a_bot, a_version, aya, ben, logged_events, sota
from tests.scores import board_scores

pytestmark = [pytest.mark.django_db, pytest.mark.full]
State, End = Experiment.State, Experiment.End


def house_greedy(game: str) -> None:
    """The yardstick of a game, ready."""
    a_version(a_bot(system_account(HOUSE_USERNAME), f"{game}_greedy", game=game))


def test_it_begins_with_a_private_batch_whose_secret_was_bound_before() -> None:
    experiment = begun()
    batch = playing(experiment)
    event = batch.tournament
    assert (experiment.state, batch.number, batch.boards) == (State.RUNNING, 1, 20)
    assert (event.kind, event.visibility, event.organiser) == ("experiment", "private", aya())
    assert event.queued_commitment.taken_at is not None
    assert [entry.version for entry in event.entries.order_by("seed")] == [
        experiment.candidate,
        experiment.baseline,
    ]
    assert not Notice.objects.exists()


def test_a_better_version_is_accepted_and_its_owner_hears_of_it() -> None:
    experiment = was_played(begun(), BASELINE)
    assert (experiment.state, experiment.end_code, experiment.boards) == (State.ACCEPTED, End.DECIDED, 20)
    batch = experiment.batches.get()
    assert (batch.state, batch.counted) == (Batch.State.COUNTED, 20)
    # A forfeit counts as its board scores say.
    assert set(batch.fractions) == {Fraction(2)}
    assert experiment.expected_remaining == 0
    assert experiment_check(experiment) == []
    notice = Notice.objects.get(user=aya(), kind="experiment")
    assert notice.url_path == experiment.page
    told = [
        (event.kind, event.user, event.object_id)
        for event in logged_events().filter(kind__startswith="experiment.")
    ]
    assert told == [
        ("experiment.boards", aya(), experiment.public_id),
        ("experiment.ended", aya(), experiment.public_id),
    ]


def test_a_worse_version_is_rejected() -> None:
    experiment = was_played(begun(), CANDIDATE)
    assert (experiment.state, experiment.boards) == (State.REJECTED, 20)
    assert experiment.mean == -2


def test_boards_enter_in_order_batch_after_batch_and_the_cap_ends_it() -> None:
    experiment = was_played(begun(difference=0.01, boards_per_batch=12, cap=30))
    assert (experiment.state, experiment.boards) == (State.RUNNING, 12)
    assert experiment.expected_remaining == 18
    was_played(experiment)
    assert playing(experiment).boards == 6
    was_played(experiment)
    assert (experiment.state, experiment.end_code, experiment.boards) == (State.INCONCLUSIVE, End.CAP, 30)
    read = experiment_data(experiment)
    assert [(step.batch.number, step.board) for step in read.path] == [
        *((1, board) for board in range(1, 13)),
        *((2, board) for board in range(1, 13)),
        *((3, board) for board in range(1, 7)),
    ]
    # By hand, from the rows.
    for step in read.path:
        (row,) = board_scores(step.board, fixture__tournament=step.batch.tournament, entry__seed=CANDIDATE)
        assert step.score == row.value
    assert read.path[-1].evidence == experiment.evidence
    assert read.tables == Table.objects.filter(state="finished").count()
    for swung in swing_boards(experiment, read.path):
        assert sum(swung.results) / 2 == swung.step.score
    assert experiment_check(experiment) == []


def test_boards_after_the_one_that_decides_do_not_count() -> None:
    experiment = was_played(begun(difference=0.2, boards_per_batch=40, cap=200), BASELINE)
    batch = experiment.batches.get()
    assert experiment.state == State.ACCEPTED
    assert batch.counted == experiment.boards < 40 == len(batch.scores)
    assert len(experiment_data(experiment).path) == experiment.boards
    assert estimate_of(experiment).judgement.boards == experiment.boards
    assert experiment_check(experiment) == []


def test_the_tick_may_come_as_often_as_it_likes() -> None:
    experiment = begun()
    for _ in range(3):
        experiments_due()
    assert Batch.objects.count() == Tournament.objects.count() == 1
    was_played(experiment, BASELINE)
    for _ in range(2):
        experiments_due()
        experiment_go_on(experiment.pk)
    assert Batch.objects.count() == 1
    assert Notice.objects.filter(kind="experiment").count() == 1


def test_what_was_lost_between_a_batch_and_the_next_the_tick_finds() -> None:
    experiment = begun(difference=0.01)
    tournament = playing(experiment).tournament
    for table in waiting(tournament):
        play_table(table)
    tournament_advance(tournament)
    # As if the worker had died before the experiment was gone on with.
    Batch.objects.filter(number=2).delete()
    Batch.objects.update(state=Batch.State.PLAYING, scores=[], counted=0)
    Experiment.objects.update(boards=0, mean=None, evidence=0.0)
    experiments_due()
    experiment.refresh_from_db()
    assert experiment.boards == 20
    assert playing(experiment).number == 2


def test_nothing_is_counted_before_the_last_table_is_played() -> None:
    experiment = begun()
    first, *_ = waiting(playing(experiment).tournament)
    play_table(first)
    experiments_due()
    experiment.refresh_from_db()
    assert (experiment.boards, outcome_of(playing(experiment))) == (0, None)
    progress = experiment_data(experiment).progress
    assert progress is not None
    assert 0 < progress.done < progress.tables


def test_a_batch_that_our_faults_spoil_is_replaced_and_the_third_one_ends_it() -> None:
    experiment = begun()
    for number in (1, 2, 3):
        batch = playing(experiment)
        assert batch.number == number
        Table.objects.filter(tournament=batch.tournament).update(
            state=Table.State.QUARANTINED, state_at=timezone.now(), cause=Cause.WORKER_LOST
        )
        tournament_advance(batch.tournament)
    experiment.refresh_from_db()
    assert (experiment.state, experiment.end_code, experiment.boards) == (State.STOPPED, End.FAULTS, 0)
    assert set(Batch.objects.values_list("state", flat=True)) == {Batch.State.VOID}


def test_a_ruling_that_voids_a_fixture_voids_its_batch() -> None:
    experiment = begun()
    batch = playing(experiment)
    fixture_adjudicate(Fixture.objects.get(), sota(), kind="void", reason="a power cut")
    tournament_advance(batch.tournament)
    batch.refresh_from_db()
    assert batch.state == Batch.State.VOID
    assert batch.note == {"code": "fixture_void", "why": {"code": "typed", "text": "a power cut"}}
    assert playing(experiment).number == 2


def test_its_owner_stops_it_and_the_batch_under_way_is_cancelled() -> None:
    experiment = begun()
    event = playing(experiment).tournament
    experiment_halt(experiment, aya(), "a better idea")
    event.refresh_from_db()
    assert (experiment.state, experiment.end_code) == (State.STOPPED, End.OWNER)
    assert experiment.state_reason == "a better idea"
    assert event.state == Tournament.State.CANCELLED
    assert experiment.batches.get().state == Batch.State.VOID
    assert experiments_due() == 0


def test_a_batch_that_staff_cancel_ends_it() -> None:
    experiment = begun()
    event = playing(experiment).tournament
    tournament_cancel(event, sota(), "too much of it")
    experiments_due()
    experiment.refresh_from_db()
    assert (experiment.state, experiment.end_code) == (State.STOPPED, End.CANCELLED)


def test_a_version_that_may_not_play_any_more_ends_it() -> None:
    new, old = two_versions()
    experiment = begun(new, old, difference=0.01)
    version_retire(old, aya())
    was_played(experiment)
    assert (experiment.state, experiment.end_code) == (State.STOPPED, End.VERSION)
    assert experiment.state_note == {"code": "is_retired", "who": {"code": "baseline"}}
    assert experiment.boards == 20


def test_an_opponent_that_leaves_a_batch_ends_it() -> None:
    theirs = a_version(a_bot(ben()))
    experiment = begun(field=[theirs])
    event = playing(experiment).tournament
    entry_withdraw(Entry.objects.get(version=theirs), ben())
    experiments_due()
    experiment.refresh_from_db()
    event.refresh_from_db()
    assert (experiment.end_code, event.state) == (End.VERSION, Tournament.State.CANCELLED)


def test_further_ones_wait_until_one_of_the_owner_s_ends(settings: object) -> None:
    settings.EXPERIMENTS_CONCURRENT_MAX = 1  # type: ignore[attr-defined]
    first, second = begun(), begun()
    assert (second.state, second.started_at) == (State.QUEUED, None)
    assert second.state_note == {"code": "waits_for_earlier", "count": 1}
    experiment_halt(first, aya())
    experiments_due()
    second.refresh_from_db()
    assert (second.state, second.state_reason) == (State.RUNNING, "")


def test_its_budget_and_its_time_end_it() -> None:
    experiment = begun(difference=0.01, budget_cpu_s=1)
    Tournament.objects.update(cpu_ms_spent=1000)
    was_played(experiment)
    assert (experiment.state, experiment.end_code) == (State.STOPPED, End.BUDGET)
    late = begun()
    Experiment.objects.filter(pk=late.pk).update(started_at=timezone.now() - datetime.timedelta(days=8))
    experiments_due()
    late.refresh_from_db()
    assert (late.state, late.end_code) == (State.STOPPED, End.DEADLINE)
    assert not Tournament.objects.filter(state=Tournament.State.RUNNING).exists()


def test_against_a_field_both_meet_everybody_on_the_same_boards() -> None:
    field = [a_version(a_bot(ben())), a_version(a_bot(aya()))]
    experiment = was_played(begun(field=field, difference=0.01, cap=20))
    batch = experiment.batches.get()
    met = [
        tuple(fixture.sides.order_by("position").values_list("entry__seed", flat=True))
        for fixture in Fixture.objects.order_by("number")
    ]
    assert met == [(1, 3), (2, 3), (1, 4), (2, 4)]
    scores = {
        who: {
            other: [row.value for row in board_scores(entry__seed=who, fixture__sides__entry__seed=other)]
            for other in (3, 4)
        }
        for who in (CANDIDATE, BASELINE)
    }
    expected = field_scores(
        {str(name): row for name, row in scores[CANDIDATE].items()},
        {str(name): row for name, row in scores[BASELINE].items()},
    )
    assert batch.fractions == expected
    assert any(expected)
    read = experiment_data(experiment)
    for swung in swing_boards(experiment, read.path):
        assert (swung.results[0] - swung.results[1]) / 2 == swung.step.score


def test_with_more_sides_house_greedy_takes_the_others_and_half_the_lead_counts() -> None:
    house_greedy("kakkuri")
    new, old = two_versions("kakkuri")
    experiment = begun(
        new, old, preset="kakkuri", ruleset={"seats": 4}, difference=0.01, boards_per_batch=10, cap=20
    )
    first = playing(experiment).tournament
    was_played(experiment)
    was_played(experiment)
    assert experiment.state == State.INCONCLUSIVE
    orders = [
        tuple(fixture.sides.order_by("position").values_list("entry__seed", flat=True))
        for fixture in Fixture.objects.order_by("pk")
    ]
    assert [set(order) for order in orders] == [{1, 2, 3, 4}] * 2
    assert orders[0] != orders[1]
    names = [entry.version.bot.name for entry in first.entries.order_by("seed")]
    assert names[2:] == ["kakkuri_greedy"] * 2
    batch = experiment.batches.get(number=1)
    for board, score in enumerate(batch.fractions, 1):
        lead = [
            board_scores(board, fixture__tournament=first, entry__seed=seed)[0].value
            for seed in (CANDIDATE, BASELINE)
        ]
        assert score == (lead[0] - lead[1]) / 2
    assert experiment_check(experiment) == []


def test_a_batch_with_copies_of_a_version_can_be_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    house_greedy("kakkuri")
    new, old = two_versions("kakkuri")
    rules = {"preset": "kakkuri", "ruleset": {"seats": 4}, "boards_per_batch": 2}
    experiment = was_played(begun(new, old, **rules))
    event = experiment.batches.get(number=1).tournament
    path = tmp_path / "batch.zip"
    path.write_bytes(tournament_export(event, aya()))
    assert main(["verify", str(path)]) == 0, capsys.readouterr()


def test_what_does_not_follow_from_the_boards_is_found() -> None:
    experiment = was_played(begun(), BASELINE)
    call_command("experiments_check", experiment=experiment.public_id)
    batch = experiment.batches.get()
    Batch.objects.filter(pk=batch.pk).update(scores=["1", *batch.scores[1:]], counted=19)
    found = experiment_check(experiment)
    assert [re.findall(r"\d+", text)[:3] for text in found[:2]] == [["1"], ["1", "19", "20"]]
    assert len(found) == 3
    with pytest.raises(CommandError, match="3"):
        call_command("experiments_check", experiment=experiment.public_id)


def test_asked_for_and_not_begun_it_can_be_stopped() -> None:
    experiment = asked()
    experiment_halt(experiment, sota())
    assert (experiment.state, experiment.state_note) == (State.STOPPED, {"code": "stopped_by_staff"})
    assert not Tournament.objects.exists()
