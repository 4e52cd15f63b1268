"""Deletion of an account: names are removed everywhere; results stay and can still be verified.

Statements of past events contain salted hashes of names (``arena.competition.labels``). Rows that results
refer to stay, under a neutral name.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Iterable
from typing import Any

from django.contrib.admin.models import LogEntry
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from arena.accounts.browser_sessions import sessions_end
from arena.accounts.handles import DELETED_NAME_PREFIX
from arena.accounts.house import is_house_account
from arena.accounts.models import AuditEvent, Event, Notice, PendingEvent, User, audit
from arena.accounts.sign_up import deleted_name_key
from arena.common.errors import Conflict, Forbidden
from arena.common.features import AccountDeletion
from arena.competition.co_organisers import co_organiser_forget
from arena.competition.courses import course_left_without_owner
from arena.competition.entries.withdrawals import LEAVABLE_STATES, entry_withdraw
from arena.competition.labels import TOURNAMENT_SUBJECT, labels_forget
from arena.competition.models import Entry, Label, ProblemReport, Series, Subscription, Tournament
from arena.competition.organisers import organiser_filter
from arena.competition.selectors import ENDED_STATES
from arena.jobs.deleted_accounts import deleted_bundles_drop
from arena.jobs.flow import dues_apply, tournament_advance
from arena.mounts import FEATURES
from arena.roster.models import Bot, BotVersion, Player
from arena.roster.services import version_retire

WITHDRAWN_FROM = (Tournament.State.OPEN, *LEAVABLE_STATES)
REASON = "the account was deleted"


def deletion_refusal(user: User) -> str:
    """Return why an account cannot be deleted now, with the remedy, or "". At most four queries."""
    if user.is_staff or is_house_account(user.username):
        return "Accounts of staff and of the house cannot be deleted. Ask an operator to end the role first."
    runs = Tournament.objects.filter(organiser=user).exclude(state__in=ENDED_STATES)
    runs = runs.exclude(kind=Tournament.Kind.EXPERIMENT)
    names = list(runs.exclude(state=Tournament.State.DRAFT).values_list("name", flat=True)[:4])
    if names:
        more = " and others" if len(names) > 3 else ""
        return f"You run {', '.join(names[:3])}{more}. Finish or cancel it first."
    series = Series.objects.filter(organiser=user).exclude(state=Series.State.ENDED)
    names = list(series.values_list("name", flat=True)[:3])
    if names:
        return f"You run the cup {', '.join(names)}. End it first."
    if name := course_left_without_owner(user):
        return f"You are the only owner of the course {name}. Make another member an owner, or archive it."
    return ""


def account_delete(user: User) -> None:
    """Delete an account at its owner's request; only its games stay visible, without its name.

    Raises Forbidden ``not_deletable`` for staff and the house account, Conflict ``active_organiser``.
    """
    if refusal := deletion_refusal(user):
        if user.is_staff or is_house_account(user.username):
            raise Forbidden(refusal, "not_deletable")
        raise Conflict(refusal, "active_organiser")
    left = _leave_events(user)
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=user.pk)
        player = Player.objects.filter(user=user).first()
        bots = list(Bot.objects.filter(owner=player)) if player else []
        names = {user.username, *(bot.name for bot in bots), *([player.handle] if player else [])}
        _close_features(user, bots, names)
        _retire(user, bots)
        concerned = _concerned(user, player, bots)
        _forget_texts(user, bots, concerned, names)
        co_organiser_forget(user)
        if player:
            labels_forget(player)
            _forget_titles(concerned, names)
            _rename(player, bots)
        _forget_account(user)
        Tournament.objects.filter(pk__in=concerned).update(revision=F("revision") + 1)
        audit(None, "delete", user)
    for tournament in left:
        tournament_advance(tournament)
    deleted_bundles_drop()


def _close_features(user: User, bots: Iterable[Bot], names: Collection[str]) -> None:
    quoted = _pattern(names)
    versions = list(BotVersion.objects.filter(bot__in=bots).values_list("pk", flat=True))
    closing = AccountDeletion(user, REASON, versions, lambda value: _without(value, quoted))
    for feature in FEATURES:
        dues_apply(feature.delete_account(closing))


def _leave_events(user: User) -> list[Tournament]:
    """Withdraw all entries that can be withdrawn, and return their tournaments."""
    own = Q(player__user=user) | Q(partner_version__bot__owner__user=user)
    standing = Entry.objects.filter(
        own, status__in=[*Entry.ACTIVE], tournament__state__in=WITHDRAWN_FROM
    ).select_related("tournament", "player", "version__bot__owner__user", "partner_version__bot__owner__user")
    left = {}
    for entry in standing.order_by("id"):
        entry_withdraw(entry, user, {"code": "account_deleted"})
        left[entry.tournament_id] = entry.tournament
    return list(left.values())


def _retire(user: User, bots: Iterable[Bot]) -> None:
    state = BotVersion.State
    Subscription.objects.filter(Q(bot__in=bots) | Q(partner_bot__in=bots)).delete()
    for version in BotVersion.objects.filter(bot__in=bots).select_related("bot__owner__user"):
        if version.state not in (state.REJECTED, state.RETIRED):
            version_retire(version, user)
    BotVersion.objects.filter(bot__in=bots).update(notes="")


def _concerned(user: User, player: Player | None, bots: Collection[Bot]) -> list[int]:
    """Return tournaments whose pages show the account's name."""
    own = organiser_filter(user)
    if player is not None:
        own |= Q(pk__in=Entry.objects.filter(player=player).values("tournament"))
        own |= Q(pk__in=Entry.objects.filter(partner_version__bot__in=bots).values("tournament"))
    return list(Tournament.objects.filter(own).values_list("pk", flat=True))


