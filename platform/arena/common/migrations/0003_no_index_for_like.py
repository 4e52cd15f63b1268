from django.db import migrations


def _drop(apps, schema_editor):
    """Drop PostgreSQL's second index on hashes, which serves LIKE only: no query compares prefixes."""
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema()"
            r" AND tablename = 'common_blob' AND indexname LIKE '%\_like'"
        )
        for (name,) in cursor.fetchall():
            schema_editor.execute(f"DROP INDEX {schema_editor.quote_name(name)}")


class Migration(migrations.Migration):
    dependencies = [("common", "0002_backups")]

    operations = [migrations.RunPython(_drop, migrations.RunPython.noop)]
