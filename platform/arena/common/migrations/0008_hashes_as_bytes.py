import django.utils.timezone
from django.db import migrations, models

from arena.common.hash_field import HashField

KEY, REFERENCE = ("common_blob", "sha256"), ("common_lostblob", "blob_id")


class HashesToBytes(migrations.AlterField):
    """Converts the primary key of blobs and the reference to it."""

    reversible = False

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        if schema_editor.connection.vendor == "postgresql":
            _convert_in_place(schema_editor)
            return
        super().database_forwards(app_label, schema_editor, from_state, to_state)
        schema_editor.connection.connection.create_function("bytes_of", 1, bytes.fromhex, deterministic=True)
        for table, column in (KEY, REFERENCE):
            schema_editor.execute(f"UPDATE {table} SET {column} = bytes_of({column})")


def _convert_in_place(schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND tablename IN (%s, %s)"
            " AND indexdef LIKE '%%varchar_pattern_ops%%'",
            [KEY[0], REFERENCE[0]],
        )
        for_like = [name for (name,) in cursor.fetchall()]
        cursor.execute(
            "SELECT conname FROM pg_constraint WHERE contype = 'f' AND conrelid = %s::regclass", [REFERENCE[0]]
        )
        ((reference,),) = cursor.fetchall()
    for name in for_like:
        schema_editor.execute(f"DROP INDEX {schema_editor.quote_name(name)}")
    reference = schema_editor.quote_name(reference)
    schema_editor.execute(f"ALTER TABLE {REFERENCE[0]} DROP CONSTRAINT {reference}")
    for table, column in (KEY, REFERENCE):
        schema_editor.execute(
            f"ALTER TABLE {table} ALTER COLUMN {column} TYPE bytea USING decode({column}, 'hex')"
        )
    schema_editor.execute(
        f"ALTER TABLE {REFERENCE[0]} ADD CONSTRAINT {reference} FOREIGN KEY ({REFERENCE[1]})"
        f" REFERENCES {KEY[0]} ({KEY[1]}) DEFERRABLE INITIALLY DEFERRED"
    )


class Migration(migrations.Migration):
    dependencies = [("common", "0007_export_blobs")]

    operations = [
        HashesToBytes(
            model_name="blob", name="sha256", field=HashField(primary_key=True, serialize=False)
        ),
        migrations.AlterField(
            model_name="blob",
            name="created_at",
            field=models.DateTimeField(default=django.utils.timezone.now, null=True),
        ),
        migrations.AlterField(
            model_name="blob", name="size", field=models.PositiveBigIntegerField(null=True)
        ),
    ]
