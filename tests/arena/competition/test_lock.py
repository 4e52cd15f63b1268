"""What the lock fixes: who plays, in which order, and that the stages can be played by so many."""

from __future__ import annotations

from typing import Any

import pytest

from arena.accounts.models import Notice
from arena.common.errors import ArenaError, Conflict
from arena.competition.models import Entry, StageEntry, Tournament
from arena.competition.services import (
    entries_warn,
    entry_confirm,
    entry_seed,
    stage_entries_fix,
    tournament_lock,
)
from arena.roster.services import version_retire
from league.fairness import field_digest, lot
from tests.factories import (
    a_locked_tournament,
    a_pair_entry,
    a_pending_entry,
    an_entry,
    an_open_tournament,
    aya,
    ben,
    chie,
    odo,
    players,
)
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def order_of(tournament: Tournament) -> list[str]:
    rows = StageEntry.objects.filter(stage__tournament=tournament, stage__number=1).order_by("position")
    return [row.entry.public_id for row in rows]


def test_the_field_stands_in_order_of_seeds_then_lots() -> None:
    tournament = an_open_tournament()
    first, second, *others = [an_entry(tournament, owner) for owner in players(6)]
    entry_seed(second, 1, odo())
    entry_seed(first, 2, odo())
    tournament_lock(tournament, odo())
    stage = tournament.stages.get()
    secret = bytes(tournament.secret)

    def drawn(entry: Entry) -> str:
        return lot(secret, tournament.public_id, stage.field_digest, 1, entry.public_id)

    expected = [second, first, *sorted(others, key=drawn)]
    assert order_of(tournament) == [entry.public_id for entry in expected]
    assert [row.position for row in stage.stage_entries.all()] == [1, 2, 3, 4, 5, 6]


def test_the_digest_covers_exactly_the_field_both_versions_of_a_pair_included() -> None:
    tournament = an_open_tournament()
    pair, single = a_pair_entry(tournament, aya()), an_entry(tournament, ben())
    gone = an_entry(tournament, chie())
    version_retire(gone.version, chie())
    tournament_lock(tournament, odo())
    hashes = [version.bundle_sha256 for entry in (pair, single) for version in entry.versions()]
    assert tournament.stages.get().field_digest == field_digest(hashes)


def test_an_entry_whose_version_is_not_ready_at_the_lock_is_void_and_its_owner_told() -> None:
    tournament = an_open_tournament()
    gone = an_entry(tournament, aya())
    for owner in (ben(), chie()):
        an_entry(tournament, owner)
    version_retire(gone.version, aya())
    tournament_lock(tournament, odo())
    gone.refresh_from_db()
    assert (gone.status, gone.status_note["code"]) == ("withdrawn", "retired_at_lock")
    assert Notice.objects.filter(user=aya(), kind="entry_ended").count() == 1
    assert gone.public_id not in order_of(tournament)


def test_owners_are_warned_before_the_lock_the_partner_too() -> None:
    tournament = an_open_tournament()
    entry = a_pending_entry(tournament, aya(), ben())
    entry_confirm(entry, ben())
    an_entry(tournament, chie())
    locked = a_locked_tournament(2)
    assert entries_warn(version_retire(entry.version, aya())) == 1
    for owner in (aya(), ben()):
        notice = Notice.objects.get(user=owner, kind="entry_stands")
        assert notice.note["code"] == "entry_of_retired"
    assert not Notice.objects.filter(user=chie(), kind="entry_stands").exists()
    assert entries_warn(locked.entries.get(player__user=aya()).version) == 0


def test_a_locked_entry_plays_on_whatever_becomes_of_its_version() -> None:
    tournament = a_locked_tournament(3)
    entry = tournament.entries.get(player__user=aya())
    version_retire(entry.version, aya())
    entry.refresh_from_db()
    assert entry.status == Entry.Status.ENTERED


def test_a_lock_that_is_refused_changes_nothing() -> None:
    tournament = an_open_tournament()
    gone = an_entry(tournament, aya())
    an_entry(tournament, ben())
    version_retire(gone.version, aya())
    assert refusal(Conflict, tournament_lock, tournament, odo()).code == "too_few_entries"
    gone.refresh_from_db()
    assert gone.status == Entry.Status.ENTERED
    assert not StageEntry.objects.exists()


def test_a_field_that_a_stage_does_not_take_is_refused_with_the_remedy() -> None:
    # Stored by hand: planning refuses it, but formats may take only some numbers in between.
    tournament = an_open_tournament()
    tournament.stages.update(options={"cycles": 7})
    for owner in players(3):
        an_entry(tournament, owner)
    refused = refusal(Conflict, tournament_lock, tournament, odo())
    assert refused.code == "field_unfit"
    assert "stage 1" in refused.message
    assert "withdraw some" in refused.message
    tournament.refresh_from_db()
    assert tournament.state == "open"


def test_a_field_is_fixed_once() -> None:
    tournament = a_locked_tournament(3)
    stage = tournament.stages.get()
    before, digest = order_of(tournament), stage.field_digest
    entries = list(tournament.entries.order_by("-id"))
    stage_entries_fix(stage, entries[:2])
    stage.refresh_from_db()
    assert (order_of(tournament), stage.field_digest) == (before, digest)


def test_a_later_stage_keeps_the_group_an_entry_came_from() -> None:
    stages = [{"format": "round_robin"}, {"format": "round_robin", "qualify": 2}]
    tournament = a_locked_tournament(3, stages=stages)
    second = tournament.stages.get(number=2)
    best = list(tournament.entries.order_by("id"))[:2]
    stage_entries_fix(second, best, {best[0].public_id: 2})
    rows = [(row.entry_id, row.position, row.origin) for row in second.stage_entries.all()]
    assert rows == [(best[0].pk, 1, 2), (best[1].pk, 2, None)]
    hashes = [entry.version.bundle_sha256 for entry in best]
    assert second.field_digest == field_digest(hashes)


def test_an_empty_field_is_refused() -> None:
    tournament = a_locked_tournament(2, stages=[{"format": "round_robin"}] * 2)
    assert refusal(ArenaError, stage_entries_fix, tournament.stages.get(number=2), []).code == "field_empty"


@pytest.mark.parametrize("seed", [0, -1, 1001, True, "1"])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    entry = an_entry(an_open_tournament(), aya())
    assert refusal(ArenaError, entry_seed, entry, seed, odo()).extra["field"] == "seed"


def test_seeds_are_the_organisers_until_the_lock() -> None:
    tournament = an_open_tournament()
    entry = an_entry(tournament, aya())
    assert refusal(ArenaError, entry_seed, entry, 1, aya()).code == "not_organiser"
    entry_seed(entry, 3, odo())
    entry_seed(entry, None, odo())
    entry.refresh_from_db()
    assert entry.seed is None
    locked = a_locked_tournament(2)
    with pytest.raises(ArenaError) as late:
        entry_seed(locked.entries.first(), 1, odo())  # type: ignore[arg-type]
    assert late.value.code == "wrong_state"
