"""``rensho webhooks``: where the server sends events to, and what it sent."""

from __future__ import annotations

import argparse
from typing import cast, get_args

from bots.kit.client import Client
from bots.kit.client.shapes import (
    Delivery,
    DeliveryState,
    Webhook,
    WebhookChangesIn,
    WebhookIn,
    WebhookMade,
)
from bots.kit.display.console import answer, answer_table, say
from bots.kit.display.words import minute_text
from bots.kit.errors import InputUnusable
from bots.kit.server.account import connected
from bots.kit.server.arguments import add_limit, event_id, limited, server_command
from bots.kit.subcommands import Commands, command, group

DELIVERY_STATES = get_args(DeliveryState)
VERBS = {
    "pause": "stop sending until resume",
    "resume": "continue sending",
    "remove": "delete a webhook",
    "ping": "send a ping now",
    "rotate": "create a new secret, shown only once",
}


def register(commands: Commands) -> None:
    """Add ``rensho webhooks``."""
    below = group(
        commands,
        "webhooks",
        "send events to an address of yours",
        "Send events to an address of yours, signed with a secret; docs/webhooks.md has the details.",
    )
    server_command(below, "list", "list your webhooks", _list)
    made = server_command(below, "new", "create a webhook; its secret is shown only once", _new)
    made.add_argument("url", metavar="URL", help="where to send events: https, a public host")
    _add_fields(made)
    changed = command(below, "change", "change a webhook", _change)
    _add_webhook(changed)
    changed.add_argument("--url", metavar="URL", help="where to send events")
    _add_fields(changed)
    for verb, words in VERBS.items():
        moved = server_command(below, verb, words, _act)
        _add_webhook(moved)
        moved.set_defaults(verb=verb)
    sent = server_command(below, "deliveries", "list what was sent to a webhook, newest first", _deliveries)
    _add_webhook(sent)
    help_text = f"one of {', '.join(DELIVERY_STATES)}"
    sent.add_argument("--state", choices=DELIVERY_STATES, metavar="STATE", help=help_text)
    add_limit(sent)
    again = server_command(below, "redeliver", "send a delivery again", _redeliver)
    _add_webhook(again)
    again.add_argument("delivery", metavar="DELIVERY", help="its id, from rensho webhooks deliveries")


def _add_webhook(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("webhook", metavar="WEBHOOK", help="its id, from rensho webhooks list")


def _add_fields(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", help="what you call it")
    help_text = "of this kind, such as round.closed or round.*; may be repeated; without it, all"
    parser.add_argument("--kind", action="append", metavar="KIND", help=help_text)
    help_text = "only events of this tournament"
    parser.add_argument("--tournament", metavar="TOURNAMENT", type=event_id, help=help_text)


def _list(client: Client, arguments: argparse.Namespace) -> int:
    found = list(client.webhooks())
    rows = [
        (webhook["id"], webhook["name"], webhook["state"], _events(webhook), webhook["url"])
        for webhook in found
    ]
    return answer_table(arguments, found, ("id", "name", "state", "events", "URL"), rows, empty="No webhook.")


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


def _new(client: Client, arguments: argparse.Namespace) -> int:
    return _secret_print(arguments, client.webhook_create(cast(WebhookIn, _fields(arguments))))


def _secret_print(arguments: argparse.Namespace, made: WebhookMade) -> int:
    lines = (_line(made), f"Secret, shown this once: {made['secret']}")
    return answer(arguments, made, lambda: say(*lines))


def _line(webhook: Webhook) -> str:
    return f"{webhook['id']}: {webhook['state']}, {_events(webhook)} to {webhook['url']}"


def _change(arguments: argparse.Namespace) -> int:
    fields = _fields(arguments)
    if not fields:
        raise InputUnusable("say what to change, such as --kind round.closed")
    with connected(needs_account=True) as client:
        return _webhook_print(arguments, client.webhook_change(arguments.webhook, fields))


def _webhook_print(arguments: argparse.Namespace, webhook: Webhook) -> int:
    return answer(arguments, webhook, lambda: say(_line(webhook)))


def _act(client: Client, arguments: argparse.Namespace) -> int:
    webhook_id = arguments.webhook
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
    return answer(arguments, {"webhook": webhook_id}, lambda: say(f"{webhook_id}: removed"))


def _deliveries(client: Client, arguments: argparse.Namespace) -> int:
    found = limited(arguments, client.deliveries(arguments.webhook, state=arguments.state))
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
        for delivery in found
    ]
    return answer_table(arguments, found, head, rows, empty="Nothing was sent.", right={3}, fold={5})


def _redeliver(client: Client, arguments: argparse.Namespace) -> int:
    return _delivery_print(arguments, client.redeliver(arguments.webhook, arguments.delivery))


def _delivery_print(arguments: argparse.Namespace, delivery: Delivery) -> int:
    line = (
        f"{delivery['id']}: {delivery['state']}; "
        f"rensho webhooks deliveries {arguments.webhook} shows what came of it"
    )
    return answer(arguments, delivery, lambda: say(line))
