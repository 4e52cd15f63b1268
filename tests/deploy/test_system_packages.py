"""The set-up of system packages: quiet where nothing is missing, bounded, and clear where it cannot."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "deploy" / "system-packages.sh"
NEEDED = ("bwrap", "setpriv", "unshare", "prlimit", "choom")
ORDINARY = ("sh", "env", "mktemp", "tail", "timeout", "touch", "cat")
FOR_TESTS = [
    "gcc",
    "libc6-dev",
    "nodejs",
    "openssl",
    "postgresql",
    "chromium-headless-shell",
    "fonts-vlgothic",
]
NO_CLUSTER = "/etc/postgresql-common/createcluster.d/rensho-tests.conf"


def run(*command: str, env: dict[str, str | Path] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)


class Machine:
    """A machine made of a folder: the programs in it are all there are."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.calls = folder / "calls"
        self.folder = folder
        self.postgres = folder / "postgres"
        self.postgres.mkdir()
        for name in ORDINARY:
            (self.bin / name).symlink_to(shutil.which(name) or name)
        # What changes files outside the folder is written down and not done.
        for name in ("rm", "mkdir", "tee"):
            self.has(name)
        self.has("cc")

    def has(self, name: str, script: str = "true") -> None:
        """Puts a program there that writes down how it was called."""
        program = self.bin / name
        program.unlink(missing_ok=True)  # never write through a link to the real program
        program.write_text(f'#!/bin/sh\necho "{name} $*" >> "{self.calls}"\n{script}\n')
        program.chmod(0o755)

    def run(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        folders = {"PATH": self.bin, "TMPDIR": self.folder, "HOME": os.environ.get("HOME", "/")}
        programs = {"RENSHO_POSTGRES": self.postgres, "RENSHO_PYTHON": self.bin / "python"}
        return run(
            shutil.which("sh") or "sh", str(SCRIPT), *arguments, env={**folders, **programs, **settings}
        )

    def has_for_tests(self, *, static_library: bool = True) -> None:
        """Puts there what the tests need besides the sandbox."""
        library = self.folder / "libc.a"
        if static_library:
            library.touch()
        self.has("cc", f"echo {library}")
        self.has("node")
        self.has("openssl")
        self.has("chromium")
        self.has_postgres()

    def has_postgres(self) -> None:
        """Puts the programs of a PostgreSQL server where RENSHO_POSTGRES says."""
        (self.postgres / "initdb").symlink_to(shutil.which("true") or "true")

    def _apt_get(self) -> list[str]:
        lines = self.calls.read_text().splitlines() if self.calls.exists() else []
        return [line for line in lines if line.startswith("apt-get")]

    def installed(self) -> list[list[str]]:
        """The packages of each call that was to install some."""
        parts = [line.partition("--no-install-recommends ")[2].split() for line in self._apt_get()]
        return [packages for packages in parts if packages]

    def apt(self) -> list[str]:
        """The verbs apt-get was called with, in order."""
        return [next(w for w in line.split() if w in ("install", "update")) for line in self._apt_get()]


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


@pytest.fixture
def sandboxed(machine):
    """A machine of root that has all that the sandbox needs, and apt-get."""
    for name in NEEDED:
        machine.has(name)
    root_with_apt(machine)
    return machine


def root_with_apt(machine: Machine, *, apt_get: str = "true") -> None:
    machine.has("id", "echo 0")
    machine.has("apt-cache", "exit 0")
    machine.has("apt-get", apt_get)


def test_nothing_happens_where_nothing_is_missing(sandboxed):
    done = sandboxed.run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert sandboxed.apt() == []


def test_a_known_package_is_installed_without_an_update(machine):
    root_with_apt(machine)
    done = machine.run()
    assert (done.returncode, done.stdout.count("\n"), done.stderr) == (0, 1, "")
    assert (machine.apt(), machine.installed()) == (["install"], [["bubblewrap", "util-linux"]])


@pytest.mark.parametrize(
    ("apt_get", "printed"),
    [
        ('case "$*" in *update*) touch MARK;; *) test -e MARK;; esac', []),
        ("echo 'E: no route'; exit 100", ["E: no route", "apt-get install bubblewrap util-linux"]),
    ],
    ids=["outdated", "failing"],
)
def test_a_list_is_updated_once_and_a_failure_shows_its_end_and_the_remedy(machine, apt_get, printed):
    root_with_apt(machine, apt_get=apt_get.replace("MARK", str(machine.folder / "updated")))
    done = machine.run()
    assert done.returncode == 0
    assert machine.apt() == ["install", "update", "install"]
    assert [text for text in printed if text not in done.stdout] == []
    assert ("apt-get" in done.stdout) == bool(printed)


def test_without_the_right_to_install_the_remedy_is_printed(machine):
    machine.has("id", "echo 1000")
    machine.has("apt-get")
    done = machine.run()
    assert done.returncode == 0
    assert " ".join(NEEDED) in done.stdout
    assert machine.apt() == []


def test_the_kernel_asks_for_a_compiler_and_the_headers_of_python(sandboxed):
    sandboxed.has("python", "exit 0")
    assert sandboxed.run().stdout == ""
    sandboxed.has("python", "exit 1")
    sandboxed.run()
    (sandboxed.bin / "cc").unlink()
    sandboxed.run()
    assert sandboxed.installed() == [["python3-dev"], ["gcc", "libc6-dev", "python3-dev"]]


def test_only_the_tests_ask_for_node_and_a_server(sandboxed):
    assert sandboxed.run().stdout == ""
    (sandboxed.bin / "cc").unlink()
    sandboxed.run("tests")
    assert sandboxed.installed() == [FOR_TESTS]


def test_an_installed_postgresql_makes_no_cluster(sandboxed):
    """A first installation would make and start one; the file that forbids it does not stay."""
    machine = sandboxed
    machine.has_for_tests()
    (machine.postgres / "initdb").unlink()
    machine.has("tee", f"cat > {machine.folder}/written")
    machine.has("apt-get", f"test -e {machine.folder}/written")
    assert machine.run("tests").returncode == 0
    assert (machine.folder / "written").read_text() == "create_main_cluster = false\n"
    changes = ("mkdir ", "tee ", "apt-get ", "rm ")
    calls = [line for line in machine.calls.read_text().splitlines() if line.startswith(changes)]
    folder = NO_CLUSTER.rpartition("/")[0]
    assert calls[:2] + calls[3:4] == [f"mkdir -p {folder}", f"tee {NO_CLUSTER}", f"rm -f {NO_CLUSTER}"]
    assert machine.installed() == [["postgresql"]]


def test_the_sandbox_is_installed_though_the_tests_needs_cannot_be(machine):
    (machine.bin / "cc").unlink()
    root_with_apt(machine, apt_get='case "$*" in *nodejs*) echo "E: no nodejs"; exit 100;; esac')
    done = machine.run("tests")
    assert done.returncode == 0
    assert machine.installed()[0] == ["bubblewrap", "util-linux"]
    assert "bwrap" not in done.stdout
    for text in (
        "E: no nodejs",
        "cc node openssl postgres chromium",
        f"apt-get install {' '.join(FOR_TESTS)}",
    ):
        assert text in done.stdout


@pytest.mark.parametrize(
    ("target", "words"),
    [("demo", ""), ("up", ""), ("test", " tests"), ("test-postgres", " tests"), ("check", " tests")],
)
def test_make_asks_for_what_its_target_needs(target, words):
    done = run(shutil.which("make") or "make", "-n", "-C", str(SCRIPT.parents[1]), target)
    (line,) = [line for line in done.stdout.splitlines() if "system-packages.sh" in line]
    assert line.strip() == f"sh deploy/system-packages.sh{words}"
