"""Errors of the API as RFC 9457 problem details with a stable ``code``."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.signals import got_request_exception
from django.http import Http404, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from arena.accounts.selectors import Viewer
from arena.common.database import database_unavailable_error, is_unavailable, report_unavailable
from arena.common.errors import ArenaError, Conflict, Unavailable, problem_body, shortened
from arena.common.rates import retry_after_s
from arena.competition.entries.admission import EntryLimitReached
from arena.competition.models import Entry, Tournament
from arena.competition.permissions import allowed_actions, allowed_entry_actions

log = logging.getLogger(__name__)

CONTENT_TYPE = "application/problem+json"
RESERVED_MEMBERS = frozenset({"type", "title", "status", "detail", "code", "headers", "request_id"})
"""Names that ``extra`` of an ArenaError may not replace."""
MAX_ERRORS = 20
"""Maximum wrong fields per problem; others are reported once these are corrected."""
MAX_ITEMS = 100
MAX_FIELD_CHARACTERS = 100
CODE_BY_EXCEPTION = {
    exceptions.NotAuthenticated: "not_signed_in",
    exceptions.MethodNotAllowed: "method_not_allowed",
    exceptions.UnsupportedMediaType: "unsupported_media_type",
    exceptions.NotAcceptable: "not_acceptable",
    exceptions.ParseError: "malformed_request",
    exceptions.Throttled: "rate_limited",
    exceptions.NotFound: "not_found",
}


def problem_response(
    status: int, code: str, detail: str, *, headers: dict[str, str] | None = None, **extra: Any
) -> Response:
    """Return a problem. ``extra`` are further members.

    Bounded: texts have at most 500 characters, ``errors`` ``MAX_ERRORS`` items and other lists ``MAX_ITEMS``.
    """
    if "errors" in extra:
        extra["errors"] = [_limit_error(error) for error in extra["errors"][:MAX_ERRORS]]
    further = {name: _limit_member(value) for name, value in extra.items()}
    body = problem_body(status, code, shortened(detail)) | further
    return Response(body, status=status, headers=headers, content_type=CONTENT_TYPE)


def _limit_error(error: dict[str, Any]) -> dict[str, Any]:
    field, detail = shortened(error["field"], MAX_FIELD_CHARACTERS), shortened(error["detail"])
    return {**error, "field": field, "detail": detail}


def _limit_member(value: Any) -> Any:
    """Shorten the texts, lists and mappings in a member."""
    match value:
        case str():
            return shortened(value)
        case dict():
            return {name: _limit_member(inner) for name, inner in islice(value.items(), MAX_ITEMS)}
        case list() | tuple():
            return [_limit_member(inner) for inner in value[:MAX_ITEMS]]
    return value


def problem_handler(error: Exception, context: dict[str, Any]) -> Response:
    """Convert any exception of a view to a problem. Unexpected ones are logged and become 500 without
    details.
    """
    set_rollback()
    match error:
        case ArenaError():
            return _arena_problem(error)
        case exceptions.ValidationError():
            errors = list(islice(_flatten_details(error.get_full_details()), MAX_ERRORS))
            first = errors[0]
            where = f"{shortened(first['field'], MAX_FIELD_CHARACTERS)}: " if first["field"] else ""
            return problem_response(400, "invalid", where + str(first["detail"]), errors=errors)
        case exceptions.APIException():
            return _api_problem(error, context)
        case Http404():
            return problem_response(404, "not_found", "This URL does not exist.")
        case DjangoPermissionDenied():
            return problem_response(403, "forbidden", str(error) or "You do not have permission to do this.")
        case RequestDataTooBig():
            limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
            text = f"The fields of a form have at most {limit} bytes together, files aside; send less."
            return problem_response(413, "body_too_large", text, limit_bytes=limit)
        case MultiPartParserError():
            return problem_response(
                400, "malformed_request", f"The form could not be read: {shortened(str(error), 200)}"
            )
        case SuspiciousOperation() | UnreadablePostError():
            return problem_response(400, "malformed_request", "The request could not be read.")
    if is_unavailable(error):
        report_unavailable(error)
        return _arena_problem(database_unavailable_error())
    request = context.get("request")
    plain = getattr(request, "_request", request)
    about = {"request": plain}  # as Django's own records have it
    log.error(
        "%s %s failed", request and request.method, request and request.path, exc_info=error, extra=about
    )
    # As for pages: the test client raises it again.
    got_request_exception.send(sender=None, request=plain)
    return problem_response(
        500, "internal_error", "An internal error, which has been logged; a later retry may succeed."
    )


def _arena_problem(error: ArenaError) -> Response:
    # Members of a problem keep their meaning if ``extra`` uses the same name.
    extra = {
        f"present_{name}" if name in RESERVED_MEMBERS else name: value for name, value in error.extra.items()
    }
    field = extra.pop("field", None)
    if field is not None:
        extra["errors"] = [{"field": field, "code": error.code, "detail": error.message}]
    headers = {"Retry-After": str(error.retry_s)} if isinstance(error, Unavailable) else None
    return problem_response(error.status, error.code, error.message, headers=headers, **extra)


def _api_problem(error: exceptions.APIException, context: dict[str, Any]) -> Response:
    headers: dict[str, str] = {}
    extra: dict[str, Any] = dict(getattr(error, "extra", {}))
    detail = str(error.detail)
    codes = error.get_codes()
    code = CODE_BY_EXCEPTION.get(type(error)) or (codes if isinstance(codes, str) else "invalid")
    if isinstance(error, exceptions.AuthenticationFailed | exceptions.NotAuthenticated):
        headers["WWW-Authenticate"] = getattr(error, "auth_header", "Bearer")
    if isinstance(error, exceptions.NotAuthenticated):
        detail = "This needs an account: send Authorization: Bearer rensho_..., or sign in."
    if isinstance(error, exceptions.MethodNotAllowed):
        view = context.get("view")
        extra["allowed"] = [m for m in view.allowed_methods if m != "OPTIONS"] if view else []
        headers["Allow"] = ", ".join(view.allowed_methods) if view else ""
    if isinstance(error, exceptions.UnsupportedMediaType):
        view = context.get("view")
        extra["allowed"] = [parser.media_type for parser in view.parser_classes] if view else []
        detail = f"{detail.rstrip('.')}: send {' or '.join(extra['allowed'])}."
    if isinstance(error, exceptions.NotAcceptable):
        view = context.get("view")
        extra["allowed"] = [renderer.media_type for renderer in view.renderer_classes] if view else []
        detail = f"No representation matches Accept: request {' or '.join(extra['allowed'])}."
    if isinstance(error, exceptions.Throttled):
        wait_s = retry_after_s(getattr(error, "wait", None))
        headers["Retry-After"] = str(wait_s)
        detail = f"Too many of these requests; try again in {wait_s} s. GET /api/v1/limits lists the rates."
    return problem_response(error.status_code, code, detail, headers=headers or None, **extra)


def _flatten_details(details: Any, path: str = "") -> Iterator[dict[str, Any]]:
    """Yield DRF's nested errors as {field, code, detail}, with dotted paths as fields."""
    if isinstance(details, dict) and {"message", "code"} == set(details):
        yield {"field": path, "code": details["code"], "detail": details["message"]}
    elif isinstance(details, dict):
        for name, inner in details.items():
            step = "" if name == "non_field_errors" else str(name)
            yield from _flatten_details(inner, ".".join(part for part in (path, step) if part))
    else:
        is_plain = all(isinstance(detail, dict) and {"message", "code"} == set(detail) for detail in details)
        for index, inner in enumerate(details):
            yield from _flatten_details(
                inner, path if is_plain else ".".join(p for p in (path, str(index)) if p)
            )


@contextmanager
def explain_conflicts(tournament: Tournament, viewer: Viewer, entry: Entry | None = None) -> Iterator[None]:
    """Add the tournament's state and the actions that it allows to a Conflict raised in the block.

    With an ``entry``, add the same of the entry.
    """
    try:
        yield
    except Conflict as conflict:
        tournament.refresh_from_db()
        conflict.extra.setdefault("state", tournament.state)
        has_room = not isinstance(conflict, EntryLimitReached)
        conflict.extra["allowed_actions"] = allowed_actions(tournament, viewer, has_room=has_room)
        if entry is not None:
            entry.refresh_from_db()
            conflict.extra["entry_status"] = entry.status
            conflict.extra["entry_allowed_actions"] = allowed_entry_actions(entry, viewer)
        raise
