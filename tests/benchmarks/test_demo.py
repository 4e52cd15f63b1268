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

Published = tuple[str, dict[str, Any], list[dict[str, Any]]]


@pytest.fixture
def published(shared_played: Tournament) -> Published:
    """Commitment, fairness and entries of a final event, as the API tells them."""
    played = shared_played
    assert played.state == Tournament.State.FINAL
    client = APIClient()
    base = f"/api/v1/tournaments/{played.public_id}"
    fairness = client.get(f"{base}/fairness").json()
    return played.commitment, fairness, client.get(f"{base}/entries").json()["results"]


def test_a_fair_event_is_fair(published: Published) -> None:
    assert list(fairness_disagreements(*published)) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("tamper", "culprit"),
    [
        (lambda f, e: f.update(secret=None), "secret"),
        (lambda f, e: f.update(secret="00" * 32), "secret"),
        (lambda f, e: e[0]["version"].update(bundle_sha256="0" * 64), "field digest"),
        (lambda f, e: e[0].update(status="withdrawn"), "field digest"),
        (lambda f, e: f["board_sets"][0].update(seeds=None), "stage 1, round 1: "),
        (lambda f, e: f["board_sets"][0]["seeds"].update({"1": "0" * 64}), "board 1: "),
    ],
)
def test_whatever_was_changed_is_named(published: Published, tamper: Any, culprit: str) -> None:
    promised, fairness, entries = copy.deepcopy(published)
    tamper(fairness, entries)
    assert any(culprit in found for found in fairness_disagreements(promised, fairness, entries))


def test_an_export_is_verified_by_the_command(shared_played: Tournament, tmp_path: Path) -> None:
    export = APIClient().get(f"/api/v1/tournaments/{shared_played.public_id}/export")
    path = tmp_path / "x.zip"
    path.write_bytes(b"".join(export.streaming_content) if export.streaming else export.content)
    assert list(export_disagreements(path)) == []
    path.write_bytes(b"no archive")
    (found,) = export_disagreements(path)
    assert "status 2" in found


def test_equal_folders_give_equal_archives(tmp_path: Path) -> None:
    (tmp_path / "bot" / "__pycache__").mkdir(parents=True)
    (tmp_path / "bot" / "main.py").write_text("print()\n")
    (tmp_path / "bot" / "__pycache__" / "main.pyc").write_bytes(b"x")
    first = folder_zip(tmp_path / "bot")
    (tmp_path / "bot" / "main.py").touch()
    assert hashlib.sha256(folder_zip(tmp_path / "bot")).digest() == hashlib.sha256(first).digest()
    assert zipfile.ZipFile(io.BytesIO(first)).namelist() == ["main.py"]
