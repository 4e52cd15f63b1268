"""Passkeys: register, authenticate, rename and remove them. The library ``webauthn`` implements the standard.

Source: https://www.w3.org/TR/webauthn-3/, sections 7.1 and 7.2.
"""

from __future__ import annotations

import json
import logging
import secrets
from typing import Any, NamedTuple

import webauthn
from django.db import IntegrityError, transaction
from django.utils import timezone
from webauthn.helpers import base64url_to_bytes
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from arena.accounts.credentials import can_sign_in
from arena.accounts.models import Passkey, User, audit
from arena.accounts.services import security_notice_create
from arena.common.errors import Conflict, Invalid, NotFound
from arena.common.names import name_checked

log = logging.getLogger(__name__)

MAX_PASSKEYS = 20
NAME_CHARACTERS = 60
CHALLENGE_BYTES = 32
MAX_RESPONSE_CHARACTERS = 20_000
"""Maximum length of a browser's response; one with an attestation has about 2,000 characters."""
UNKNOWN_PASSKEY = "This passkey belongs to no account here. Use another passkey, or your name and password."
INVALID_RESPONSE = "The passkey could not be verified. Try again."
_VERIFICATION_ERRORS = (WebAuthnException, ValueError, TypeError, KeyError, RecursionError)
"""Exceptions that the library raises for wrong or malformed responses."""


class RelyingParty(NamedTuple):
    domain: str
    """Id of the relying party: a host name without a port."""
    origin: str
    """Such as ``https://rensho.example.org``."""


def new_challenge() -> bytes:
    return secrets.token_bytes(CHALLENGE_BYTES)


def passkey_registration_options(user: User, site: RelyingParty, challenge: bytes) -> dict[str, Any]:
    """Return the options, a JSON object of the standard, with which a browser creates a passkey.

    Raises Conflict (``too_many_passkeys``).
    """
    present = list(user.passkeys.all())
    if len(present) >= MAX_PASSKEYS:
        raise Conflict(
            f"You have {MAX_PASSKEYS} passkeys, which is the limit. Remove one first.",
            "too_many_passkeys",
        )
    options = webauthn.generate_registration_options(
        rp_id=site.domain,
        rp_name="Rensho",
        user_id=user.public_id.encode(),
        user_name=user.username,
        challenge=challenge,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=[PublicKeyCredentialDescriptor(id=bytes(key.credential_id)) for key in present],
    )
    return _options_json(options)


def passkey_add(user: User, site: RelyingParty, challenge: bytes, answer: str, name: str) -> Passkey:
    """Verify and store a passkey that a browser created for this challenge.

    Raises Invalid (``invalid_passkey``, ``invalid``), Conflict (``passkey_exists``, ``too_many_passkeys``).
    """
    name = _checked_name(name)
    if len(answer) > MAX_RESPONSE_CHARACTERS:
        raise Invalid(INVALID_RESPONSE, "invalid_passkey")
    try:
        verified = webauthn.verify_registration_response(
            credential=answer,
            expected_challenge=challenge,
            expected_rp_id=site.domain,
            expected_origin=site.origin,
            require_user_verification=True,
        )
    except _VERIFICATION_ERRORS as error:
        log.info("a new passkey of %s was refused: %s", user.public_id, error)
        raise Invalid(INVALID_RESPONSE, "invalid_passkey") from None
    try:
        with transaction.atomic():
            # Lock the account's row, so that concurrent requests cannot both pass the count.
            User.objects.select_for_update().get(pk=user.pk)
            if user.passkeys.count() >= MAX_PASSKEYS:
                raise Conflict(
                    f"You have {MAX_PASSKEYS} passkeys, which is the limit. Remove one first.",
                    "too_many_passkeys",
                )
            passkey = Passkey.objects.create(
                user=user,
                name=name,
                credential_id=verified.credential_id,
                public_key=verified.credential_public_key,
                sign_count=verified.sign_count,
            )
            audit(user, "create", passkey, name=name)
            security_notice_create(user, "passkey_added", name=name)
    except IntegrityError:
        raise Conflict("This passkey is already registered.", "passkey_exists") from None
    return passkey


def passkey_authentication_options(site: RelyingParty, challenge: bytes) -> dict[str, Any]:
    """Return the options with which a browser signs in with any passkey. They reveal no account."""
    options = webauthn.generate_authentication_options(
        rp_id=site.domain, challenge=challenge, user_verification=UserVerificationRequirement.REQUIRED
    )
    return _options_json(options)


def passkey_sign_in(site: RelyingParty, challenge: bytes, answer: str) -> User:
    """Return the account whose passkey signed the challenge, and record the use, or raise Invalid."""
    refused = Invalid(UNKNOWN_PASSKEY, "invalid_passkey")
    if len(answer) > MAX_RESPONSE_CHARACTERS:
        raise refused
    try:
        given = json.loads(answer)
        credential_id = base64url_to_bytes(given["rawId"])
        handle = given["response"].get("userHandle")
        owner = base64url_to_bytes(handle).decode() if handle else ""
    except (*_VERIFICATION_ERRORS, AttributeError):
        raise refused from None
    passkey = Passkey.objects.select_related("user").filter(credential_id=credential_id).first()
    if passkey is None or owner != passkey.user.public_id or not passkey.user.is_active:
        raise refused
    try:
        checked = webauthn.verify_authentication_response(
            credential=given,
            expected_challenge=challenge,
            expected_rp_id=site.domain,
            expected_origin=site.origin,
            credential_public_key=bytes(passkey.public_key),
            credential_current_sign_count=passkey.sign_count,
            require_user_verification=True,
        )
    except _VERIFICATION_ERRORS as error:
        log.warning("passkey %s was refused: %s", passkey.public_id, error)
        raise refused from None
    # Of concurrent responses with the same count, one succeeds.
    unchanged = Passkey.objects.filter(pk=passkey.pk, sign_count=passkey.sign_count)
    if not unchanged.update(sign_count=checked.new_sign_count, last_used_at=timezone.now()):
        raise refused
    return passkey.user


def passkey_rename(user: User, public_id: str, name: str) -> Passkey:
    """Rename a passkey of this account. Raises NotFound (``passkey_not_found``), Invalid."""
    passkey, name = _passkey_get(user, public_id), _checked_name(name)
    before = passkey.name
    if name != before:
        with transaction.atomic():
            Passkey.objects.filter(pk=passkey.pk).update(name=name)
            audit(user, "update", passkey, {"name": before}, name=name)
        passkey.name = name
    return passkey


def passkey_remove(user: User, public_id: str) -> Passkey:
    """Remove a passkey. Raises NotFound (``passkey_not_found``), Conflict (``last_credential``)."""
    passkey = _passkey_get(user, public_id)
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        if not can_sign_in(user, without=passkey):
            raise Conflict(
                "This passkey is the only way to sign in. Set a password first.",
                "last_credential",
            )
        audit(user, "remove", passkey, {"name": passkey.name})
        security_notice_create(user, "passkey_removed", name=passkey.name)
        passkey.delete()
    return passkey


def _passkey_get(user: User, public_id: str) -> Passkey:
    passkey = user.passkeys.filter(public_id=public_id).first() if public_id.isalnum() else None
    if passkey is None:
        raise NotFound("You have no such passkey.", "passkey_not_found")
    return passkey


def _checked_name(name: str) -> str:
    return name_checked("name", " ".join(name.split()), NAME_CHARACTERS)


def _options_json(options: Any) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(webauthn.options_to_json(options))
    return parsed
