"""Bodies of deliveries: the event itself, or a message of Discord with one sentence about it.

Discord's limits: 2,000 characters of content, 10 embeds, 256 and 4,096 characters of an embed's title and
description (https://docs.discord.com/developers/resources/webhook#execute-webhook). Mentions are
disabled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from arena.features.webhooks.models import Webhook

MAX_CONTENT = 2000
MAX_TITLE = 256
MAX_VALUE = 200
"""Maximum characters of a name or reason in a sentence."""
SENTENCES: Mapping[str, str] = {
    "tournament.opened": "Entry is open.",
    "tournament.locked": "Entry is closed, and every deal is fixed.",
    "tournament.started": "Play has started.",
    "tournament.paused": "Play is paused.",
    "tournament.resumed": "Play continues.",
    "tournament.provisional": "All rounds are complete. The results are being audited.",
    "tournament.final": "The results are final.",
    "tournament.archived": "The tournament is archived.",
    "tournament.cancelled": "The tournament is cancelled.",
    "round.opened": "Round {number} has started.",
    "round.closed": "Round {number} is complete.",
    "fixture.done": "Fixture {number} is complete.",
    "fixture.ruled": "Fixture {number}: ruling ({ruling}).",
    "standings.updated": "The standings have changed.",
    "entry.entered": "{bots} entered.",
    "entry.pending": "{bots} is waiting for its partner's consent.",
    "entry.withdrawn": "{bots} withdrew.",
    "entry.left": "{bots} left.",
    "table.quarantined": "A table is quarantined.",
    "report.opened": "A problem was reported.",
    "report.closed": "A problem report is closed.",
    "version.ready": "{version} passed its check.",
    "version.rejected": "{version} failed its check.",
    "version.suspended": "{version} is suspended.",
    "version.reinstated": "{version} is reinstated.",
    "series.edition": "The next edition is open for entry.",
    "budget.spent": "The CPU budget is used up.",
    "tournament.stalled": "Play is stalled.",
    "tournament.recovered": "Play has recovered.",
    "experiment.boards": "An experiment has new results.",
    "experiment.ended": "An experiment has ended.",
    "ping": "This is a test delivery.",
}
_MARKDOWN = re.compile(r"([^\w\s]|_)")


def payload_text(body: Mapping[str, Any]) -> str:
    """Encode JSON without spaces, keys in the given order. The signed bytes are the sent bytes."""
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False)


def delivery_payload(webhook: Webhook, event: Mapping[str, Any], tournament_name: str = "") -> str:
    """Return the body of a delivery in the webhook's format. ``event``: as from ``event_body``."""
    if webhook.format == Webhook.Format.DISCORD:
        return payload_text(discord_message(event, tournament_name))
    return payload_text(event)


def discord_message(event: Mapping[str, Any], tournament_name: str = "") -> dict[str, Any]:
    """Return the message about an event, with a link to its tournament if the site knows its own address.

    Names are escaped: they are neither formatted nor links.
    """
    values = {name: _plain(str(value)) for name, value in event["data"].items()}
    sentence = SENTENCES.get(event["type"], _plain(event["type"])).format_map(_Values(values))
    embed: dict[str, Any] = {
        "title": _cut(_plain(tournament_name or "Rensho"), MAX_TITLE),
        "description": sentence,
        "timestamp": event["timestamp"],
    }
    if settings.SITE_ADDRESS:
        page = f"/tournaments/{event['tournament']}" if event["tournament"] else "/"
        embed["url"] = settings.SITE_ADDRESS + page
    head = f"**{_plain(tournament_name)}**: " if tournament_name else ""
    return {
        "content": _cut(head + sentence, MAX_CONTENT),
        "embeds": [embed],
        "allowed_mentions": {"parse": []},
    }


class _Values(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return "?"


def _plain(text: str) -> str:
    """Return a name with every character escaped that Discord could read as formatting or a link."""
    return _MARKDOWN.sub(r"\\\1", _cut(" ".join(text.split()), MAX_VALUE))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
