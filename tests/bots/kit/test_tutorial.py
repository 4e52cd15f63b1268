"""The tutorial, run from its first command to its last, with what it says comes out."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import pytest

from arena.competition.models import Tournament
from arena.competition.services import tournament_lock, tournament_start
from arena.matches.models import Table
from tests import factories
from tests.arena.play import play_out
from tests.bots.kit.inprocess import play_tables_here
from tests.bots.kit.server.conftest import _silent, accept, site, worker  # noqa: F401 - site and what it needs
from tests.bots.kit.server.watched import Meanwhile
from tests.bots.kit.tutorial import blocks, words

SERVER = "http://127.0.0.1:8000"
EVENT = "7k2mq9xw4trb"
TABLE = "3pu9s9f8jzhv"
LOCAL = ("new", "check", "play", "compare", "replay", "cp")
MANY_BOARDS = 100
"""Matches of so many are played in this process: the same bots and cards give the same table there."""
REMOTE = ("login", "submit", "standings", "watch", "api")


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

    def running(command, given=""):
        done = subprocess.run(
            ["sh", "-c", command], cwd=folder, env=environment, input=given, capture_output=True, text=True
        )
        assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"
        return done.stdout

    running.folder = folder
    return running


def test_the_document_holds_nothing_but_what_is_run_here():
    assert {block.kind for block in blocks()} == {"sh", "python", "text"}
    commands = [line for block in blocks() if block.kind == "sh" for line in block.lines]
    assert {verb(command) for command in commands} == {*LOCAL, *REMOTE}
    assert all(bool(block.path) == (block.kind == "python") for block in blocks())


def is_long(command):
    """Whether a command plays many boards; those of the others are played by bots in the sandbox."""
    _, *rest = words = shlex.split(command)
    boards = int(words[words.index("--boards") + 1]) if "--boards" in words else 0
    return rest[:1] == ["compare"] or boards >= MANY_BOARDS


@pytest.fixture
def here(shell, rensho_with_workers, monkeypatch):
    """Runs a command of the kit in this process, and the bots of its match too; gives what it printed."""

    def running(command):
        def play_tables(*words, is_sandboxed, **more):
            return play_tables_here(*words, is_sandboxed=False, **more)

        with monkeypatch.context() as patch:
            patch.setattr("bots.kit.local.runner.play_tables", play_tables)
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
def test_the_tutorial_comes_true(shell, here, site):  # noqa: F811 - the fixture
    event, names = None, {SERVER: site}
    out = ""
    for block in blocks():
        if block.kind == "python":
            (shell.folder / block.path).write_text("".join(block.lines))
            continue
        if block.kind == "text":
            printed = "\n".join(map(words, out.splitlines()))
            for line in block.lines:
                assert words(line) in printed, f"the tutorial promises {line!r}; there was\n{out}"
            continue
        out = ""
        for command in block.lines:
            for said, real in names.items():
                command = command.replace(said, real)
            if verb(command) == "submit" and "--enter" in command:
                event = factories.an_open_tournament(name="Spring cup")
                factories.an_entry(event, factories.ben())
                command = command.replace(EVENT, event.public_id)
                names[EVENT] = event.public_id
            out += here(command) if is_long(command) else run_one(shell, command, event)
            if verb(command) == "watch":
                table = Table.objects.filter(fixture__board_set__round__stage__tournament=event)[0]
                names[TABLE] = table.public_id


def run_one(shell, command, event):
    """Run one command, with whatever has to happen around it."""
    if verb(command) == "login":
        return shell(command, factories.a_token(factories.aya(), "read", "bots"))
    if verb(command) == "submit":
        with worker(accept):
            return shell(command)
    if verb(command) == "watch":
        tournament_lock(event, event.organiser)
        event = Tournament.objects.get(pk=event.pk)
        tournament_start(event, event.organiser)
        playing = Meanwhile(play_out, event)
        out = shell(command)
        playing.join()
        assert "final" in out
        return out
    return shell(command)


@pytest.mark.parametrize("bot", ["kita", "oni"])
def test_the_last_figures_of_each_bot_lie_above_zero(bot):
    rows = [line.split() for block in blocks() if block.kind == "text" for line in block.lines]
    _, mean, low, to, high, *_ = [words for words in rows if words[:1] == [bot] and len(words) > 5][-1]
    assert to == "to"
    assert 0 < float(low) < float(mean) < float(high)
