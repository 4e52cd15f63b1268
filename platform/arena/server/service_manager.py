"""Protocols of systemd: readiness by NOTIFY_SOCKET, and sockets that it passes by LISTEN_FDS.

Source of both: sd_notify(3) and sd_listen_fds(3).
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import MutableMapping

log = logging.getLogger(__name__)

NOTIFY_VARIABLE = "NOTIFY_SOCKET"
LISTEN_VARIABLES = ("LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES")
FIRST_FD = 3
"""First descriptor that systemd passes."""
READY, STOPPING = "READY=1", "STOPPING=1"


class PassedSocketError(Exception):
    """The passed descriptor cannot be used; the message has the remedy."""


def notify(state: str, environment: MutableMapping[str, str] = os.environ) -> None:
    """Send a state to the service manager, if there is one. Never fails."""
    address = environment.get(NOTIFY_VARIABLE, "")
    if not address:
        return
    if address.startswith("@"):
        address = f"\0{address[1:]}"  # in the abstract namespace
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as client:
            client.connect(address)
            client.sendall(state.encode())
    except OSError as error:
        log.warning("cannot tell the service manager %s: %s", state, error)


def passed_socket(environment: MutableMapping[str, str] = os.environ) -> socket.socket | None:
    """Return the listening socket that systemd passed to this process, or None.

    Removes the variables, so that no child takes them for its own. Raises PassedSocketError unless it is one
    stream socket.
    """
    names = [name for name in LISTEN_VARIABLES if name in environment]
    count, pid = environment.get("LISTEN_FDS", ""), environment.get("LISTEN_PID", "")
    for name in names:
        del environment[name]
    if not count or pid != str(os.getpid()):
        return None
    if count != "1":
        raise PassedSocketError(
            f"systemd passed {count} sockets (LISTEN_FDS), but the site serves one: leave one ListenStream= "
            "in rensho-web.socket."
        )
    return socket_of(FIRST_FD)


def socket_of(descriptor: int) -> socket.socket:
    """Return the stream socket with this descriptor; raises PassedSocketError for anything else."""
    try:
        passed = socket.socket(fileno=descriptor)
    except OSError as error:
        raise PassedSocketError(
            f"file descriptor {descriptor} is not a socket ({error.strerror}): start the site without it, or "
            "through rensho-web.socket."
        ) from None
    if passed.type != socket.SOCK_STREAM or passed.family not in (
        socket.AF_INET,
        socket.AF_INET6,
        socket.AF_UNIX,
    ):
        raise PassedSocketError(
            f"file descriptor {descriptor} is not a stream socket: use ListenStream= in rensho-web.socket."
        )
    os.set_inheritable(descriptor, False)
    return passed


def address_of(listening: socket.socket) -> str:
    """Return where a socket listens: ``HOST:PORT``, or the path of a unix socket."""
    name = listening.getsockname()
    return f"{name[0]}:{name[1]}" if isinstance(name, tuple) else str(name)
