"""The URL of the queue's server: from the environment, or computed from the data folder."""

import hashlib
import os
import tempfile
from pathlib import Path
from urllib.parse import quote, urlsplit

from arena.settings.secret_files import secret_of

VARIABLE = "REDIS_URL"
SERVER = "RENSHO_QUEUE_SERVER"
URL_FORMS = "redis://:PASSWORD@HOST:6379/0, rediss:// with TLS, or unix:///PATH?db=0"
SCHEMES = ("redis", "rediss", "unix")
MAX_SOCKET_PATH_BYTES = 100
"""Maximum length of the socket's path; the system's limit is 107."""


def broker_socket_of(data: Path) -> Path:
    """Return the path of our broker's socket, in a folder that only its user may enter."""
    path = data / "broker" / "valkey.sock"
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES:
        return path
    name = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"rensho-{os.getuid()}-{name}" / "valkey.sock"


def broker_url_of(data: Path) -> str:
    """Return ``REDIS_URL``, else the socket in the data folder; SystemExit does not quote a malformed one."""
    named = configured_broker_url()
    if named and not _is_broker_url(named):
        raise SystemExit(
            f"rensho: {VARIABLE} is not the URL of a Valkey or Redis server. Write {URL_FORMS}, and signs "
            "such as # / ? @ : % in the password as %XX (%23 for #)."
        )
    return named or f"unix://{quote(str(broker_socket_of(data)))}?db=0"


def configured_broker_url() -> str:
    return secret_of(os.environ, VARIABLE)


def _is_broker_url(url: str) -> bool:
    """Return whether the client library and Celery interpret the URL as the same server and database."""
    try:
        parts = urlsplit(url)
        if parts.scheme not in SCHEMES or parts.port == 0 or parts.fragment:
            return False
    except ValueError:
        return False
    if parts.scheme == "unix":
        return parts.path.startswith("/") and not parts.hostname
    database = parts.path.removeprefix("/")
    return bool(parts.hostname) and (not database or (database.isascii() and database.isdigit()))


def celery_url_of(url: str) -> str:
    return (
        "redis+socket" + url.removeprefix("unix").replace("?db=", "?virtual_host=")
        if url.startswith("unix:")
        else url
    )


def broker_place(url: str) -> str:
    """Return the address without its password."""
    scheme, mark, address = url.partition("://")
    return f"{scheme}://{address.rpartition('@')[2]}" if mark else "REDIS_URL"
