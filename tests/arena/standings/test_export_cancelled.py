"""The export of an event cancelled before registration: it has one statement, and agrees with itself."""

from __future__ import annotations

import pytest

from arena.jobs.flow import tournament_cancel
from arena.standings.audit import tournament_audit
from tests import factories


@pytest.mark.django_db
def test_an_event_cancelled_as_a_draft_agrees_with_itself() -> None:
    draft = factories.a_tournament()
    tournament_cancel(draft, draft.organiser, "rain")
    draft.refresh_from_db()
    assert [statement.kind for statement in draft.statements.all()] == ["cancelled"]
    assert tournament_audit(draft) == []
