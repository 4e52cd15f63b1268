"""What docs/kit.md shows of servers comes true: its file of a tournament, its plan, its program."""

import re
from pathlib import Path

import pytest

from bots.kit.client import Client
from tests import factories
from tests.arena.play import play_out
from tests.bots.kit.server.watched import under_way
from tests.bots.kit.tutorial import words

pytestmark = pytest.mark.full

DOCUMENT = (Path(__file__).resolve().parents[4] / "docs" / "kit.md").read_text()


def block(kind, holds):
    """The one block of the page of this kind that holds this text."""
    found = [text for text in re.findall(rf"^```{kind}\n(.*?)^```$", DOCUMENT, re.M | re.S) if holds in text]
    assert len(found) == 1
    return found[0]


def test_the_file_of_a_tournament_has_the_plan_that_is_shown(run, odo, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cup.toml").write_text(block("toml", "boards_per_round"))
    example = block("console", "--dry-run")
    out = run.prints("tournaments", "new", "cup.toml", "--dry-run")
    printed = [words(line) for line in out.splitlines()]
    promised = [words(line) for line in example.splitlines() if not line.startswith("$")]
    assert promised[-1] == ".."
    for line in promised[:-1]:
        assert words(line) in printed


def test_the_program_runs(site, capsys, monkeypatch):
    event = play_out(under_way())
    program = block("python", "bots.kit.client")
    exec(compile(program, "kit.md", "exec"), {"url": site, "token": factories.a_token(factories.aya())})
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["1", "2"]
    assert re.match(r"(organiser_role_required|not_organiser|scope_missing|wrong_state) ", lines[2])
    with Client(site) as client, client.export(event.public_id) as export:
        assert next(export.chunks).startswith(b"PK")


@pytest.mark.parametrize(
    "sample", ["index.json", "stage-1/round-003/fixture-0012.boards-0001-0016.rotation-1"]
)
def test_the_layout_of_pull_is_the_one_told_in_its_module(sample):
    from bots.kit.server import pull_plan

    assert sample in DOCUMENT
    assert sample in pull_plan.__doc__
