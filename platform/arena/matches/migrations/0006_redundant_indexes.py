import django.db.models.deletion
from django.db import migrations, models


def _drop(apps, schema_editor):
    """Drop PostgreSQL's second index on public ids, which serves LIKE only: no query compares prefixes."""
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()"
            " AND tablename IN ('matches_table', 'matches_fixture')"
            r" AND indexname LIKE '%public\_id%\_like'"
        )
        for (name,) in cursor.fetchall():
            schema_editor.execute(f"DROP INDEX {schema_editor.quote_name(name)}")


class Migration(migrations.Migration):

    dependencies = [
        ('matches', '0005_tick_row_counts'),
    ]

    operations = [
        migrations.AlterField(
            model_name='fixture',
            name='board_set',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='fixtures', to='matches.boardset'),
        ),
        migrations.AlterField(
            model_name='fixtureentry',
            name='fixture',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='sides', to='matches.fixture'),
        ),
        migrations.AlterField(
            model_name='table',
            name='fixture',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='tables', to='matches.fixture'),
        ),
        migrations.AlterField(
            model_name='tableseat',
            name='table',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='matches.table'),
        ),
        migrations.RunPython(_drop, migrations.RunPython.noop),
    ]
