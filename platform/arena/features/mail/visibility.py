"""Permission to mail a notice, checked when it is sent: its recipient must be able to see its page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.accounts.models import Notice, User
from arena.common.errors import ArenaError
from arena.competition.selectors import tournament_get
from arena.competition.series.services import series_get
from arena.roster.selectors import bot_get, version_get

SELECTORS: dict[str, Callable[[str, User], Any]] = {
    "tournaments": tournament_get,
    "cups": series_get,
    "versions": version_get,
    "bots": bot_get,
}
"""Selectors that raise if the account may not see the object, by the first part of its page's path."""
OWN_PAGES = ("", "experiments", "ladders", "me")
"""Pages of the account itself, and public ones."""
OWN_LISTS = ("/courses",)


def may_be_mailed(notice: Notice, user: User) -> bool:
    """Return whether the account may still see the notice's page. False for unknown pages. Two queries."""
    kind, _, path = notice.url_path.strip("/").partition("/")
    if kind in OWN_PAGES or notice.url_path in OWN_LISTS:
        return True
    if kind not in SELECTORS:
        return False
    try:
        SELECTORS[kind](path.split("/")[0].split("#")[0].split("?")[0], user)
    except ArenaError:
        return False
    return True
