"""Trial runs: a tournament's settings played at once by house bots, in private and within limits."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from django.utils import timezone

from arena.accounts.models import AuditEvent
from arena.common.errors import ArenaError
from arena.competition import trials
from arena.competition.models import Tournament
from arena.competition.permissions import allowed_actions
from arena.competition.selectors import ENDED_STATES, tournaments_listed, tournaments_visible_to
from arena.competition.trials import trial_plan, trial_start, trials_left, trials_of
from arena.features.ratings.board_scores import event_list_key
from arena.jobs.flow import tournament_advance, tournament_cancel
from arena.jobs.trials import trial_delete, trials_expire
from arena.matches.models import BoardSet
from tests.arena.competition.house_bots import house
from tests.arena.play import play_out
from tests.factories import a_tournament, aya, odo, rin, sota

pytestmark = pytest.mark.django_db
State = Tournament.State


@pytest.fixture(autouse=True)
def _house() -> None:
    for kind in ("greedy", "random", "rules", "pimc"):
        house(kind)


def refusal(event: Tournament, user: Any = None) -> ArenaError:
    before = Tournament.objects.count()
    with pytest.raises(ArenaError) as refused:
        trial_start(event, user or odo())
    assert Tournament.objects.count() == before
    return refused.value


def test_it_plays_the_settings_on_two_boards_and_ends_by_itself() -> None:
    draft = a_tournament(boards_per_round=64, review_hours=24, clock={"increment_cpu_ms": 70})
    trial = trial_start(draft, odo())
    assert (trial.kind, trial.state, trial.visibility) == ("trial", "running", "private")
    assert (trial.clock, trial.preset, trial.trial_of) == (draft.clock, draft.preset, draft)
    assert "kakeya_pimc" not in trial.entries.values_list("version__bot__name", flat=True)
    tournament_advance(trial)
    play_out(trial)
    trial.refresh_from_db()
    assert trial.state == State.FINAL
    sets = BoardSet.objects.filter(round__stage__tournament=trial)
    assert {board_set.boards for board_set in sets} == {2}
    assert not any(event_list_key(board_set) for board_set in sets)
    draft.refresh_from_db()
    assert (draft.state, draft.boards_per_round) == (State.DRAFT, 64)


def test_only_its_organiser_sees_it_and_no_list_of_tournaments_has_it() -> None:
    draft = a_tournament()
    trial = trial_start(draft, odo())
    assert trial in tournaments_visible_to(odo())
    assert trial not in tournaments_visible_to(aya())
    assert trial not in tournaments_listed(odo())
    assert trials_of(draft, odo(), 5) == [trial]
    assert trials_of(draft, rin(), 5) == []


def test_its_organiser_deletes_it_at_any_time_and_only_staff_can_still_read_it() -> None:
    draft = a_tournament()
    trial = trial_start(draft, odo())
    with pytest.raises(ArenaError) as refused:
        trial_delete(trial, rin())
    assert refused.value.code == "not_organiser"
    trial_delete(trial, odo())
    trial.refresh_from_db()
    assert (trial.state, trial.revealed_at is None) == (State.CANCELLED, False)
    assert trials_of(draft, odo(), 5) == []
    assert trial not in tournaments_visible_to(odo())
    assert trial in tournaments_visible_to(sota())
    acts = AuditEvent.objects.filter(object_id=trial.public_id, actor=odo())
    assert {"cancel", "delete"} <= set(acts.values_list("action", flat=True))
    with pytest.raises(ArenaError) as refused:
        trial_delete(trial, odo())
    assert refused.value.code == "wrong_state"
    assert trials_left(odo()) == trials.TRIALS_PER_DAY - 1
    trial_start(draft, odo())


def test_a_finished_one_is_deleted_some_days_after_its_end_and_other_tournaments_never() -> None:
    draft = a_tournament()
    trial = trial_start(draft, odo())
    play_out(trial)
    assert "archive" not in allowed_actions(Tournament.objects.get(pk=trial.pk), odo())
    assert trials_expire() == 0
    ended = timezone.now() - datetime.timedelta(days=trials.TRIAL_DAYS, minutes=1)
    Tournament.objects.filter(pk=trial.pk).update(state_at=ended)
    Tournament.objects.filter(pk=draft.pk).update(state=State.CANCELLED, state_at=ended)
    assert (trials_expire(), trials_expire()) == (1, 0)
    assert trials_of(draft, odo(), 5) == []
    with pytest.raises(ArenaError) as refused:
        trial_delete(draft, odo())
    assert refused.value.code == "not_a_trial"


@pytest.mark.parametrize(
    ("fields", "entries"),
    [
        ({}, 4),
        ({"preset": "kakeya4", "house_bots": ["kakeya_rules"]}, 4),
        ({"stages": [{"format": "groups"}, {"format": "single_elimination", "qualify": 8}]}, 0),
        ({"stages": [{"format": "swiss", "options": {"rounds": 7}}], "min_entries": 32}, 0),
        ({"board_plan": "until_separated", "max_passes": 50}, 4),
    ],
)
def test_the_field_is_as_small_as_the_stages_allow(fields: dict[str, Any], entries: int) -> None:
    plan = trial_plan(a_tournament(**fields))
    assert plan.cost.entries == len(plan.versions)
    assert len(plan.versions) == (entries or len(plan.versions)) <= trials.MAX_TRIAL_ENTRIES
    assert plan.cost.tables <= trials.MAX_TRIAL_TABLES
    names = {version.bot.name for version in plan.versions}
    assert names == set(fields.get("house_bots") or ("kakeya_greedy", "kakeya_random", "kakeya_rules"))


def test_stages_that_are_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "MAX_TRIAL_TABLES", 1)
    assert refusal(a_tournament()).code == "trial_unfit"


def test_a_game_without_ready_house_bots_is_refused() -> None:
    assert refusal(a_tournament(preset="kakkuri")).code == "house_bot_not_ready"


def test_strangers_and_locked_tournaments_are_refused() -> None:
    draft = a_tournament()
    assert refusal(draft, aya()).code == "not_organiser"
    for state in (State.LOCKED, State.FINAL, State.CANCELLED):
        Tournament.objects.filter(pk=draft.pk).update(state=state)
        draft.refresh_from_db()
        assert refusal(draft).code == "wrong_state"


def test_a_trial_run_is_not_tried_itself() -> None:
    trial = trial_start(a_tournament(), odo())
    Tournament.objects.filter(pk=trial.pk).update(state=State.OPEN)
    trial.refresh_from_db()
    assert refusal(trial).code == "wrong_state"


def test_one_runs_at_a_time_and_a_day_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "TRIALS_PER_DAY", 2)
    draft = a_tournament()
    first = trial_start(draft, odo())
    error = refusal(draft)
    assert (error.code, error.extra["trial"]) == ("trial_running", first.public_id)
    tournament_cancel(first, odo(), "seen enough")
    assert Tournament.objects.get(pk=first.pk).state in ENDED_STATES
    tournament_cancel(trial_start(draft, odo()), odo(), "seen enough")
    assert trials_left(odo()) == 0
    error = refusal(draft)
    assert (error.code, error.extra["limit"]) == ("trial_quota_exceeded", 2)
    yesterday = timezone.now() - datetime.timedelta(hours=25)
    Tournament.objects.filter(pk=first.pk).update(created_at=yesterday)
    assert trials_left(odo()) == 1
    trial_start(draft, odo())
