"""Stages whose field was fixed get their stage entries; entries their time of entry as status time."""

from __future__ import annotations

from typing import Any

from django.db import migrations
from django.db.models import F

from league.fairness import lot


def fill(apps: Any, schema_editor: Any) -> None:
    """Seeding order as it was drawn until now: the organiser's seeds, then lots."""
    db = schema_editor.connection.alias
    stages = apps.get_model("competition", "Stage").objects.using(db)
    entries = apps.get_model("competition", "Entry").objects.using(db)
    stage_entry = apps.get_model("competition", "StageEntry")
    entries.update(status_at=F("created_at"))
    fixed = stages.exclude(field_digest="").filter(stage_entries__isnull=True)
    for stage in fixed.select_related("tournament"):
        secret, public_id = bytes(stage.tournament.secret), stage.tournament.public_id
        keyed = []
        for entry in entries.filter(tournament_id=stage.tournament_id, status="entered"):
            drawn = lot(secret, public_id, stage.field_digest, stage.number, entry.public_id)
            keyed.append((entry.seed is None, entry.seed or 0, drawn, entry.pk))
        stage_entry.objects.using(db).bulk_create(
            [
                stage_entry(stage_id=stage.pk, entry_id=key[-1], position=position)
                for position, key in enumerate(sorted(keyed), 1)
            ],
            batch_size=500,
        )


class Migration(migrations.Migration):
    dependencies = [("competition", "0002_fields_of_stages_series_and_partners")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
