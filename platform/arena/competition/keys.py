"""The site's Ed25519 signing keys: created on first use, retired by rotation, published permanently."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import IntegrityError, transaction
from django.utils import timezone

from arena.common.errors import Conflict
from arena.competition.models import SigningKey
from league.statements import key_id, signed_message


class Signature(NamedTuple):
    key: SigningKey
    hex: str


def key_current() -> SigningKey:
    """Return the current key; the first call creates it, once, by a constraint. Usually one query."""
    current = _current()
    if current is not None:
        return current
    try:
        with transaction.atomic():
            return _key_make(1)
    except IntegrityError:
        concurrent = _current()
        if concurrent is None:
            raise
        return concurrent


def digest_sign(digest: str) -> Signature:
    return messages_sign([signed_message(digest)])[0]


def messages_sign(messages: Iterable[bytes]) -> list[Signature]:
    key = key_current()
    private = Ed25519PrivateKey.from_private_bytes(bytes(key.private))
    return [Signature(key, private.sign(message).hex()) for message in messages]


@transaction.atomic
def key_rotate() -> SigningKey:
    """Retire the current key and return a new one. Raises Conflict ``key_rotated`` after a race."""
    old = key_current()
    now = timezone.now()
    if not SigningKey.objects.filter(pk=old.pk, valid_until__isnull=True).update(valid_until=now):
        raise Conflict(f"Key {old.name} was retired by another process just now.", "key_rotated")
    return _key_make(old.number + 1)


def keys_published() -> list[SigningKey]:
    """Return all keys, newest first, without private halves; creates the first key. One query."""
    keys = SigningKey.objects.defer("private")
    return list(keys) or [key_current()]


def _current() -> SigningKey | None:
    return SigningKey.objects.filter(valid_until__isnull=True).first()


def _key_make(number: int) -> SigningKey:
    private = Ed25519PrivateKey.generate()
    public = private.public_key().public_bytes_raw()
    return SigningKey.objects.create(
        number=number,
        name=key_id(public),
        public=public,
        private=private.private_bytes_raw(),
        valid_from=timezone.now(),
    )
