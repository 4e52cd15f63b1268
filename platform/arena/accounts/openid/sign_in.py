"""Sign-in with the configured OpenID Connect provider: authorization code with PKCE, state and nonce.

Authlib implements OAuth 2.0 and the claims of ID tokens, joserfc their signatures. Both are loaded only if a
provider is configured. Nothing that the provider or the browser sends is trusted before it is verified.

Source: https://openid.net/specs/openid-connect-core-1_0.html, sections 3.1.2 and 3.1.3; RFC 7636; RFC 9207.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn
from urllib.parse import quote_plus, urlencode

from django.conf import settings
from django.utils.translation import gettext as _

from arena.accounts.openid.discovery import Metadata, metadata_of, signing_keys
from arena.accounts.openid.fetching import Answer, ProviderFailure, fetch_json
from arena.common.errors import Forbidden, Invalid, NotFound, Unavailable, mark_translated, quoted
from arena.common.names import name_checked
from arena.settings.oidc import OidcSettings

if TYPE_CHECKING:
    from authlib.oauth2.client import OAuth2Client

log = logging.getLogger(__name__)

SCOPES = "openid profile"
LEEWAY_S = 60
"""Maximum difference of the provider's clock from ours."""
RETRY_S = 30
MAX_TOKEN_CHARACTERS = 100_000
MAX_SUBJECT_CHARACTERS = 255
NAME_CHARACTERS = 80


class AuthorizationRequest(NamedTuple):
    """One-time values that bind a response to the browser that started. Stored in its session."""

    state: str
    nonce: str
    verifier: str
    """Of PKCE: proves to the provider that the code is used by the site that requested it."""


class VerifiedIdentity(NamedTuple):
    """A person at a provider, from a verified ID token. Only issuer and subject identify the person."""

    issuer: str
    subject: str
    name: str
    """Name that the provider displays, for its owner; may be empty."""
    authenticated_at: int | None
    """When the person last proved who they are to the provider, in seconds since 1970."""


def provider_get() -> OidcSettings:
    """Return the configured provider. Raises NotFound (``provider_not_configured``)."""
    provider: OidcSettings | None = settings.OIDC
    if provider is None:
        message = _("This site does not use an identity provider.")
        raise mark_translated(NotFound(message, "provider_not_configured"))
    return provider


def authorization_request() -> AuthorizationRequest:
    return AuthorizationRequest(*(secrets.token_urlsafe(32) for _value in range(3)))


def authorization_url(
    request: AuthorizationRequest, redirect_uri: str, language: str, *, reauthenticate: bool = False
) -> str:
    """Return the provider's page at which the person signs in.

    With ``reauthenticate``, the provider must ask for the person's credentials even if they are signed in.
    Raises NotFound (``provider_not_configured``), Unavailable (``provider_unavailable``).
    """
    provider = provider_get()
    extra = {"prompt": "login", "max_age": "0"} if reauthenticate else {}
    try:
        metadata = metadata_of(provider.issuer)
        client = _client(provider, metadata, redirect_uri)
        url, _state = client.create_authorization_url(
            metadata.authorization_endpoint,
            state=request.state,
            nonce=request.nonce,
            code_verifier=request.verifier,
            ui_locales=language,
            **extra,
        )
    except ProviderFailure as failure:
        _fail(provider, str(failure))
    return str(url)


def identity_verify(
    request: AuthorizationRequest, response: Mapping[str, str], redirect_uri: str
) -> VerifiedIdentity:
    """Return the person whom the provider's response to this request identifies. Two requests at most.

    ``response`` has the parameters of the redirect, whose state belongs to the request. Raises NotFound
    (``provider_not_configured``), Forbidden (``provider_denied``), Invalid (``provider_response_invalid``),
    Unavailable (``provider_unavailable``).
    """
    from authlib.oauth2 import OAuth2Error
    from joserfc.errors import JoseError

    provider = provider_get()
    try:
        metadata = metadata_of(provider.issuer)
        _check_issuer(provider, metadata, response)
        if error := response.get("error"):
            _reject_error(provider, error)
        code = response.get("code", "")
        if not code or not code.isascii():
            _refuse(provider, "the response has no usable code")
        client = _client(provider, metadata, redirect_uri)
        token = client.fetch_token(metadata.token_endpoint, code=code, code_verifier=request.verifier)
        return _identity_of(provider, metadata, token, request.nonce)
    except ProviderFailure as failure:
        _fail(provider, str(failure))
    except OAuth2Error as error:
        if error.error in ("invalid_client", "unauthorized_client"):
            _fail(provider, f"{error.error}: correct RENSHO_OIDC_CLIENT_ID and RENSHO_OIDC_CLIENT_SECRET")
        _refuse(provider, f"the provider refused the code: {quoted(error.error, 40)}")
    except JoseError as error:
        _refuse(provider, f"the ID token is invalid: {quoted(str(error))}")
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        # Of the libraries, for values of other types than the standard says.
        _refuse(provider, f"the answer is malformed ({type(error).__name__})")


class _Session:
    """The part of an HTTP client that Authlib uses for the token request, bounded."""

    @staticmethod
    def post(url: str, *, data: dict[str, str], headers: dict[str, str], auth: Any) -> Answer:
        _url, signed_headers, body = auth.prepare("POST", url, dict(headers), urlencode(data))
        return fetch_json(url, signed_headers, body)


