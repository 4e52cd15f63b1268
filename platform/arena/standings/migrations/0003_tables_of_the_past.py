"""Standings after each round, stored; made by the tick for rounds closed before there were any."""

import django.db.models.deletion
from django.db import migrations, models


def tables_ask(apps, schema_editor):
    """A row to be filled for every closed round."""
    alias = schema_editor.connection.alias
    tables = apps.get_model("standings", "PastTable").objects.using(alias)
    rounds = apps.get_model("competition", "Round").objects.using(alias).filter(state="closed").order_by("pk")
    keys = rounds.values_list("pk", flat=True)
    tables.bulk_create([tables.model(round_id=key) for key in keys.iterator(1000)], batch_size=1000)


class Migration(migrations.Migration):

    dependencies = [
        ('competition', '0002_schema_of_0_2'),
        ('standings', '0002_schema_of_0_2'),
    ]

    operations = [
        migrations.CreateModel(
            name='PastTable',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scored', models.CharField(blank=True, max_length=16)),
                ('key', models.CharField(blank=True, db_index=True, max_length=64)),
                ('rows', models.BinaryField(default=b'')),
                ('round', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='past_table', to='competition.round')),
            ],
            options={
                'ordering': ['round'],
            },
        ),
        migrations.RunPython(tables_ask, migrations.RunPython.noop),
    ]
