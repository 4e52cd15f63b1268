"""Where the queue's server is: the one named in the environment, or our own in the data folder.

Every process with the same data folder comes to the same address, so that a command typed in
another shell reaches the broker of the running site without being told.
"""

import hashlib
import os
import tempfile
from pathlib import Path
from urllib.parse import quote

SOCKET_PATH_LIMIT = 100
"""Bytes; the system's own limit for the path of a unix socket is 107."""


def broker_socket_of(data: Path) -> Path:
    """Path of our own broker's socket, in a folder that only its owner may enter.

    It lies in the data folder, unless that lies too deep for a socket's path.
    """
    path = data / "broker" / "valkey.sock"
    if len(os.fsencode(path)) <= SOCKET_PATH_LIMIT:
        return path
    name = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"rensho-{os.getuid()}-{name}" / "valkey.sock"


def broker_url_of(data: Path) -> str:
    """Address of the broker: ``REDIS_URL`` if set, else the socket of the data folder."""
    return os.environ.get("REDIS_URL") or f"unix://{quote(str(broker_socket_of(data)))}?db=0"


def celery_url_of(url: str) -> str:
    """The same address as Celery spells it."""
    return (
        "redis+socket" + url.removeprefix("unix").replace("?db=", "?virtual_host=")
        if url.startswith("unix:")
        else url
    )
