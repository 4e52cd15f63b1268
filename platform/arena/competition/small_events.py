"""Small events with a field that is known at creation: challenges, trial runs, rounds of ladders, batches of
experiments.

Each is a tournament of its own kind, verified like any other. Its secret comes from the published queue of
commitments, so it was bound before the field was known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from arena.accounts.house import LADDER_USERNAME
from arena.accounts.models import User, audit
from arena.accounts.services import system_account
from arena.competition.commitments import commitment_reserve, commitment_take
from arena.competition.drafts import TournamentDraft, tournament_store, validate_draft
from arena.competition.entries.admission import require_ready
from arena.competition.models import Entry, Tournament
from arena.competition.services import tournament_lock, tournament_open, tournament_start
from arena.roster.models import BotVersion
from league.fairness import queued_id

EntryVersions = Sequence[BotVersion]
"""Versions of an entry: one that plays all seats of its side, or two of a pair by seat."""


def ladder_account() -> User:
    """Return the account that organises rounds of ladders; created on first use. It has no sign-in."""
    return system_account(LADDER_USERNAME)


@transaction.atomic
def background_event_start(
    kind: str,
    organiser: User,
    entries: Sequence[EntryVersions],
    fixtures: Sequence[Sequence[int]],
    *,
    name: str,
    preset: str,
    boards: int,
    board_kind: str = "deal",
    ruleset: Mapping[str, Any] | None = None,
    clock: Mapping[str, Any] | None = None,
    fault_policy: str = "substitute",
    scoring: str = "board_score",
) -> Tournament:
    """Create, open, lock and start a round of a ladder (public) or a batch of an experiment (private).

    ``entries`` are in the order of their seeds from 1, with bots and owners. ``fixtures`` lists the seeds
    that meet, in one round on the same ``boards``. Quarantined fixtures become void without a wait. The
    caller checks permissions. Raises Conflict ``not_ready``, ``version_suspended``; Invalid, also
    ``invalid_stage`` for impossible fixtures.
    """
    if kind not in Tournament.BACKGROUND:
        raise ValueError(f"{kind!r} is not of {', '.join(Tournament.BACKGROUND)}")
    is_ladder = kind == Tournament.Kind.LADDER
    fields = small_event_fields(name, preset, boards, board_kind, ruleset, clock, len(entries))
    fields |= {
        "visibility": Tournament.Visibility.PUBLIC if is_ladder else Tournament.Visibility.PRIVATE,
        "fault_policy": fault_policy,
        "scoring": scoring,
        "stages": [{"format": "given", "options": {"fixtures": [list(met) for met in fixtures]}}],
    }
    for versions in entries:
        for version in versions:
            require_ready(version)
    return small_event_start(kind, organiser, validate_draft(fields, by_system=True), entries, None)


def small_event_fields(
    name: str,
    preset: str,
    boards: int,
    board_kind: str,
    ruleset: Mapping[str, Any] | None,
    clock: Mapping[str, Any] | None,
    entries: int,
) -> dict[str, Any]:
    return {
        "name": name,
        "preset": preset,
        "ruleset": ruleset,
        "board_kind": board_kind,
        "boards_per_round": boards,
        "clock": clock,
        "entry_policy": Tournament.EntryPolicy.INVITED,
        "quarantine_hours": 0,
        "review_hours": 0,
        "min_entries": entries,
        "max_entries": entries,
        "entries_per_player": entries,
    }


@transaction.atomic
def small_event_start(
    kind: str,
    organiser: User,
    planned: TournamentDraft,
    entries: Sequence[EntryVersions],
    actor: User | None,
    **columns: Any,
) -> Tournament:
    """Store a validated draft with a secret from the queue, enter the versions in order, and start it.

    ``actor`` None stands for the system; ``columns`` are further columns of the tournament. Raises Conflict
    ``field_unfit``, or ``too_few_entries`` if one is not ready.
    """
    reserved = commitment_reserve()
    secret, number = bytes(reserved.commitment.secret), reserved.commitment.number
    # Seeds also depend on the public id. A random id could be redrawn until the deals suit a player.
    tournament = tournament_store(
        organiser, planned, kind=kind, secret=secret, public_id=queued_id(secret, number), **columns
    )
    commitment_take(reserved, tournament)
    tournament_open(tournament, actor)
    copies: Counter[int] = Counter()
    for seed, versions in enumerate(entries, 1):
        version, partner = versions[0], versions[1] if len(versions) > 1 else None
        owner = version.bot.owner
        entry = Entry.objects.create(
            tournament=tournament,
            player=owner,
            version=version,
            partner_version=partner,
            copy=copies[version.pk] if partner is None else 0,
            seed=seed,
            is_organiser_entry=owner.user_id == organiser.pk,
        )
        copies[version.pk] += partner is None
        audit(actor, "enter", entry, tournament=tournament.public_id, version=version.public_id)
    tournament_lock(tournament, actor)
    tournament_start(tournament, actor)
    return tournament
