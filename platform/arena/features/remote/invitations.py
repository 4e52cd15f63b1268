"""Invitations of remote versions to unrated tables: both owners agree, and each version plays once."""

from __future__ import annotations

import datetime
import secrets

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from arena.accounts.models import Notice, User
from arena.accounts.services import notice_create
from arena.common.errors import ArenaError, Conflict, Invalid, NotFound, Unavailable, quoted
from arena.common.ids import is_public_id
from arena.competition.games import presets_of
from arena.features.play.offers import preset_chosen
from arena.features.remote.limits import MAX_TABLES
from arena.features.remote.matching import has_quota, table_open
from arena.features.remote.models import RemoteInvitation, RemoteTable, RemoteVersion
from arena.features.remote.selectors import active_tables, is_online
from arena.features.remote.services import require_may_play, require_owner

State = RemoteInvitation.State
EXPIRY_S = 86_400
MAX_OPEN = 20
"""Maximum open invitations that an account has sent."""
MAX_PER_TICK = 20


def invitation_create(
    actor: User, inviting: RemoteVersion, invited: RemoteVersion, preset: str, *, is_slow: bool = False
) -> RemoteInvitation:
    """Invite a version to an unrated table; the same open invitation is returned again.

    If the invited version is connected and accepts invitations by itself, the table is opened at once.
    Raises Forbidden (``not_owner``), Conflict (``remote_bot_retired``, ``remote_bot_paused``,
    ``own_remote_bot``, ``too_many_invitations``), Invalid (``unknown_preset``).
    """
    require_owner(inviting.bot, actor)
    for version in (inviting, invited):
        require_may_play(version.bot)
    if inviting.bot.owner_id == invited.bot.owner_id:
        raise Conflict(f"{invited.bot.name} is your own bot. Invite another player's bot.", "own_remote_bot")
    known = presets_of(inviting.bot.game)
    if invited.bot.game != inviting.bot.game or preset not in known:
        raise Invalid(
            f"{inviting.bot.name} and {invited.bot.name} cannot play {quoted(preset)} together; "
            f"{inviting.bot.name} can play {', '.join(known)}.",
            "unknown_preset",
            field="preset",
            allowed=known,
        )
    invitation = _stored(actor, inviting, invited, preset, is_slow=is_slow)
    if "bots" in invited.accepts and _is_ready(invitation):
        try:
            return _opened(invitation)
        except Unavailable:  # the tick tries again
            invitation.refresh_from_db()
    return invitation


def _stored(
    actor: User, inviting: RemoteVersion, invited: RemoteVersion, preset: str, *, is_slow: bool
) -> RemoteInvitation:
    same = RemoteInvitation.objects.filter(
        inviting=inviting, invited=invited, preset=preset, state=State.OPEN
    ).select_related("inviting__bot__owner__user", "invited__bot__owner__user")
    if (known := same.first()) is not None:
        return known
    sent = RemoteInvitation.objects.filter(inviting__bot__owner=inviting.bot.owner, state=State.OPEN)
    if sent.count() >= MAX_OPEN:
        raise Conflict(
            f"You have sent {MAX_OPEN} invitations that are still open, which is the limit. Withdraw one "
            "first.",
            "too_many_invitations",
        )
    try:
        with transaction.atomic():
            invitation = RemoteInvitation.objects.create(
                inviting=inviting, invited=invited, preset=preset, is_slow=is_slow
            )
            owner = invited.bot.owner.user
            if owner is not None:
                note = {
                    "code": "remote_invited",
                    "user": actor.username,
                    "bot": inviting.bot.name,
                    "invited": invited.bot.name,
                    "preset": preset,
                }
                notice_create(owner, Notice.Kind.INVITED, note, f"/remote/bots/{invited.bot.public_id}")
    except IntegrityError:  # another request sent the same invitation
        return same.get()
    return invitation


def invitation_get(actor: User, public_id: str) -> RemoteInvitation:
    """Return an invitation to or from an account. Raises NotFound (``invitation_not_found``)."""
    rows = invitations_of(actor).filter(public_id=public_id) if is_public_id(public_id) else None
    invitation = rows.first() if rows is not None else None
    if invitation is None:
        raise NotFound(f"You have no invitation {quoted(public_id)}.", "invitation_not_found")
    return invitation


def invitations_of(actor: User) -> QuerySet[RemoteInvitation]:
    """Return all invitations to and from an account, newest first."""
    own = Q(inviting__bot__owner__user=actor) | Q(invited__bot__owner__user=actor)
    rows = RemoteInvitation.objects.filter(own).order_by("-id")
    return rows.select_related("inviting__bot__owner__user", "invited__bot__owner__user", "table")


