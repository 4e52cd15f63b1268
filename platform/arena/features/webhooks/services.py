"""Services of webhooks: create, change, rotate, ping, delete, redeliver, disable."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import httpx
from django.db import transaction
from django.utils import timezone

from arena.accounts.events import FAMILIES, KINDS, newest_event_id
from arena.accounts.models import User, audit
from arena.accounts.selectors import is_staff
from arena.common.errors import Conflict, Forbidden, Invalid, quoted
from arena.common.ids import new_public_id
from arena.common.names import name_checked
from arena.common.notes import Note, note_in_english
from arena.common.states import state_change, state_change_or_conflict
from arena.competition.models import Tournament
from arena.features.webhooks import conf
from arena.features.webhooks.addresses import AddressRefused, parse_target
from arena.features.webhooks.bodies import delivery_payload
from arena.features.webhooks.fanout import PING
from arena.features.webhooks.models import Delivery, Webhook
from arena.features.webhooks.signing import new_secret, secret_text

State = Webhook.State
MAX_NAME_CHARACTERS = 80
MAX_WAITING_PINGS = 3


def _url(url: str) -> str:
    try:
        parse_target(url)
    except AddressRefused as refused:
        raise Invalid(f"url: {refused.message}.", refused.code, field="url") from None
    return url


def _kinds(kinds: Sequence[str]) -> list[str]:
    unique = list(dict.fromkeys(kinds))
    for kind in unique:
        if kind not in KINDS and kind not in FAMILIES:
            raise Invalid(
                f"There is no kind of event {kind!r}; kinds: {', '.join(KINDS)}; families such as round.*.",
                "unknown_kind",
                field="kinds",
                allowed=[*KINDS, *FAMILIES],
            )
    return unique


def _name(name: str) -> str:
    return name_checked("name", name, MAX_NAME_CHARACTERS, may_be_empty=True)


def _format(text: str) -> str:
    return _choice("format", text, Webhook.Format.values)


def _language(code: str) -> str:
    return _choice("language", code, Webhook.Language.values)


def _choice(field: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise Invalid(
            f"There is no {field} {quoted(value)}; {field}s: {', '.join(known)}.",
            "invalid",
            field=field,
            allowed=list(known),
        )
    return value


def _require_owner(webhook: Webhook, actor: User) -> None:
    if webhook.user_id != actor.pk and not is_staff(actor):
        raise Forbidden("Only its owner may do this with a webhook.", "not_owner")


def webhook_create(
    user: User,
    *,
    url: str,
    kinds: Sequence[str] = (),
    tournament: Tournament | None = None,
    name: str = "",
    format: str = Webhook.Format.RENSHO,
    language: str = Webhook.Language.ENGLISH,
) -> tuple[Webhook, str]:
    """Create a webhook for events from now on; return it with its secret, which is not available later.

    ``kinds`` such as ``round.closed`` or ``round.*``; empty: all. ``format`` of the bodies, ``language`` of
    messages. Raises Invalid (``url_invalid``, ``scheme_refused``, ``port_refused``, ``address_refused``,
    ``unknown_kind``, ``invalid``), Conflict (``too_many_webhooks``).
    """
    url, unique_kinds, name, body_format = _url(url), _kinds(kinds), _name(name), _format(format)
    language = _language(language)
    most = conf.webhooks_per_user()
    after = newest_event_id()
    with transaction.atomic():
        # The lock on the account serialises concurrent requests, so that the limit holds.
        User.objects.select_for_update().get(pk=user.pk)
        present = user.webhooks.count()
        if present >= most:
            raise Conflict(
                f"You have {present} of {most} webhooks; delete one first.",
                "too_many_webhooks",
                webhooks=present,
                most=most,
            )
        webhook = Webhook.objects.create(
            user=user,
            url=url,
            format=body_format,
            language=language,
            kinds=unique_kinds,
            tournament=tournament,
            name=name,
            after_event=after,
        )
        audit(user, "create", webhook, **_audit_values(webhook))
    return webhook, secret_text(bytes(webhook.secret))


def _audit_values(webhook: Webhook) -> dict[str, Any]:
    """Return the values for the audit trail, without path and query of the URL, which may be secret."""
    return {
        # As sent; a punycode name may have no valid Unicode form.
        "host": httpx.URL(webhook.url).raw_host.decode("ascii"),
        "format": webhook.format,
        "language": webhook.language,
        "kinds": webhook.kinds,
        "tournament": webhook.tournament.public_id if webhook.tournament else "",
        "user": webhook.user.username,
    }


def webhook_update(webhook: Webhook, actor: User, **changes: Any) -> None:
    """Change name, URL, format, language, kinds, tournament or state (active or paused).

    A reactivated webhook receives events from then on; waiting deliveries are sent, to a new URL if changed.
    Raises Forbidden (``not_owner``), Invalid (as for ``webhook_create``).
    """
    _require_owner(webhook, actor)
    checks = {
        "url": _url,
        "kinds": _kinds,
        "name": _name,
        "tournament": lambda tournament: tournament,
        "state": _state,
        "format": _format,
        "language": _language,
    }
    unknown = sorted(set(changes) - set(checks))
    if unknown:
        raise Invalid(f"{unknown[0]} cannot be changed.", "invalid", field=unknown[0])
    values = {field: checks[field](value) for field, value in changes.items()}
    after = newest_event_id() if values.get("state") == State.ACTIVE else 0
    with transaction.atomic():
        _update(webhook, actor, values, after)


def _update(webhook: Webhook, actor: User, values: dict[str, Any], after: int) -> None:
    row = Webhook.objects.select_for_update().get(pk=webhook.pk)
    before = {**_audit_values(row), "state": row.state}
    if values.get("state") == State.ACTIVE and row.state != State.ACTIVE:
        values |= {
            "state_note": {},
            "failures": 0,
            "failing_since": None,
            "backoff_until": None,
            "after_event": after,
        }
    if "url" in values:
        values |= {"backoff_until": None}
    for target in (row, webhook):
        for field, value in values.items():
            setattr(target, field, value)
    if values:
        row.save(update_fields=sorted(values))
        audit(actor, "update", row, before, **_audit_values(row), state=row.state)


def _state(state: str) -> str:
    if state not in (State.ACTIVE, State.PAUSED):
        raise Invalid(
            f"state {state!r} cannot be set; set active or paused.",
            "invalid",
            field="state",
            allowed=["active", "paused"],
        )
    return state


@transaction.atomic
def webhook_rotate(webhook: Webhook, actor: User) -> str:
    """Return a new secret; for 24 hours, the old one signs too. Raises Forbidden (``not_owner``)."""
    _require_owner(webhook, actor)
    row = Webhook.objects.select_for_update().get(pk=webhook.pk)
    row.old_secret = bytes(row.secret)
    row.old_secret_until = timezone.now() + timedelta(seconds=conf.OLD_SECRET_S)
    row.secret = new_secret()
    row.save(update_fields=["old_secret", "old_secret_until", "secret"])
    webhook.secret, webhook.old_secret = row.secret, row.old_secret
    webhook.old_secret_until = row.old_secret_until
    audit(actor, "rotate", row, **_audit_values(row))
    return secret_text(bytes(row.secret))


@transaction.atomic
def webhook_delete(webhook: Webhook, actor: User) -> None:
    """Delete a webhook and its deliveries. Raises Forbidden (``not_owner``)."""
    _require_owner(webhook, actor)
    audit(actor, "delete", webhook, {**_audit_values(webhook), "state": webhook.state})
    webhook.deliveries.all().delete()
    Webhook.objects.filter(pk=webhook.pk).delete()


@transaction.atomic
def webhook_ping(webhook: Webhook, actor: User) -> Delivery:
    """Queue a test delivery of kind ``ping``, sent and retried like any other.

    Raises Forbidden (``not_owner``), Conflict (``wrong_state``; ``too_many_pings`` while three wait).
    """
    _require_owner(webhook, actor)
    state_change_or_conflict(webhook, [State.ACTIVE], State.ACTIVE, verb="ping", backoff_until=None)
    if webhook.deliveries.filter(event=None, state=Delivery.State.WAITING).count() >= MAX_WAITING_PINGS:
        raise Conflict(
            f"{MAX_WAITING_PINGS} test pings wait for this webhook; look at its deliveries.", "too_many_pings"
        )
    now = timezone.now()
    public_id = new_public_id()
    body = {
        "id": None,
        "type": PING,
        "timestamp": now.isoformat().replace("+00:00", "Z"),
        "tournament": None,
        "object": {"kind": "webhook", "id": webhook.public_id},
        "data": {},
    }
    delivery = Delivery.objects.create(
        public_id=public_id,
        webhook=webhook,
        kind=PING,
        payload=delivery_payload(webhook, body),
        next_at=now,
        expires_at=now + timedelta(seconds=conf.DEADLINE_S),
    )
    audit(actor, "ping", webhook, delivery=public_id)
    return delivery


@transaction.atomic
def delivery_redeliver(delivery: Delivery, actor: User) -> None:
    """Queue an ended delivery again, with the same id, the same bytes and all attempts.

    Raises Forbidden (``not_owner``), Conflict (``wrong_state``).
    """
    webhook = delivery.webhook
    _require_owner(webhook, actor)
    state_change_or_conflict(webhook, [State.ACTIVE], State.ACTIVE, verb="redeliver to", backoff_until=None)
    now = timezone.now()
    before = delivery.state
    over = [Delivery.State.DELIVERED, Delivery.State.FAILED]
    state_change_or_conflict(
        delivery,
        over,
        Delivery.State.WAITING,
        verb="redeliver",
        attempts=0,
        next_at=now,
        lease_until=None,
        ended_at=None,
        expires_at=now + timedelta(seconds=conf.DEADLINE_S),
    )
    audit(actor, "redeliver", delivery, {"state": before}, webhook=webhook.public_id)


def webhook_disable(webhook: Webhook, note: Note) -> bool:
    """Disable a webhook and fail its waiting deliveries; return False if it was not active."""
    now = timezone.now()
    if not state_change(webhook, "state", [State.ACTIVE], State.DISABLED, state_note=note):
        return False
    webhook.deliveries.filter(state=Delivery.State.WAITING).update(
        state=Delivery.State.FAILED,
        next_at=None,
        lease_until=None,
        ended_at=now,
        last_error="disabled: the webhook was disabled",
    )
    audit(None, "disable", webhook, reason=note_in_english(note))
    return True
