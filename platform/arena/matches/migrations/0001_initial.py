import arena.common.ids
import django.db.models.deletion
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
            name='RuntimeArtifact',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('runtime', models.CharField(max_length=20)),
                ('sha256', models.CharField(max_length=64)),
                ('sources_sha256', models.CharField(max_length=64)),
                ('published_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'verbose_name': 'artefact of a runtime',
                'verbose_name_plural': 'artefacts of runtimes',
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='RuntimeSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('names', models.JSONField(unique=True)),
            ],
        ),
        migrations.CreateModel(
            name='TickState',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ticked_at', models.DateTimeField(null=True)),
                ('queue_id', models.CharField(blank=True, max_length=120)),
            ],
            options={
                'verbose_name_plural': 'tick state',
            },
        ),
        migrations.CreateModel(
            name='Worker',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80, unique=True)),
                ('kernel', models.CharField(blank=True, max_length=36)),
                ('heartbeat_at', models.DateTimeField()),
                ('sandbox_level', models.CharField(max_length=8)),
                ('runtimes', models.JSONField(default=dict)),
                ('capacity', models.PositiveSmallIntegerField(default=1)),
                ('revision', models.CharField(blank=True, max_length=60)),
                ('cause', models.CharField(blank=True, choices=[('disk', 'the file system is full, read-only or broken'), ('resources', 'the machine has run out of file handles, processes or memory'), ('sandbox', 'the machine cannot isolate bots'), ('runtime', 'the machine cannot run the runtime of the bot'), ('store', 'the blob storage cannot be read'), ('database', 'the database did not answer'), ('broker', 'the queue did not answer'), ('driver', 'the sandbox of one bot failed, while others on the machine work'), ('killed', 'a process outside the sandbox killed a bot'), ('bundle', "a bot's bundle is missing or damaged"), ('report', 'the report does not match the table'), ('worker_lost', "the worker's process ended"), ('heartbeat_lost', 'no heartbeat of the worker within the lease'), ('no_progress', 'no progress within the wall-clock limit'), ('not_taken', 'no worker claimed it in time'), ('internal', 'another fault, such as a bug of the platform')], max_length=16)),
                ('detail', models.TextField(blank=True)),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='BoardSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('kind', models.CharField(choices=[('deal', 'deal boards'), ('game', 'game boards')], max_length=4)),
                ('boards', models.PositiveSmallIntegerField()),
                ('state', models.CharField(choices=[('open', 'Open'), ('closed', 'Closed')], default='open', max_length=6)),
                ('closed_at', models.DateTimeField(null=True)),
                ('closed_seq', models.PositiveBigIntegerField(null=True, unique=True)),
                ('round', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='board_set', to='competition.round')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Fixture',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('note', models.JSONField(blank=True, default=dict)),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('number', models.PositiveSmallIntegerField()),
                ('state', models.CharField(choices=[('planned', 'Planned'), ('open', 'Open'), ('settled', 'Settled'), ('forfeited', 'an entry forfeited a table'), ('void', 'does not count')], default='planned', max_length=10)),
                ('same_owner', models.BooleanField(default=False)),
                ('scores_stale', models.BooleanField(default=False)),
                ('done_at', models.DateTimeField(null=True)),
                ('board_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='fixtures', to='matches.boardset')),
                ('tournament', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='fixtures', to='competition.tournament')),
            ],
            options={
                'ordering': ['board_set', 'number'],
            },
        ),
        migrations.CreateModel(
            name='FixtureEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('side', models.PositiveSmallIntegerField()),
                ('entry', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='sides', to='competition.entry')),
                ('fixture', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sides', to='matches.fixture')),
            ],
            options={
                'verbose_name_plural': 'fixture entries',
                'ordering': ['fixture', 'position'],
            },
        ),
        migrations.AddField(
            model_name='fixture',
            name='entries',
            field=models.ManyToManyField(related_name='fixtures', through='matches.FixtureEntry', to='competition.entry'),
        ),
        migrations.CreateModel(
            name='Table',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('note', models.JSONField(blank=True, default=dict)),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('rotation', models.PositiveSmallIntegerField()),
                ('first_board', models.PositiveSmallIntegerField()),
                ('board_count', models.PositiveSmallIntegerField()),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('leased', 'Leased'), ('finished', 'Finished'), ('quarantined', 'stopped after repeated platform faults'), ('void', 'Void')], db_index=True, default='waiting', max_length=12)),
                ('state_at', models.DateTimeField(auto_now_add=True)),
                ('published_at', models.DateTimeField(null=True)),
                ('attempt', models.PositiveSmallIntegerField(default=0)),
                ('reruns', models.PositiveSmallIntegerField(default=0)),
                ('fence', models.CharField(blank=True, max_length=32)),
                ('lease_until', models.DateTimeField(null=True)),
                ('heartbeat_at', models.DateTimeField(null=True)),
                ('progress_at', models.DateTimeField(null=True)),
                ('boards_done', models.PositiveSmallIntegerField(default=0)),
                ('decisions', models.PositiveIntegerField(default=0)),
                ('wall_limit_s', models.FloatField()),
                ('machine_delay_s', models.FloatField(default=0.0)),
                ('worker', models.CharField(blank=True, max_length=80)),
                ('kernel', models.CharField(blank=True, max_length=36)),
                ('waiting_for', models.CharField(blank=True, choices=[('runtime_unavailable', 'a live worker with the runtimes'), ('boards_in_play', 'the end of a table of the same boards and entrants')], max_length=20)),
                ('cause', models.CharField(blank=True, choices=[('disk', 'the file system is full, read-only or broken'), ('resources', 'the machine has run out of file handles, processes or memory'), ('sandbox', 'the machine cannot isolate bots'), ('runtime', 'the machine cannot run the runtime of the bot'), ('store', 'the blob storage cannot be read'), ('database', 'the database did not answer'), ('broker', 'the queue did not answer'), ('driver', 'the sandbox of one bot failed, while others on the machine work'), ('killed', 'a process outside the sandbox killed a bot'), ('bundle', "a bot's bundle is missing or damaged"), ('report', 'the report does not match the table'), ('worker_lost', "the worker's process ended"), ('heartbeat_lost', 'no heartbeat of the worker within the lease'), ('no_progress', 'no progress within the wall-clock limit'), ('not_taken', 'no worker claimed it in time'), ('internal', 'another fault, such as a bug of the platform')], max_length=16)),
                ('failures', models.PositiveSmallIntegerField(default=0)),
                ('failed_at', models.DateTimeField(blank=True, null=True)),
                ('failing_since', models.DateTimeField(blank=True, null=True)),
                ('retry_at', models.DateTimeField(blank=True, null=True)),
                ('record_sha256', models.CharField(blank=True, max_length=64)),
                ('timings_sha256', models.CharField(blank=True, max_length=64)),
                ('view_sha256', models.CharField(blank=True, max_length=64)),
                ('sandbox_level', models.CharField(blank=True, max_length=8)),
                ('engine_version', models.CharField(blank=True, max_length=20)),
                ('revision', models.CharField(blank=True, max_length=60)),
                ('runtime_artifacts', models.JSONField(default=dict)),
                ('killed_bundles', models.JSONField(default=list)),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('fixture', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tables', to='matches.fixture')),
                ('runtimes', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='tables', to='matches.runtimeset')),
                ('tournament', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='tables', to='competition.tournament')),
            ],
            options={
                'ordering': ['fixture', 'rotation', 'first_board'],
            },
        ),
        migrations.CreateModel(
            name='RecordRepair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('playing', 'Playing'), ('failed', 'Failed')], default='waiting', max_length=8)),
                ('asked_at', models.DateTimeField(auto_now_add=True)),
                ('requeued_at', models.DateTimeField(null=True)),
                ('until', models.DateTimeField(null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('failure', models.CharField(blank=True, choices=[('other_record', 'the replay produced a different record'), ('blob_lost', 'a bundle or artefact of the table is also lost'), ('platform', 'the platform failed at every attempt')], max_length=12)),
                ('detail', models.CharField(blank=True, max_length=300)),
                ('table', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='record_repair', to='matches.table')),
            ],
        ),
        migrations.CreateModel(
            name='LostLease',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fence', models.CharField(max_length=32, unique=True)),
                ('worker', models.CharField(max_length=80)),
                ('kernel', models.CharField(max_length=36)),
                ('until', models.DateTimeField()),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='lost_leases', to='matches.table')),
            ],
        ),
        migrations.CreateModel(
            name='FaultGroup',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fingerprint', models.CharField(max_length=32)),
                ('verdict', models.CharField(max_length=20)),
                ('phase', models.CharField(max_length=20)),
                ('count', models.PositiveIntegerField()),
                ('first_seen_at', models.DateTimeField()),
                ('last_seen_at', models.DateTimeField()),
                ('sample', models.JSONField()),
                ('seat', models.PositiveSmallIntegerField()),
                ('check_run', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='fault_groups', to='roster.checkrun')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='fault_groups', to='roster.botversion')),
                ('table', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='fault_groups', to='matches.table')),
            ],
            options={
                'verbose_name': 'fault group',
                'ordering': ['version', '-count', 'fingerprint'],
            },
        ),
        migrations.CreateModel(
            name='BoardResult',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('board', models.PositiveSmallIntegerField()),
                ('seat', models.PositiveSmallIntegerField()),
                ('stones', models.SmallIntegerField()),
                ('verdict', models.CharField(max_length=20)),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='results', to='matches.table')),
            ],
            options={
                'ordering': ['table', 'board', 'seat'],
            },
        ),
        migrations.CreateModel(
            name='TableSeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seat', models.PositiveSmallIntegerField()),
                ('verdict', models.CharField(blank=True, max_length=20)),
                ('forfeited', models.BooleanField(default=False)),
                ('decisions', models.PositiveIntegerField(default=0)),
                ('cpu_ms', models.PositiveIntegerField(default=0)),
                ('wall_ms', models.PositiveIntegerField(default=0)),
                ('peak_bytes', models.PositiveBigIntegerField(default=0)),
                ('faults', models.JSONField(default=list)),
                ('log_sha256', models.CharField(blank=True, max_length=64)),
                ('entry', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='competition.entry')),
                ('table', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='matches.table')),
                ('version', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='roster.botversion')),
            ],
            options={
                'ordering': ['table', 'seat'],
            },
        ),
        migrations.CreateModel(
            name='Adjudication',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('note', models.JSONField(blank=True, default=dict)),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('number', models.PositiveSmallIntegerField()),
                ('kind', models.CharField(choices=[('forfeit', 'the named entries forfeit every table'), ('draw', 'every board counts 0'), ('void', 'does not count'), ('lift', 'as played')], max_length=8)),
                ('entries', models.JSONField(default=list)),
                ('rounds_opened', models.PositiveSmallIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to=settings.AUTH_USER_MODEL)),
                ('fixture', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='adjudications', to='matches.fixture')),
            ],
            options={
                'ordering': ['fixture', 'number'],
                'constraints': [models.UniqueConstraint(fields=('fixture', 'number'), name='adjudication_number_unique'), models.CheckConstraint(condition=models.Q(('note', {}), _negated=True), name='adjudication_note_check')],
            },
        ),
        migrations.AddIndex(
            model_name='fixtureentry',
            index=models.Index(fields=['entry', 'fixture'], name='fixture_entry_entry_idx'),
        ),
        migrations.AddConstraint(
            model_name='fixtureentry',
            constraint=models.UniqueConstraint(fields=('fixture', 'position'), name='fixture_position_unique'),
        ),
        migrations.AddConstraint(
            model_name='fixtureentry',
            constraint=models.UniqueConstraint(fields=('fixture', 'entry'), name='fixture_entry_unique'),
        ),
        migrations.AddIndex(
            model_name='fixture',
            index=models.Index(fields=['tournament', 'id'], name='fixture_tournament_idx'),
        ),
        migrations.AddIndex(
            model_name='fixture',
            index=models.Index(fields=['tournament', 'state', 'id'], name='fixture_state_idx'),
        ),
        migrations.AddIndex(
            model_name='fixture',
            index=models.Index(condition=models.Q(('scores_stale', True)), fields=['tournament'], name='fixture_scores_stale_idx'),
        ),
        migrations.AddConstraint(
            model_name='fixture',
            constraint=models.UniqueConstraint(fields=('board_set', 'number'), name='fixture_number_unique'),
        ),
        migrations.AddIndex(
            model_name='table',
            index=models.Index(fields=['tournament', 'id'], name='table_tournament_idx'),
        ),
        migrations.AddIndex(
            model_name='table',
            index=models.Index(condition=models.Q(('state', 'waiting')), fields=['tournament', 'first_board', 'rotation', 'id', 'runtimes'], name='table_queue_idx'),
        ),
        migrations.AddIndex(
            model_name='table',
            index=models.Index(condition=models.Q(('state', 'waiting')), fields=['published_at'], name='table_published_at_idx'),
        ),
        migrations.AddIndex(
            model_name='table',
            index=models.Index(condition=models.Q(('cause', ''), _negated=True), fields=['failed_at'], name='table_failed_at_idx'),
        ),
        migrations.AddIndex(
            model_name='table',
            index=models.Index(condition=models.Q(('state', 'waiting'), ('waiting_for', 'boards_in_play')), fields=['tournament'], name='table_waiting_boards_idx'),
        ),
        migrations.AddConstraint(
            model_name='table',
            constraint=models.UniqueConstraint(fields=('fixture', 'rotation', 'first_board'), name='table_fixture_unique'),
        ),
        migrations.AddConstraint(
            model_name='table',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'finished'), _negated=True), models.Q(('record_sha256', ''), _negated=True), _connector='OR'), name='table_record_check'),
        ),
        migrations.AddConstraint(
            model_name='table',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'leased'), _negated=True), models.Q(('fence', ''), _negated=True), _connector='OR'), name='table_fence_check'),
        ),
        migrations.AddConstraint(
            model_name='faultgroup',
            constraint=models.UniqueConstraint(fields=('version', 'fingerprint'), name='fault_group_fingerprint_unique'),
        ),
        migrations.AddConstraint(
            model_name='faultgroup',
            constraint=models.CheckConstraint(condition=models.Q(('count__gte', 1)), name='fault_group_count_check'),
        ),
        migrations.AddConstraint(
            model_name='faultgroup',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('check_run__isnull', False), ('table__isnull', True)), models.Q(('check_run__isnull', True), ('table__isnull', False)), _connector='OR'), name='fault_source_check'),
        ),
        migrations.AddConstraint(
            model_name='boardresult',
            constraint=models.UniqueConstraint(fields=('table', 'board', 'seat'), name='board_result_seat_unique'),
        ),
        migrations.AddIndex(
            model_name='tableseat',
            index=models.Index(fields=['version', 'table'], name='table_seat_version_idx'),
        ),
        migrations.AddIndex(
            model_name='tableseat',
            index=models.Index(condition=models.Q(('forfeited', True)), fields=['version'], name='table_seat_forfeited_idx'),
        ),
        migrations.AddConstraint(
            model_name='tableseat',
            constraint=models.UniqueConstraint(fields=('table', 'seat'), name='table_seat_unique'),
        ),
    ]
