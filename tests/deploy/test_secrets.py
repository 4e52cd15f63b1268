"""No secret of the env file is on a command line, where every user of the machine can read it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
README = (DEPLOY / "README.md").read_text()
URL = "postgres://rensho:p%24w%20d%27%22%25%23%26@db.internal:5433/rensho?sslmode=require"
QUEUE = r"redis://:it$has\`signs`@127.0.0.1:6379/0"


class Machine:
    """A clone of the scripts, with programs that write down how they were called, and whose they are."""

    def __init__(self, folder: Path, *, uid: int) -> None:
        self.folder = folder
        self.calls = folder / "calls"
        self.env = folder / "rensho.env"
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.here = folder / "clone"
        self.here.mkdir()
        (self.here / "deploy").mkdir()
        shutil.copy(DEPLOY / "run.sh", self.here / "deploy")
        (self.here / ".venv/bin").mkdir(parents=True)
        self.program("id", f'[ "$1" = -u ] && echo {uid}; exit 0')
        self.program("python", self._notes("python"), self.here / ".venv/bin")
        self.program("runuser", self._notes("runuser"))

    def _notes(self, name: str) -> str:
        text = (
            '{ echo "NAME $*"; env | grep -E "^(PG|DATABASE_URL|REDIS_URL|RENSHO_|QUOTED|SINGLE)" '
            '| sed "s/^/NAME: /"; pwd; } >>CALLS\n'
        )
        return text.replace("NAME", name, 1).replace("NAME:", f"{name}:").replace("CALLS", str(self.calls))

    def program(self, name: str, body: str, folder: Path | None = None) -> None:
        path = (folder or self.bin) / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def run(self, script: str, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.here / "deploy" / script), *words],
            env={"PATH": f"{self.bin}:{os.environ['PATH']}", "RENSHO_ENV": str(self.env)},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def called(self, program: str) -> list[str]:
        """The command lines with which a program was called."""
        lines = self.calls.read_text().splitlines()
        return [line.removeprefix(f"{program} ") for line in lines if line.startswith(f"{program} ")]

    def given(self, program: str) -> dict[str, str]:
        """What a program found in its environment."""
        lines = self.calls.read_text().splitlines()
        pairs = [line.removeprefix(f"{program}: ") for line in lines if line.startswith(f"{program}: ")]
        return dict(pair.split("=", 1) for pair in pairs)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """One of the account of the units."""
    made = Machine(tmp_path, uid=990)
    made.env.write_text(
        "# a comment with NAME=value\n"
        "\n"
        f"RENSHO_DATA={tmp_path / 'data'}\n"
        f"DATABASE_URL={URL}\n"
        f"REDIS_URL={QUEUE}\n"
        'QUOTED="two words"\n'
        "SINGLE='it is'  \n"
        "no setting at all\n"
        "RENSHO_TABLES=2\n"
        "RENSHO_TABLES=3"
    )
    return made


def test_a_command_gets_the_settings_as_the_units_do(machine: Machine) -> None:
    done = machine.run("run.sh", "user_create", "aya", "--email", "two words")
    assert (done.returncode, done.stderr) == (0, "")
    assert machine.called("python") == ["manage.py user_create aya --email two words"]
    given = machine.given("python")
    assert (given["DATABASE_URL"], given["REDIS_URL"]) == (URL, QUEUE)
    assert (given["QUOTED"], given["SINGLE"], given["RENSHO_TABLES"]) == ("two words", "it is", "3")
    assert machine.calls.read_text().splitlines()[-1] == str(machine.here)


def test_root_becomes_the_account_of_the_units_before_anything_is_read(tmp_path: Path) -> None:
    machine = Machine(tmp_path, uid=0)
    machine.env.write_text(f"DATABASE_URL={URL}\n")
    done = machine.run("run.sh", "doctor")
    assert (done.returncode, done.stderr) == (0, "")
    assert machine.called("runuser") == [f"-u rensho -- {machine.here}/deploy/run.sh doctor"]
    assert "DATABASE_URL" not in machine.given("runuser")


def test_a_file_that_cannot_be_read_is_one_sentence(machine: Machine) -> None:
    machine.env.unlink()
    done = machine.run("run.sh", "doctor")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert str(machine.env) in done.stderr
    assert machine.run("run.sh").stderr.startswith("run.sh: usage")
    assert not machine.calls.exists()


def test_the_steps_of_the_page_have_no_secret_on_a_command_line() -> None:
    """Words of the shell itself (``printf``, assignments, here-documents) are on none."""
    blocks = re.findall(r"^```\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 8
    for block in blocks:
        commands = re.sub(r"<<(\w+)\n.*?^\1$", "", block, flags=re.MULTILINE | re.DOTALL)
        commands = re.sub(r"\\\n", " ", commands)
        for line in commands.splitlines():
            shell_only = line.startswith(("printf ", "echo ")) or re.match(r"[A-Z_]+=", line)
            assert shell_only or not re.search(r"\$\w*PASSWORD|requirepass|_URL=\S+:\S+@", line), line
            assert "xargs" not in line, line
