"""Feature descriptor of feeds."""

from __future__ import annotations

from typing import Any

from arena.accounts.models import User
from arena.common.features import AccountDeletion, Feature
from arena.features.feeds.services import calendar_link_of, calendar_link_revoke


def _own_data(user: User) -> dict[str, Any]:
    link = calendar_link_of(user)
    return {"calendar_link": link and {"created_at": link.created_at.isoformat(timespec="seconds")}}


def _delete_account(closing: AccountDeletion) -> tuple[()]:
    calendar_link_revoke(closing.user)
    return ()


FEEDS = Feature(
    name="feeds", urls="arena.features.feeds.urls", own_data=_own_data, delete_account=_delete_account
)
