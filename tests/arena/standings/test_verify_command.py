"""``rensho verify`` on real exports, of events that are over or not, and on what is none."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.competition.models import Tournament
from arena.standings.export import tournament_export
from bots.kit.cli import main
from bots.kit.local.verify import ExportVerification, export_verify
from league.statements import key_id
from tests import factories
from tests.arena.play import play_table, waiting
from tests.league.archives import unpacked

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def verify(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command: its status, and what it wrote."""

    def run(path: Path, *arguments: str) -> tuple[int, str]:
        status = main(["verify", str(path), *arguments])
        written = capsys.readouterr()
        return status, written.out + written.err

    return run


@pytest.fixture
def export(shared_played: Tournament, tmp_path: Path) -> Path:
    path = tmp_path / "cup.zip"
    path.write_bytes(tournament_export(shared_played, None))
    return path


def test_a_true_export_is_confirmed(export: Path, shared_played: Tournament, verify: Run) -> None:
    assert verify(export)[0] == 0
    status, written = verify(export, "--commitment", shared_played.commitment.upper(), "--json")
    assert status == 0
    how = [row["how"] for row in json.loads(written)["proof"]]
    assert set(how) == {"bound", "proven", "trusted"}


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x05\x06" + bytes(18), None])
def test_what_is_no_export_is_refused_in_one_line(content: bytes | None, tmp_path: Path, verify: Run) -> None:
    path = tmp_path / "x.zip"
    if content is not None:
        path.write_bytes(content)
    status, written = verify(path)
    assert (status, len(written.splitlines()), "x.zip" in written) == (2, 1, True)


def test_an_export_cut_short_is_refused_in_one_line(export: Path, verify: Run) -> None:
    export.write_bytes(export.read_bytes()[:-100])
    status, written = verify(export)
    assert (status, len(written.splitlines())) == (2, 1)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("without", "besides", "culprit"),
    [
        ("", {"tournament.json": "{}"}, "not a complete export"),
        ("", {"README.txt": "so"}, "'README.txt'"),
        ("", {"records/x.ndjson": "{}"}, "x.ndjson"),
        ("README.txt", {}, "README.txt"),
        ("records/", {}, "its record"),
        ("tournament.json", {"tournament.json": '{"tournament": {}, "tournament": {}}'}, "twice"),
        ("tournament.json", {"tournament.json": '{"tournament": {"id": NaN}}'}, "NaN"),
    ],
)
def test_members_that_do_not_belong_are_named(
    without: str, besides: dict[str, str], culprit: str, export: Path, verify: Run
) -> None:
    path = export.with_name("changed.zip")
    with zipfile.ZipFile(export) as whole, zipfile.ZipFile(path, "w") as made:
        for name in whole.namelist():
            if not (without and name.startswith(without)):
                made.writestr(name, whole.read(name))
        for name, text in besides.items():
            made.writestr(name, text)
    status, written = verify(path)
    assert status in (1, 2)
    assert culprit in written


@pytest.mark.parametrize(
    ("arguments", "status", "culprit"),
    [
        (["--commitment", "c" * 64], 1, "cccccccccccc"),
        (["--commitment", "cafe"], 2, "64 hex digits"),
        (["--key", "nowhere.json"], 2, "/.well-known/rensho-key"),
        (["--key", "{tmp}/key.json"], 2, "not a key file"),
        (["--key", "{tmp}/key.txt"], 1, "key"),
    ],
)
def test_what_was_published_elsewhere_is_compared(
    arguments: list[str], status: int, culprit: str, export: Path, verify: Run
) -> None:
    folder = export.parent
    (folder / "key.json").write_text('{"format": "rensho-key/1", "keys": [{"id": "00", "public": "00"}]}')
    (folder / "key.txt").write_text(f"{'ab' * 32}\n")
    ended, written = verify(export, *(argument.format(tmp=folder) for argument in arguments))
    assert ended == status
    assert any(culprit in line for line in written.splitlines() if "agree:" not in line)


# Events that are not over


@pytest.fixture
def unfinished(running: Tournament) -> bytes:
    """As staff have it: with the record of the one table that was played."""
    play_table(waiting(running)[0])
    return tournament_export(running, factories.sota())


def verified(data: bytes, **given: Any) -> ExportVerification:
    return export_verify(Path("x.zip"), io.BytesIO(data), **given)


def changed(data: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """The same archive with another document."""
    archive = unpacked(data)
    change(archive.document)
    return archive.packed()


def test_what_needs_no_secret_is_checked(unfinished: bytes, running: Tournament) -> None:
    alone = verified(unfinished)
    assert (alone.is_over, alone.disagreements, alone.proof, len(alone.checked)) == (False, [], [], 3)
    statement = running.statements.select_related("key").first()
    assert statement is not None
    public = bytes(statement.key.public)
    with_key = verified(unfinished, keys={key_id(public): public}, commitments=[running.commitment])
    assert with_key.disagreements == []
    assert set(with_key.checked) != set(alone.checked), "the statements are signed by a key given"
    assert len(verified(unfinished, keys={key_id(bytes(32)): bytes(32)}).disagreements) == 1
    assert len(verified(unfinished, commitments=["0" * 64]).disagreements) == 1


def table_of(document: dict[str, Any]) -> dict[str, Any]:
    tables = document["stages"][0]["rounds"][0]["fixtures"][0]["tables"]
    found: dict[str, Any] = next(table for table in tables if table["record_sha256"])
    return found


def other_result(document: dict[str, Any]) -> None:
    table_of(document)["results"][0][2] += 1


@pytest.mark.parametrize(
    ("change", "culprit"),
    [
        (other_result, "its results"),
        (lambda document: table_of(document).update(record_sha256="3" * 64), "333333333333"),
        (lambda document: document["entries"][0].update(seed=7), "locked"),
        (lambda document: document["tournament"].update(preset="kakeya4.league"), "tournament.preset"),
        (lambda document: document["tournament"].update(state="final"), "not revealed"),
        (lambda document: document.update(statements=5), "statements"),
    ],
)
def test_what_disagrees_already_is_named(
    unfinished: bytes, change: Callable[[dict[str, Any]], object], culprit: str
) -> None:
    assert culprit in " ".join(verified(changed(unfinished, change)).disagreements)


def test_a_final_event_without_its_secret_disagrees(export: Path) -> None:
    data = changed(export.read_bytes(), lambda document: document["tournament"].update(secret=None))
    found = verified(data)
    assert (found.is_over, found.checked) == (True, [])
    assert any("secret" in line for line in found.disagreements)


def test_the_command_ends_with_a_status_of_its_own(unfinished: bytes, tmp_path: Path, verify: Run) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(unfinished)
    status, written = verify(path)
    assert (status, "(running)" in written, "disagree" in written) == (3, True, False)
    status, written = verify(path, "--json")
    said = json.loads(written)
    assert (status, said["is_over"], said["disagreements"], said["proof"]) == (3, False, [], [])
    path.write_bytes(changed(unfinished, other_result))
    assert verify(path)[0] == 1
    status, written = verify(path, "--json")
    assert (status, json.loads(written)["is_over"], len(json.loads(written)["disagreements"])) == (
        1,
        False,
        1,
    )
