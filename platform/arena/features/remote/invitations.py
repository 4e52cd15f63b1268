"""Invitations of remote versions to unrated tables, by other versions and by people: both sides agree."""

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
from arena.features.remote.models import RemoteInvitation, RemoteSeat, RemoteTable, RemoteVersion
from arena.features.remote.selectors import active_tables, is_online, owns
from arena.features.remote.services import require_may_play, require_owner
from arena.roster.models import Player
from arena.roster.services import player_of

State = RemoteInvitation.State
EXPIRY_S = 86_400
PERSON_EXPIRY_S = 900
"""Seconds until the invitation of a person expires, who waits for the answer."""
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
    sent = RemoteInvitation.objects.filter(inviting__bot__owner=inviting.bot.owner)
    new = RemoteInvitation(inviting=inviting, invited=invited, preset=preset, is_slow=is_slow)
    invitation = _stored(actor, new, sent)
    if "bots" in invited.accepts and _is_ready(invitation):
        try:
            return _opened(invitation)
        except Unavailable:  # the tick tries again
            invitation.refresh_from_db()
    return invitation


def person_invite(user: User, invited: RemoteVersion, preset: str) -> RemoteInvitation:
    """Invite a version to an unrated table with a person; the same open invitation is returned again.

    If its client accepts people by itself, or it belongs to the person, the table is opened at once. Raises
    Conflict (``remote_bot_retired``, ``remote_bot_paused``, ``remote_version_offline``,
    ``remote_version_busy``, ``remote_person_busy``, ``play_quota_exceeded``, ``too_many_invitations``),
    Invalid (``unknown_preset``), Unavailable (``house_bot_unavailable``, ``play_capacity_exceeded``).
    """
    require_may_play(invited.bot)
    known = presets_of(invited.bot.game)
    if preset not in known:
        raise Invalid(
            f"{invited.bot.name} cannot play {quoted(preset)}; it can play {', '.join(known)}.",
            "unknown_preset",
            field="preset",
            allowed=known,
        )
    person = player_of(user)
    _require_ready(invited)
    _require_free(person)
    sent = RemoteInvitation.objects.filter(person=person)
    new = RemoteInvitation(person=person, invited=invited, preset=preset)
    if "people" not in invited.accepts and not owns(user, invited.bot):
        return _stored(user, new, sent)
    with transaction.atomic():
        return _opened(_stored(user, new, sent, tells_owner=False))


def _stored(
    actor: User, new: RemoteInvitation, sent: QuerySet[RemoteInvitation], *, tells_owner: bool = True
) -> RemoteInvitation:
    """Save an invitation, or return the open one that is the same. ``sent``: all of its sender."""
    invited = new.invited
    same = (
        invitations_of(actor)
        .filter(inviting=new.inviting, person=new.person, invited=invited, preset=new.preset)
        .filter(state=State.OPEN)
    )
    if (known := same.first()) is not None:
        return known
    if sent.filter(state=State.OPEN).count() >= MAX_OPEN:
        raise Conflict(
            f"You have sent {MAX_OPEN} invitations that are still open, which is the limit. Withdraw one "
            "first.",
            "too_many_invitations",
        )
    try:
        with transaction.atomic():
            new.save(force_insert=True)
            owner = invited.bot.owner.user
            if owner is not None and tells_owner:
                note = {"user": actor.username, "invited": invited.bot.name, "preset": new.preset}
                if new.inviting is not None:
                    note |= {"code": "remote_invited", "bot": new.inviting.bot.name}
                else:
                    note |= {"code": "remote_invited_by_person"}
                notice_create(owner, Notice.Kind.INVITED, note, f"/remote/bots/{invited.bot.public_id}")
    except IntegrityError:  # another request sent the same invitation
        return same.get()
    return new


def invitation_get(actor: User, public_id: str) -> RemoteInvitation:
    """Return an invitation to or from an account. Raises NotFound (``invitation_not_found``)."""
    rows = invitations_of(actor).filter(public_id=public_id) if is_public_id(public_id) else None
    invitation = rows.first() if rows is not None else None
    if invitation is None:
        raise NotFound(f"You have no invitation {quoted(public_id)}.", "invitation_not_found")
    return invitation


def invitations_of(actor: User) -> QuerySet[RemoteInvitation]:
    """Return all invitations to and from an account, newest first."""
    own = Q(inviting__bot__owner__user=actor) | Q(invited__bot__owner__user=actor) | Q(person__user=actor)
    rows = RemoteInvitation.objects.filter(own).order_by("-id")
    return rows.select_related(
        "inviting__bot__owner__user", "invited__bot__owner__user", "person__user", "table"
    )


