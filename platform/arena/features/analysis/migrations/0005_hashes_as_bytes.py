from django.db import migrations

from arena.common.hash_field import HashField


class HashesToBytes(migrations.AlterField):
    reversible = False

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(
                "ALTER TABLE analysis_tableanalysis ALTER COLUMN record_sha256"
                " TYPE bytea USING decode(record_sha256, 'hex')"
            )
            return
        super().database_forwards(app_label, schema_editor, from_state, to_state)
        schema_editor.connection.connection.create_function("bytes_of", 1, bytes.fromhex, deterministic=True)
        schema_editor.execute(
            "UPDATE analysis_tableanalysis SET record_sha256 = bytes_of(record_sha256)"
        )


class Migration(migrations.Migration):
    dependencies = [("analysis", "0004_redundant_indexes")]

    operations = [
        HashesToBytes(model_name="tableanalysis", name="record_sha256", field=HashField()),
    ]
