"""Bodies for Discord: within its limits, without formatting from names, and mentioning nobody."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.accounts.events import KINDS
from arena.common.errors import Invalid
from arena.features.webhooks.bodies import MAX_CONTENT, MAX_TITLE, SENTENCES, discord_message
from arena.features.webhooks.fanout import deliveries_queue
from arena.features.webhooks.services import webhook_ping, webhook_update
from tests.arena.features.webhooks.conftest import a_webhook
from tests.factories import an_event, an_open_tournament, aya

pytestmark = pytest.mark.django_db


def event_of(kind: str, **data: Any) -> dict[str, Any]:
    return {"id": 1, "type": kind, "timestamp": "2026-11-29T12:00:00Z", "tournament": "abc", "data": data}


def test_every_kind_has_a_sentence() -> None:
    assert set(SENTENCES) == {*KINDS, "ping"}
    for kind in SENTENCES:
        message = discord_message(event_of(kind), "Cup")
        assert message["allowed_mentions"] == {"parse": []}
        assert message["content"].startswith("**Cup**: ")
        assert len(message["embeds"]) == 1


def test_names_are_neither_formatting_nor_links_nor_too_long(settings: Any) -> None:
    settings.SITE_ADDRESS = "https://rensho.example.org"
    name = "@everyone [x](https://evil.example) **" + "_" * 5000
    message = discord_message(event_of("entry.left", bots=name, reason="x"), name)
    assert len(message["content"]) <= MAX_CONTENT
    embed = message["embeds"][0]
    assert len(embed["title"]) <= MAX_TITLE
    assert embed["url"] == "https://rensho.example.org/tournaments/abc"
    for text in (message["content"], embed["title"], embed["description"]):
        assert "](" not in text
        assert "https://" not in text
    assert "@everyone" not in message["content"].replace("\\@everyone", "")
    settings.SITE_ADDRESS = ""
    assert "url" not in discord_message(event_of("tournament.final"), "Cup")["embeds"][0]


def test_a_webhook_of_this_format_gets_messages_and_others_get_events() -> None:
    event = an_open_tournament()
    hooks = [a_webhook(aya(), kinds=["round.closed"], format=each) for each in ("discord", "rensho")]
    an_event(event, number=3)
    deliveries_queue()
    message, plain = (json.loads(hook.deliveries.get().payload) for hook in hooks)
    assert plain["type"] == "round.closed"
    assert "3" in message["content"]
    assert set(message) == {"content", "embeds", "allowed_mentions"}
    assert "content" in json.loads(webhook_ping(hooks[0], aya()).payload)


def test_a_message_is_in_the_language_of_its_webhook() -> None:
    event = an_open_tournament()
    hooks = [
        a_webhook(aya(), kinds=["round.closed"], format="discord", language=each) for each in ("en", "ja")
    ]
    an_event(event, number=3)
    deliveries_queue()
    english, japanese = (json.loads(hook.deliveries.get().payload)["content"] for hook in hooks)
    assert english.isascii()
    assert "第3ラウンド" in japanese
    assert str(event.name) in japanese


def test_format_and_language_can_be_changed_and_unknown_ones_are_refused() -> None:
    hook = a_webhook(aya())
    assert hook.format == "rensho"
    webhook_update(hook, aya(), format="discord")
    hook.refresh_from_db()
    assert hook.format == "discord"
    with pytest.raises(Invalid) as refused:
        webhook_update(hook, aya(), format="slack")
    assert refused.value.extra["field"] == "format"
    webhook_update(hook, aya(), language="ja")
    hook.refresh_from_db()
    assert hook.language == "ja"
    with pytest.raises(Invalid) as refused:
        webhook_update(hook, aya(), language="de")
    assert refused.value.extra["field"] == "language"
