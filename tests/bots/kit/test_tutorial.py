"""The tutorial, run from its first command to its last; its figures are compared with the output."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import pytest

from arena.competition.models import Tournament
from arena.competition.services import tournament_lock, tournament_start
from arena.features.experiments.models import Experiment
from arena.roster.models import BotVersion
from tests import factories
from tests.arena.features.experiments.batches import was_played
from tests.arena.features.experiments.due import experiment_go_on
from tests.arena.features.ladders.ladders import a_ladder, ladders_set
from tests.arena.play import play_out, play_table, seats_of, tournament_advance, waiting
from tests.bots.kit.inprocess import play_tables_here
from tests.bots.kit.server.conftest import _silent, accept, site, worker  # noqa: F401 - site and what it needs
from tests.bots.kit.server.watched import Meanwhile
from tests.bots.kit.tutorial import blocks, changed, words

SERVER = "http://127.0.0.1:8000"
EVENT = "7k2mq9xw4trb"
LADDER = "vt77rba63dr4"
FIRST_VERSION, SECOND_VERSION = "yvxx56kyf4fa", "rhez588xhqpx"
EXPERIMENT = "77jgpjezt9xh"
FINGERPRINT = "8d1c3e5f0a7b9c24"
LOCAL = ("doctor", "new", "check", "play", "replay", "reproduce", "compare", "tune", "gauntlet", "cp")
SERIES_OF_MATCHES = ("compare", "tune", "gauntlet")
MANY_BOARDS = 100
"""Boards from which a match is played in this process. The same bots and cards give the same result there."""
REMOTE = ("login", "submit", "standings", "watch", "pull", "api")


def verb(command):
    first, *rest = shlex.split(command)
    return rest[0] if first == "rensho" else first


@pytest.fixture
def shell(tmp_path):
    """Runs a command line in a folder of its own; gives what it printed."""
    programs = tmp_path / "programs"
    programs.mkdir()
    rensho = programs / "rensho"
    rensho.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m bots.kit.cli "$@"\n')
    rensho.chmod(0o755)
    folder = tmp_path / "home"
    folder.mkdir()
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PYTHONIOENCODING": "utf-8",
        "XDG_CONFIG_HOME": str(tmp_path / "settings"),
    }
    for variable in ("RENSHO_URL", "RENSHO_TOKEN", "COLUMNS"):
        environment.pop(variable, None)

    def running(command, given="", status=0):
        done = subprocess.run(
            ["sh", "-c", command], cwd=folder, env=environment, input=given, capture_output=True, text=True
        )
        assert done.returncode == status, f"$ {command}\n{done.stdout}{done.stderr}"
        return done.stdout

    running.folder = folder
    return running


def test_every_block_of_the_document_is_run_here():
    assert {block.kind for block in blocks()} == {"sh", "python", "diff", "text"}
    commands = [line for block in blocks() if block.kind == "sh" for line in block.lines]
    assert {verb(command) for command in commands} == {*LOCAL, *REMOTE}
    assert all(bool(block.path) == (block.kind in ("python", "diff")) for block in blocks())


def is_long(command):
    """Whether a command plays many boards. The bots of all other commands play in the sandbox."""
    _, *rest = words = shlex.split(command)
    boards = int(words[words.index("--boards") + 1]) if "--boards" in words else 0
    return rest[0] in SERIES_OF_MATCHES or boards >= MANY_BOARDS


@pytest.fixture
def here(shell, rensho_with_workers, monkeypatch):
    """Runs a command of the kit in this process, and the bots of its match too; gives what it printed."""

    def running(command):
        def play_tables(*words, is_sandboxed, **more):
            return play_tables_here(*words, is_sandboxed=False, **more)

        with monkeypatch.context() as patch:
            patch.setattr("bots.kit.local.runner.play_tables", play_tables)
            # A slow machine would print progress to standard error.
            patch.setattr("bots.kit.display.console.PROGRESS_LINE_S", 1e9)
            patch.chdir(shell.folder)
            patch.setenv("COLUMNS", "80")
            status, out, err = rensho_with_workers(*shlex.split(command)[1:])
        assert (status, err) == (0, ""), f"$ {command}\n{out}{err}"
        return out

    return running


def test_some_matches_are_played_by_the_command_itself():
    commands = [line for block in blocks() if block.kind == "sh" for line in block.lines]
    matches = [command for command in commands if verb(command) in ("play", "compare")]
    assert {is_long(command) for command in matches} == {True, False}


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.xdist_group("tutorial")
def test_the_tutorial_comes_true(shell, here, site, settings):  # noqa: F811 - the fixture
    ladders_set()
    server = Server(shell, site)
    out = ""
    for block, following in zip(blocks(), [*blocks()[1:], None], strict=True):
        if block.kind == "python":
            (shell.folder / block.path).write_text("".join(block.lines))
        elif block.kind == "diff":
            path = shell.folder / block.path
            path.write_text(changed(path.read_text(), block.lines))
        elif block.kind == "text":
            printed = "\n".join(map(words, out.splitlines()))
            for line in block.lines:
                assert words(line) in printed, f"the tutorial promises {line!r}; there was\n{out}"
        else:
            is_faulty = following is not None and following.kind == "text" and "CRASHED" in str(following)
            out = ""
            for command in block.lines:
                if verb(command) in REMOTE:
                    out += server.run(command)
                elif is_long(command):
                    out += here(command)
                else:
                    out += shell(server.real(command), status=int(is_faulty))
    assert server.finished == {"watch", "reproduced", "ladder", "experiment"}


class Server:
    """Runs the commands that talk to the server, and plays there what workers would."""

    def __init__(self, shell, url):
        self.shell = shell
        self.names = {SERVER: url}
        """Ids and addresses of the document with the real ones."""
        self.event = None
        self.finished = set()

    def real(self, command):
        if FINGERPRINT in command:
            (fault,) = (self.shell.folder / "pulled" / "faults").iterdir()
            assert fault.name.startswith("kita-v2.fault-")
            self.names[FINGERPRINT] = fault.stem.removeprefix("kita-v2.fault-")
            self.finished.add("reproduced")
        for name, real in self.names.items():
            command = command.replace(name, real)
        return command

    def run(self, command):
        """Run one command, with everything that has to happen on the server meanwhile."""
        if verb(command) == "login":
            token = factories.a_token(factories.aya(), "read", "bots")
            return self.shell(self.real(command), token)
        if verb(command) == "submit":
            return self.submit(command)
        if verb(command) == "watch":
            return self.watch(command)
        if "ladders preset=" in command:
            self.names[LADDER] = a_ladder().public_id
        out = self.shell(self.real(command))
        if "placements" in command:
            assert '"left_at": null' in out
            self.finished.add("ladder")
        if "POST experiments" in command:
            self.play_experiment()
        elif EXPERIMENT in command:
            assert '"state": "accepted"' in out
            self.finished.add("experiment")
        return out

    def submit(self, command):
        if "--enter" in command:
            self.event = factories.an_open_tournament(name="Spring cup")
            factories.an_entry(self.event, factories.ben())
            self.names[EVENT] = self.event.public_id
        with worker(accept):
            out = self.shell(self.real(command))
        versions = BotVersion.objects.filter(bot__name="kita").order_by("number")
        for name, version in zip((FIRST_VERSION, SECOND_VERSION), versions, strict=False):
            self.names[name] = version.public_id
        return out

    def watch(self, command):
        tournament_lock(self.event, self.event.organiser)
        event = Tournament.objects.get(pk=self.event.pk)
        tournament_start(event, event.organiser)
        playing = Meanwhile(play_with_a_fault, event)
        out = self.shell(self.real(command))
        playing.join()
        assert "final" in out
        self.finished.add("watch")
        return out

    def play_experiment(self):
        """Play the experiment to its end; the old version never answers."""
        experiment = Experiment.objects.get()
        assert experiment.candidate.public_id == self.names[SECOND_VERSION]
        self.names[EXPERIMENT] = experiment.public_id
        while experiment.state in (Experiment.State.QUEUED, Experiment.State.RUNNING):
            experiment_go_on(experiment.pk)
            experiment = was_played(experiment, loser=2)
            experiment_go_on(experiment.pk)
            experiment.refresh_from_db()


def play_with_a_fault(event):
    """Play a tournament in which kita answers one request with nonsense."""
    tournament_advance(event)
    table = waiting(event)[0]
    entry = event.entries.get(version__bot__name="kita")
    play_table(table, faulty=frozenset({min(seats_of(table, entry))}), at=3)
    play_out(event)


@pytest.mark.parametrize("bot", ["kita", "oni"])
def test_the_last_figures_of_each_bot_lie_above_zero(bot):
    rows = [line.split() for block in blocks() if block.kind == "text" for line in block.lines]
    _, mean, low, to, high, *_ = [words for words in rows if words[:1] == [bot] and len(words) > 5][-1]
    assert to == "to"
    assert 0 < float(low) < float(mean) < float(high)
