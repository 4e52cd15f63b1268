"""Cached answers, valid until what they show changes.

Everybody who watches an event asks for the same few things over and over. Of a public tournament the rendered
answer is reused while the tournament's ``revision`` is the same, which goes up with every change a spectator
may see, and for ``MAX_AGE_S`` at most: that limits what the revision does not count, such as the boards done
at a table being played, or the new name of a bot. Every request reads the revision, so whoever changed
something sees the change. Answers about private events are not cached so.

Standings, crosstables and boards change seldom, and cost most. They are cached by their content: few columns
from which the whole answer follows, so that a result that is still sealed leaves them as they are.

Each process has its own cache, of limited size.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import NamedTuple, TypeVar

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import User
from arena.api.caching import etag_of_bytes, unless_known
from arena.competition.models import Tournament
from arena.competition.selectors import public_version, public_version_of, tournament_get

MAX_AGE_S = 2.0
MAX_BYTES = 32 << 20
"""Of all answers of a process together; the least recently used is dropped first."""

Content = TypeVar("Content", bound=Hashable)

clock = time.monotonic


class CachedAnswer(NamedTuple):
    """A rendered answer."""

    body: bytes
    content_type: str
    etag: str
    until: float


class ResponseCache:
    """Answers by what they depend on. Safe to use from several threads."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self.bytes = 0
        self._answers: OrderedDict[Hashable, CachedAnswer] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> CachedAnswer | None:
        """The answer of this key, unless it is too old."""
        with self._lock:
            answer = self._answers.get(key)
            if answer is None or answer.until <= clock():
                return None
            self._answers.move_to_end(key)
            return answer

    def put(self, key: Hashable, answer: CachedAnswer) -> None:
        """Store an answer; the least recently used make room."""
        with self._lock:
            before = self._answers.pop(key, None)
            self.bytes += len(answer.body) - (len(before.body) if before else 0)
            self._answers[key] = answer
            while self.bytes > self.max_bytes and self._answers:
                self.bytes -= len(self._answers.popitem(last=False)[1].body)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._answers.clear()
            self.bytes = 0


store = ResponseCache()


def cached_answer(
    request: Request, public_id: str, build: Callable[[], Response], *, is_personal: bool = False
) -> HttpResponseBase:
    """The answer of ``build``, or the cached one if nothing has changed since; with an ETag.

    ``is_personal``: the answer differs between accounts, and not only between staff and others.
    """
    version = public_version_of(public_id)
    if version is None:
        return build()
    user = request.user
    account = user if isinstance(user, User) else None
    audience = (account.pk if account else None) if is_personal else bool(account and account.is_staff)
    roles = (account.is_staff, account.is_organiser) if account else ()
    key = (version, audience, roles)
    return _sent(request, _cached(request, key, MAX_AGE_S, lambda: _rendered(request, build())))


def answer_by_content(
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

    def of_content() -> CachedAnswer:
        value = content(tournament)
        return _cached(request, value, math.inf, lambda: _rendered(request, build(value)))

    found = of_content() if version is None else _cached(request, version, MAX_AGE_S, of_content)
    return _sent(request, found)


def _cached(
    request: Request, version: Hashable, max_age_s: float, make: Callable[[], CachedAnswer]
) -> CachedAnswer:
    key = (request.build_absolute_uri(), version)
    cached = store.get(key)
    if cached is None:
        cached = make()._replace(until=clock() + max_age_s)
        store.put(key, cached)
    return cached


def _rendered(request: Request, answer: Response) -> CachedAnswer:
    """As bytes, since only these can be sent again. Whatever is refused is an exception, and not cached."""
    answer.accepted_renderer = request.accepted_renderer
    answer.accepted_media_type = request.accepted_media_type
    answer.renderer_context = {"request": request}  # type: ignore[attr-defined]
    answer.render()
    return CachedAnswer(answer.content, answer["Content-Type"], etag_of_bytes(answer.content), clock())


def _sent(request: Request, cached: CachedAnswer) -> HttpResponseBase:
    body, content_type = cached.body, cached.content_type
    return unless_known(request, cached.etag, lambda: HttpResponse(body, content_type=content_type))