def _rename(player: Player, bots: Iterable[Bot]) -> None:
    Player.objects.filter(pk=player.pk).update(handle=DELETED_NAME_PREFIX + secrets.token_hex(6))
    for number, bot in enumerate(bots, 1):
        name = f"{DELETED_NAME_PREFIX}bot-{number}"
        Bot.objects.filter(pk=bot.pk).update(
            name=name, name_key=name, visibility=Bot.Visibility.PRIVATE, active_version=None
        )


def _forget_titles(concerned: Collection[int], names: Collection[str]) -> None:
    """Rename challenges, experiments and drafts, whose titles may contain names."""
    quoted = _pattern(names)
    named = Tournament.objects.filter(pk__in=concerned, kind__in=Tournament.OWN_WORK)
    forgotten = [row.pk for row in named if quoted.search(row.name)]
    Tournament.objects.filter(pk__in=forgotten).update(name=F("kind"))
    Label.objects.filter(tournament__in=forgotten, subject=TOURNAMENT_SUBJECT).update(salt="", text="")


def _forget_texts(user: User, bots: Collection[Bot], concerned: Collection[int], names: set[str]) -> None:
    """Remove the names from notices about the account, and delete notices to it."""
    versions = BotVersion.objects.filter(bot__in=bots)
    entries = Entry.objects.filter(Q(version__in=versions) | Q(partner_version__in=versions))
    tournaments = Tournament.objects.filter(pk__in=concerned)
    ids = {user.public_id, *(bot.public_id for bot in bots)}
    ids.update(user.tokens.values_list("public_id", flat=True))
    ids.update(user.passkeys.values_list("public_id", flat=True))
    ids.update(user.provider_identities.values_list("public_id", flat=True))
    for rows in (versions, entries, tournaments):
        ids.update(rows.values_list("public_id", flat=True))
    played = set(tournaments.values_list("public_id", flat=True))
    quoted = _pattern(names | set(user.tokens.values_list("name", flat=True)))
    for event in AuditEvent.objects.filter(Q(actor=user) | Q(object_id__in=ids)):
        before, after = _without(event.before, quoted), _without(event.after, quoted)
        if (before, after) != (event.before, event.after):
            AuditEvent.objects.filter(pk=event.pk).update(before=before, after=after)
    for log in (Event, PendingEvent):
        for line in log._default_manager.filter(Q(tournament__in=played) | Q(object_id__in=ids)):
            if (data := _without(line.data, quoted)) != line.data:
                log._default_manager.filter(pk=line.pk).update(data=data)
        log._default_manager.filter(user=user).delete()
    pages = [f"/tournaments/{public_id}{part}" for public_id in played for part in ("", "/reports")]
    for notice in Notice.objects.filter(url_path__in=pages).exclude(user=user):
        if (note := _without(notice.note, quoted)) != notice.note:
            Notice.objects.filter(pk=notice.pk).update(note=note)
    _forget_reports(user, concerned, quoted)
    for change in LogEntry.objects.filter(object_repr__in=names | {str(version) for version in versions}):
        LogEntry.objects.filter(pk=change.pk).update(object_repr="(deleted)", change_message="")


def _forget_reports(user: User, concerned: Collection[int], quoted: re.Pattern[str]) -> None:
    """Delete the account's reports, and remove its names from other reports and answers."""
    for report in ProblemReport.objects.filter(entry__tournament__in=concerned):
        text = "(deleted)" if report.reporter_id == user.pk else quoted.sub("(deleted)", report.text)
        answer = quoted.sub("(deleted)", report.answer)
        if (text, answer) != (report.text, report.answer):
            ProblemReport.objects.filter(pk=report.pk).update(text=text, answer=answer)


def _forget_account(user: User) -> None:
    sessions_end(user)
    for rows in (
        user.tokens,
        user.passkeys,
        user.provider_identities,
        user.links,
        user.notices,
        user.idempotency_keys,
        user.form_drafts,
        user.browser_sessions,
    ):
        rows.all().delete()
    user.name_key = deleted_name_key(user.username)
    user.username = f"{DELETED_NAME_PREFIX}{user.public_id}"
    user.first_name = user.last_name = user.email = ""
    user.is_active = user.is_organiser = False
    user.deleted_at = timezone.now()
    user.last_login = None
    user.set_unusable_password()
    user.save()


def _pattern(names: Collection[str]) -> re.Pattern[str]:
    longest_first = sorted(filter(None, names), key=len, reverse=True)
    return re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, longest_first)) + r")(?![\w-])")


def _without(value: Any, quoted: re.Pattern[str]) -> Any:
    match value:
        case str():
            return quoted.sub("(deleted)", value)
        case list():
            return [_without(part, quoted) for part in value]
        case dict():
            return {key: part if key == "code" else _without(part, quoted) for key, part in value.items()}
    return value
