"""The tables as release 0.1.0 had them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('standings', '0001_initial'),
        ('standings', '0002_fixture_score'),
    ]

    dependencies = [
        ('competition', '0001_schema_of_0_1'),
        ('matches', '0001_schema_of_0_1'),
    ]

    operations = [
        migrations.CreateModel(
            name='BoardScore',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('board', models.PositiveSmallIntegerField()),
                ('numerator', models.IntegerField()),
                ('denominator', models.PositiveIntegerField()),
                ('entry', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='scores', to='competition.entry')),
                ('fixture', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='matches.fixture')),
            ],
            options={
                'ordering': ['fixture', 'board', 'entry'],
                'constraints': [models.UniqueConstraint(fields=('fixture', 'board', 'entry'), name='board_score_once'), models.CheckConstraint(condition=models.Q(('denominator__gte', 1)), name='board_score_is_a_fraction')],
            },
        ),
        migrations.CreateModel(
            name='FixtureScore',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('numerator', models.IntegerField()),
                ('denominator', models.PositiveIntegerField()),
                ('entry', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='totals', to='competition.entry')),
                ('fixture', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='totals', to='matches.fixture')),
            ],
            options={
                'ordering': ['fixture', 'entry'],
                'constraints': [models.UniqueConstraint(fields=('fixture', 'entry'), name='fixture_score_once'), models.CheckConstraint(condition=models.Q(('denominator__gte', 1)), name='fixture_score_is_a_fraction')],
            },
        ),
        migrations.CreateModel(
            name='StandingRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rank', models.PositiveSmallIntegerField()),
                ('values', models.JSONField()),
                ('decided_by', models.CharField(blank=True, max_length=30)),
                ('entry', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='standings', to='competition.entry')),
                ('stage', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='standings', to='competition.stage')),
            ],
            options={
                'ordering': ['stage', 'rank'],
                'constraints': [models.UniqueConstraint(fields=('stage', 'entry'), name='standing_once_per_entry'), models.UniqueConstraint(fields=('stage', 'rank'), name='standing_rank_once')],
            },
        ),
    ]
