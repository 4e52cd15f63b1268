"""``make images-check``: build all images from nothing, and play verified tournaments in their containers.

It has mounts of its own (``unshare --mount``), so that no other process sees those of the containers.

The containers are those of ``deploy/compose.yaml``, read by Docker Compose; podman starts them in one network
namespace without a connection to the outside. PostgreSQL, queue, storage and proxy come from Debian. Status
0: the tournaments are final and verified, health checks green, and each process ended after SIGTERM.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.images.podman import Podman, PodmanError, missing, run_options, ulimits, wait_until

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
HERE = Path(__file__).resolve().parent
NEEDS = {
    "podman": "podman",
    "runc": "runc",
    "debootstrap": "debootstrap",
    "newuidmap": "uidmap",
    "tar": "tar",
}
"""Programs, and Debian's packages with them."""
SERVICES = ("database", "queue", "storage", "proxy")
PROCESSES = ("web", "worker", "play", "housekeeping", "beat", "analysis", "notes")
SITE = "rensho.local"
"""Caddy makes its own certificate for such a name. For localhost, the kit ignores ``SSL_CERT_FILE``."""
CERTIFICATE = "/data/caddy/pki/authorities/local/root.crt"
NET = "net"
READY_S = 180.0
ENDED = (0, 128 + signal.SIGTERM)
"""Status of a process that ended by itself after SIGTERM, which the web server then raises again."""
LIMIT_S = 600.0
"""Documented maximum for the whole check."""


