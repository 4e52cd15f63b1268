"""An audit that a fault interrupts is repeated: at the next tick, or soon after the death of its process."""

from __future__ import annotations

import time

import pytest
from django.core.cache import cache

from arena.common.blob_storages import BlobsUnavailable
from arena.competition.models import Tournament
from arena.jobs.flow import AUDIT_LEASE_S, audit_key, tournament_advance
from arena.matches.models import Table
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


@pytest.mark.django_db
def test_an_audit_whose_process_died_is_repeated_after_its_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    def die(sha256: str) -> bytes:
        raise SystemExit

    monkeypatch.setattr("arena.jobs.flow.AUDIT_LEASE_S", 0.1)
    tournament = begun(2, boards_per_round=1)
    with monkeypatch.context() as patched:
        patched.setattr(audit, "blob_get", die)
        refusal(SystemExit, play_out, tournament)
    time.sleep(0.1)
    tournament_advance(tournament)
    tournament.refresh_from_db()
    assert tournament.state == "final"


@pytest.mark.django_db
def test_an_audit_renews_its_lease_before_each_record(monkeypatch: pytest.MonkeyPatch) -> None:
    renewed = []
    read = audit.blob_get
    monkeypatch.setattr(cache, "touch", lambda key, seconds: renewed.append((key, seconds)))

    def read_after_renewal(sha256: str) -> bytes:
        assert renewed[-1] == (audit_key(Tournament.objects.get()), AUDIT_LEASE_S)
        return read(sha256)

    monkeypatch.setattr(audit, "blob_get", read_after_renewal)
    play_out(begun(2, boards_per_round=1))
    assert len(renewed) == Table.objects.count()
