"""What the demo concludes from the published figures of an event."""

import copy
import hashlib
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from arena.competition.models import Tournament
from benchmarks.demo.client import folder_zip
from benchmarks.demo.fairness import export_disagreements, fairness_disagreements
from tests.arena.play import play_out

Published = tuple[str, dict[str, Any], list[dict[str, Any]]]


@pytest.fixture
def published(running: Tournament) -> Published:
    """Commitment, fairness and entries of a final event, as the API tells them."""
    played = play_out(running)
    assert played.state == Tournament.State.FINAL
    client = APIClient()
    base = f"/api/v1/tournaments/{played.public_id}"
    fairness = client.get(f"{base}/fairness").json()
    return played.commitment, fairness, client.get(f"{base}/entries").json()["results"]


def test_a_fair_event_is_fair(published: Published) -> None:
    assert list(fairness_disagreements(*published)) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("tamper", "complaint"),
    [
        (lambda f, e: f.update(secret=None), "not revealed"),
        (lambda f, e: f.update(secret="00" * 32), "promised at registration"),
        (lambda f, e: e[0]["version"].update(bundle_sha256="0" * 64), "not that of the versions entered"),
        (lambda f, e: e[0].update(status="withdrawn"), "not that of the versions entered"),
        (lambda f, e: f["board_sets"][0].update(seeds=None), "not published"),
        (lambda f, e: f["board_sets"][0]["seeds"].update({"1": "0" * 64}), "board 1: the seed"),
    ],
)
def test_whatever_was_changed_is_named(published: Published, tamper: Any, complaint: str) -> None:
    promised, fairness, entries = copy.deepcopy(published)
    tamper(fairness, entries)
    assert any(complaint in found for found in fairness_disagreements(promised, fairness, entries))


def test_an_export_is_verified_by_the_command(running: Tournament, tmp_path: Path) -> None:
    played = play_out(running)
    export = APIClient().get(f"/api/v1/tournaments/{played.public_id}/export")
    whole = tmp_path / "whole.zip"
    whole.write_bytes(b"".join(export.streaming_content) if export.streaming else export.content)
    assert list(export_disagreements(whole)) == []

    damaged = tmp_path / "damaged.zip"
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(damaged, "w") as new:
        records = [name for name in old.namelist() if name.startswith("records/")]
        for name in old.namelist():
            if name != records[0]:
                new.writestr(name, old.read(name) + (b" " if name == records[1] else b""))
    found = list(export_disagreements(damaged))
    assert any("lacks its record" in line for line in found)
    assert any("another hash" in line for line in found)


def test_what_is_no_export_is_a_disagreement(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(b"no archive")
    found = list(export_disagreements(path))
    assert len(found) == 1
    assert "status 2" in found[0]


def test_equal_folders_give_equal_archives(tmp_path: Path) -> None:
    (tmp_path / "bot" / "__pycache__").mkdir(parents=True)
    (tmp_path / "bot" / "main.py").write_text("print()\n")
    (tmp_path / "bot" / "__pycache__" / "main.pyc").write_bytes(b"x")
    first = folder_zip(tmp_path / "bot")
    (tmp_path / "bot" / "main.py").touch()
    assert hashlib.sha256(folder_zip(tmp_path / "bot")).digest() == hashlib.sha256(first).digest()
    assert zipfile.ZipFile(io.BytesIO(first)).namelist() == ["main.py"]
