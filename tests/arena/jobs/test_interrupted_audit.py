"""An audit that a fault of the machine interrupts is repeated at the next tick."""

from __future__ import annotations

import pytest

from arena.common.blob_storages import BlobsUnavailable
from arena.jobs.flow import tournament_advance
from arena.standings import audit
from tests.arena.play import begun, play_out
from tests.refusals import refusal


@pytest.mark.django_db
def test_a_tournament_is_final_at_the_next_tick_after_the_storage_was_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away(sha256: str) -> bytes:
        raise BlobsUnavailable("it is away")

    tournament = begun(2, boards_per_round=1)
    with monkeypatch.context() as patched:
        patched.setattr(audit, "blob_get", away)
        refusal(BlobsUnavailable, play_out, tournament)
        tournament.refresh_from_db()
        assert tournament.state == "provisional"
        refusal(BlobsUnavailable, tournament_advance, tournament)
    tournament_advance(tournament)
    tournament.refresh_from_db()
    assert tournament.state == "final"
