"""docs/organisers.md says what the code does."""

from __future__ import annotations

from django.conf import settings

from arena.admin.tournaments import ACTIONS
from arena.competition.permissions import VERBS
from arena.jobs.flow import AUDIT_DAYS, IDLE_DAYS, PAUSE_DAYS

GUIDE = (settings.REPOSITORY / "docs" / "organisers.md").read_text()


def test_every_verb_has_its_row_and_its_action() -> None:
    for action in ACTIONS:
        assert f"*{action.label}*" in GUIDE, action.key
    for verb in set(VERBS) - {"update", "enter", "seed", "invite", "adjudicate", "rerun"}:
        assert f"POST /tournaments/{{id}}/{verb}`" in GUIDE, verb
        assert f"rensho tournaments {verb.replace('_', '-')}`" in GUIDE, verb


def test_the_bounds_are_those_of_the_code() -> None:
    for words in (
        f"after {IDLE_DAYS} days: cancelled",
        f"after {PAUSE_DAYS} days: cancelled",
        f"after {AUDIT_DAYS} days: cancelled",
        f"after {settings.TABLE_WAITING_HOURS} hours of a running tournament",
        f"{settings.TABLE_LEASE_S} s without a heartbeat",
        f"{settings.TABLE_ATTEMPTS} times, then quarantined",
        f"after {settings.CHECK_DEADLINE_S // 60} minutes it is tried again",
    ):
        assert words in GUIDE, words
