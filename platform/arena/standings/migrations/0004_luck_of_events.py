"""How much luck duplicate play took out of events; made by the tick for boards closed before it was told."""

import django.db.models.deletion
from django.db import migrations, models


def luck_asked(apps, schema_editor):
    """A row to be filled for every closed board set."""
    alias = schema_editor.connection.alias
    rows = apps.get_model("standings", "LuckOfSet").objects.using(alias)
    sets = apps.get_model("matches", "BoardSet").objects.using(alias).filter(state="closed").order_by("pk")
    keys = sets.values_list("pk", flat=True)
    rows.bulk_create([rows.model(board_set_id=key, due="new") for key in keys.iterator(1000)], batch_size=1000)


class Migration(migrations.Migration):

    dependencies = [
        ('competition', '0002_schema_of_0_2'),
        ('matches', '0002_schema_of_0_2'),
        ('standings', '0003_tables_of_the_past'),
    ]

    operations = [
        migrations.CreateModel(
            name='EventLuck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_told', models.BooleanField()),
                ('found', models.JSONField()),
                ('tournament', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='luck', to='competition.tournament')),
            ],
            options={
                'verbose_name_plural': 'luck of events',
            },
        ),
        migrations.CreateModel(
            name='LuckOfSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('due', models.CharField(blank=True, db_index=True, max_length=16)),
                ('fixtures', models.PositiveIntegerField(default=0)),
                ('degrees', models.PositiveIntegerField(default=0)),
                ('boards', models.JSONField(null=True)),
                ('board_set', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='luck', to='matches.boardset')),
            ],
            options={
                'verbose_name_plural': 'luck of board sets',
                'ordering': ['board_set'],
            },
        ),
        migrations.RunPython(luck_asked, migrations.RunPython.noop),
    ]
