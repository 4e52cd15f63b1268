"""The export of an event that is not over: what can be checked is, and nothing is called a disagreement."""

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
from bots.kit.local.verify import Verified, export_verify
from league.statements import key_id
from tests import factories
from tests.arena.play import play_table, waiting


@pytest.fixture
def exported(running: Tournament) -> bytes:
    """As staff have it: with the record of the one table that was played."""
    play_table(waiting(running)[0])
    return tournament_export(running, factories.sota())


def verified(data: bytes, **given: Any) -> Verified:
    return export_verify(Path("x.zip"), io.BytesIO(data), **given)


def changed(data: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The same archive with another document."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(packed, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "tournament.json":
                document = json.loads(content)
                change(document)
                content = json.dumps(document).encode()
            new.writestr(name, content)
    return packed.getvalue()


def test_what_needs_no_secret_is_checked(exported: bytes) -> None:
    found = verified(exported)
    assert (found.is_over, found.disagreements, found.proof) == (False, [], [])
    assert found.checked == [
        "the form of the export",
        "2 statements (whoever signed them: give --key)",
        "1 record, line by line by the rules",
    ]


def test_keys_and_commitments_are_compared_and_the_last_statement_is_not_missed(
    exported: bytes, running: Tournament
) -> None:
    statement = running.statements.select_related("key").first()
    assert statement is not None
    public = bytes(statement.key.public)
    found = verified(exported, keys={key_id(public): public}, commitments=[running.commitment])
    assert found.disagreements == []
    assert "2 statements (signed by a key given)" in found.checked
    assert len(verified(exported, keys={key_id(bytes(32)): bytes(32)}).disagreements) == 1
    assert "another event" in verified(exported, commitments=["0" * 64]).disagreements[0]


def _table(document: dict[str, Any]) -> dict[str, Any]:
    tables = document["stages"][0]["rounds"][0]["fixtures"][0]["tables"]
    found: dict[str, Any] = next(table for table in tables if table["record_sha256"])
    return found


def _other_result(document: dict[str, Any]) -> None:
    _table(document)["results"][0][2] += 1


def _other_record(document: dict[str, Any]) -> None:
    _table(document)["record_sha256"] = "3" * 64


def _other_entry(document: dict[str, Any]) -> None:
    document["entries"][0]["seed"] = 7


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (_other_result, "its results are not those of its record"),
        (_other_record, "lacks its record 333333333333"),
        (_other_entry, "is not what was locked"),
        (
            lambda document: document["tournament"].update(preset="kakeya4.league"),
            "was not registered|other rules",
        ),
        (lambda document: document["tournament"].update(state="final"), "not revealed yet"),
        (lambda document: document.update(statements=5), "statements must be a list"),
    ],
)
def test_what_disagrees_already_is_named(
    exported: bytes, change: Callable[[dict[str, Any]], None], named: str
) -> None:
    found = " ".join(verified(changed(exported, change)).disagreements)
    assert any(words in found for words in named.split("|")), found


def test_a_final_event_without_its_secret_still_disagrees(shared_played: Tournament) -> None:
    data = tournament_export(shared_played, None)
    found = verified(changed(data, lambda document: document["tournament"].update(secret=None)))
    assert (found.is_over, found.checked) == (True, [])
    assert "the secret is not revealed yet, so the deals cannot be derived" in found.disagreements


def test_the_command_ends_with_a_status_of_its_own(
    exported: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(exported)
    assert main(["verify", str(path)]) == 3
    out = capsys.readouterr().out
    assert "not over yet (running), so only part of it can be verified." in out
    assert "Not yet: deals, " in out
    assert "disagree" not in out
    assert main(["verify", str(path), "--json"]) == 3
    said = json.loads(capsys.readouterr().out)
    assert (said["is_over"], said["disagreements"], said["proof"]) == (False, [], [])
    path.write_bytes(changed(exported, _other_result))
    assert main(["verify", str(path)]) == 1
    assert "1 thing disagrees." in capsys.readouterr().out
    assert main(["verify", str(path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["is_over"] is False