class Clock:
    """Prints each step with its duration."""

    def __init__(self) -> None:
        self.started = time.monotonic()

    @contextlib.contextmanager
    def step(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        print(f"{time.monotonic() - began:7.1f} s  {name}", flush=True)

    @property
    def total_s(self) -> float:
        return time.monotonic() - self.started


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.images", description=__doc__)
    parser.add_argument("--base", help="image of Debian 12 to build from (default: made by debootstrap)")
    parser.add_argument("--boards", type=int, default=4, help="boards of a fixture (default 4)")
    parser.add_argument("--preset", action="append", default=[], help="play only this preset")
    parser.add_argument("--keep", action="store_true", help="leave containers, images and folder in place")
    options = parser.parse_args(arguments)
    if os.geteuid() != 0:
        print(
            "The check must run as root, since it makes a file system and network namespaces.",
            file=sys.stderr,
        )
        return 2
    if absent := missing(NEEDS):
        packages = " ".join(dict.fromkeys(NEEDS[name] for name in absent))
        print(
            f"Missing: {', '.join(absent)}. Remedy: apt-get install --no-install-recommends {packages}",
            file=sys.stderr,
        )
        return 2
    # Otherwise it would leave mounts and a gigabyte behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = Path(tempfile.mkdtemp(prefix="rensho-images-", dir="/var/tmp"))
    podman = Podman(folder)
    clock = Clock()
    try:
        check(podman, folder, clock, options)
    except (PodmanError, subprocess.SubprocessError, OSError) as error:
        print(f"images-check failed: {error}", file=sys.stderr)
        return 1
    finally:
        if options.keep:
            print(f"kept: {folder}")
        else:
            podman.clean()
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{clock.total_s:7.1f} s  in total, of at most {LIMIT_S:.0f}")
    return 0 if clock.total_s <= LIMIT_S else 1


def check(podman: Podman, folder: Path, clock: Clock, options: argparse.Namespace) -> None:
    base = options.base
    if base is None:
        base = "localhost/rensho-base"
        with clock.step("base by debootstrap"):
            base_make(folder / "base")
            podman.import_folder(folder / "base", base)
    with clock.step("images of all processes"):
        for target in ("manage", *PROCESSES):
            podman.build(
                ROOT, DEPLOY / "images" / "Containerfile", f"rensho-{target}", build_options(base, target)
            )
    with clock.step("image of the services"):
        services_build(podman, folder / "services", base)
    compose = compose_read(folder)
    site = Site(podman, folder, compose)
    # Processes first: they must wait for database, queue and storage.
    with clock.step("processes, then services, then the migration"):
        site.start(*PROCESSES)
        site.start(*SERVICES)
        site.wait_healthy("database", "queue")
        site.migrate()
    with clock.step("all health checks green"):
        site.wait_healthy(*PROCESSES)
    with clock.step("tournaments played and verified"):
        print(site.play(options.boards, options.preset), end="", flush=True)
    with clock.step("all processes ended by SIGTERM"):
        site.stop()


def base_make(target: Path) -> None:
    """Make a minimal Debian 12 from the archive of this machine, which its image keeps as its own."""
    command = ["apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages"]
    sites = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.split()
    mirror = next((site for site in sites if "security" not in site), None)
    command = ["debootstrap", "--variant=minbase", "bookworm", str(target), *([mirror] if mirror else [])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        raise PodmanError(f"debootstrap failed:\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
    apt = Path("/etc/apt")
    (target / "etc/apt/sources.list").unlink(missing_ok=True)
    for name in ("sources.list", "sources.list.d", "apt.conf.d/99artifact-registry"):
        if (apt / name).is_dir():
            shutil.copytree(apt / name, target / "etc/apt" / name, dirs_exist_ok=True)
        elif (apt / name).exists():
            shutil.copy(apt / name, target / "etc/apt" / name)


def build_options(base: str, target: str) -> list[str]:
    """Return the options of a build, with the certificates of this machine for the package index."""
    ignored = DEPLOY / "images" / "Containerfile.dockerignore"
    options = ["--build-arg", f"BASE={base}", "--target", target, "--ignorefile", str(ignored), "--jobs", "2"]
    certificates = os.environ.get("PIP_CERT") or os.environ.get("SSL_CERT_FILE", "")
    if certificates and Path(certificates).is_file():
        options += ["--secret", f"id=certificates,src={certificates}"]
    return options


def services_build(podman: Podman, context: Path, base: str) -> None:
    context.mkdir()
    for name in ("services.Containerfile", "service.sh"):
        shutil.copy(HERE / name, context / name)
    weed = shutil.which("weed", path=str(Path(sys.executable).parent))
    if weed is None:
        raise PodmanError("weed, the object storage, is missing: run make .venv/.dev")
    shutil.copy(weed, context / "weed")
    podman.build(
        context, context / "services.Containerfile", "rensho-services", ["--build-arg", f"BASE={base}"]
    )


def compose_read(folder: Path) -> dict[str, Any]:
    """Return ``compose.yaml`` as Docker Compose reads it, with new secrets."""
    secrets = folder / "secrets"
    subprocess.run(["sh", str(DEPLOY / "images" / "secrets.sh"), str(secrets)], check=True, timeout=60)
    program = Path(sys.executable).with_name("docker-compose")
    command = [str(program), "-f", str(DEPLOY / "compose.yaml"), "config", "--format", "json"]
    environment = {**os.environ, "RENSHO_HOST": SITE, "RENSHO_SECRETS": str(secrets)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=environment)
    compose: dict[str, Any] = json.loads(done.stdout)
    return compose


class Site:
    """The containers of one ``compose.yaml``, which share the network of an idle one."""

    def __init__(self, podman: Podman, folder: Path, compose: dict[str, Any]) -> None:
        self._podman, self._secrets = podman, compose["secrets"]
        self._services: dict[str, Any] = compose["services"]
        # All share one address, which is the proxy's too.
        for service in self._services.values():
            environment = service.get("environment") or {}
            if "RENSHO_TRUSTED_PROXIES" in environment:
                environment["RENSHO_TRUSTED_PROXIES"] = "127.0.0.1"
        self._hosts = folder / "hosts"
        names = ("localhost", *SERVICES, "web", SITE)
        self._hosts.write_text("".join(f"127.0.0.1 {name}\n" for name in names))
        self._hosts.chmod(0o644)
        command = [
            "run",
            "--detach",
            f"--name={NET}",
            "--network=none",
            "--no-healthcheck",
            "--entrypoint=tini",
        ]
        podman(*command, *ulimits({}), "rensho-web", "--", "sleep", "infinity")

    def _run_command(self, name: str, *extra: str) -> list[str]:
        service = self._services[name]
        image = "rensho-services" if name in SERVICES else service["image"]
        options = run_options(service, self._secrets, DEPLOY)
        return [
            "run",
            f"--network=container:{NET}",
            f"--volume={self._hosts}:/etc/hosts:ro",
            *options,
            *extra,
            image,
        ]

    def start(self, *names: str) -> None:
        for name in names:
            command = self._run_command(name, "--detach", f"--name={name}")
            given = self._services[name].get("command") or (["caddy"] if name == "proxy" else [])
            self._podman(*command, *given)

    def migrate(self) -> None:
        self._podman(*self._run_command("manage", "--rm", "--restart=no"), timeout_s=READY_S)

    def _health_command(self, name: str) -> list[str]:
        if name in SERVICES:
            return list(self._services[name]["healthcheck"]["test"][1:])
        image = json.loads(self._podman("inspect", "--format", "{{json .HealthCheck}}", f"rensho-{name}"))
        return list((image or {})["Test"][1:])

    def _problem(self, name: str) -> str:
        state = self._podman.state(name)
        if not state["Running"] and name in PROCESSES:
            return f"{name} has ended with status {state['ExitCode']}:\n{self._podman.log_tail(name)}"
        try:
            self._podman("exec", name, *self._health_command(name))
        except PodmanError as error:
            return f"{name} is not healthy: {error}\n{self._podman.log_tail(name)}"
        return ""

    def wait_healthy(self, *names: str) -> None:
        for name in names:
            wait_until(lambda name=name: self._problem(name), READY_S)

    def play(self, boards: int, presets: Sequence[str]) -> str:
        """Play in a container with the settings of the web process; return what the demo prints."""
        extra = ["--rm", "--restart=no", f"--volume={ROOT}:/check:ro", "--workdir=/check"]
        extra += ["--env=PYTHONPATH=/check:/check/platform", "--env=RENSHO_DATA=/tmp/data"]
        certificate = self._hosts.with_name("root.crt")
        certificate.write_text(self._podman("exec", "proxy", "cat", CERTIFICATE))
        certificate.chmod(0o644)
        extra += [f"--volume={certificate}:/root.crt:ro", "--env=SSL_CERT_FILE=/root.crt"]
        command = self._run_command("web", *extra)
        arguments = [f"--boards={boards}", *(f"--preset={preset}" for preset in presets), f"https://{SITE}/"]
        try:
            return self._podman(*command, "python", "-m", "tests.images.play", *arguments, timeout_s=LIMIT_S)
        except (PodmanError, subprocess.TimeoutExpired) as error:
            logs = "\n".join(f"-- {name}\n{self._podman.log_tail(name)}" for name in PROCESSES)
            raise PodmanError(f"{error}\n{logs}") from error

    def stop(self) -> None:
        """Stop the processes as the platform would; raise ``PodmanError`` if one was killed or failed."""
        for name in PROCESSES:
            self._podman("stop", "--time", "60", name, timeout_s=90)
            if (status := self._podman.state(name)["ExitCode"]) not in ENDED:
                raise PodmanError(f"{name} ended with status {status}:\n{self._podman.log_tail(name)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
