"""ETags, 304 and Cache-Control of responses, and the cache of rendered responses.

The rendered response about a public tournament is reused while the tournament's ``revision``, which every
visible change increments, is the same, and for at most ``MAX_AGE_S``. That bounds the age of what the
revision does not cover, such as the progress of a table or the new name of a bot. Every request reads the
revision, so a caller sees its own changes. Responses about private tournaments are not cached this way.

Standings, crosstables and boards change rarely and cost most. They are cached by content: a few columns that
determine the whole response. Results that are still sealed do not change these columns.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Hashable
from http import HTTPStatus
from typing import Any, ClassVar, NamedTuple, TypeVar

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.http import content_disposition_header
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from arena.accounts.models import User
from arena.api.base.problems import CONTENT_TYPE as PROBLEM_CONTENT_TYPE
from arena.common.errors import Invalid, problem_body
from arena.common.process_cache import CacheKey, process_cache
from arena.competition.models import Tournament
from arena.competition.selectors import public_version, public_version_of, tournament_get

OCTET_STREAM = "application/octet-stream"
MAX_AGE_S = 2.0
"""Maximum age in seconds of a response that is cached by revision."""

Content = TypeVar("Content", bound=Hashable)


class CachedResponse(NamedTuple):
    """A rendered response."""

    body: bytes
    content_type: str
    etag: str


def etag_of(*parts: object) -> str:
    """Return a strong ETag of values that determine the response."""
    text = "\n".join(str(part) for part in parts)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def etag_of_bytes(body: bytes) -> str:
    """Return a strong ETag of a response's body."""
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'


def refuse_preconditions(request: Request) -> None:
    """Refuse changes with If-Match or If-None-Match.

    ETags are compared outside of the lock under which services change data, so the precondition could not
    be guaranteed.

    Raises:
        Invalid: code ``precondition_unsupported``, naming the header.
    """
    for header in ("If-Match", "If-None-Match"):
        if header in request.headers:
            raise Invalid(
                f"Only GET compares ETags: leave {header} out. The current state decides whether a change is "
                "allowed; 409 says what is.",
                "precondition_unsupported",
                field=header,
            )


def conditional_response(
    request: Request, etag: str, build: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """Return 304 if the caller has this ETag, 412 if ``If-Match`` names another, otherwise ``build()`` with
    the ETag.

    The caller has checked permissions and seals. Caches must revalidate every time.
    """
    plain: HttpRequest = request._request
    known = get_conditional_response(plain, etag=etag)
    if known is not None and known.status_code == HTTPStatus.PRECONDITION_FAILED:
        known = _precondition_failed()
    response = known if known is not None else build()
    response["ETag"] = etag
    set_cache_headers(request, response)
    return response


def set_cache_headers(request: Request, response: HttpResponseBase) -> None:
    """Set Vary and Cache-Control: caches must revalidate, and keep responses to signed-in callers private."""
    patch_vary_headers(response, ["Accept", "Authorization", "Cookie"])
    # A directive set to False would be rendered as ``private=False``, so it is omitted.
    personal = {"private": True} if isinstance(request.user, User) else {}
    patch_cache_control(response, no_cache=True, **personal)


def cached_response(
    request: Request, public_id: str, build: Callable[[], Response], *, is_personal: bool = False
) -> HttpResponseBase:
    """Return the response of ``build``, or the cached one while the tournament's revision is the same, with
    an ETag.

    ``is_personal``: the response differs between accounts, and not only between staff and others.
    """
    version = public_version_of(public_id)
    if version is None:
        return build()
    account = request.user if isinstance(request.user, User) else None
    audience = (account.pk if account else None) if is_personal else bool(account and account.is_staff)
    roles = (account.is_staff, account.is_organiser) if account else ()
    key = CacheKey(request.build_absolute_uri(), version, (audience, roles))
    cached = process_cache.get_or_build(key, lambda: _render(request, build()), max_age_s=MAX_AGE_S)
    return _cached_or_304(request, cached)


def cached_response_by_content(
    request: Request,
    event: str | Tournament,
    content: Callable[[int], Content],
    build: Callable[[Content], Response],
) -> HttpResponseBase:
    """Return a response that is the same for everyone who may see the tournament, cached by its content.

    ``event`` is the tournament's public id, or the tournament itself if it is known to be visible to the
    caller. ``content`` cheaply computes, from the tournament's primary key, a value that determines the
    response. A cached response for this value is reused, whatever its age; otherwise ``build`` creates it
    from the value.
    """
    if isinstance(event, str):
        version = public_version_of(event)
        tournament = version.key if version else tournament_get(event, request.user).pk
    else:
        version, tournament = public_version(event), event.pk
    path = request.build_absolute_uri()

    def of_content() -> CachedResponse:
        value = content(tournament)
        return process_cache.get_or_build(CacheKey(path, value), lambda: _render(request, build(value)))

    if version is None:
        return _cached_or_304(request, of_content())
    return _cached_or_304(
        request, process_cache.get_or_build(CacheKey(path, version), of_content, max_age_s=MAX_AGE_S)
    )


def _render(request: Request, answer: Response) -> CachedResponse:
    """Render the response. Errors are exceptions and therefore not cached."""
    answer.accepted_renderer = request.accepted_renderer
    answer.accepted_media_type = request.accepted_media_type
    answer.renderer_context = {"request": request}  # type: ignore[attr-defined]
    answer.render()
    return CachedResponse(answer.content, answer["Content-Type"], etag_of_bytes(answer.content))


def _cached_or_304(request: Request, cached: CachedResponse) -> HttpResponseBase:
    body, content_type = cached.body, cached.content_type
    return conditional_response(request, cached.etag, lambda: HttpResponse(body, content_type=content_type))


class ConditionalView(APIView):
    """A view whose responses to GET have an ETag and cache headers."""

    has_etag: ClassVar[bool] = True
    """Whether GET supports If-None-Match; a stream does not."""

    def finalize_response(  # type: ignore[override]
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        """Add an ETag to a successful GET, or replace it with 304."""
        answer: HttpResponseBase = super().finalize_response(request, response, *args, **kwargs)
        if request.method not in SAFE_METHODS or answer.status_code != HTTPStatus.OK:
            return answer
        if isinstance(answer, Response) and not answer.has_header("ETag"):
            etag = etag_of_bytes(answer.render().content)
            answer = conditional_response(request, etag, lambda: response)
        if not answer.has_header("Cache-Control"):
            # A stream, such as an export, has no ETag, but may be private too.
            set_cache_headers(request, answer)
        return answer


def _precondition_failed() -> HttpResponse:
    text = "The representation differs from the one that If-Match names; leave the header out to read it."
    body = problem_body(HTTPStatus.PRECONDITION_FAILED, "precondition_failed", text)
    return HttpResponse(
        json.dumps(body), status=HTTPStatus.PRECONDITION_FAILED, content_type=PROBLEM_CONTENT_TYPE
    )


def file_response(request: Request, data: bytes, content_type: str, filename: str) -> HttpResponse:
    """Return bytes as a file download."""
    return HttpResponse(data, **file_headers(request, content_type, filename))


def file_headers(request: Request, content_type: str, filename: str) -> dict[str, Any]:
    """Return content type and headers of a file: its own type, or octet-stream for callers that prefer it."""
    accepted = request._request.get_preferred_type([content_type, OCTET_STREAM])
    return {
        "content_type": accepted or content_type,
        "headers": {
            "Content-Disposition": content_disposition_header(True, filename) or "",
            "X-Content-Type-Options": "nosniff",
        },
    }
