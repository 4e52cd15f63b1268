import arena.common.ids
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('matches', '0001_initial'),
        ('roster', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='RatingProgress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('closed_seq', models.PositiveBigIntegerField(default=0)),
            ],
            options={
                'verbose_name_plural': 'rating progress',
            },
        ),
        migrations.CreateModel(
            name='RatingList',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('kind', models.CharField(choices=[('tournaments', 'all public tournaments of a quarter'), ('ladder', 'a season of a ladder')], max_length=11)),
                ('game', models.CharField(max_length=20)),
                ('preset', models.CharField(max_length=40)),
                ('board_kind', models.CharField(choices=[('deal', 'deal boards'), ('game', 'game boards')], max_length=4)),
                ('seats', models.PositiveSmallIntegerField()),
                ('season', models.CharField(max_length=20)),
                ('ladder_season', models.CharField(blank=True, max_length=16)),
                ('revision', models.PositiveIntegerField(default=0)),
                ('computed_at', models.DateTimeField(null=True)),
                ('digest', models.CharField(blank=True, max_length=64)),
                ('sets', models.PositiveIntegerField(default=0)),
                ('fixtures', models.PositiveIntegerField(default=0)),
                ('boards', models.PositiveIntegerField(default=0)),
                ('rated', models.PositiveIntegerField(default=0)),
                ('unrated', models.PositiveIntegerField(default=0)),
                ('unexplained_sd', models.FloatField(default=0.0)),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('kind', 'tournaments')), fields=('game', 'preset', 'board_kind', 'seats', 'season'), name='rating_list_season_unique'), models.UniqueConstraint(condition=models.Q(('kind', 'ladder')), fields=('ladder_season',), name='rating_list_ladder_unique'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'tournaments'), ('ladder_season', '')), models.Q(('kind', 'ladder'), models.Q(('ladder_season', ''), _negated=True)), _connector='OR'), name='rating_list_ladder_check')],
            },
        ),
        migrations.CreateModel(
            name='RatingChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('partner', models.CharField(choices=[('self', 'with itself as partner, or alone'), ('other', 'with other versions as partners')], max_length=5)),
                ('estimate', models.FloatField(null=True)),
                ('low', models.FloatField(null=True)),
                ('high', models.FloatField(null=True)),
                ('standard_error', models.FloatField(null=True)),
                ('rank', models.PositiveIntegerField(null=True)),
                ('rank_low', models.PositiveIntegerField(null=True)),
                ('rank_high', models.PositiveIntegerField(null=True)),
                ('fixtures', models.PositiveIntegerField()),
                ('boards', models.PositiveIntegerField()),
                ('degrees', models.PositiveIntegerField()),
                ('reasons', models.JSONField(default=list)),
                ('cause', models.CharField(choices=[('closed', 'Closed'), ('rescored', 'its scores changed after it was closed')], max_length=8)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('board_set', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='matches.boardset')),
                ('version', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='roster.botversion')),
                ('list', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='ratings.ratinglist')),
            ],
            options={
                'ordering': ['id'],
                'indexes': [models.Index(fields=['list', 'version', 'id'], name='rating_change_line_idx'), models.Index(fields=['version', 'id'], name='rating_change_version_idx')],
            },
        ),
        migrations.CreateModel(
            name='Rating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('partner', models.CharField(choices=[('self', 'with itself as partner, or alone'), ('other', 'with other versions as partners')], max_length=5)),
                ('estimate', models.FloatField(null=True)),
                ('low', models.FloatField(null=True)),
                ('high', models.FloatField(null=True)),
                ('standard_error', models.FloatField(null=True)),
                ('rank', models.PositiveIntegerField(null=True)),
                ('rank_low', models.PositiveIntegerField(null=True)),
                ('rank_high', models.PositiveIntegerField(null=True)),
                ('fixtures', models.PositiveIntegerField()),
                ('boards', models.PositiveIntegerField()),
                ('degrees', models.PositiveIntegerField()),
                ('reasons', models.JSONField(default=list)),
                ('lines_after', models.PositiveIntegerField(default=0)),
                ('version', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='roster.botversion')),
                ('list', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='lines', to='ratings.ratinglist')),
            ],
            options={
                'ordering': ['-list', '-lines_after'],
                'indexes': [models.Index(fields=['-list', '-lines_after'], name='rating_order_idx'), models.Index(fields=['version'], name='rating_version_idx')],
                'constraints': [models.UniqueConstraint(fields=('list', 'version', 'partner'), name='rating_line_unique')],
            },
        ),
        migrations.CreateModel(
            name='RatedSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('stale_mark', models.CharField(blank=True, max_length=16)),
                ('scores', models.BinaryField(default=b'')),
                ('fixtures', models.PositiveIntegerField(default=0)),
                ('board_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rated_in', to='matches.boardset')),
                ('list', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rated_sets', to='ratings.ratinglist')),
            ],
            options={
                'ordering': ['list', 'board_set'],
                'indexes': [models.Index(condition=models.Q(('stale_mark', ''), _negated=True), fields=['list'], name='rated_set_stale_idx')],
                'constraints': [models.UniqueConstraint(fields=('list', 'board_set'), name='rated_set_board_set_unique')],
            },
        ),
        migrations.CreateModel(
            name='ExcludedPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('reason', models.CharField(max_length=300)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('lifted_at', models.DateTimeField(null=True)),
                ('lift_reason', models.CharField(blank=True, max_length=300)),
                ('fixtures', models.PositiveIntegerField()),
                ('actor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('first', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='roster.botversion')),
                ('lifted_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('second', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='roster.botversion')),
                ('list', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='excluded_pairs', to='ratings.ratinglist')),
            ],
            options={
                'ordering': ['-id'],
                'abstract': False,
                'constraints': [models.CheckConstraint(condition=models.Q(('first__lt', models.F('second'))), name='excluded_pair_order_check'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='excluded_pair_reason_check'), models.UniqueConstraint(condition=models.Q(('lifted_at__isnull', True)), fields=('list', 'first', 'second'), name='excluded_pair_unique')],
            },
        ),
    ]
