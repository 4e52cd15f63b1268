"""The life of a tournament up to its start, its pauses and its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from arena.accounts.models import User, audit
from arena.common.errors import Conflict, Forbidden, Invalid
from arena.common.states import move, move_or_conflict, wrong_state
from arena.competition import plan
from arena.competition.models import Entry, Stage, Tournament
from arena.competition.rules import sides_of
from arena.competition.selectors import require_organiser
from arena.roster.selectors import version_suspended
from league.fairness import commitment, field_digest

State = Tournament.State


def tournament_touch(tournament: Tournament) -> None:
    """Tell spectators that something has changed."""
    Tournament.objects.filter(pk=tournament.pk).update(revision=F("revision") + 1)


def tournament_move(
    tournament: Tournament,
    from_: str | Sequence[str],
    to: str,
    *,
    verb: str,
    actor: User | None,
    **changes: Any,
) -> None:
    """Move a tournament to its next state, or say why it cannot; audited.

    Raises:
        Conflict: code ``wrong_state``.
    """
    before = tournament.state
    move_or_conflict(
        tournament, from_, to, verb=verb, state_at=timezone.now(), revision=F("revision") + 1, **changes
    )
    audit(actor, verb, tournament, {"state": before}, state=to, reason=changes.get("state_reason", ""))


@transaction.atomic
def tournament_create(
    organiser: User,
    *,
    name: str,
    preset: str,
    ruleset: Mapping[str, Any] | None = None,
    board_kind: str = "deal",
    boards_per_round: int = 16,
    stages: Sequence[Mapping[str, Any]] | None = None,
    clock: Mapping[str, Any] | None = None,
    description: str = "",
    visibility: str = Tournament.Visibility.PUBLIC,
    fault_policy: str = "substitute",
    tie_breaks: Sequence[str] | None = None,
    scoring: str = "match_points",
    entries_per_player: int = 1,
    min_entries: int | None = None,
    max_entries: int = 64,
    quarantine_hours: int = 24,
    closes_at: datetime | None = None,
    starts_at: datetime | None = None,
) -> Tournament:
    """A draft with its rules frozen and its secret drawn.

    Unless told otherwise it is played in the first format that fits its sides, by as many entries as
    fill a table or more.

    Raises:
        Forbidden: the account is no organiser's.
        Invalid: a field has an impossible value; ``extra["field"]`` names it.
    """
    if not (organiser.is_organiser or organiser.is_staff):
        raise Forbidden("This account may not organise tournaments; ask the operator.", "not_an_organiser")
    game, rules = plan.rules(preset, ruleset, board_kind)
    if not name.strip():
        raise plan.invalid("name", "A tournament needs a name.")
    if not 1 <= boards_per_round <= plan.MOST_BOARDS:
        raise plan.invalid("boards_per_round", f"boards_per_round must be from 1 to {plan.MOST_BOARDS}.")
    sides = len(game.sides(rules))
    min_entries = plan.fewest_entries(preset, sides, min_entries)
    if max_entries < min_entries:
        raise plan.invalid("max_entries", f"max_entries must not be less than min_entries, {min_entries}.")
    if entries_per_player < 1:
        raise plan.invalid("entries_per_player", "entries_per_player must be at least 1.")
    if closes_at and starts_at and starts_at < closes_at:
        raise plan.invalid("starts_at", "starts_at must not lie before closes_at.")
    clock_fields = plan.clock(clock)
    plan.require_playable(game, rules, board_kind, clock_fields)
    planned = plan.stages(stages, sides=sides, min_entries=min_entries, max_entries=max_entries)
    tournament = Tournament.objects.create(
        organiser=organiser,
        name=name.strip(),
        description=description,
        visibility=plan.choice("visibility", visibility, Tournament.Visibility.values),
        game=game.key,
        preset=preset,
        ruleset=rules.as_dict(),
        rules_version=game.rules_version,
        board_kind=board_kind,
        boards_per_round=boards_per_round,
        clock=clock_fields,
        fault_policy=plan.choice("fault_policy", fault_policy, plan.FAULT_POLICIES),
        tie_breaks=plan.tie_breaks(tie_breaks),
        scoring=plan.choice("scoring", scoring, plan.SCORINGS),
        entries_per_player=entries_per_player,
        min_entries=min_entries,
        max_entries=max_entries,
        quarantine_hours=quarantine_hours,
        closes_at=closes_at,
        starts_at=starts_at,
    )
    Stage.objects.bulk_create(
        Stage(tournament=tournament, number=number, **stage) for number, stage in enumerate(planned, 1)
    )
    audit(organiser, "create", tournament, name=tournament.name, preset=preset)
    return tournament


EDITABLE = ("name", "description", "visibility", "closes_at", "starts_at", "quarantine_hours")


def tournament_update(tournament: Tournament, actor: User, **changes: Any) -> None:
    """Change texts and times of a draft; rules need a new draft.

    Raises:
        Conflict: not a draft any more.
        Invalid: a field that cannot be changed.
    """
    require_organiser(actor, tournament)
    for field in changes:
        if field not in EDITABLE:
            raise plan.invalid(
                field, f"{field} cannot be changed; make a new draft. Changeable: {', '.join(EDITABLE)}."
            )
    if "visibility" in changes:
        plan.choice("visibility", changes["visibility"], Tournament.Visibility.values)
    before = {field: str(getattr(tournament, field)) for field in changes}
    if not move(tournament, "state", State.DRAFT, State.DRAFT, revision=F("revision") + 1, **changes):
        tournament.refresh_from_db()
        raise wrong_state(tournament, "change", [State.DRAFT])
    audit(actor, "update", tournament, before, **{field: str(value) for field, value in changes.items()})


@transaction.atomic
def tournament_open(tournament: Tournament, actor: User) -> None:
    """Open registration and publish the commitment to the secret."""
    require_organiser(actor, tournament)
    if tournament.closes_at and tournament.closes_at <= timezone.now():
        raise plan.invalid("closes_at", "Registration would end before it begins; set a later closes_at.")
    tournament_move(
        tournament,
        State.DRAFT,
        State.REGISTRATION,
        verb="open",
        actor=actor,
        commitment=commitment(bytes(tournament.secret)),
    )


@transaction.atomic
def tournament_lock(tournament: Tournament, actor: User | None) -> None:
    """Close entry and publish the digest of the field, after which the deals are fixed.

    Raises:
        Conflict: ``wrong_state``, or ``too_few_entries``.
    """
    require_organiser(actor, tournament)
    # The state first: from here on no entry can slip in between the count and the digest.
    tournament_move(tournament, State.REGISTRATION, State.LOCKED, verb="lock", actor=actor)
    entries = entered(tournament)
    if len(entries) < tournament.min_entries:
        raise Conflict(
            f"{len(entries)} entered; the tournament needs at least {tournament.min_entries}.",
            "too_few_entries",
            entries=len(entries),
            min_entries=tournament.min_entries,
        )
    stage_digest_set(tournament.stages.get(number=1))


def stage_digest_set(stage: Stage) -> None:
    """Fix the field of a stage: from now on its deals are determined (DESIGN.md 8)."""
    versions = [version for entry in entered(stage.tournament) for version in entry.versions()]
    # The digest wants both versions of a pair; a version that plays both seats counts once.
    stage.field_digest = field_digest([version.bundle_sha256 for version in versions])
    stage.save(update_fields=["field_digest"])


def tournament_start(tournament: Tournament, actor: User | None) -> None:
    """Let the first round open."""
    require_organiser(actor, tournament)
    tournament_move(tournament, State.LOCKED, State.RUNNING, verb="start", actor=actor)


def tournament_pause(tournament: Tournament, actor: User | None, reason: str = "") -> None:
    """Start no further table; those that play are played to their end."""
    require_organiser(actor, tournament)
    tournament_move(
        tournament, State.RUNNING, State.PAUSED, verb="pause", actor=actor, state_reason=reason[:300]
    )


def tournament_resume(tournament: Tournament, actor: User | None) -> None:
    """Go on where it was paused."""
    require_organiser(actor, tournament)
    tournament_move(tournament, State.PAUSED, State.RUNNING, verb="resume", actor=actor, state_reason="")


def tournament_archive(tournament: Tournament, actor: User) -> None:
    """Put a final tournament away; it stays readable."""
    require_organiser(actor, tournament)
    tournament_move(tournament, State.FINAL, State.ARCHIVED, verb="archive", actor=actor)


def entered(tournament: Tournament) -> list[Entry]:
    """The entries that play, in the order they entered; one query."""
    return list(
        tournament.entries.filter(status=Entry.Status.ENTERED)
        .select_related("player", "version__bot", "partner_version__bot")
        .order_by("id")
    )


@transaction.atomic
def entry_create(
    tournament: Tournament,
    version: Any,
    actor: User,
    partner_version: Any | None = None,
    seed: int | None = None,
) -> Entry:
    """Register a ready version (or a pair of them) while registration is open.

    Raises:
        Forbidden: a version belongs to somebody else.
        Conflict: ``wrong_state``, ``not_ready``, ``version_suspended`` with the ways back,
            ``already_entered``, ``too_many_entries``, ``tournament_full``.
        Invalid: ``wrong_game``, ``pair_impossible``.
    """
    versions = [version] if partner_version is None else [version, partner_version]
    if partner_version is not None:
        _require_pair(tournament, version, partner_version)
    for one in versions:
        if one.bot.owner.user_id != actor.pk:
            raise Forbidden(f"{one} belongs to somebody else; only its owner can enter it.", "not_the_owner")
        if one.bot.game != tournament.game:
            raise Invalid(f"{one} plays {one.bot.game}, the tournament {tournament.game}.", "wrong_game")
        # Held until the entry stands: a version suspended or retired at this moment has not entered.
        if not move(one, "state", one.State.READY, one.State.READY):
            one.refresh_from_db()
            if one.state == one.State.SUSPENDED:
                raise version_suspended(one, "enter")
            raise Conflict(
                f"{one} is {one.state}; only a ready version can enter.",
                "not_ready",
                state=one.state,
                allowed_states=[one.State.READY],
            )
    if seed is not None and not (actor.is_staff or tournament.organiser_id == actor.pk):
        raise Forbidden("Only the organiser seeds entries.", "not_the_organiser")
    if not move(tournament, "state", State.REGISTRATION, State.REGISTRATION, revision=F("revision") + 1):
        tournament.refresh_from_db()
        raise wrong_state(tournament, "enter", [State.REGISTRATION])
    present = entered(tournament)
    if len(present) >= tournament.max_entries:
        raise Conflict(f"All {tournament.max_entries} places are taken.", "tournament_full")
    player = version.bot.owner
    if any({v.pk for v in entry.versions()} == {v.pk for v in versions} for entry in present):
        raise Conflict(f"{version} is entered already.", "already_entered")
    if sum(entry.player_id == player.pk for entry in present) >= tournament.entries_per_player:
        raise Conflict(
            f"{player} has {tournament.entries_per_player} of {tournament.entries_per_player} entries; "
            "withdraw one first.",
            "too_many_entries",
        )
    entry = Entry.objects.create(
        tournament=tournament,
        player=player,
        version=version,
        partner_version=partner_version,
        seed=seed,
        is_organisers_own=tournament.organiser_id == actor.pk,
    )
    audit(actor, "enter", entry, tournament=tournament.public_id, version=version.public_id)
    return entry


def _require_pair(tournament: Tournament, version: Any, partner_version: Any) -> None:
    """Two versions need a side of two seats, one for each."""
    if any(len(side) != 2 for side in sides_of(tournament)):
        raise plan.invalid(
            "partner_version",
            f"In {tournament.preset} everybody plays alone; enter one version without partner_version.",
            "pair_impossible",
        )
    if version.pk == partner_version.pk:
        raise plan.invalid(
            "partner_version",
            f"{version} plays both seats of its pair by itself; leave partner_version out.",
            "pair_impossible",
        )


@transaction.atomic
def entry_withdraw(entry: Entry, actor: User) -> None:
    """Take an entry back while registration is open.

    Raises:
        Forbidden: neither its owner nor the organiser asks.
        Conflict: ``wrong_state`` once the field is locked; ``already_withdrawn``.
    """
    tournament = entry.tournament
    if entry.player.user_id != actor.pk:
        require_organiser(actor, tournament)
    if not move(tournament, "state", State.REGISTRATION, State.REGISTRATION, revision=F("revision") + 1):
        tournament.refresh_from_db()
        raise wrong_state(tournament, "withdraw from", [State.REGISTRATION])
    if not move(entry, "status", Entry.Status.ENTERED, Entry.Status.WITHDRAWN):
        raise Conflict("This entry is withdrawn already.", "already_withdrawn")
    audit(actor, "withdraw", entry, tournament=tournament.public_id)
