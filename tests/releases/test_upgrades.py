"""The database of every release is upgraded and goes on working, and its export is still verified."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.common.revisions import release
from bots.kit.cli import main as kit
from tests.browser import site
from tests.releases.make import RELEASES, make
from tests.releases.site import EXPORT

KEPT = sorted(path for path in RELEASES.iterdir() if path.name[0].isdigit())
"""Folders of the releases."""
# A group: all tests use the files that the fixture ``current`` makes in half a minute.
pytestmark = [pytest.mark.full, pytest.mark.timeout(900), pytest.mark.xdist_group("releases")]


@pytest.fixture(scope="module")
def current(tmp_path_factory: pytest.TempPathFactory, migrated_database: Callable[[Path], str]) -> Path:
    """The files that a release of this code would leave."""
    target = tmp_path_factory.mktemp("release")
    make(target, release(), migrated_database)
    return target


@pytest.fixture(params=["current", *(path.name for path in KEPT)])
def folder(request: pytest.FixtureRequest) -> Path:
    """The files of a release; first those that this code makes, so that making them is tested too."""
    if request.param == "current":
        path: Path = request.getfixturevalue("current")
        return path
    return RELEASES / request.param


def test_the_database_of_a_release_is_upgraded(
    folder: Path, tmp_path: Path, new_database: Callable[..., str], migrated_database: Callable[[Path], str]
) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    url = new_database() if folder.parent == RELEASES else migrated_database(data)
    printed = site.run(tmp_path, "tests.releases.upgrade", str(folder), function="check", url=url)
    found: dict[str, Any] = json.loads(printed)
    counted = found.pop("counted")
    assert found.pop("release") == (release() if folder.parent != RELEASES else folder.name)
    assert found == {"refused": "", "pages": [], "standings": [], "audit": [], "unfilled": []}
    assert counted["pages"] > 60
    assert counted["tournaments"] > 15


@pytest.mark.usefixtures("new_database")  # It runs where the other test does, which makes the same files.
def test_the_export_of_a_release_is_verified(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert kit(["verify", str(folder / EXPORT)]) == 0
    assert "every deal, result, score and standing follows" in capsys.readouterr().out
