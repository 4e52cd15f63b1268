import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('competition', '0001_initial'),
        ('matches', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='BoardSetLuck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('stale_mark', models.CharField(blank=True, db_index=True, max_length=16)),
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
        migrations.CreateModel(
            name='PastStandings',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scored', models.CharField(max_length=16)),
                ('key', models.CharField(blank=True, db_index=True, max_length=64)),
                ('rows', models.BinaryField(default=b'')),
                ('round', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='past_standings', to='competition.round')),
            ],
            options={
                'ordering': ['round'],
            },
        ),
        migrations.CreateModel(
            name='TournamentLuck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('has_factor', models.BooleanField()),
                ('values', models.JSONField()),
                ('tournament', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='luck', to='competition.tournament')),
            ],
            options={
                'verbose_name_plural': 'luck of events',
            },
        ),
        migrations.CreateModel(
            name='BoardFigures',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('board', models.PositiveSmallIntegerField()),
                ('fixtures', models.PositiveIntegerField()),
                ('best_numerator', models.IntegerField()),
                ('best_denominator', models.PositiveIntegerField()),
                ('mean_numerator', models.BigIntegerField()),
                ('mean_denominator', models.PositiveBigIntegerField()),
                ('swing', models.FloatField()),
                ('spread', models.FloatField()),
                ('best_entry', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='competition.entry')),
                ('best_fixture', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='matches.fixture')),
                ('board_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='figures', to='matches.boardset')),
                ('tournament', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='figures', to='competition.tournament')),
            ],
            options={
                'verbose_name_plural': 'board figures',
                'ordering': ['board_set', 'board'],
                'indexes': [models.Index(fields=['-swing', '-board_set', 'board'], name='figures_swing_idx'), models.Index(fields=['tournament', '-swing', '-board_set', 'board'], name='figures_tournament_swing_idx'), models.Index(fields=['tournament', '-spread', '-board_set', 'board'], name='figures_tournament_spread_idx')],
                'constraints': [models.UniqueConstraint(fields=('board_set', 'board'), name='figures_board_unique'), models.CheckConstraint(condition=models.Q(('best_denominator__gte', 1), ('mean_denominator__gte', 1)), name='figures_fraction_check')],
            },
        ),
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
                'constraints': [models.UniqueConstraint(fields=('fixture', 'board', 'entry'), name='board_score_unique'), models.CheckConstraint(condition=models.Q(('denominator__gte', 1)), name='board_score_fraction_check')],
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
                'constraints': [models.UniqueConstraint(fields=('fixture', 'entry'), name='fixture_score_unique'), models.CheckConstraint(condition=models.Q(('denominator__gte', 1)), name='fixture_score_fraction_check')],
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
                'constraints': [models.UniqueConstraint(fields=('stage', 'entry'), name='standing_entry_unique'), models.UniqueConstraint(fields=('stage', 'rank'), name='standing_rank_unique')],
            },
        ),
    ]
