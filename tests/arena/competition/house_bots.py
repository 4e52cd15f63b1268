"""House bots for tests of tournaments."""

from __future__ import annotations

from typing import Any

from arena.accounts.models import User
from arena.accounts.services import user_create
from arena.roster.models import Bot, BotVersion
from tests.factories import a_bot, a_version


def house(kind: str = "greedy", game: str = "kakeya", **fields: Any) -> BotVersion:
    name = "house" if kind == "greedy" else f"house-{kind}"
    owner = User.objects.filter(username=name).first() or user_create(name)
    version = a_version(a_bot(owner, f"{game}_{kind}", game=game, **fields))
    Bot.objects.filter(pk=version.bot_id).update(active_version=version)
    version.refresh_from_db()
    return version
