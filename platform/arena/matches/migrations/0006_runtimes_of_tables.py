"""Tables name the runtimes they need, so that what a worker can play is found without their seats."""

from typing import Any

from django.db import migrations, models

BATCH = 500


def fill(apps: Any, schema_editor: Any) -> None:
    """Existing tables: the runtimes of the versions on their seats."""
    Table = apps.get_model('matches', 'Table')
    seats = apps.get_model('matches', 'TableSeat').objects.order_by('table_id')
    needed: dict[int, set[str]] = {}
    for table, runtime in seats.values_list('table_id', 'version__runtime').distinct().iterator():
        needed.setdefault(table, set()).add(runtime)
    alike: dict[str, list[int]] = {}
    for table, names in needed.items():
        alike.setdefault(','.join(sorted(names)), []).append(table)
    for names, tables in alike.items():
        for start in range(0, len(tables), BATCH):
            Table.objects.filter(pk__in=tables[start : start + BATCH]).update(runtimes=names)


class Migration(migrations.Migration):

    dependencies = [
        ('matches', '0005_sides_and_tournaments_required'),
        ('roster', '0002_version_suspension'),
    ]

    operations = [
        migrations.AddField('table', 'runtimes', models.CharField(default='', max_length=250), preserve_default=False),
        migrations.RemoveIndex('table', 'table_in_turn'),
        migrations.AddIndex(
            'table',
            models.Index(
                condition=models.Q(('state', 'waiting')),
                fields=['tournament', 'first_board', 'rotation', 'id', 'runtimes'],
                name='table_in_turn',
            ),
        ),
        # Last: PostgreSQL alters no table in the transaction that has changed its rows.
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=False),
    ]
