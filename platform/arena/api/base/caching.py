"""ETags, 304 and Cache-Control of answers, and answers cached until what they show changes.

Of a public tournament the rendered answer is reused while the tournament's ``revision`` is the same, which
goes up with every change a spectator may see, and for ``MAX_AGE_S`` at most: that limits what the revision
does not count, such as the boards done at a table being played, or the new name of a bot. Every request reads
the revision, so whoever changed something sees the change. Answers about private events are not cached so.

Standings, crosstables and boards change seldom, and cost most. They are cached by their content: few columns
from which the whole answer follows, so that a result that is still sealed leaves them as they are.
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

Content = TypeVar("Content", bound=Hashable)


class CachedResponse(NamedTuple):
    """A rendered answer."""

    body: bytes
    content_type: str
    etag: str


def etag_of(*parts: object) -> str:
    """A strong ETag that changes whenever one of the parts does."""
    text = "\n".join(str(part) for part in parts)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def etag_of_bytes(body: bytes) -> str:
    """A strong ETag of an answer itself."""
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'


def refuse_preconditions(request: Request) -> None:
    """Refuse a change that is to happen only if a representation is still what the caller has.

    An answer is compared when it is made, outside of the lock under which a service changes things: what
    this would promise could not be kept.

    Raises:
        Invalid: code ``precondition_refused``, naming the header.
    """
    for header in ("If-Match", "If-None-Match"):
        if header in request.headers:
            raise Invalid(
                f"Only GET compares ETags: leave {header} out. Whether a change fits is decided by the state "
                "at that moment, and 409 says what does.",
                "precondition_refused",
                field=header,
            )


def conditional_response(
    request: Request, etag: str, build: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """304 if the caller's copy has this ETag, else what ``build`` gives, marked with it; 412 to who wants
    another one by ``If-Match``.

    Permissions and seals are checked before, and a cache has to ask again every time.
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
    """Mark an answer for caches: whom it is for, and that they ask again before they give it to anybody."""
    patch_vary_headers(response, ["Accept", "Authorization", "Cookie"])
    # A directive set to False would be written out as ``private=False``: it is left out instead.
    personal = {"private": True} if isinstance(request.user, User) else {}
    patch_cache_control(response, no_cache=True, **personal)


def cached_response(
    request: Request, public_id: str, build: Callable[[], Response], *, is_personal: bool = False
) -> HttpResponseBase:
    """The answer of ``build``, or the cached one if nothing has changed since; with an ETag.

    ``is_personal``: the answer differs between accounts, and not only between staff and others.
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
    """The same for an answer that is the same for all who may see the tournament, private ones too.

    ``event`` is its public id, or the tournament itself, just read and known to be visible to the asker.
    ``content`` gives, at little cost, from the key of the tournament a value that the whole answer follows
    from. The answer of that content is reused, however old; without one ``build`` makes it from the value.
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
    """As bytes, since only these can be sent again. Whatever is refused is an exception, and not cached."""
    answer.accepted_renderer = request.accepted_renderer
    answer.accepted_media_type = request.accepted_media_type
    answer.renderer_context = {"request": request}  # type: ignore[attr-defined]
    answer.render()
    return CachedResponse(answer.content, answer["Content-Type"], etag_of_bytes(answer.content))


def _cached_or_304(request: Request, cached: CachedResponse) -> HttpResponseBase:
    body, content_type = cached.body, cached.content_type
    return conditional_response(request, cached.etag, lambda: HttpResponse(body, content_type=content_type))


class ConditionalView(APIView):
    """A view whose answers to GET have an ETag and headers for caches."""

    has_etag: ClassVar[bool] = True
    """Whether what GET answers is compared with If-None-Match; a stream is not."""

    def finalize_response(  # type: ignore[override]
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        """Add an ETag of what was read, or answer 304 if the caller has it."""
        answer: HttpResponseBase = super().finalize_response(request, response, *args, **kwargs)
        if request.method not in SAFE_METHODS or answer.status_code != HTTPStatus.OK:
            return answer
        if isinstance(answer, Response) and not answer.has_header("ETag"):
            etag = etag_of_bytes(answer.render().content)
            answer = conditional_response(request, etag, lambda: response)
        if not answer.has_header("Cache-Control"):
            # A stream, such as an export, has no ETag, but may be for one account alone, too.
            set_cache_headers(request, answer)
        return answer


def _precondition_failed() -> HttpResponse:
    text = "This is another representation than the one that If-Match names; leave the header out to read it."
    body = problem_body(HTTPStatus.PRECONDITION_FAILED, "precondition_failed", text)
    return HttpResponse(
        json.dumps(body), status=HTTPStatus.PRECONDITION_FAILED, content_type=PROBLEM_CONTENT_TYPE
    )


def file_response(request: Request, data: bytes, content_type: str, filename: str) -> HttpResponse:
    """Bytes as they are, to be saved under this name."""
    return HttpResponse(data, **file_headers(request, content_type, filename))


def file_headers(request: Request, content_type: str, filename: str) -> dict[str, Any]:
    """Content type and headers of a file: of its own type, or plain octets for those who prefer them."""
    accepted = request._request.get_preferred_type([content_type, OCTET_STREAM])
    return {
        "content_type": accepted or content_type,
        "headers": {
            "Content-Disposition": content_disposition_header(True, filename) or "",
            "X-Content-Type-Options": "nosniff",
        },
    }
