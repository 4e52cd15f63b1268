"""Processes of an installation on one machine, with their command lines."""

from __future__ import annotations

import contextlib
import errno
import importlib.util
import os
import signal
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from arena.mounts import FEATURES
from arena.operations.broker import (
    BrokerError,
    broker_argv,
    broker_binary_find,
    broker_files_restore,
    broker_files_set_aside,
    broker_wait,
)
from arena.operations.child_process import Child, ChildSpec
from arena.operations.supervisor import SupervisorError

BROKER_START_S = 15.0
SOCKET_PATH_BYTES = 107
"""Maximum bytes of the path of a unix socket."""
BROKER, WORKERS, FRONT = range(3)
"""Layers in stopping order from the last: services stop after their clients."""
ADDRESS_MISSING = (
    "put the address of the site before it, or set RENSHO_ADDRESS or RENSHO_ORIGINS, such as "
    "https://rensho.example.org"
)
"""Remark next to a link whose host is unknown."""
LISTENS = "0A"
"""State code of a listening socket in ``/proc/net/tcp``."""
StopSteps = tuple[tuple[signal.Signals, float], ...]
WORKER_STOP = ((signal.SIGTERM, 20.0), (signal.SIGQUIT, 5.0))
"""Warm shutdown first, which finishes the current table; then cold."""
WEB_GRACE_S = 3
"""Seconds for running requests when ``manage.py up`` ends."""
SERVICE_STOP = ((signal.SIGTERM, 20.0),)
"""Tables with people are released in their current state, to be continued."""


def child_environment() -> dict[str, str]:
    """Return the environment of all children: this process's, with the location of the imported packages."""
    specs = (importlib.util.find_spec(package) for package in ("arena", "engine"))
    roots = dict.fromkeys(
        str(Path(spec.origin).resolve().parents[1]) for spec in specs if spec and spec.origin
    )
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE", "arena.settings.base"),
        "PYTHONPATH": os.pathsep.join([*roots, *filter(None, [os.environ.get("PYTHONPATH")])]),
        "PYTHONUNBUFFERED": "1",
        "RENSHO_DATA": str(settings.DATA),
        # The checks would load the address table and with it the whole API into every worker.
        "CELERY_SKIP_CHECKS": "1",
    }


def installation_children(host: str, port: int, workers: int) -> list[Child]:
    """Return the children in starting order: embedded broker, workers, services of features, beat, web.

    Raises ``BrokerError`` if no broker is configured and none can be started.
    """
    data: Path = settings.DATA
    logs = data / "logs"
    for folder in (logs, Path(settings.STATIC_ROOT)):
        folder.mkdir(exist_ok=True)
    env = child_environment()
    python = (sys.executable, "-m")
    celery = (*python, "celery", "-A", "arena", "--quiet")
    quiet = ("--without-gossip", "--without-mingle")

    def child(name: str, layer: int, *argv: str, stop: StopSteps = ChildSpec.stop) -> Child:
        log = logs / f"{name}.log"
        return Child(ChildSpec(name=name, argv=argv, env=env, cwd=data, log=log, stop=stop, layer=layer))

    def worker(name: str, queues: str, concurrency: int) -> Child:
        argv = (
            *celery,
            "worker",
            "-n",
            f"{name}@%h",
            "-Q",
            queues,
            "--concurrency",
            str(concurrency),
            *quiet,
        )
        return child(name, WORKERS, *argv, stop=WORKER_STOP)

    children = []
    if settings.BROKER_IS_MANAGED:
        children.append(child("broker", BROKER, *broker_argv(broker_binary_find(), data)))
    else:
        broker_wait(settings.REDIS_URL, 5.0)
    # Checks share the slots of the tables, so that bots never outnumber the cores; the ticks have a
    # worker of their own, so that no bot can hold them up. It does two things at once, so that webhooks
    # of slow receivers cannot either.
    children.append(worker("housekeeping", "housekeeping", 2))
    children.append(worker("tables", "tables,checks", workers))
    for feature in FEATURES:
        if feature.service:
            children.append(
                child(feature.name, WORKERS, *python, "django", feature.service, stop=SERVICE_STOP)
            )
    children.append(child("beat", FRONT, *celery, "beat", "--schedule", str(data / "beat"), "--pidfile", ""))
    children.append(
        child(
            "web",
            FRONT,
            *(*python, "django", "serve", "--host", host, "--port", str(port)),
            *("--grace-s", str(WEB_GRACE_S)),
            stop=((signal.SIGTERM, WEB_GRACE_S + 7.0),),
        )
    )
    return children


