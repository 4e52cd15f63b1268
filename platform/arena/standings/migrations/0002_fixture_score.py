"""Totals of fixtures beside their board scores; those of fixtures already scored are filled in."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby
from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

BATCH = 2000


def totals_fill(apps: Any, schema_editor: Any) -> None:
    """A total for every entry of every scored fixture: the sum of its board scores."""
    alias = schema_editor.connection.alias
    board_scores = apps.get_model("standings", "BoardScore").objects.using(alias)
    totals = apps.get_model("standings", "FixtureScore")
    rows = board_scores.order_by("fixture_id", "entry_id").values_list(
        "fixture_id", "entry_id", "numerator", "denominator"
    )

    def sums() -> Iterator[Any]:
        for (fixture, entry), scores in groupby(rows.iterator(BATCH), key=lambda row: row[:2]):
            total = sum((Fraction(row[2], row[3]) for row in scores), Fraction())
            yield totals(
                fixture_id=fixture,
                entry_id=entry,
                numerator=total.numerator,
                denominator=total.denominator,
            )

    totals.objects.using(alias).bulk_create(sums(), batch_size=BATCH)


class Migration(migrations.Migration):
    dependencies = [
        ("competition", "0001_initial"),
        ("matches", "0001_initial"),
        ("standings", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="FixtureScore",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("numerator", models.IntegerField()),
                ("denominator", models.PositiveIntegerField()),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="totals",
                        to="competition.entry",
                    ),
                ),
                (
                    "fixture",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="totals",
                        to="matches.fixture",
                    ),
                ),
            ],
            options={
                "ordering": ["fixture", "entry"],
                "constraints": [
                    models.UniqueConstraint(fields=("fixture", "entry"), name="fixture_score_once"),
                    models.CheckConstraint(
                        condition=Q(("denominator__gte", 1)), name="fixture_score_is_a_fraction"
                    ),
                ],
            },
        ),
        migrations.RunPython(totals_fill, migrations.RunPython.noop, elidable=True),
    ]