def invitation_accept(actor: User, invitation: RemoteInvitation) -> RemoteTable:
    """Accept an invitation and return the table. Idempotent.

    Raises Forbidden (``not_owner``), Conflict (``invitation_closed``, ``remote_version_offline``,
    ``remote_version_busy``, ``remote_person_busy``, ``play_quota_exceeded``, ``remote_bot_retired``,
    ``remote_bot_paused``), Unavailable (``house_bot_unavailable``, ``play_capacity_exceeded``).
    """
    require_owner(invitation.invited.bot, actor)
    if invitation.state == State.ACCEPTED and invitation.table is not None:
        return invitation.table
    _require_open(invitation)
    _require_sides_ready(invitation)
    table = _opened(invitation).table
    assert table is not None, "accepted just now"
    if invitation.person is not None and invitation.person.user is not None:
        note = {"code": "remote_table_open", "bot": invitation.invited.bot.name, "preset": invitation.preset}
        notice_create(invitation.person.user, Notice.Kind.INVITED, note, table.page)
    return table


def invitation_decline(actor: User, invitation: RemoteInvitation) -> RemoteInvitation:
    """Decline an invitation, or withdraw one that the actor sent. Idempotent.

    Raises Conflict (``invitation_closed``) after it was accepted.
    """
    if invitation.state == State.ACCEPTED:
        raise _closed(invitation)
    state = State.EXPIRED if is_sender(actor, invitation) else State.DECLINED
    _close(invitation, state)
    return invitation


def is_sender(actor: User, invitation: RemoteInvitation) -> bool:
    sender = invitation.person if invitation.inviting is None else invitation.inviting.bot.owner
    return sender is not None and sender.user_id == actor.pk


def invitations_advance() -> tuple[()]:
    """Expire old invitations, and accept those to connected versions that accept them by themselves."""
    now = timezone.now()
    rows = RemoteInvitation.objects.filter(state=State.OPEN)
    for each, seconds in ((rows, EXPIRY_S), (rows.filter(inviting=None), PERSON_EXPIRY_S)):
        old = each.filter(created_at__lt=now - datetime.timedelta(seconds=seconds))
        old.update(state=State.EXPIRED, answered_at=now)
    # Those of people are accepted when they are sent, or by the owner.
    waiting = rows.filter(
        inviting__isnull=False, invited__disconnected_at=None, invited__alive_at__isnull=False
    )
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
        versions, persons = {second: invitation.invited}, {}
        if invitation.inviting is not None:
            versions[first] = invitation.inviting
        elif invitation.person is not None:
            persons[first] = invitation.person
        try:
            invitation.table = table_open(
                versions, invitation.preset, is_rated=False, is_slow=invitation.is_slow, persons=persons
            )
        except IntegrityError:
            if not persons:
                raise
            raise _person_busy() from None  # since the check
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
    expiry_s = PERSON_EXPIRY_S if invitation.inviting is None else EXPIRY_S
    is_old = invitation.created_at < timezone.now() - datetime.timedelta(seconds=expiry_s)
    if invitation.state != State.OPEN or is_old:
        raise _closed(invitation)


def _closed(invitation: RemoteInvitation) -> Conflict:
    return Conflict(
        "This invitation is no longer open. Send a new one.", "invitation_closed", state=invitation.state
    )


def _is_ready(invitation: RemoteInvitation) -> bool:
    try:
        _require_sides_ready(invitation)
    except Conflict:
        return False
    return True


def _require_sides_ready(invitation: RemoteInvitation) -> None:
    for version in (invitation.inviting, invitation.invited):
        if version is not None:
            require_may_play(version.bot)
            _require_ready(version)
    if invitation.person is not None:
        _require_free(invitation.person)


def _require_free(person: Player) -> None:
    """Raise Conflict if a person is at a table of a remote bot, or has used the quota of an account."""
    if RemoteSeat.objects.filter(person=person, is_active=True).exists():
        raise _person_busy()
    _require_quota(person)


def _person_busy() -> Conflict:
    return Conflict(
        "A person plays at one table of a remote bot at a time. Finish that one first.", "remote_person_busy"
    )


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
    _require_quota(version.bot.owner)


def _require_quota(player: Player) -> None:
    if not has_quota(player):
        raise Conflict(
            f"The house bots at tables of {player.handle} have used their computing time for this "
            "hour. Try again later.",
            "play_quota_exceeded",
        )
