"""The site of a release: a few rows of everything, made by the services, with the same ids in every run."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from django.conf import settings
from django.core.management import call_command

from arena.accounts.links import invitation_create
from arena.common.models import Blob
from arena.competition.commitments import commitments_fill
from arena.competition.models import Tournament
from arena.features.integrity.services import reports_make
from arena.features.ratings.services import ratings_make
from arena.features.webhooks.services import webhook_create, webhook_ping
from arena.standings.export import tournament_export
from arena.standings.luck import luck_compute_due
from tests import chance, factories, power
from tests.browser import events, experiments
from tests.browser import tables_of_persons as tables
from tests.browser.populate import facts_of, integrity, rating_facts
from tests.releases import dump

KINDS = ("kakeya4", "kakkuri3")
EVENTS = (
    events.draft,
    events.registration,
    events.locked,
    events.running,
    events.reviewed,
    events.paused,
    events.cancelled,
    events.elimination,
    events.groups,
    events.movement,
    events.rated,
    events.challenge,
    events.faults,
)
EXPORTED = "groups"
"""The finished event whose export is kept: groups, then a bracket."""
DATABASE = "database.jsonl.gz"
RECORDS = "records.zip"
"""Blobs of the records, as stored; the upgrade makes views again, and other blobs are not needed."""
EXPORT = "export.zip"
FACTS = "facts.json"


def populate() -> dict[str, str]:
    """Make all of it; return public ids by the names that ``tests.browser.addresses`` uses."""
    power.skip_syncs()
    chance.install()
    chance.start("the site of a release")
    commitments_fill()
    facts: dict[str, str] = {}
    for kind in events.kinds():
        if kind.key in KINDS:
            facts |= facts_of(kind.key, events.of_kind(kind))
    for make in EVENTS:
        facts |= facts_of(make.__name__, make())
    cup = events.cup()
    events.edition(cup, Tournament.objects.get(public_id=facts["rated"]))
    facts |= {"ladder": events.ladder().public_id, "cup": cup.public_id}
    facts["paused_cup"] = events.paused_cup().public_id
    facts |= {f"bot_{name}": bot.public_id for name, bot in events.bots().items()}
    facts["casual_table_finished"] = tables.over(factories.ben())
    facts["play"] = tables.under_way(factories.aya())
    facts["play_shared"] = tables.shared(factories.ben(), facts["casual_table_finished"])
    facts["experiment"] = experiments.decided().public_id
    facts["experiment_running"] = experiments.going_on().public_id
    webhook, _ = webhook_create(factories.aya(), url="https://hooks.example.org/rensho")
    webhook_ping(webhook, factories.aya())
    invitation_create(factories.sota(), "a friend")
    luck_compute_due(60.0)
    ratings_make(60.0)
    facts |= rating_facts()
    reports_make(60.0, rest_s=0)
    return facts | integrity(facts)


def write(folder: str, release: str) -> None:
    """Migrate a new database, populate it, and write the files of a release."""
    call_command("migrate", verbosity=0)
    facts, target = populate(), Path(folder)
    (target / FACTS).write_text(json.dumps(facts, indent=1) + "\n")
    (target / EXPORT).write_bytes(tournament_export(Tournament.objects.get(public_id=facts[EXPORTED]), None))
    records = set(Blob.objects.filter(kind=Blob.Kind.RECORD).values_list("sha256", flat=True))
    blobs = Path(settings.DATA) / "blobs"
    with zipfile.ZipFile(target / RECORDS, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(path for path in blobs.rglob("*") if path.name.partition(".")[0] in records):
            archive.writestr(zipfile.ZipInfo(str(path.relative_to(blobs))), path.read_bytes())
    dump.save(target / DATABASE, release)
