"""Podman with a storage of its own, and the services of ``compose.yaml`` as its containers."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

# crun refuses a machine with both versions of control groups.
RUNTIME = ("--runtime", "runc", "--cgroup-manager", "cgroupfs")
BUILD_S = 900.0
COMMAND_S = 60.0


class PodmanError(Exception):
    """A command of podman failed; the message ends with its output."""


class Podman:
    """One storage with its images, containers and volumes. ``clean`` removes everything."""

    def __init__(self, folder: Path) -> None:
        self._storage, self._run = folder / "storage", folder / "run"
        # Large temporary files are removed with the rest.
        self._environment = {**os.environ, "TMPDIR": str(folder)}
        self._options = ("--root", str(self._storage), "--runroot", str(self._run), *RUNTIME)

    def __call__(self, *arguments: str, timeout_s: float = COMMAND_S) -> str:
        """Run a command and return its standard output; raise ``PodmanError``."""
        done = subprocess.run(
            ["podman", *self._options, *arguments],
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
            env=self._environment,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode:
            tail = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
            raise PodmanError(
                f"podman {' '.join(arguments[:4])} ... failed with status {done.returncode}:\n{tail}"
            )
        return done.stdout

    def import_folder(self, folder: Path, image: str) -> None:
        packed = subprocess.Popen(["tar", "-C", str(folder), "-cf", "-", "."], stdout=subprocess.PIPE)
        command = ["podman", *self._options, "import", "--quiet", "-", image]
        try:
            subprocess.run(
                command,
                stdin=packed.stdout,
                check=True,
                timeout=BUILD_S,
                capture_output=True,
                env=self._environment,
            )
        finally:
            packed.wait()

    def build(self, context: Path, containerfile: Path, image: str, options: Sequence[str] = ()) -> None:
        command = ("build", "--quiet", "--format", "docker", "--layers", "--network", "host", "--tag", image)
        self(*command, *options, "--file", str(containerfile), str(context), timeout_s=BUILD_S)

    def state(self, name: str) -> dict[str, Any]:
        state: dict[str, Any] = json.loads(self("inspect", "--format", "{{json .State}}", name))
        return state

    def log_tail(self, name: str, lines: int = 12) -> str:
        command = ["podman", *self._options, "logs", "--tail", str(lines), name]
        done = subprocess.run(command, capture_output=True, text=True, timeout=COMMAND_S, check=False)
        return done.stdout + done.stderr

    def clean(self) -> None:
        """Remove containers and storage; call it even after a failure."""
        remove = ("rm", "--all", "--force", "--time", "2")
        # A second time for the container whose network the others share.
        for arguments in (remove, remove, ("volume", "rm", "--all", "--force")):
            subprocess.run(
                ["podman", *self._options, *arguments], capture_output=True, timeout=300, check=False
            )
        # The storage is mounted on itself while podman uses it.
        for mounted in sorted(mounts_below(self._storage), reverse=True):
            subprocess.run(["umount", mounted], capture_output=True, timeout=COMMAND_S, check=False)
        shutil.rmtree(self._storage, ignore_errors=True)
        shutil.rmtree(self._run, ignore_errors=True)


def mounts_below(folder: Path) -> list[str]:
    places = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    return [place for place in places if Path(place).is_relative_to(folder)]


def ulimits(wanted: Mapping[str, Any]) -> list[str]:
    """Return options for limits that this process may set: without SYS_RESOURCE it cannot raise its own."""
    options = []
    for name, number in (("nofile", resource.RLIMIT_NOFILE), ("nproc", resource.RLIMIT_NPROC)):
        hard = resource.getrlimit(number)[1]
        value = int(wanted.get(name, 4096))
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        options.append(f"--ulimit={name}={value}:{value}")
    return options


def security(option: str, deploy: Path) -> str:
    """Return an option of Docker as podman writes it.

    >>> security("systempaths=unconfined", Path("deploy")), security("no-new-privileges", Path("deploy"))
    ('unmask=ALL', 'no-new-privileges')
    """
    name, _, value = option.partition("=")
    if name == "systempaths":
        return "unmask=ALL"
    return f"seccomp={(deploy / value).resolve()}" if name == "seccomp" and value != "unconfined" else option


def run_options(service: Mapping[str, Any], secrets: Mapping[str, Any], deploy: Path) -> list[str]:
    """Return the options of ``podman run`` for a service of compose.yaml, without name, network and image."""
    options = [f"--env={name}={value}" for name, value in (service.get("environment") or {}).items()]
    options += [f"--cap-drop={name}" for name in service.get("cap_drop") or ()]
    options += [f"--security-opt={security(option, deploy)}" for option in service.get("security_opt") or ()]
    for entry in service.get("tmpfs") or ():
        options.append(f"--tmpfs={entry}")
    for entry in service.get("secrets") or ():
        path = secrets[entry["source"]]["file"]
        options.append(f"--volume={path}:{entry.get('target') or '/run/secrets/' + entry['source']}:ro")
    for entry in service.get("volumes") or ():
        mode = ":ro" if entry.get("read_only") else ""
        options.append(f"--volume={entry['source']}:{entry['target']}{mode}")
    options += ulimits(service.get("ulimits") or {})
    if service.get("read_only"):
        options.append("--read-only")
    if "shm_size" in service:
        options.append(f"--shm-size={service['shm_size']}")
    options.append(f"--restart={service.get('restart') or 'no'}")
    # Podman would ask systemd to run them.
    return [*options, "--no-healthcheck"]


def wait_until(problem_of: Any, seconds: float, every_s: float = 1.0) -> None:
    """Call a function until it returns an empty text; raise ``PodmanError`` with its last text."""
    deadline = time.monotonic() + seconds
    while problem := problem_of():
        if time.monotonic() > deadline:
            raise PodmanError(f"after {seconds:.0f} s: {problem}")
        time.sleep(every_s)


def missing(programs: Iterable[str]) -> list[str]:
    return [name for name in programs if shutil.which(name) is None]
