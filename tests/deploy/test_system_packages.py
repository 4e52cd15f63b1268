"""The set-up of system packages: quiet where nothing is missing, bounded, and clear where it cannot."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "deploy" / "system-packages.sh"
NEEDED = ("bwrap", "setpriv", "unshare", "prlimit", "choom")
ORDINARY = ("sh", "env", "mktemp", "rm", "tail", "timeout", "touch", "cat")


class Machine:
    """A machine made of a folder: the programs in it are all there are."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.calls = folder / "calls"
        self.folder = folder
        for name in ORDINARY:
            (self.bin / name).symlink_to(shutil.which(name) or name)

    def has(self, name: str, script: str = "true") -> None:
        """Puts a program there that writes down how it was called."""
        program = self.bin / name
        program.unlink(missing_ok=True)  # never write through a link to the real program
        program.write_text(f'#!/bin/sh\necho "{name} $*" >> "{self.calls}"\n{script}\n')
        program.chmod(0o755)

    def run(self) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [shutil.which("sh") or "sh", str(SCRIPT)],
            env={"PATH": str(self.bin), "TMPDIR": str(self.folder), "HOME": os.environ.get("HOME", "/")},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def apt(self) -> list[str]:
        """The verbs apt-get was called with, in order."""
        lines = self.calls.read_text().splitlines() if self.calls.exists() else []
        return [
            next(word for word in line.split() if word in ("install", "update"))
            for line in lines
            if line.startswith("apt-get")
        ]


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def root_with_apt(machine: Machine, *, known: bool, apt_get: str = "true") -> None:
    machine.has("id", "echo 0")
    machine.has("apt-cache", f"exit {0 if known else 100}")
    machine.has("apt-get", apt_get)


def test_nothing_happens_where_nothing_is_missing(machine):
    for name in NEEDED:
        machine.has(name)
    root_with_apt(machine, known=True)
    done = machine.run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert machine.apt() == []


def test_a_known_package_is_installed_without_an_update(machine):
    root_with_apt(machine, known=True)
    done = machine.run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "installing bubblewrap\n", "")
    assert machine.apt() == ["install"]


def test_an_unknown_package_asks_for_one_update_first(machine):
    root_with_apt(machine, known=False)
    assert machine.run().returncode == 0
    assert machine.apt() == ["update", "install"]


def test_an_outdated_list_is_updated_once(machine):
    mark = machine.folder / "updated"
    script = f'case "$*" in *update*) touch {mark};; *) test -e {mark};; esac'
    root_with_apt(machine, known=True, apt_get=script)
    assert "Remedy" not in machine.run().stdout
    assert machine.apt() == ["install", "update", "install"]


def test_a_failing_installation_shows_its_end_and_the_remedy(machine):
    root_with_apt(machine, known=True, apt_get="echo 'E: no route to the archive'; exit 100")
    done = machine.run()
    assert done.returncode == 0
    assert "E: no route to the archive" in done.stdout
    assert "Remedy: as root, apt-get install bubblewrap util-linux" in done.stdout
    assert machine.apt() == ["install", "update", "install"]


def test_without_the_right_to_install_the_remedy_is_printed(machine):
    machine.has("id", "echo 1000")
    machine.has("apt-get")
    done = machine.run()
    assert done.returncode == 0
    assert "Missing for the sandbox: bwrap setpriv unshare prlimit choom." in done.stdout
    assert "Remedy:" in done.stdout
    assert machine.apt() == []


def test_a_sudo_that_asks_no_password_is_used(machine):
    machine.has("id", "echo 1000")
    machine.has("sudo", '[ "$1" = -n ] && shift && "$@"')
    machine.has("apt-cache")
    machine.has("apt-get")
    done = machine.run()
    assert (done.returncode, done.stdout) == (0, "installing bubblewrap\n")
    assert machine.apt() == ["install"]


def test_other_systems_are_told_what_is_missing(machine):
    machine.has("id", "echo 0")
    assert "There is no apt-get here." in machine.run().stdout
