"""docs/organisers.md says what the code does."""

from __future__ import annotations

from django.conf import settings

from arena.competition.tournament_actions import STATE_ACTIONS
from arena.jobs.flow import AUDIT_DAYS, IDLE_DAYS, PAUSE_DAYS
from tests.arena.competition.guide_tables import GUIDE, written


def test_the_tables_are_those_of_the_declarations() -> None:
    page = GUIDE.read_text()
    assert written(page) == page, "python -m tests.arena.competition.guide_tables writes them"


def test_the_kit_has_a_command_for_every_action_of_the_table() -> None:
    commands = (GUIDE.parent / "kit.md").read_text()
    for verb in STATE_ACTIONS:
        assert f"| `{verb.replace('_', '-')} TOURNAMENT" in commands, verb


def test_the_bounds_are_those_of_the_code() -> None:
    page = GUIDE.read_text()
    for words in (
        f"cancelled after {IDLE_DAYS} days",
        f"after {PAUSE_DAYS} days: cancelled",
        f"after {AUDIT_DAYS} days: cancelled",
        f"after {settings.TABLE_WAITING_HOURS_MAX} hours in which the tournament was running",
        f"{settings.TABLE_LEASE_S} s without a heartbeat",
        f"{settings.TABLE_ATTEMPTS_MAX} times, then quarantined",
        f"after {settings.CHECK_DEADLINE_S // 60} minutes: tried again",
    ):
        assert words in page, words
