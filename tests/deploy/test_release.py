"""Releases beside each other: installed, activated in a safe order, and rolled back."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
RUN = """#!/bin/sh
here=$(cd "$(dirname "$0")/.." && pwd)
echo "$(basename "$here") $*" >>"$CALLS"
[ ! -e "$here/refused" ] || { echo "The database needs release 9" >&2; exit 1; }
"""
SYSTEMCTL = """#!/bin/sh
case $1 in
is-active) [ "$3" != rensho-play.service ] ;;
is-enabled) false ;;
list-units) echo "rensho-worker@1.service loaded active"; echo "rensho-worker@2.service loaded active" ;;
*) echo "systemctl $*" >>"$CALLS" ;;
esac
"""
MAKEFILE = "setup:\n\t@mkdir -p .venv && touch .venv/.run && test -z '$(EXTRAS)' || touch .venv/.extras\n"


class Machine:
    """A home with a repository of three tags; programs write what they are called with."""

    def __init__(self, folder: Path) -> None:
        self.home, self.units, self.calls_file = folder / "home", folder / "units", folder / "calls"
        self.environment = {
            **os.environ,
            "RENSHO_HOME": str(self.home),
            "RENSHO_UNITS": str(self.units),
            "RENSHO_SYSTEMCTL": str(folder / "systemctl"),
            "CALLS": str(self.calls_file),
            "GIT_CONFIG_GLOBAL": "/dev/null",
        }
        for path in (self.home, self.units, folder / "origin" / "deploy" / "systemd"):
            path.mkdir(parents=True)
        (folder / "systemctl").write_text(SYSTEMCTL)
        (folder / "systemctl").chmod(0o755)
        origin = folder / "origin"
        (origin / "Makefile").write_text(MAKEFILE)
        (origin / "deploy" / "run.sh").write_text(RUN)
        (origin / "deploy" / "run.sh").chmod(0o755)
        self.git(origin, "init", "-q", "-b", "main")
        for version in ("v1", "v2", "v3"):
            (origin / "deploy" / "systemd" / "rensho-web.service").write_text(version)
            if version == "v3":
                (origin / "refused").touch()
            self.git(origin, "add", ".")
            self.git(origin, "commit", "-qm", version)
            self.git(origin, "tag", version)
        self.git(folder, "clone", "-q", str(origin), str(self.home / "repository"))

    def git(self, folder: Path, *arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True, env=self.environment)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(DEPLOY / "release.sh"), *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def calls(self) -> list[str]:
        """What was called since the last time."""
        found = self.calls_file.read_text().splitlines() if self.calls_file.exists() else []
        self.calls_file.unlink(missing_ok=True)
        return found

    def link(self, name: str) -> str:
        path = self.home / name
        return str(path.readlink()).removeprefix("releases/") if path.is_symlink() else ""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    assert shutil.which("git")
    return Machine(tmp_path)


def test_releases_are_installed_activated_and_rolled_back(machine: Machine) -> None:
    for version in ("v1", "v2"):
        assert machine.run("install", version).returncode == 0
    assert machine.calls() == [], "nothing that runs is touched"
    assert machine.run("activate", "v1").returncode == 0
    machine.calls()
    done = machine.run("activate", "v2")
    assert done.returncode == 0, done.stderr
    assert (machine.link("current"), machine.link("previous")) == ("v2", "v1")
    assert (machine.units / "rensho-web.service").read_text() == "v2"
    assert machine.calls() == [
        "v2 migrate --noinput --expand",
        "systemctl daemon-reload",
        "systemctl restart rensho-web.service",
        "systemctl restart rensho-housekeeping.service",
        "systemctl restart rensho-beat.service",
        "systemctl restart rensho-analysis.service",
        "systemctl restart rensho-notes.service",
        "systemctl restart rensho-worker@1.service rensho-worker@2.service",
    ]
    assert machine.run("finish").returncode == 0
    assert machine.calls() == ["current migrate --noinput"]
    assert machine.run("list").stdout.splitlines() == ["v1 (previous)", "v2 (current)"]
    assert machine.run("rollback").returncode == 0
    assert (machine.link("current"), machine.link("previous")) == ("v1", "v2")
    assert (machine.units / "rensho-web.service").read_text() == "v1"


def test_a_release_that_cannot_use_the_database_changes_nothing(machine: Machine) -> None:
    for version in ("v1", "v3"):
        machine.run("install", version)
    machine.run("activate", "v1")
    machine.calls()
    done = machine.run("activate", "v3")
    assert done.returncode == 1
    assert "nothing was changed" in done.stderr
    assert machine.calls() == ["v3 migrate --noinput --expand"]
    assert (machine.link("current"), machine.link("previous")) == ("v1", "")
    assert (machine.units / "rensho-web.service").read_text() == "v1"


def test_what_is_wrong_is_one_sentence(machine: Machine) -> None:
    machine.run("install", "v1")
    machine.run("activate", "v1")
    for words in (
        (),
        ("install",),
        ("install", "../v1"),
        ("install", "v1"),
        ("install", "v9"),
        ("activate", "v2"),
        ("activate", "v1"),
        ("rollback",),
        ("remove", "v1"),
        ("remove", "v2"),
    ):
        done = machine.run(*words)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), (words, done.stderr)


def test_an_interrupted_installation_is_repeated_and_others_are_removed(machine: Machine) -> None:
    (machine.home / "releases" / "v1" / "rest").mkdir(parents=True)
    assert machine.run("activate", "v1").returncode == 1
    assert machine.run("install", "v1").returncode == 0
    assert not (machine.home / "releases" / "v1" / "rest").exists()
    (machine.home / "current").symlink_to("releases/v1")
    (machine.home / "releases" / "v1" / ".venv" / ".extras").touch()
    machine.run("install", "v2")
    assert (machine.home / "releases" / "v2" / ".venv" / ".extras").exists(), "as in the current one"
    machine.run("install", "main")
    assert "v2" not in machine.run("remove", "v2").stderr
    assert machine.run("list").stdout.splitlines() == ["main", "v1 (current)"]
