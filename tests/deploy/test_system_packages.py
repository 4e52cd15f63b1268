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
        home = os.environ.get("HOME", "/")
        return subprocess.run(
            [shutil.which("sh") or "sh", str(SCRIPT), *arguments],
            env={
                "PATH": str(self.bin),
                "TMPDIR": str(self.folder),
                "HOME": home,
                "RENSHO_POSTGRES": str(self.postgres),
                "RENSHO_PYTHON": str(self.bin / "python"),
                **settings,
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
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

    def installed(self) -> list[list[str]]:
        """The packages of each call that was to install some."""
        lines = self.calls.read_text().splitlines() if self.calls.exists() else []
        return [
            line.partition("--no-install-recommends ")[2].split()
            for line in lines
            if line.startswith("apt-get") and " install " in line
        ]

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
    assert (done.returncode, done.stdout, done.stderr) == (0, "installing bubblewrap util-linux\n", "")
    assert machine.apt() == ["install"]


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


def test_the_kernel_asks_for_a_compiler_and_the_headers_of_python(machine):
    for name in NEEDED:
        machine.has(name)
    machine.has("python", "exit 0")
    root_with_apt(machine, known=True)
    assert machine.run().stdout == ""
    machine.has("python", "exit 1")
    machine.run()
    (machine.bin / "cc").unlink()
    assert machine.run().stdout == "installing gcc libc6-dev python3-dev\n"
    assert machine.installed() == [["python3-dev"], ["gcc", "libc6-dev", "python3-dev"]]


def test_only_the_tests_ask_for_node_and_a_server(machine):
    for name in NEEDED:
        machine.has(name)
    root_with_apt(machine, known=True)
    assert machine.run().stdout == ""
    (machine.bin / "cc").unlink()
    assert machine.run("tests").stdout == f"installing {' '.join(FOR_TESTS)}\n"
    assert machine.installed() == [FOR_TESTS]


def test_an_installed_postgresql_makes_no_cluster(machine):
    """A first installation would make and start one; the file that forbids it does not stay."""
    for name in NEEDED:
        machine.has(name)
    machine.has_for_tests()
    (machine.postgres / "initdb").unlink()
    root_with_apt(machine, known=True)
    machine.has("tee", f"cat > {machine.folder}/written")
    machine.has("apt-get", f"test -e {machine.folder}/written")
    done = machine.run("tests")
    assert (done.returncode, done.stdout) == (0, "installing postgresql\n")
    assert (machine.folder / "written").read_text() == "create_main_cluster = false\n"
    changes = ("mkdir ", "tee ", "apt-get ", "rm ")
    calls = [line for line in machine.calls.read_text().splitlines() if line.startswith(changes)]
    assert calls[0] == f"mkdir -p {NO_CLUSTER.rpartition('/')[0]}"
    assert calls[1] == f"tee {NO_CLUSTER}"
    assert calls[2].endswith("install -y --no-install-recommends postgresql")
    assert calls[3] == f"rm -f {NO_CLUSTER}"


def test_the_sandbox_is_installed_though_the_tests_needs_cannot_be(machine):
    (machine.bin / "cc").unlink()
    root_with_apt(machine, known=True, apt_get='case "$*" in *nodejs*) echo "E: no nodejs"; exit 100;; esac')
    done = machine.run("tests")
    assert done.returncode == 0
    assert machine.installed()[0] == ["bubblewrap", "util-linux"]
    assert "Missing for the sandbox" not in done.stdout
    assert "E: no nodejs" in done.stdout
    assert "Missing for the tests: cc node openssl postgres chromium. apt-get could not" in done.stdout
    assert f"Remedy: as root, apt-get install {' '.join(FOR_TESTS)}" in done.stdout


@pytest.mark.parametrize(
    ("target", "words"),
    [("demo", ""), ("up", ""), ("test", " tests"), ("test-postgres", " tests"), ("check", " tests")],
)
def test_make_asks_for_what_its_target_needs(target, words):
    root = SCRIPT.parents[1]
    done = subprocess.run(
        [shutil.which("make") or "make", "-n", "-C", str(root), target],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    (line,) = [line for line in done.stdout.splitlines() if "system-packages.sh" in line]
    assert line.strip() == f"sh deploy/system-packages.sh{words}"
