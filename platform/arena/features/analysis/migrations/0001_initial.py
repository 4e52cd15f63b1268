import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('competition', '0001_initial'),
        ('matches', '0001_initial'),
        ('roster', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='SolvedPosition',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=64, unique=True)),
                ('position', models.JSONField()),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('leased', 'being solved'), ('done', 'Done'), ('too_long', 'not solved within the limit of nodes')], default='waiting', max_length=8)),
                ('requested_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('requested_by', models.CharField(blank=True, max_length=64)),
                ('leased_until', models.DateTimeField(blank=True, null=True)),
                ('failures', models.PositiveSmallIntegerField(default=0)),
                ('values', models.JSONField(default=dict)),
                ('cpu_ms', models.PositiveIntegerField(default=0)),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('state__in', ('waiting', 'leased'))), fields=['requested_at'], name='solved_queue_idx'), models.Index(fields=['requested_at'], name='solved_requested_at_idx'), models.Index(fields=['requested_by', 'requested_at'], name='solved_requested_by_idx')],
            },
        ),
        migrations.CreateModel(
            name='TableAnalysis',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('record_sha256', models.CharField(max_length=64)),
                ('solver', models.CharField(max_length=40)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('leased', 'being analysed'), ('ready', 'Ready'), ('failed', 'failed three times')], default='waiting', max_length=7)),
                ('state_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('closed_seq', models.PositiveBigIntegerField()),
                ('lease', models.CharField(blank=True, max_length=80)),
                ('leased_until', models.DateTimeField(blank=True, null=True)),
                ('retry_at', models.DateTimeField(blank=True, null=True)),
                ('failures', models.PositiveSmallIntegerField(default=0)),
                ('failure', models.CharField(blank=True, max_length=300)),
                ('cpu_ms', models.PositiveBigIntegerField(default=0)),
                ('worked_at', models.DateTimeField(blank=True, null=True)),
                ('notes_sha256', models.CharField(blank=True, max_length=64)),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='analyses', to='matches.table')),
            ],
            options={
                'verbose_name_plural': 'table analyses',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='SeatAnalysis',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seat', models.PositiveSmallIntegerField()),
                ('decisions', models.PositiveIntegerField()),
                ('costly', models.PositiveIntegerField()),
                ('stones', models.PositiveIntegerField()),
                ('boards', models.JSONField(default=list)),
                ('version', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='roster.botversion')),
                ('analysis', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='analysis.tableanalysis')),
            ],
            options={
                'verbose_name_plural': 'seat analyses',
                'ordering': ['analysis', 'seat'],
            },
        ),
        migrations.CreateModel(
            name='CostlyPlay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seat', models.PositiveSmallIntegerField()),
                ('board', models.PositiveSmallIntegerField()),
                ('deal', models.PositiveSmallIntegerField()),
                ('position', models.CharField(max_length=24)),
                ('action', models.CharField(max_length=40)),
                ('kind', models.CharField(choices=[('costly', 'double-dummy cost without an average'), ('mistake', 'costs stones on average too'), ('unlucky', 'costs nothing on average'), ('average', 'average loss without a double-dummy cost'), ('declaration', 'Declaration')], max_length=11)),
                ('cost', models.FloatField()),
                ('tournament', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='competition.tournament')),
                ('version', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='roster.botversion')),
                ('analysis', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='costly_plays', to='analysis.tableanalysis')),
            ],
            options={
                'ordering': ['-cost', 'id'],
            },
        ),
        migrations.AddIndex(
            model_name='tableanalysis',
            index=models.Index(condition=models.Q(('state', 'waiting')), fields=['-closed_seq', 'id'], name='table_analysis_queue_idx'),
        ),
        migrations.AddIndex(
            model_name='tableanalysis',
            index=models.Index(condition=models.Q(('state', 'leased')), fields=['leased_until'], name='table_analysis_leased_idx'),
        ),
        migrations.AddIndex(
            model_name='tableanalysis',
            index=models.Index(condition=models.Q(('state', 'failed')), fields=['state_at'], name='table_analysis_failed_idx'),
        ),
        migrations.AddIndex(
            model_name='tableanalysis',
            index=models.Index(fields=['worked_at'], name='table_analysis_worked_at_idx'),
        ),
        migrations.AddIndex(
            model_name='tableanalysis',
            index=models.Index(fields=['notes_sha256'], name='table_analysis_notes_idx'),
        ),
        migrations.AddConstraint(
            model_name='tableanalysis',
            constraint=models.UniqueConstraint(fields=('table', 'record_sha256', 'solver'), name='table_analysis_record_unique'),
        ),
        migrations.AddConstraint(
            model_name='tableanalysis',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'ready'), _negated=True), models.Q(('notes_sha256', ''), _negated=True), _connector='OR'), name='table_analysis_notes_check'),
        ),
        migrations.AddConstraint(
            model_name='tableanalysis',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'leased'), _negated=True), models.Q(models.Q(('lease', ''), _negated=True), ('leased_until__isnull', False)), _connector='OR'), name='table_analysis_lease_check'),
        ),
        migrations.AddIndex(
            model_name='seatanalysis',
            index=models.Index(fields=['version', 'analysis'], name='seat_analysis_version_idx'),
        ),
        migrations.AddConstraint(
            model_name='seatanalysis',
            constraint=models.UniqueConstraint(fields=('analysis', 'seat'), name='seat_analysis_seat_unique'),
        ),
        migrations.AddIndex(
            model_name='costlyplay',
            index=models.Index(fields=['tournament', '-cost', 'id'], name='costly_play_tournament_idx'),
        ),
        migrations.AddIndex(
            model_name='costlyplay',
            index=models.Index(fields=['version', '-cost', 'id'], name='costly_play_version_idx'),
        ),
        migrations.AddConstraint(
            model_name='costlyplay',
            constraint=models.UniqueConstraint(fields=('analysis', 'position', 'seat'), name='costly_play_position_unique'),
        ),
        migrations.AddConstraint(
            model_name='costlyplay',
            constraint=models.CheckConstraint(condition=models.Q(('cost__gt', 0)), name='costly_play_cost_check'),
        ),
    ]
