"""Views and notes of tables over the API: whole or by board, once, and never while sealed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from django.core.files.storage import storages

from arena.common.blobs import blob_path, blob_put
from arena.matches import selectors
from arena.matches.models import Table
from tests.arena.api.conftest import World, caller
from tests.arena.play import expected_view
from tests.factories import sota

pytestmark = pytest.mark.django_db


def path_of(world: World, what: str = "view", *, of_open: bool = True) -> str:
    table = world.open_table if of_open else world.sealed_table
    return f"/api/v1/tables/{table.public_id}/{what}"


def test_a_view_is_that_of_the_record_with_its_times(world: World) -> None:
    answer = caller().get(path_of(world))
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    assert answer.content == expected_view(world.open_table)
    view = answer.json()
    assert (view["format"], view["numbers"]) == ("rensho-view/1", [1, 2])
    assert any("us" in step for step in view["boards"][0]["deals"][0]["steps"])


def test_one_board_of_a_view(world: World) -> None:
    whole = caller().get(path_of(world)).json()
    part = caller().get(path_of(world), {"board": 2})
    assert part.json() == {**whole, "boards": whole["boards"][1:]}
    assert part.content == json.dumps(part.json(), sort_keys=True, separators=(",", ":")).encode()


def test_a_large_view_comes_board_by_board(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "MAX_WHOLE_VIEW_BYTES", 1000)
    view = caller().get(path_of(world)).json()
    assert ([board["board"] for board in view["boards"]], view["numbers"]) == ([1], [1, 2])


@pytest.mark.parametrize(("board", "status"), [("0", 400), ("x", 400), ("", 400), ("3", 404)])
def test_a_board_that_cannot_be(world: World, board: str, status: int) -> None:
    answer = caller().get(path_of(world), {"board": board})
    assert answer.status_code == status
    if status == 404:
        assert answer.json()["code"] == "board_not_found"


@pytest.mark.parametrize("what", ["view", "record"])
def test_a_table_without_says_so(world: World, what: str) -> None:
    path = f"/api/v1/tables/{world.waiting_table.public_id}/{what}"
    answer = caller(sota()).get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, f"{what}_not_found")


def test_a_view_whose_file_is_lost_or_damaged_is_missing(world: World) -> None:
    sha256 = blob_put(b"the bytes of one test alone", "view")
    file = Path(storages["blobs"].path(blob_path(sha256)))
    Table.objects.filter(pk=world.open_table.pk).update(view_sha256=sha256)
    for damage in (b"spoilt", gzip.compress(b"{}"), None):
        if damage is None:
            file.unlink()
        else:
            file.write_bytes(damage)
        answer = caller().get(path_of(world))
        assert (answer.status_code, answer.json()["code"]) == (404, "view_not_found")