def _client(provider: OidcSettings, metadata: Metadata, redirect_uri: str) -> OAuth2Client:
    from authlib.oauth2.client import OAuth2Client

    client = OAuth2Client(
        _Session(),
        provider.client_id,
        provider.client_secret,
        token_endpoint_auth_method=metadata.authentication_method,
        scope=SCOPES,
        redirect_uri=redirect_uri,
        code_challenge_method="S256",
    )
    client.register_client_auth_method(("client_secret_basic", _basic_authentication))
    return client


def _basic_authentication(client: Any, method: str, url: str, headers: dict[str, str], body: str) -> Any:
    """Form-encode id and secret first, as RFC 6749, section 2.3.1, requires; Authlib does not."""
    from authlib.oauth2.auth import encode_client_secret_basic

    class Encoded(NamedTuple):
        client_id: str
        client_secret: str

    encoded = Encoded(quote_plus(client.client_id), quote_plus(client.client_secret))
    return encode_client_secret_basic(encoded, method, url, headers, body)


def _identity_of(
    provider: OidcSettings, metadata: Metadata, token: Mapping[str, Any], nonce: str
) -> VerifiedIdentity:
    """Return the identity of a token response after the checks of section 3.1.3.7. Raises JoseError."""
    from authlib.oidc.core import CodeIDToken

    id_token = token.get("id_token")
    if not isinstance(id_token, str) or len(id_token) > MAX_TOKEN_CHARACTERS:
        _refuse(provider, "the response has no ID token")
    decoded = _decode(id_token, metadata)
    options = {
        "iss": {"essential": True, "value": provider.issuer},
        "aud": {"essential": True, "value": provider.client_id},
        "sub": {"essential": True},
    }
    expected = {"nonce": nonce, "client_id": provider.client_id}
    if isinstance(token.get("access_token"), str):
        expected["access_token"] = token["access_token"]
    claims = CodeIDToken(decoded.claims, decoded.header, options, expected)
    claims.validate(leeway=LEEWAY_S)
    subject, authenticated_at = claims["sub"], claims.get("auth_time")
    if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT_CHARACTERS or "\0" in subject:
        _refuse(provider, f"the subject has not 1 to {MAX_SUBJECT_CHARACTERS} characters")
    sign_in_time = None if authenticated_at is None else min(int(authenticated_at), int(time.time()))
    return VerifiedIdentity(provider.issuer, subject, _name_of(claims), sign_in_time)


def _decode(id_token: str, metadata: Metadata) -> Any:
    """Return the token if one of the provider's keys signed it; keys are fetched again for an unknown one."""
    from joserfc import jwt
    from joserfc.errors import BadSignatureError, InvalidKeyIdError
    from joserfc.jws import JWSRegistry

    registry = JWSRegistry(algorithms=list(metadata.algorithms), strict_check_header=False)
    try:
        return jwt.decode(id_token, _key_set(signing_keys(metadata.jwks_uri)), registry=registry)
    except (BadSignatureError, InvalidKeyIdError):
        keys = _key_set(signing_keys(metadata.jwks_uri, refresh=True))
        return jwt.decode(id_token, keys, registry=registry)


def _key_set(keys: list[dict[str, Any]]) -> Any:
    """Return the usable public keys; others are skipped, as the provider may publish keys of new kinds."""
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet, import_key

    usable = []
    for key in keys:
        if key.get("kty") not in ("RSA", "EC", "OKP") or key.get("use", "sig") != "sig":
            continue
        try:
            usable.append(import_key(key))
        except (JoseError, ValueError, TypeError, KeyError):
            continue
    if not usable:
        raise ProviderFailure("the provider publishes no usable signing key")
    return KeySet(usable)


def _name_of(claims: Mapping[str, Any]) -> str:
    for claim in ("preferred_username", "name"):
        text = claims.get(claim)
        if isinstance(text, str) and text.strip():
            try:
                return name_checked("name", text[:NAME_CHARACTERS], NAME_CHARACTERS)
            except Invalid:
                continue
    return ""


def _check_issuer(provider: OidcSettings, metadata: Metadata, response: Mapping[str, str]) -> None:
    """Refuse a response of another provider (RFC 9207)."""
    issuer = response.get("iss")
    if issuer != provider.issuer and (issuer is not None or metadata.sends_issuer):
        _refuse(provider, "the response is from another issuer, or names none")


def _reject_error(provider: OidcSettings, error: str) -> NoReturn:
    if error != "access_denied":
        _refuse(provider, f"the provider answered {quoted(error, 40)}")
    log.info("sign-in through %s was cancelled", provider.issuer)
    message = _("You were not signed in: %(name)s reported that you cancelled it or have no access.")
    raise mark_translated(Forbidden(message % {"name": provider.name}, "provider_denied"))


def _refuse(provider: OidcSettings, cause: str) -> NoReturn:
    log.warning("sign-in through %s was refused: %s", provider.issuer, cause)
    message = _("The response from %(name)s could not be verified. Sign in again.")
    raise mark_translated(Invalid(message % {"name": provider.name}, "provider_response_invalid"))


def _fail(provider: OidcSettings, cause: str) -> NoReturn:
    log.warning("sign-in through %s failed: %s", provider.issuer, cause)
    message = _(
        "%(name)s is currently not available for signing in. Try again in a minute, or sign in another way."
    )
    error = Unavailable(message % {"name": provider.name}, "provider_unavailable", RETRY_S)
    raise mark_translated(error)
