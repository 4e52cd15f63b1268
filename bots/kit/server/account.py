"""Stored login: the address of a server and a token, in a file that only its owner can read.

``RENSHO_URL`` and ``RENSHO_TOKEN`` override the file. A stored token is sent only to its own server.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from bots.kit.client import Client, server_url
from bots.kit.client.errors import NotLoggedIn
from bots.kit.client.transport import MAX_RETRY_AFTER_S
from bots.kit.errors import EnvironmentFailure, InvalidInput
from bots.kit.files import open_atomic

URL_VARIABLE = "RENSHO_URL"
TOKEN_VARIABLE = "RENSHO_TOKEN"
FILE = "login.json"


class Login(NamedTuple):
    url: str
    token: str


def login_file(environment: Mapping[str, str] = os.environ) -> Path:
    folder = environment.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(folder) / "rensho" / FILE


def login_save(login: Login, environment: Mapping[str, str] = os.environ) -> Path:
    """Replace the stored login and return its path. Raise ``EnvironmentFailure`` if that fails."""
    path = login_file(environment)
    with open_atomic(path, mode=0o600) as file:
        file.write(json.dumps(login._asdict(), indent=2).encode() + b"\n")
    return path


def login_remove(environment: Mapping[str, str] = os.environ) -> Login | None:
    """Delete the stored login and return it, or None if there was none."""
    path = login_file(environment)
    try:
        stored = _stored_login(environment)
    except InvalidInput:
        stored = Login("", "")
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise EnvironmentFailure(f"cannot remove {path}: {error.strerror}") from None
    return stored


def current_login(environment: Mapping[str, str] = os.environ) -> Login:
    """Return the login from the environment, or else from the file.

    Raise ``NotLoggedIn`` if neither names a server, ``InvalidInput`` if the address or the file cannot be
    used.
    """
    url, token = environment.get(URL_VARIABLE, ""), environment.get(TOKEN_VARIABLE, "")
    stored = None if url and token else _stored_login(environment)
    if not url:
        if stored is None:
            raise NotLoggedIn("you are not logged in: run rensho login https://SERVER")
        return Login(stored.url, token or stored.token)
    url = server_url(url)
    if not token and stored is not None and stored.url == url:
        token = stored.token
    return Login(url, token)


def connect(*, needs_account: bool, max_retry_after_s: float = MAX_RETRY_AFTER_S) -> Client:
    """Return a client of the server of the current login.

    Raise ``NotLoggedIn`` without a server or a needed token, ``InvalidInput`` for an unusable stored login.
    """
    login = current_login()
    if needs_account and not login.token:
        raise NotLoggedIn(f"you are not logged in to {login.url}: run rensho login {login.url}")
    variable = TOKEN_VARIABLE if os.environ.get(TOKEN_VARIABLE) else ""
    return Client(login.url, login.token, token_variable=variable, max_retry_after_s=max_retry_after_s)


def _stored_login(environment: Mapping[str, str]) -> Login | None:
    path = login_file(environment)
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return Login(server_url(document["url"]), str(document["token"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError, AttributeError, InvalidInput):
        raise InvalidInput(f"{path} is not a valid login file: remove it, then run rensho login") from None
