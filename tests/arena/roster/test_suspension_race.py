"""Several who suspend, ask and reinstate at the same moment: one does it, and it is told once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

import pytest
from django.db import connection, transaction

from arena.accounts.models import AuditEvent
from arena.accounts.selectors import notices_for
from arena.common.errors import ArenaError
from arena.roster.models import BotVersion
from arena.roster.services import version_reinstate, version_suspend
from tests.factories import a_bot, a_suspended_version, a_version, aya, sota

AT_ONCE = 6
PATIENCE_S = 60.0
REASON = "it forfeited 5 of its last 10 tables"

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(version: BotVersion, action: Callable[[BotVersion], object]) -> Counter[str]:
    """What so many threads got for the same action, each with its own copy of the version."""
    got: list[str] = []
    start = threading.Barrier(AT_ONCE)

    def run() -> None:
        try:
            mine = BotVersion.objects.select_related("bot__owner__user").get(pk=version.pk)
            start.wait(PATIENCE_S)
            got.append(str(action(mine) is not False))
        except ArenaError as error:
            got.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, daemon=True) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert len(got) == AT_ONCE
    return Counter(got)


def test_it_is_suspended_once() -> None:
    def suspend(version: BotVersion) -> bool:
        with transaction.atomic():
            return version_suspend(version, REASON)

    version = a_version(a_bot(aya()))
    assert at_once(version, suspend) == {"True": 1, "False": AT_ONCE - 1}
    assert AuditEvent.objects.filter(action="suspend").count() == notices_for(aya()).count() == 1


def test_one_check_is_asked_for() -> None:
    version = a_suspended_version(a_bot(aya()))
    owner = aya()
    got = at_once(version, lambda claimed: version_reinstate(claimed, owner))
    assert got == {"True": 1, "reinstatement_in_progress": AT_ONCE - 1}
    assert version.checks.filter(is_reinstatement=True).count() == 1


def test_it_is_reinstated_once() -> None:
    version = a_suspended_version(a_bot(aya()))
    staff = sota()
    got = at_once(version, lambda claimed: version_reinstate(claimed, staff))
    assert got == {"True": 1, "wrong_state": AT_ONCE - 1}
    assert AuditEvent.objects.filter(action="reinstate").count() == 1
    assert notices_for(aya()).filter(kind="reinstated").count() == 1