def invitation_accept(actor: User, invitation: RemoteInvitation) -> RemoteTable:
    """Accept an invitation and return the table. Idempotent.

    Raises Forbidden (``not_owner``), Conflict (``invitation_closed``, ``remote_version_offline``,
    ``remote_version_busy``, ``play_quota_exceeded``, ``remote_bot_retired``, ``remote_bot_paused``),
    Unavailable (``house_bot_unavailable``, ``play_capacity_exceeded``).
    """
    require_owner(invitation.invited.bot, actor)
    if invitation.state == State.ACCEPTED and invitation.table is not None:
        return invitation.table
    _require_open(invitation)
    for version in (invitation.inviting, invitation.invited):
        require_may_play(version.bot)
        _require_ready(version)
    table = _opened(invitation).table
    assert table is not None, "accepted just now"
    return table


def invitation_decline(actor: User, invitation: RemoteInvitation) -> RemoteInvitation:
    """Decline an invitation, or withdraw one that the actor sent. Idempotent.

    Raises Conflict (``invitation_closed``) after it was accepted.
    """
    if invitation.state == State.ACCEPTED:
        raise _closed(invitation)
    is_sender = invitation.inviting.bot.owner.user_id == actor.pk
    state = State.EXPIRED if is_sender else State.DECLINED
    _close(invitation, state)
    return invitation


def invitations_advance() -> tuple[()]:
    """Expire old invitations, and accept those to connected versions that accept them by themselves."""
    now = timezone.now()
    rows = RemoteInvitation.objects.filter(state=State.OPEN)
    rows.filter(created_at__lt=now - datetime.timedelta(seconds=EXPIRY_S)).update(
        state=State.EXPIRED, answered_at=now
    )
    waiting = rows.filter(invited__disconnected_at=None, invited__alive_at__isnull=False)
    waiting = waiting.select_related("inviting__bot__owner__user", "invited__bot__owner__user")
    for invitation in waiting.order_by("id")[:MAX_PER_TICK]:
        if "bots" in invitation.invited.accepts and _is_ready(invitation):
            try:
                _opened(invitation)
            except ArenaError:
                continue  # it stays open until it expires
    return ()


def _opened(invitation: RemoteInvitation) -> RemoteInvitation:
    """Open the table of an open invitation. Raises Conflict (``invitation_closed``)."""
    with transaction.atomic():
        if not _close(invitation, State.ACCEPTED):
            raise _closed(invitation)
        first, second = _opposing_seats(invitation.preset)
        versions = {first: invitation.inviting, second: invitation.invited}
        invitation.table = table_open(versions, invitation.preset, is_rated=False, is_slow=invitation.is_slow)
        invitation.save(update_fields=["table"])
    return invitation


def _opposing_seats(preset: str) -> tuple[int, int]:
    """Return seats of two sides, in random order."""
    game, ruleset = preset_chosen(preset, None)
    first, second = (side[0] for side in game.sides(ruleset)[:2])
    return (first, second) if secrets.randbelow(2) else (second, first)


def _close(invitation: RemoteInvitation, state: str) -> bool:
    now = timezone.now()
    changed = RemoteInvitation.objects.filter(pk=invitation.pk, state=State.OPEN).update(
        state=state, answered_at=now
    )
    if changed:
        invitation.state, invitation.answered_at = state, now
    else:
        invitation.refresh_from_db(fields=["state", "answered_at", "table"])
    return bool(changed)


def _require_open(invitation: RemoteInvitation) -> None:
    is_old = invitation.created_at < timezone.now() - datetime.timedelta(seconds=EXPIRY_S)
    if invitation.state != State.OPEN or is_old:
        raise _closed(invitation)


def _closed(invitation: RemoteInvitation) -> Conflict:
    return Conflict(
        "This invitation is no longer open. Send a new one.", "invitation_closed", state=invitation.state
    )


def _is_ready(invitation: RemoteInvitation) -> bool:
    try:
        for version in (invitation.inviting, invitation.invited):
            require_may_play(version.bot)
            _require_ready(version)
    except Conflict:
        return False
    return True


def _require_ready(version: RemoteVersion) -> None:
    """Raise Conflict unless a version is connected and has a free place."""
    name = f"{version.bot.name} v{version.number}"
    if not is_online(version):
        raise Conflict(
            f"{name} is not connected. Try again when it is.",
            "remote_version_offline",
            version=version.public_id,
        )
    if active_tables([version]).get(version.pk, 0) >= min(version.max_tables, MAX_TABLES):
        raise Conflict(
            f"{name} plays as many tables as it accepts. Try again when one has ended.",
            "remote_version_busy",
            version=version.public_id,
        )
    if not has_quota(version.bot.owner):
        raise Conflict(
            f"The house bots at tables of {version.bot.owner.handle} have used their computing time for this "
            "hour. Try again later.",
            "play_quota_exceeded",
        )
