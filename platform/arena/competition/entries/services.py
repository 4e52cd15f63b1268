"""Services for entries: create, confirm or decline as partner, and seed."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from arena.accounts.events import event_add
from arena.accounts.models import Notice, User, audit
from arena.accounts.services import notice_create
from arena.common.errors import Conflict, Forbidden, Invalid
from arena.common.notes import note_in_english, reason_clause, time_clause
from arena.common.states import state_change
from arena.common.texts import require_visible_characters
from arena.competition.entries.admission import (
    SEED,
    is_of_house,
    require_entry_shape,
    require_invited,
    require_partner_request_allowed,
    require_quota,
    require_ready,
    require_room,
    require_state,
)
from arena.competition.models import Entry, Tournament
from arena.competition.organisers import is_named_organiser
from arena.competition.selectors import may_organise, require_organiser
from arena.roster.models import Bot, BotVersion, Player

State = Tournament.State
Status = Entry.Status
MAX_REASON_LENGTH = 300


@transaction.atomic
def entry_create(
    tournament: Tournament,
    version: BotVersion,
    actor: User,
    partner_version: BotVersion | None = None,
    seed: int | None = None,
    accepts_partners: bool = False,
) -> Entry:
    """Enter a ready version, or a pair of versions, while entry is open.

    Organisers may enter public house bots, which need no invitation and have no limit per player.

    If the partner belongs to another owner, the entry is ``pending`` until that owner confirms; unconfirmed
    entries become void at the lock. ``accepts_partners`` is the owner's consent to changing partners.

    Raises Forbidden ``not_owner``, ``not_invited``, ``not_organiser`` for a seed; Conflict
    ``wrong_state``, ``not_ready``, ``version_suspended``, ``already_entered``, ``too_many_entries``,
    ``tournament_full``, ``too_many_partner_requests``; Invalid ``wrong_game``, ``invalid_pair``,
    ``partners_not_accepted``.
    """
    versions = [version] if partner_version is None else [version, partner_version]
    require_entry_shape(tournament, version, partner_version, accepts_partners)
    is_house_entry = all(map(is_of_house, versions)) and may_organise(actor, tournament)
    for entered in versions:
        is_own = entered.bot.owner.user_id == actor.pk
        needs_owner = entered is version and not is_house_entry
        if not is_own and (needs_owner or entered.bot.visibility != Bot.Visibility.PUBLIC):
            raise Forbidden(f"{entered} belongs to another player; only its owner can enter it.", "not_owner")
        if entered.bot.game != tournament.game:
            raise Invalid(
                f"{entered} plays {entered.bot.game}, the tournament {tournament.game}.", "wrong_game"
            )
        require_ready(entered)
    if seed is not None:
        if not (actor.is_staff or is_named_organiser(actor.pk, tournament)):
            raise Forbidden("Only the organiser can seed entries.", "not_organiser")
        SEED.checked(seed)
    require_state(tournament, "enter", [State.OPEN])
    entry = Entry(
        tournament=tournament,
        player=version.bot.owner,
        version=version,
        partner_version=partner_version,
        seed=seed,
        accepts_partners=accepts_partners,
        is_organiser_entry=any(
            is_named_organiser(entered.bot.owner.user_id, tournament) for entered in versions
        ),
    )
    owners = entry.owners()
    entry.status = Status.ENTERED if len(owners) == 1 or is_house_entry else Status.PENDING
    for owner in () if is_house_entry else owners:
        require_invited(tournament, owner)
    require_room(entry, has_quota=not is_house_entry)
    if entry.status == Status.PENDING:
        require_partner_request_allowed(entry, owners[1])
    entry.save()
    audit(
        actor,
        "enter",
        entry,
        tournament=tournament.public_id,
        version=version.public_id,
        partner_version=partner_version.public_id if partner_version else None,
        status=entry.status,
    )
    if entry.status == Status.ENTERED:
        _entered_publish(entry)
    else:
        _ask_partner(entry, owners[1])
    return entry


def _ask_partner(entry: Entry, partner: Player) -> None:
    tournament = entry.tournament
    notice_create(
        partner.user,
        Notice.Kind.PARTNER_ASKED,
        {
            "code": "partner_asked",
            "player": str(entry.player),
            "tournament": tournament.name,
            "bots": entry.bot_name,
            "version": str(entry.partner_version),
            "until": time_clause("before_time", tournament.closes_at),
        },
        tournament.page,
    )
    for user in (partner.user, entry.player.user):
        event_add("entry.pending", entry, tournament=tournament.public_id, user=user, bots=entry.bot_name)


def _entered_publish(entry: Entry) -> None:
    event_add(
        "entry.entered",
        entry,
        tournament=entry.tournament.public_id,
        bots=entry.bot_name,
        players=[owner.handle for owner in entry.owners()],
    )


@transaction.atomic
def entry_confirm(entry: Entry, actor: User) -> None:
    """Confirm a pair as the partner's owner; the pair is then entered.

    Raises Forbidden ``not_partner``, ``not_invited``; Conflict ``wrong_state``, ``not_pending``,
    ``not_ready``, ``version_suspended``, ``too_many_entries``.
    """
    partner = _require_partner(entry, actor, "confirm")
    require_state(entry.tournament, "confirm an entry in", [State.OPEN])
    entry.refresh_from_db(fields=["status"])
    for version in entry.versions():
        require_ready(version)
    require_invited(entry.tournament, partner)
    require_quota(entry, partner)
    if not state_change(entry, "status", Status.PENDING, Status.ENTERED, status_at=timezone.now()):
        raise _not_pending(entry, "confirm")
    audit(actor, "confirm", entry, {"status": Status.PENDING}, status=entry.status)
    _entered_publish(entry)
    notice_create(
        entry.player.user,
        Notice.Kind.PARTNER_ANSWERED,
        {
            "code": "partner_agreed",
            "player": str(partner),
            "bots": entry.bot_name,
            "tournament": entry.tournament.name,
        },
        entry.tournament.page,
    )


@transaction.atomic
def entry_decline(entry: Entry, actor: User, reason: str = "") -> None:
    """Decline a pair. Raises Forbidden ``not_partner``, Conflict ``not_pending``."""
    partner = _require_partner(entry, actor, "decline")
    require_visible_characters("reason", reason)
    reason = reason.strip()
    # No name in the reason: exports keep reasons for good, and names can be deleted.
    note = {"code": "partner_said_no", "because": reason_clause(reason[:MAX_REASON_LENGTH])}
    text = note_in_english(note)
    if not state_change(
        entry,
        "status",
        Status.PENDING,
        Status.WITHDRAWN,
        status_at=timezone.now(),
        status_note=note,
    ):
        raise _not_pending(entry, "decline")
    audit(actor, "decline", entry, {"status": Status.PENDING}, status=entry.status, reason=text)
    tournament = entry.tournament
    event_add("entry.withdrawn", entry, tournament=tournament.public_id, user=entry.player.user, reason=text)
    notice_create(
        entry.player.user,
        Notice.Kind.PARTNER_ANSWERED,
        {
            "code": "partner_declined",
            "bots": entry.bot_name,
            "tournament": tournament.name,
            "player": str(partner),
            "because": reason_clause(reason),
        },
        tournament.page,
    )


@transaction.atomic
def entry_seed(entry: Entry, seed: int | None, actor: User) -> None:
    """Set the organiser's seed of an entry, or clear it with None, until the lock.

    Seeded entries come first; equal seeds, and entries without, are ordered by lot. Raises Forbidden
    ``not_organiser``; Conflict ``wrong_state``, ``already_withdrawn``; Invalid unless from 1 to 1000.
    """
    require_organiser(actor, entry.tournament)
    SEED.checked(seed)
    require_state(entry.tournament, "seed entries of", [State.OPEN])
    before = entry.seed
    if not Entry.objects.filter(pk=entry.pk, status__in=Entry.ACTIVE).update(seed=seed):
        raise Conflict("This entry is withdrawn and cannot be seeded.", "already_withdrawn")
    entry.seed = seed
    audit(actor, "seed", entry, {"seed": before}, seed=seed)


def _require_partner(entry: Entry, actor: User, verb: str) -> Player:
    owners = entry.owners()
    if len(owners) < 2 or owners[1].user_id != actor.pk:
        raise Forbidden(
            f"Only the owner of the partner can {verb} a pair entry.", "not_partner", status=entry.status
        )
    return owners[1]


def _not_pending(entry: Entry, verb: str) -> Conflict:
    entry.refresh_from_db()
    return Conflict(
        f"Cannot {verb} this entry: it is {entry.status}, and must be {Status.PENDING}.",
        "not_pending",
        status=entry.status,
        allowed_statuses=[Status.PENDING],
    )
