"""``rensho webhooks``: where the server sends events to, and what it sent."""

from __future__ import annotations

import argparse
from itertools import islice
from typing import cast

from bots.kit.client.shapes import Delivery, Webhook, WebhookChangesIn, WebhookIn, WebhookMade
from bots.kit.display.console import answer, columns, console_for, print_table
from bots.kit.display.words import minute_text
from bots.kit.errors import InputUnusable
from bots.kit.server.account import connected
from bots.kit.server.naming import event_id
from bots.kit.subcommands import Commands, command, group

LISTED = 20
WEBHOOK_HELP = "its id, from rensho webhooks list"
DELIVERY_STATES = ("waiting", "delivered", "failed")
KIND_HELP = "of this kind, such as round.closed or round.*; may be repeated; without it, all"


def register(commands: Commands) -> None:
    """Add ``rensho webhooks``."""
    below = group(
        commands,
        "webhooks",
        "send events to an address of yours",
        "Send events to an address of yours, signed with a secret; docs/webhooks.md has the details.",
    )
    command(below, "list", "list your webhooks", _list)
    made = command(below, "new", "create a webhook; its secret is shown only once", _new)
    made.add_argument("url", metavar="URL", help="where to send events: https, a public host")
    _add_fields(made)
    changed = command(below, "change", "change a webhook", _change)
    changed.add_argument("webhook", metavar="WEBHOOK", help=WEBHOOK_HELP)
    changed.add_argument("--url", metavar="URL", help="where to send events")
    _add_fields(changed)
    for verb, words in (
        ("pause", "stop sending until resume"),
        ("resume", "continue sending"),
        ("remove", "delete a webhook"),
        ("ping", "send a ping now"),
        ("rotate", "create a new secret, shown only once"),
    ):
        moved = command(below, verb, words, _act)
        moved.add_argument("webhook", metavar="WEBHOOK", help=WEBHOOK_HELP)
        moved.set_defaults(verb=verb)
    sent = command(below, "deliveries", "list what was sent to a webhook, newest first", _deliveries)
    sent.add_argument("webhook", metavar="WEBHOOK", help=WEBHOOK_HELP)
    sent.add_argument(
        "--state", choices=DELIVERY_STATES, metavar="STATE", help=f"one of {', '.join(DELIVERY_STATES)}"
    )
    sent.add_argument(
        "--limit", type=int, metavar="N", default=LISTED, help="at most this many (%(default)s)"
    )
    again = command(below, "redeliver", "send a delivery again", _redeliver)
    again.add_argument("webhook", metavar="WEBHOOK", help=WEBHOOK_HELP)
    again.add_argument("delivery", metavar="DELIVERY", help="its id, from rensho webhooks deliveries")


def _add_fields(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", help="what you call it")
    parser.add_argument("--kind", action="append", metavar="KIND", help=KIND_HELP)
    parser.add_argument(
        "--tournament", metavar="TOURNAMENT", type=event_id, help="only events of this tournament"
    )


def _list(arguments: argparse.Namespace) -> int:
    with connected(needs_account=True) as client:
        found = list(client.webhooks())
    return answer(arguments, found, lambda: _print(found))


def _print(webhooks: list[Webhook]) -> None:
    if not webhooks:
        print("No webhook.")
        return
    head = ("id", "name", "state", "events", "URL")
    rows = [
        (webhook["id"], webhook["name"], webhook["state"], _events(webhook), webhook["url"])
        for webhook in webhooks
    ]
    print_table(console_for(), columns(head, rows))


def _events(webhook: Webhook) -> str:
    kinds = " ".join(webhook["kinds"]) or "all"
    return f"{kinds} of {webhook['tournament']}" if webhook["tournament"] else kinds


def _fields(arguments: argparse.Namespace) -> WebhookChangesIn:
    fields: WebhookChangesIn = {}
    if arguments.url is not None:
        fields["url"] = arguments.url
    if arguments.name is not None:
        fields["name"] = arguments.name
    if arguments.kind is not None:
        fields["kinds"] = arguments.kind
    if arguments.tournament is not None:
        fields["tournament"] = arguments.tournament
    return fields


def _new(arguments: argparse.Namespace) -> int:
    with connected(needs_account=True) as client:
        made = client.webhook_create(cast(WebhookIn, _fields(arguments)))
    return _secret_print(arguments, made)


def _secret_print(arguments: argparse.Namespace, made: WebhookMade) -> int:
    lines = (_line(made), f"Secret, shown this once: {made['secret']}")
    return answer(arguments, made, lambda: print(*lines, sep="\n"))


def _line(webhook: Webhook) -> str:
    return f"{webhook['id']}: {webhook['state']}, {_events(webhook)} to {webhook['url']}"


def _change(arguments: argparse.Namespace) -> int:
    fields = _fields(arguments)
    if not fields:
        raise InputUnusable("say what to change, such as --kind round.closed")
    with connected(needs_account=True) as client:
        return _webhook_print(arguments, client.webhook_change(arguments.webhook, fields))


def _webhook_print(arguments: argparse.Namespace, webhook: Webhook) -> int:
    return answer(arguments, webhook, lambda: print(_line(webhook)))


def _act(arguments: argparse.Namespace) -> int:
    webhook_id = arguments.webhook
    with connected(needs_account=True) as client:
        match arguments.verb:
            case "pause":
                return _webhook_print(arguments, client.webhook_change(webhook_id, {"state": "paused"}))
            case "resume":
                return _webhook_print(arguments, client.webhook_change(webhook_id, {"state": "active"}))
            case "ping":
                return _delivery_print(arguments, client.webhook_ping(webhook_id))
            case "rotate":
                return _secret_print(arguments, client.webhook_rotate(webhook_id))
        client.webhook_remove(webhook_id)
    return answer(arguments, {"webhook": webhook_id}, lambda: print(f"{webhook_id}: removed"))


def _deliveries(arguments: argparse.Namespace) -> int:
    with connected(needs_account=True) as client:
        rows = client.deliveries(arguments.webhook, state=arguments.state)
        found = [*islice(rows, max(arguments.limit, 1))]
    return answer(arguments, found, lambda: _deliveries_print(found))


def _deliveries_print(deliveries: list[Delivery]) -> None:
    if not deliveries:
        print("Nothing was sent.")
        return
    head = ("id", "event", "state", "attempts", "created", "answer")
    rows = [
        (
            delivery["id"],
            delivery["kind"],
            delivery["state"],
            str(delivery["attempts"]),
            minute_text(delivery["created_at"]),
            delivery["last_error"] or str(delivery["last_status"] or ""),
        )
        for delivery in deliveries
    ]
    print_table(console_for(), columns(head, rows, right={3}, fold={5}))


def _redeliver(arguments: argparse.Namespace) -> int:
    with connected(needs_account=True) as client:
        return _delivery_print(arguments, client.redeliver(arguments.webhook, arguments.delivery))


def _delivery_print(arguments: argparse.Namespace, delivery: Delivery) -> int:
    line = (
        f"{delivery['id']}: {delivery['state']}; "
        f"rensho webhooks deliveries {arguments.webhook} shows what came of it"
    )
    return answer(arguments, delivery, lambda: print(line))
