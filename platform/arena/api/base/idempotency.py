"""``Idempotency-Key``: a repeated POST is processed once and gets the same response.

Rows are ``accounts.IdempotencyKey``. A key belongs to one account and one request: method, URL with query,
and body. Of a form, the fields and file contents count, because clients choose a new boundary each time. The
row is committed before processing, so of two concurrent requests one proceeds and the other gets 409. Every
response of the view below 500 except 429 is stored. Earlier rejections (401, 403 for a scope, 429, an
unreadable body) leave no key.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Iterable
from typing import Any, ClassVar

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from arena.accounts.idempotency_keys import key_claim, key_release, key_store_response
from arena.accounts.models import IdempotencyKey, User
from arena.common.errors import ArenaError, Conflict, Invalid

HEADER = "Idempotency-Key"
REPLAY_HEADER = "Idempotent-Replay"
MAX_KEY_CHARACTERS = 200
MAX_STORED_BYTES = 128 << 10
"""Maximum length of a stored body; no action's response comes close."""
MAX_REQUEST_DURATION = datetime.timedelta(minutes=15)
"""Age after which a request without a response counts as lost, because its process has ended."""
STORED_HEADERS = ("Content-Type", "Location", "ETag", "Content-Language")
"""Response headers that are stored."""
TOO_LONG_HEADER = "X-Too-Long"
"""Marks a stored response whose body was too long to store."""


class KeyReused(ArenaError):
    """The key was sent before with another request."""

    status = 422


class StoredResponse(Exception):
    """Not an error: the request was processed before, and its response is stored."""

    def __init__(self, row: IdempotencyKey) -> None:
        self.row = row
        super().__init__(row.key)

    def replay(self) -> HttpResponse:
        """Return the stored response.

        Raises:
            Conflict: code ``idempotency_response_not_stored``: it was too long to store.
        """
        headers = dict(self.row.headers)
        if headers.pop(TOO_LONG_HEADER, None):
            raise Conflict(
                f"This request was processed before (with status {self.row.status}), but its response was "
                "too long to be stored. Read the new object with GET.",
                "idempotency_response_not_stored",
                first_status=self.row.status,
            )
        answer = HttpResponse(bytes(self.row.body), status=self.row.status, headers=headers)
        answer[REPLAY_HEADER] = "true"
        return answer


def request_key(request: Request) -> str | None:
    """Return the key of a request, or None.

    Raises:
        Invalid: code ``invalid_idempotency_key``.
    """
    key: str | None = request.headers.get(HEADER)
    if key is None:
        return None
    if not 1 <= len(key) <= MAX_KEY_CHARACTERS or not key.isascii() or not key.isprintable():
        raise Invalid(
            f"An {HEADER} has 1 to {MAX_KEY_CHARACTERS} printable ASCII characters, such as a random UUID.",
            "invalid_idempotency_key",
            field=HEADER,
        )
    return key


def key_claim_or_replay(request: Request, user: User, key: str) -> IdempotencyKey:
    """Claim the key for this request; return its row, which has no response yet.

    Raises:
        StoredResponse: the same request was processed before.
        KeyReused: code ``idempotency_key_reused``: the key was sent with another request.
        Conflict: code ``idempotency_key_in_progress`` while the first request is being processed,
            ``idempotency_key_lost`` if it ended without a response.
    """
    fingerprint = request_fingerprint(request)
    now = timezone.now()
    first, is_new = key_claim(user, key, fingerprint)
    if first is not None and is_new:
        return first
    if first is None or (first.status is None and first.created_at >= now - MAX_REQUEST_DURATION):
        if first is not None and first.fingerprint != fingerprint:
            raise _reused_error(key)
        raise Conflict(
            f"The first request with the {HEADER} {key!r} is still being processed: retry in a second.",
            "idempotency_key_in_progress",
        )
    if first.fingerprint != fingerprint:
        raise _reused_error(key)
    if first.status is None:
        raise Conflict(
            f"The first request with the {HEADER} {key!r} ended without a response (server error). Check "
            "with GET whether it took effect; if it did not, send it with another key.",
            "idempotency_key_lost",
            begun_at=first.created_at.isoformat(),
        )
    raise StoredResponse(first)


