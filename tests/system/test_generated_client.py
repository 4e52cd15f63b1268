"""A client generated from docs/openapi.yaml plays a whole tournament on a real installation."""

from __future__ import annotations

import importlib
import io
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.demo.client import folder_zip
from tests.openapi import CONTRACT, contract
from tests.system.conftest import REPOSITORY, Installation

pytestmark = [pytest.mark.nightly, pytest.mark.xdist_group("installation")]

PACKAGE = "rensho_generated"
BOTS = ("kakeya_random", "kakeya_greedy")
POLL_S = 0.25
PATIENCE_S = 300.0
"""A guard against hanging, not a measure."""


class Generated:
    """The generated package: its operations by their operationId, its models by name."""

    def __init__(self, folder: Path) -> None:
        self.root = importlib.import_module(PACKAGE)
        self.models = importlib.import_module(f"{PACKAGE}.models")
        self.types = importlib.import_module(f"{PACKAGE}.types")
        self.modules = {
            path.stem: f"{PACKAGE}.api.{path.parent.name}.{path.stem}" for path in folder.glob("api/*/*_*.py")
        }
        del self.modules["__init__"]

    def caller(self, installation: Installation, token: str) -> Any:
        """A client for the holder of this token."""
        return self.root.AuthenticatedClient(
            base_url=installation.site.url.rstrip("/"), token=token, raise_on_unexpected_status=True
        )

    def answer(self, operation: str, client: Any, *ids: str, **given: Any) -> Any:
        """The whole answer of an operation, which must not be a refusal."""
        answer = importlib.import_module(self.modules[operation]).sync_detailed(*ids, client=client, **given)
        assert answer.status_code < 400, answer.content
        return answer

    def call(self, operation: str, client: Any, *ids: str, **given: Any) -> Any:
        """What the operation gives, as an object of the generated models."""
        return self.answer(operation, client, *ids, **given).parsed

    def until(self, met: Callable[[Any], bool], operation: str, client: Any, *ids: str) -> Any:
        """What the operation gives as soon as this is true of it."""
        deadline = time.monotonic() + PATIENCE_S
        while not met(found := self.call(operation, client, *ids)):
            assert time.monotonic() < deadline, found
            time.sleep(POLL_S)
        return found


@pytest.fixture(scope="module")
def generation(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The folder of the package, and what its making said."""
    folder = tmp_path_factory.mktemp("generated") / PACKAGE
    programs = Path(sys.executable).parent
    command = [programs / "openapi-python-client", "generate", "--path", CONTRACT, "--meta", "none"]
    env = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "200"}
    return folder, subprocess.run(
        [*command, "--fail-on-warning", "--output-path", folder],
        env=env,
        cwd=folder.parent,
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def generated(generation: tuple[Path, Any]) -> Generated:
    folder, _ = generation
    sys.path.insert(0, str(folder.parent))
    try:
        return Generated(folder)
    finally:
        sys.path.remove(str(folder.parent))


def test_the_client_is_made_without_a_warning(generation: tuple[Path, Any], generated: Generated) -> None:
    folder, made = generation
    assert (made.returncode, made.stdout.strip(), made.stderr) == (0, f"Generating {folder}", "")
    paths = contract()["paths"].values()
    assert generated.modules.keys() == {found["operationId"] for path in paths for found in path.values()}


@pytest.mark.timeout(900)
def test_it_plays_a_tournament_from_upload_to_standings(
    shared_installation: Installation, generated: Generated
) -> None:
    models, types, call = generated.models, generated.types, generated.call

    def token_of(name: str, *flags: str) -> Any:
        first = generated.caller(
            shared_installation,
            shared_installation.manage("user_create", name, "--token", *flags).stdout.strip(),
        )
        scope = models.TokenScope
        scopes = [scope.READ, scope.ORGANISE if flags else scope.BOTS]
        wanted = models.TokenInRequest(name="generated", scopes=scopes)
        return generated.caller(shared_installation, call("tokens_create", first, body=wanted).token)

    organiser = token_of("owari", "--organiser")
    entrants = {name: token_of(name.replace("_", "")) for name in BOTS}
    assert call("me_retrieve", organiser).is_organiser

    versions = {}
    for name, client in entrants.items():
        bot = call("bots_create", client, body=models.BotInRequest(name=name, game="kakeya"))
        archive = folder_zip(REPOSITORY / "bots" / "house" / name)
        bundle = types.File(io.BytesIO(archive), f"{name}.zip", "application/zip")
        answer = generated.answer(
            "bots_versions_create", client, bot.id, body=models.VersionInRequest(bundle=bundle, notes="first")
        )
        assert answer.headers["Location"].endswith(f"/versions/{answer.parsed.id}/check")
        versions[name] = answer.parsed.id
    for name, client in entrants.items():
        version = generated.until(
            lambda found: found.state not in ("uploaded", "checking"),
            "versions_retrieve",
            client,
            versions[name],
        )
        assert version.state == "ready", version

    plan = models.TournamentInRequest(
        name="Generated cup",
        preset="kakeya4",
        board_kind=models.BoardKind.DEAL,
        boards_per_round=2,
        stages=[models.StageInRequest(format_="round_robin")],
    )
    dry = call("tournaments_create", organiser, body=plan, dry_run=True)
    assert isinstance(dry, models.PlanOut)
    event = call("tournaments_create", organiser, body=plan, idempotency_key="generated-cup").id
    assert call("tournaments_create", organiser, body=plan, idempotency_key="generated-cup").id == event
    call("tournaments_open_create", organiser, event)
    for name, client in entrants.items():
        call("tournaments_entries_create", client, event, body=models.EntryInRequest(version=versions[name]))
    call("tournaments_lock_create", organiser, event)
    call("tournaments_start_create", organiser, event)

    last = generated.until(
        lambda found: found.state in ("final", "cancelled"), "tournaments_retrieve", organiser, event
    )
    assert last.state == "final"
    (stage,) = call("tournaments_standings_list", organiser, event)
    assert {row.bot for row in stage.rows} == set(BOTS)
    assert min(row.rank for row in stage.rows) == 1

    fixtures = generated.answer("tournaments_fixtures_list", organiser, event)
    (fixture,) = fixtures.parsed.results
    etag = fixtures.headers["ETag"]
    again = generated.answer("tournaments_fixtures_list", organiser, event, if_none_match=etag)
    assert (again.status_code, again.parsed) == (304, None)
    record = call("tables_record_retrieve", organiser, fixture.tables[0].id).payload.read()
    assert record.startswith(b"{")
    export = zipfile.ZipFile(call("tournaments_export_retrieve", organiser, event).payload)
    assert export.testzip() is None
