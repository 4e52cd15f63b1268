"""Upgrade the database of a release in a process of its own, and check what the current code makes of it."""

from __future__ import annotations

import json
import sys
import time
import zipfile
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db.models import F
from django.test import Client

from arena.common.hash_field import HexOf
from arena.common.models import Blob
from arena.common.revisions import database_refusal
from arena.competition.models import Stage, Tournament
from arena.matches.models import Adjudication, BoardSet, Table
from arena.standings.audit import tournament_audit
from arena.standings.models import FixtureScore, StandingRow
from arena.standings.services import standings_rebuild
from arena.web.base.access import SIGNED_IN_AT_KEY
from tests import factories
from tests.browser.addresses import PAGES, STRANGER, Row
from tests.releases import dump
from tests.releases.site import DATABASE, FACTS, RECORDS

API = (
    "tournaments",
    "tournaments/{running}",
    "tournaments/{groups}/standings",
    "tournaments/{groups}/fixtures",
    "tournaments/{groups}/crosstable",
    "tournaments/{groups}/statements/final",
    "tables/{kakeya4_table}",
    "tables/{kakeya4_table}/record",
    "tables/{kakeya4_table}/view",
    "bots",
    "ladders/{ladder}",
    "series/{cup}",
    "rating-lists/{ratings}",
    "ratings",
    "commitments",
    "events",
)
"""Addresses of the API, below ``/api/v1/``; facts of the release in braces."""


def pages(facts: dict[str, str]) -> list[Row]:
    """Return the pages whose addresses need only facts of the release."""
    rows = [*PAGES, *(Row(address, f"/api/v1/{address}") for address in API)]
    found = []
    for row in rows:
        try:
            found.append(row._replace(address=row.address.format_map(facts).partition("#")[0]))
        except KeyError:
            continue
    return found


def unreachable(facts: dict[str, str]) -> list[str]:
    """Return the pages that are not answered as they should be, with the status."""
    settings.ALLOWED_HOSTS.append("testserver")
    found = []
    for row in pages(facts):
        client = Client(raise_request_exception=False)
        if row.who != STRANGER:
            client.force_login(getattr(factories, row.who)())
            session = client.session
            session[SIGNED_IN_AT_KEY] = time.time()
            session.save()
        if (status := status_of(client, row.address)) != row.status:
            found.append(f"{status} {row.address} ({row.name})")
    return found


def status_of(client: Client, address: str) -> int:
    """Return the status of an address, or of the one that it redirects to."""
    response = client.get(address)
    if location := response.headers.get("Location"):
        response = client.get(location)
    return response.status_code


def standings(stage: Stage) -> list[tuple[object, ...]]:
    """Return the stored standings of a stage."""
    rows = StandingRow.objects.filter(stage=stage).order_by("rank")
    return list(rows.values_list("rank", "entry__public_id", "values", "decided_by"))


def changed_standings() -> list[str]:
    """Compute all standings again; return the stages whose standings differ from the stored ones."""
    found = []
    for stage in Stage.objects.exclude(state=Stage.State.PLANNED).order_by("pk"):
        before = standings(stage)
        standings_rebuild(stage)
        # Before a round is closed nothing is stored.
        if before and standings(stage) != before:
            found.append(f"{stage.tournament.name}, stage {stage.number}")
    return found


def unfilled() -> list[str]:
    """Return the rows whose columns a migration should have filled from others."""
    rows = {
        "board sets": BoardSet.objects.filter(round__stage__tournament__kind="tournament")
        .exclude(closed_seq=F("event_seq"))
        .exclude(closed_seq=None),
        "results": Table.objects.filter(state=Table.State.FINISHED, compact_results=""),
        "scores": FixtureScore.objects.filter(board_values=""),
        "blobs": Table.objects.exclude(record_sha256="").exclude(
            record_sha256__in=Blob.objects.values_list(HexOf("sha256"), flat=True)
        ),
        "adjudications": Adjudication.objects.exclude(tournament=F("fixture__tournament")),
    }
    return [f"{name}: {count}" for name, found in rows.items() if (count := found.count())]


def audited() -> list[str]:
    """Derive the results of finished events from their records; return what differs."""
    final = Tournament.objects.filter(state__in=(Tournament.State.FINAL, Tournament.State.ARCHIVED))
    return [f"{event.name}: {text}" for event in final.order_by("pk") for text in tournament_audit(event)]


def check(folder: str) -> None:
    """Load, migrate and check the database of a release; print what is wrong as JSON."""
    release = Path(folder)
    facts = json.loads((release / FACTS).read_text())
    name = dump.load(release / DATABASE)
    call_command("migrate", verbosity=0, interactive=False)
    with zipfile.ZipFile(release / RECORDS) as archive:
        archive.extractall(Path(settings.DATA) / "blobs")
    call_command("views_make", verbosity=0, stdout=sys.stderr)
    wrong = {
        "release": name,
        "refused": database_refusal(),
        "pages": unreachable(facts),
        "standings": changed_standings(),
        "audit": audited(),
        "unfilled": unfilled(),
        "counted": {"pages": len(pages(facts)), "tournaments": Tournament.objects.count()},
    }
    json.dump(wrong, sys.stdout)
