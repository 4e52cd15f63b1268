"""``rensho verify`` on real exports and on what is none."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from arena.competition.models import Tournament
from arena.standings.export import tournament_export
from bots.kit.cli import main


@pytest.fixture
def export(shared_played: Tournament, tmp_path: Path) -> Path:
    path = tmp_path / "cup.zip"
    path.write_bytes(tournament_export(shared_played, None))
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


def changed(export: Path, *, without: str = "", besides: dict[str, str] | None = None) -> Path:
    """The export without a member, with others besides, or with the text of one changed."""
    path = export.with_name("changed.zip")
    others = dict(besides or {})
    with zipfile.ZipFile(export) as whole, zipfile.ZipFile(path, "w") as made:
        for name in whole.namelist():
            if name != without:
                made.writestr(name, whole.read(name))
        for name, text in others.items():
            made.writestr(name, text)
    return path


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("without", "besides", "sentence"),
    [
        ("", {"tournament.json": "{}"}, "is no export of a tournament, or not all of one"),
        ("", {"README.txt": "so"}, "the archive holds 'README.txt' 2 times"),
        ("", {"records/x.ndjson": "{}"}, "of which its document says nothing"),
        ("README.txt", {}, "the archive lacks README.txt"),
        (
            "tournament.json",
            {"tournament.json": '{"tournament": {}, "tournament": {}}'},
            "stands twice in one object",
        ),
        ("tournament.json", {"tournament.json": '{"tournament": {"id": NaN}}'}, "NaN is no number"),
    ],
)
def test_members_that_do_not_belong_are_named(
    without: str,
    besides: dict[str, str],
    sentence: str,
    export: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["verify", str(changed(export, without=without, besides=besides))]) in (1, 2)
    written = capsys.readouterr()
    assert sentence in written.out + written.err


def test_an_export_cut_short_says_what_to_do(export: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export.write_bytes(export.read_bytes()[:-100])
    assert main(["verify", str(export)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "not all of one" in line
    assert "download it again" in line


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (["--commitment", "c" * 64], 1, "nothing in this export has the commitment cccccccccccc"),
        (["--commitment", "cafe"], 2, "a digest has 64 hex digits"),
        (["--key", "nowhere.json"], 2, "there is no such file of keys; save /.well-known/rensho-key"),
        (["--key", "{tmp}/key.json"], 2, "holds no keys of a site"),
        (["--key", "{tmp}/key.txt"], 1, "key"),
    ],
)
def test_what_was_published_elsewhere_is_compared(
    words: list[str],
    status: int,
    sentence: str,
    export: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = export.parent
    (folder / "key.json").write_text('{"format": "rensho-key/1", "keys": [{"id": "00", "public": "00"}]}')
    (folder / "key.txt").write_text(f"{'ab' * 32}\n")
    assert main(["verify", str(export), *(word.format(tmp=folder) for word in words)]) == status
    written = capsys.readouterr()
    (line,) = [
        line for line in (written.out + written.err).splitlines() if sentence in line and "agree:" not in line
    ]
    assert line


def test_the_commitment_that_was_published_is_found(
    export: Path, shared_played: Tournament, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(export), "--commitment", shared_played.commitment.upper(), "--json"]) == 0
    proof = {row["what"]: row["how"] for row in json.loads(capsys.readouterr().out)["proof"]}
    assert proof["the secret, before anybody entered"] == "bound"
    assert proof["deals, boards and lots"] == "proven"
    assert proof["who the players are"] == "trusted"