def store_response(claimed: IdempotencyKey, answer: HttpResponseBase) -> None:
    """Store the response for repeated requests, or release the key after a server error, 429 or a stream."""
    if answer.status_code >= 500 or answer.status_code == 429 or answer.streaming:
        key_release(claimed)
        return
    if isinstance(answer, Response) and not answer.is_rendered:
        answer.render()
    assert isinstance(answer, HttpResponse)
    body = bytes(answer.content)
    headers = {name: answer[name] for name in STORED_HEADERS if name in answer}
    if len(body) > MAX_STORED_BYTES:
        body, headers = b"", {TOO_LONG_HEADER: "1"}
    key_store_response(claimed, answer.status_code, body, headers)


def request_fingerprint(request: Request) -> str:
    """Return the SHA-256 in hex of what the request asks for. Reads the body; raises its errors."""
    parts: list[Any] = [request.method, request.get_full_path()]
    data = request.data
    if isinstance(data, QueryDict):
        parts += [[name, [_form_value(value) for value in values]] for name, values in sorted(data.lists())]
    else:
        parts.append(data)
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _form_value(value: str | UploadedFile[Any]) -> Any:
    """Return a form field unchanged; of a file, its name and hash."""
    if not isinstance(value, UploadedFile):
        return value
    digest = hashlib.sha256()
    chunks: Iterable[bytes] = value.chunks()
    for chunk in chunks:
        digest.update(chunk)
    value.seek(0)
    return {"name": value.name, "sha256": digest.hexdigest()}


def _reused_error(key: str) -> KeyReused:
    return KeyReused(
        f"The {HEADER} {key!r} was sent before with another request. A key belongs to one request: use a "
        "new one for each, and repeat it only with the same address and body.",
        "idempotency_key_reused",
    )


class IdempotentView(APIView):
    """A view whose POST accepts an ``Idempotency-Key``."""

    returns_secret: ClassVar[bool] = False
    """Whether POST returns a secret that is never stored; then it accepts no key."""

    claimed_key: IdempotencyKey | None = None

    def claim_key(self, request: Request) -> None:
        """Claim the key of a POST, if it has one.

        Raises:
            Invalid: code ``idempotency_key_unsupported``, or as ``request_key``.
            StoredResponse, KeyReused, Conflict: as ``key_claim_or_replay``.
        """
        key = request_key(request)
        if key is None:
            return
        if self.returns_secret:
            raise Invalid(
                "This response is returned once and never stored, so it cannot be repeated: leave "
                f"{HEADER} out. If a response was lost, list the objects and remove the new one.",
                "idempotency_key_unsupported",
                field=HEADER,
            )
        if isinstance(request.user, User):
            self.claimed_key = key_claim_or_replay(request, request.user, key)

    def handle_exception(self, exc: Exception) -> Response:
        """Return a problem, or the stored response of the same request."""
        if isinstance(exc, StoredResponse):
            try:
                return exc.replay()  # type: ignore[return-value]
            except Exception as error:
                return super().handle_exception(error)
        return super().handle_exception(exc)

    def finalize_response(  # type: ignore[override]
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        """Set ``no-store`` on a response with a secret."""
        answer: HttpResponseBase = super().finalize_response(request, response, *args, **kwargs)
        if self.returns_secret and request.method == "POST":
            answer["Cache-Control"] = "no-store"
        return answer

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Process the request, and store the response if it has a key."""
        try:
            answer: HttpResponseBase = super().dispatch(request, *args, **kwargs)
            if self.claimed_key is not None:
                store_response(self.claimed_key, answer)
        except BaseException:
            if self.claimed_key is not None:
                key_release(self.claimed_key)
            raise
        return answer  # type: ignore[return-value]
