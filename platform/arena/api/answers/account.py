"""Responses: accounts, tokens, notices and the audit trail."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, TypedDict

from rest_framework.request import Request

from arena.accounts.models import ApiToken, AuditEvent, Notice
from arena.api.base.shapes import build_shape


class MeOut(TypedDict):
    """The account behind the request."""

    id: str
    username: str
    handle: Annotated[str | None, "Public name; null until the first bot."]
    is_organiser: bool
    is_staff: bool
    scopes: Annotated[list[Annotated[str, ApiToken.Scope]], "Scopes of this request's token."]


class TokenOut(TypedDict):
    """A token without its text."""

    id: str
    name: str
    scopes: list[Annotated[str, ApiToken.Scope]]
    created_at: datetime.datetime
    expires_at: datetime.datetime | None
    last_used_at: datetime.datetime | None
    revoked_at: datetime.datetime | None


class CreatedTokenOut(TokenOut):
    """A new token with its text, which is returned only once."""

    token: Annotated[str, "Store it: it cannot be retrieved later."]


class AuditOut(TypedDict):
    """An entry of the audit trail: one action on one object."""

    created_at: datetime.datetime
    actor: str | None
    action: str
    kind: str
    object: str
    before: dict[str, Any]
    after: dict[str, Any]


class NoticeOut(TypedDict):
    """A message to your account."""

    id: str
    kind: Annotated[str, Notice.Kind]
    note: Annotated[dict[str, Any], "`code` of the text, with its values."]
    text: str
    url_path: str
    url: Annotated[str, "URL of the page with details; empty if there is none."]
    created_at: datetime.datetime
    read_at: datetime.datetime | None


def token_out(token: ApiToken, _: Request) -> TokenOut:
    return build_shape(TokenOut, token)


def created_token_out(created: tuple[ApiToken, str], _: Request) -> CreatedTokenOut:
    token, text = created
    return build_shape(CreatedTokenOut, token, token=text)


def audit_out(event: AuditEvent, _: Request) -> AuditOut:
    actor = event.actor.username if event.actor else None
    return build_shape(AuditOut, event, actor=actor, object=event.object_id)


def notice_out(notice: Notice, request: Request) -> NoticeOut:
    """Return a notice with the absolute URL of its page."""
    path = notice.url_path
    return build_shape(NoticeOut, notice, url=request.build_absolute_uri(path) if path else "")
