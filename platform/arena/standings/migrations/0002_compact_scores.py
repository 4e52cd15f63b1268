from collections import defaultdict
from fractions import Fraction

from django.db import migrations, models

ROWS_AT_ONCE = 1000


def _fill(apps, schema_editor):
    """Write the board scores of each entry in a fixture into one column, in batches of entries."""
    totals = apps.get_model("standings", "FixtureScore").objects.using(schema_editor.connection.alias)
    scores = apps.get_model("standings", "BoardScore").objects.using(schema_editor.connection.alias)
    last = 0
    while batch := list(
        totals.filter(pk__gt=last).order_by("pk").values_list("pk", "fixture", "entry")[:ROWS_AT_ONCE]
    ):
        rows = scores.filter(fixture__in={fixture for _, fixture, _ in batch}).values_list(
            "fixture", "entry", "board", "numerator", "denominator"
        )
        values = defaultdict(dict)
        for fixture, entry, board, *value in rows.order_by():
            values[fixture, entry][board] = str(Fraction(*value))
        with schema_editor.connection.cursor() as cursor:
            cursor.executemany(
                "UPDATE standings_fixturescore SET board_values = %s WHERE id = %s",
                [(_format(values[fixture, entry]), pk) for pk, fixture, entry in batch],
            )
        last = batch[-1][0]


def _format(values):
    """See ``arena.standings.board_values``."""
    return ",".join(values.get(board, "") for board in range(1, max(values, default=0) + 1))


class Migration(migrations.Migration):
    dependencies = [("standings", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="fixturescore",
            name="board_values",
            field=models.TextField(blank=True, default=""),
            preserve_default=False,
        ),
        migrations.RunPython(_fill, migrations.RunPython.noop),
        migrations.DeleteModel(name="BoardScore"),
    ]
