"""Answers about public tournaments, kept for as long as nothing in them has changed.

Everybody who watches an event asks for the same three things over and over. What they were told last is told
again as it was rendered, as long as the tournament's ``revision`` is the same, which goes up with whatever a
spectator may see, and for ``KEPT_S`` at the most: that bounds what the revision does not count, such as the
boards done at a table being played, or the new name of a bot. The revision is read for every request, so
whoever changed something sees the change. Kept in each process by itself, in bounded memory; events that are
not for everybody are never kept.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import NamedTuple

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import User
from arena.api.caching import etag_of_bytes, unless_known
from arena.competition.models import Tournament
from arena.competition.selectors import SHOWN_TO_ALL

KEPT_S = 2.0
KEPT_BYTES = 32 << 20
"""Of all answers of a process together; the one not asked for longest goes first."""

clock = time.monotonic


class Told(NamedTuple):
    """An answer as it went out."""

    body: bytes
    content_type: str
    etag: str
    until: float


class Store:
    """Answers by what they depend on. Safe to use from several threads."""

    def __init__(self, bytes_at_most: int = KEPT_BYTES) -> None:
        self.bytes_at_most = bytes_at_most
        self.bytes = 0
        self._told: OrderedDict[Hashable, Told] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Told | None:
        """The answer of this key, unless it is too old."""
        with self._lock:
            told = self._told.get(key)
            if told is None or told.until <= clock():
                return None
            self._told.move_to_end(key)
            return told

    def put(self, key: Hashable, told: Told) -> None:
        """Keep an answer; the oldest make room."""
        with self._lock:
            before = self._told.pop(key, None)
            self.bytes += len(told.body) - (len(before.body) if before else 0)
            self._told[key] = told
            while self.bytes > self.bytes_at_most and self._told:
                self.bytes -= len(self._told.popitem(last=False)[1].body)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._told.clear()
            self.bytes = 0


store = Store()


def told_again(
    request: Request, public_id: str, build: Callable[[], Response], *, is_personal: bool = False
) -> HttpResponseBase:
    """What ``build`` answers, or what it answered before if nothing has changed since; with an ETag.

    ``is_personal``: the answer differs between accounts, and not only between staff and others.
    """
    mark = _mark_of(public_id)
    if mark is None:
        return build()
    user = request.user
    account = user if isinstance(user, User) else None
    audience = (account.pk if account else None) if is_personal else bool(account and account.is_staff)
    roles = (account.is_staff, account.is_organiser) if account else ()
    key = (request.build_absolute_uri(), mark, audience, roles)
    told = store.get(key)
    if told is None:
        answer = build()
        if answer.status_code != 200:
            return answer
        # Rendered here, since only bytes can be told again.
        answer.accepted_renderer = request.accepted_renderer
        answer.accepted_media_type = request.accepted_media_type
        answer.renderer_context = {"request": request}  # type: ignore[attr-defined]
        answer.render()
        told = Told(answer.content, answer["Content-Type"], etag_of_bytes(answer.content), clock() + KEPT_S)
        store.put(key, told)
    found = told
    return unless_known(
        request, found.etag, lambda: HttpResponse(found.body, content_type=found.content_type)
    )


def _mark_of(public_id: str) -> Hashable | None:
    """What changes with every change of a tournament that everybody sees; None of any other. One query."""
    row = (
        Tournament.objects.filter(public_id=public_id)
        .order_by()
        .values_list("pk", "revision", "state", "visibility", "state_at")
        .first()
    )
    if row is None or row[3] != Tournament.Visibility.PUBLIC or row[2] not in SHOWN_TO_ALL:
        return None
    return row
