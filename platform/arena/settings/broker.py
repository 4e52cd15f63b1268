"""Where the queue's server is: the one named in the environment, or our own in the data folder.

Every process with the same data folder comes to the same address, so that a command typed in
another shell reaches the broker of the running site without being told.
"""

import hashlib
import os
import tempfile
from pathlib import Path
from urllib.parse import quote, urlsplit

VARIABLE = "REDIS_URL"
SERVER = "RENSHO_QUEUE_SERVER"
"""Program of a Valkey or Redis server to run instead of the bundled one: a path, or a name on PATH."""
URL_FORMS = "redis://:PASSWORD@HOST:6379/0, rediss:// with TLS, or unix:///PATH?db=0"
SCHEMES = ("redis", "rediss", "unix")
MAX_SOCKET_PATH_BYTES = 100
"""Bytes; the system's own limit for the path of a unix socket is 107."""


def broker_socket_of(data: Path) -> Path:
    """Path of our own broker's socket, in a folder that only its owner may enter.

    It lies in the data folder, unless that lies too deep for a socket's path.
    """
    path = data / "broker" / "valkey.sock"
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES:
        return path
    name = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"rensho-{os.getuid()}-{name}" / "valkey.sock"


def broker_url_of(data: Path) -> str:
    """Address of the broker: ``REDIS_URL`` if set, else the socket of the data folder.

    Raises:
        SystemExit: ``REDIS_URL`` cannot be read; without the address, which may have a password.
    """
    named = configured_broker_url()
    if named and not _is_broker_url(named):
        raise SystemExit(
            f"rensho: {VARIABLE} is no address of a Valkey or Redis server. Write {URL_FORMS}, and signs "
            "such as # / ? @ : % in the password as %XX (%23 for #)."
        )
    return named or f"unix://{quote(str(broker_socket_of(data)))}?db=0"


def configured_broker_url() -> str:
    """``REDIS_URL``, without blanks around it; empty: the broker is our own."""
    return os.environ.get(VARIABLE, "").strip()


def _is_broker_url(url: str) -> bool:
    """Whether client library and Celery read the same server and the same database from it."""
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
    """The same address as Celery spells it."""
    return (
        "redis+socket" + url.removeprefix("unix").replace("?db=", "?virtual_host=")
        if url.startswith("unix:")
        else url
    )
