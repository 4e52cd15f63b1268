"""``rensho verify`` on real exports and on what is none."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from arena.competition.models import Tournament
from arena.standings.export import tournament_export
from bots.kit.cli import main
from tests.arena.play import play_out


@pytest.fixture
def export(running: Tournament, tmp_path: Path) -> Path:
    play_out(running)
    path = tmp_path / "cup.zip"
    path.write_bytes(tournament_export(running, None))
    return path


def test_a_true_export_is_confirmed(export: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(export)]) == 0
    assert "every deal" in capsys.readouterr().out


def test_a_missing_record_is_named(export: Path, capsys: pytest.CaptureFixture[str]) -> None:
    thin = export.with_name("thin.zip")
    with zipfile.ZipFile(export) as whole, zipfile.ZipFile(thin, "w") as less:
        for name in whole.namelist()[:-1]:
            less.writestr(name, whole.read(name))
    assert main(["verify", str(thin), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["disagreements"]
    assert any("lacks its record" in line for line in found)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_export_is_refused_in_one_line(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    assert main(["verify", str(path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_file_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path / "gone.zip")]) == 2
    assert "gone.zip" in capsys.readouterr().err
