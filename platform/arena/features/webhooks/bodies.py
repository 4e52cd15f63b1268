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
from django.utils import translation
from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext_noop as _

from arena.features.webhooks.models import Webhook

MAX_CONTENT = 2000
MAX_TITLE = 256
MAX_VALUE = 200
"""Maximum characters of a name or reason in a sentence."""
SENTENCES: Mapping[str, str] = {
    "tournament.opened": _("Entry is open."),
    "tournament.locked": _("Entry is closed, and every deal is fixed."),
    "tournament.started": _("Play has started."),
    "tournament.paused": _("Play is paused."),
    "tournament.resumed": _("Play continues."),
    "tournament.provisional": _("All rounds are complete. The results are being audited."),
    "tournament.final": _("The results are final."),
    "tournament.archived": _("The tournament is archived."),
    "tournament.cancelled": _("The tournament is cancelled."),
    "round.opened": _("Round {number} has started."),
    "round.closed": _("Round {number} is complete."),
    "fixture.done": _("Fixture {number} is complete."),
    "fixture.ruled": _("Fixture {number}: ruling ({ruling})."),
    "standings.updated": _("The standings have changed."),
    "entry.entered": _("{bots} entered."),
    "entry.pending": _("{bots} is waiting for its partner's consent."),
    "entry.withdrawn": _("{bots} withdrew."),
    "entry.left": _("{bots} left."),
    "table.quarantined": _("A table is quarantined."),
    "report.opened": _("A problem was reported."),
    "report.closed": _("A problem report is closed."),
    "version.ready": _("{version} passed its check."),
    "version.rejected": _("{version} failed its check."),
    "version.suspended": _("{version} is suspended."),
    "version.reinstated": _("{version} is reinstated."),
    "series.edition": _("The next edition is open for entry."),
    "budget.spent": _("The CPU budget is used up."),
    "tournament.stalled": _("Play is stalled."),
    "tournament.recovered": _("Play has recovered."),
    "experiment.boards": _("An experiment has new results."),
    "experiment.ended": _("An experiment has ended."),
    "ping": _("This is a test delivery."),
}
_MARKDOWN = re.compile(r"([^\w\s]|_)")


def payload_text(body: Mapping[str, Any]) -> str:
    """Encode JSON without spaces, keys in the given order. The signed bytes are the sent bytes."""
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False)


def delivery_payload(webhook: Webhook, event: Mapping[str, Any], tournament_name: str = "") -> str:
    """Return the body of a delivery in the webhook's format. ``event``: as from ``event_body``."""
    if webhook.format == Webhook.Format.DISCORD:
        with translation.override(webhook.language):
            return payload_text(discord_message(event, tournament_name))
    return payload_text(event)


def discord_message(event: Mapping[str, Any], tournament_name: str = "") -> dict[str, Any]:
    """Return the message about an event, with a link to its tournament if the site knows its own address.

    The sentence is in the present language. Names are escaped: they are neither formatted nor links.
    """
    values = {name: _plain(str(value)) for name, value in event["data"].items()}
    text = SENTENCES.get(event["type"])
    sentence = _plain(event["type"]) if text is None else gettext(text).format_map(_Values(values))
    embed: dict[str, Any] = {
        "title": _cut(_plain(tournament_name or "Rensho"), MAX_TITLE),
        "description": sentence,
        "timestamp": event["timestamp"],
    }
    if settings.SITE_ADDRESS:
        page = f"/tournaments/{event['tournament']}" if event["tournament"] else "/"
        embed["url"] = settings.SITE_ADDRESS + page
    head = f"**{_plain(tournament_name)}**{pgettext('after a name', ': ')}" if tournament_name else ""
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