def site_url(host: str, port: int) -> str:
    """Return the URL of the site for visitors on this machine, with a trailing slash.

    >>> site_url("0.0.0.0", 8000), site_url("::1", 8000)
    ('http://localhost:8000/', 'http://[::1]:8000/')
    """
    name = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/"


def manage_command() -> str:
    python = Path(sys.executable)
    if python.is_relative_to(Path.cwd()):
        python = python.relative_to(Path.cwd())
    is_checkout = (settings.REPOSITORY / "manage.py").is_file()
    return f"{python} {'manage.py' if is_checkout else '-m django'}"


def broker_gate(say: Callable[[str, str], None]) -> Callable[[Child], None]:
    """Return a gate for the supervisor that waits until the embedded broker answers.

    If the broker exits at its start, it is started once more with its files set aside, which loses nothing,
    since the tick sends due work again. If it exits again, they are restored.
    """

    def wait(child: Child) -> str:
        return broker_wait(settings.REDIS_URL, BROKER_START_S, lambda: child.has_ended)

    def start_without_files(child: Child) -> str | None:
        how = child.stop()
        if (aside := broker_files_set_aside(settings.DATA)) is None:
            return None
        child.start()
        try:
            version = wait(child)
        except BrokerError:
            child.stop()
            broker_files_restore(aside)
            raise
        message = f"{how} with the files in {settings.DATA / 'broker'}; they were moved to {aside.name}"
        say("broker", f"{message}, and due work is offered again (log: {child.spec.log})")
        return version

    def gate(child: Child) -> None:
        try:
            try:
                version = wait(child)
            except BrokerError:
                restarted = start_without_files(child) if child.has_ended else None
                if restarted is None:
                    raise
                version = restarted
        except BrokerError as error:
            tail = "\n  ".join(child.log_tail())
            raise SupervisorError(f"{error}; its log {child.spec.log} ends:\n  {tail}") from None
        say("broker", f"answers, version {version}, {child.spec.argv[0]}")

    return gate


def port_claim(host: str, port: int) -> int:
    """Return the requested port, or any free port for 0; raise ``SupervisorError`` if it cannot be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or "ports go up to 65535"
            is_of_host = (
                isinstance(error, socket.gaierror) or getattr(error, "errno", None) == errno.EADDRNOTAVAIL
            )
            remedy = "address of this machine with --host" if is_of_host else "with --port; 0 = any"
            raise SupervisorError(
                f"cannot serve on {host} port {port}: {why}. Choose another {remedy}."
            ) from None
        return int(probe.getsockname()[1])


def socket_claim(path: str) -> None:
    """Raise ``SupervisorError`` unless a unix socket can be created at a path; a stale one may exist."""
    socket_path = Path(path)
    problem = ""
    if len(os.fsencode(path)) > SOCKET_PATH_BYTES:
        problem = f"its path is longer than {SOCKET_PATH_BYTES} bytes"
    elif not socket_path.parent.is_dir():
        problem = f"there is no folder {socket_path.parent}"
    elif not os.access(socket_path.parent, os.W_OK | os.X_OK):
        problem = f"{socket_path.parent} may not be written by this user"
    elif socket_path.exists() and not socket_path.is_socket():
        problem = "another file has that name"
    if problem:
        raise SupervisorError(f"cannot serve at the socket {path}: {problem}. Choose another with --uds.")


def is_listening(pid: int | None, port: int) -> bool:
    """Return whether a process of this user listens on a TCP port of this machine, at any address."""
    if pid is None:
        return False
    process = Path("/proc", str(pid))
    sockets = set()
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):  # it ended, or the machine has no IPv6
            for line in (process / "net" / table).read_text().splitlines()[1:]:
                _, local, _, state, *_, inode = line.split()[:10]
                if state == LISTENS and int(local.rpartition(":")[2], 16) == port:
                    sockets.add(f"socket:[{inode}]")
    with contextlib.suppress(OSError):
        return any(_target(descriptor) in sockets for descriptor in (process / "fd").iterdir())
    return False


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        return ""


def web_answers(url: str, timeout_s: float = 1.0) -> bool:
    """Return whether the site answers at its health address, bypassing proxies."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f"{url}healthz", timeout=timeout_s):
            return True
    except urllib.error.HTTPError:
        return True
    except (OSError, ValueError):
        return False
