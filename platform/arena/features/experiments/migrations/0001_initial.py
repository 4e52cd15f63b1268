import arena.common.ids
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('competition', '0001_initial'),
        ('roster', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Experiment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state_note', models.JSONField(blank=True, default=dict)),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('is_field', models.BooleanField(default=False)),
                ('game', models.CharField(max_length=20)),
                ('preset', models.CharField(max_length=40)),
                ('ruleset', models.JSONField()),
                ('seats', models.PositiveSmallIntegerField()),
                ('sides', models.PositiveSmallIntegerField()),
                ('board_kind', models.CharField(choices=[('deal', 'deal boards'), ('game', 'game boards')], max_length=4)),
                ('clock', models.JSONField()),
                ('difference', models.FloatField()),
                ('alpha', models.FloatField()),
                ('beta', models.FloatField()),
                ('cap', models.PositiveIntegerField()),
                ('boards_per_batch', models.PositiveSmallIntegerField()),
                ('budget_cpu_s', models.PositiveIntegerField()),
                ('state', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('accepted', 'the candidate is better'), ('rejected', 'it is not better by the difference asked for'), ('inconclusive', 'the cap of boards came first'), ('stopped', 'Stopped')], default='queued', max_length=12)),
                ('end_code', models.CharField(blank=True, choices=[('decided', 'the evidence reached a bound'), ('cap', 'it reached its maximum of boards'), ('budget', 'its CPU budget is used up'), ('owner', 'its owner or staff stopped it'), ('version', 'one of its versions can no longer play'), ('cancelled', 'one of its batches was cancelled'), ('faults', 'several batches in a row failed because of platform faults'), ('deadline', 'it reached its deadline')], max_length=10)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('cpu_ms_spent', models.PositiveBigIntegerField(default=0)),
                ('revision', models.PositiveIntegerField(default=0)),
                ('boards', models.PositiveIntegerField(default=0)),
                ('mean', models.FloatField(null=True)),
                ('evidence', models.FloatField(default=0.0)),
                ('expected_remaining', models.PositiveIntegerField(null=True)),
                ('baseline', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='experiments_as_baseline', to='roster.botversion')),
                ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='experiments', to='roster.botversion')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='experiments', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Batch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('note', models.JSONField(blank=True, default=dict)),
                ('number', models.PositiveSmallIntegerField()),
                ('boards', models.PositiveSmallIntegerField()),
                ('state', models.CharField(choices=[('playing', 'Playing'), ('counted', 'Counted'), ('void', 'counts for nothing; another one takes its place')], default='playing', max_length=8)),
                ('scores', models.JSONField(default=list)),
                ('counted', models.PositiveSmallIntegerField(default=0)),
                ('tournament', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='experiment_batch', to='competition.tournament')),
                ('experiment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='batches', to='experiments.experiment')),
            ],
            options={
                'verbose_name_plural': 'batches',
                'ordering': ['experiment', 'number'],
            },
        ),
        migrations.CreateModel(
            name='Opponent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('experiment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='opponents', to='experiments.experiment')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='roster.botversion')),
            ],
            options={
                'ordering': ['experiment', 'number'],
            },
        ),
        migrations.AddIndex(
            model_name='experiment',
            index=models.Index(fields=['owner', '-id'], name='experiment_owner_idx'),
        ),
        migrations.AddIndex(
            model_name='experiment',
            index=models.Index(condition=models.Q(('state__in', ('queued', 'running'))), fields=['id'], name='experiment_live_idx'),
        ),
        migrations.AddConstraint(
            model_name='experiment',
            constraint=models.CheckConstraint(condition=models.Q(('candidate', models.F('baseline')), _negated=True), name='experiment_baseline_check'),
        ),
        migrations.AddConstraint(
            model_name='experiment',
            constraint=models.CheckConstraint(condition=models.Q(('difference__gt', 0)), name='experiment_difference_check'),
        ),
        migrations.AddConstraint(
            model_name='experiment',
            constraint=models.CheckConstraint(condition=models.Q(('alpha__gt', 0), ('alpha__lt', 0.5), ('beta__gt', 0), ('beta__lt', 0.5)), name='experiment_error_rates_check'),
        ),
        migrations.AddConstraint(
            model_name='experiment',
            constraint=models.CheckConstraint(condition=models.Q(('boards_per_batch__gte', 1)), name='experiment_batch_boards_check'),
        ),
        migrations.AddConstraint(
            model_name='experiment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('end_code', ''), ('finished_at__isnull', True), ('state__in', ('queued', 'running'))), models.Q(models.Q(('state__in', ('queued', 'running')), _negated=True), models.Q(('end_code', ''), _negated=True), ('finished_at__isnull', False)), _connector='OR'), name='experiment_end_code_check'),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.UniqueConstraint(fields=('experiment', 'number'), name='batch_number_unique'),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'playing')), fields=('experiment',), name='batch_playing_unique'),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.CheckConstraint(condition=models.Q(('counted__lte', models.F('boards'))), name='batch_counted_check'),
        ),
        migrations.AddConstraint(
            model_name='opponent',
            constraint=models.UniqueConstraint(fields=('experiment', 'number'), name='opponent_number_unique'),
        ),
    ]
