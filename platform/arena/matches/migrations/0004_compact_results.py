from itertools import groupby
from operator import itemgetter

from django.db import migrations, models

TABLES_AT_ONCE = 500


def _fill(apps, schema_editor):
    """Write the results of each table into one column, in batches of tables."""
    tables = apps.get_model("matches", "Table").objects.using(schema_editor.connection.alias)
    results = apps.get_model("matches", "BoardResult").objects.using(schema_editor.connection.alias)
    last = 0
    while keys := list(
        tables.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:TABLES_AT_ONCE]
    ):
        rows = (
            results.filter(table__gte=keys[0], table__lte=keys[-1])
            .order_by("table_id", "board", "seat")
            .values_list("table_id", "board", "seat", "stones", "verdict")
        )
        texts = [(_format(list(of_table)), table) for table, of_table in groupby(rows, key=itemgetter(0))]
        with schema_editor.connection.cursor() as cursor:
            cursor.executemany("UPDATE matches_table SET compact_results = %s WHERE id = %s", texts)
        last = keys[-1]


def _format(rows):
    """See ``arena.matches.board_results``."""
    boards = []
    for _, of_board in groupby(rows, key=itemgetter(1)):
        cells = {
            seat: str(stones) if verdict == "OK" else f"{stones}:{verdict}"
            for _, _, seat, stones, verdict in of_board
        }
        boards.append(",".join(cells.get(seat, "") for seat in range(1, max(cells) + 1)))
    return "/".join(boards)


class Migration(migrations.Migration):
    dependencies = [("matches", "0003_find_irregular_fixtures")]

    operations = [
        migrations.AddField(
            model_name="table",
            name="compact_results",
            field=models.TextField(blank=True, default=""),
            preserve_default=False,
        ),
        migrations.RunPython(_fill, migrations.RunPython.noop),
        migrations.DeleteModel(name="BoardResult"),
    ]
