import arena.common.ids
import arena.competition.models.tournaments
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('roster', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Stage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('format', models.CharField(max_length=30)),
                ('options', models.JSONField(default=dict)),
                ('field_digest', models.CharField(blank=True, max_length=64)),
                ('qualify', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('boards_per_round', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('end_note', models.JSONField(blank=True, default=dict)),
                ('closed_early', models.BooleanField(default=False)),
                ('state', models.CharField(choices=[('planned', 'Planned'), ('running', 'Running'), ('done', 'Done')], default='planned', max_length=8)),
            ],
            options={
                'ordering': ['tournament', 'number'],
            },
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('copy', models.PositiveSmallIntegerField(default=0, editable=False)),
                ('seed', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('status', models.CharField(choices=[('pending', "waits for the partner's consent"), ('entered', 'Entered'), ('withdrawn', 'taken back before the field was fixed'), ('left', 'left or was taken out after the field was fixed')], default='entered', max_length=10)),
                ('status_note', models.JSONField(blank=True, default=dict)),
                ('status_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('left_stage', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('left_round', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('accepts_partners', models.BooleanField(default=False)),
                ('is_organiser_entry', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('partner_version', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='partner_entries', to='roster.botversion')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='roster.player')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='roster.botversion')),
            ],
            options={
                'verbose_name_plural': 'entries',
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Series',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state_note', models.JSONField(blank=True, default=dict)),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('name', models.CharField(max_length=80)),
                ('template', models.JSONField()),
                ('frequency', models.CharField(choices=[('daily', 'every day'), ('weekly', 'every week'), ('monthly', 'every month')], max_length=8)),
                ('weekday', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('month_day', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('timezone', models.CharField(default='UTC', max_length=64)),
                ('start_time', models.TimeField()),
                ('open_hours', models.PositiveSmallIntegerField(default=12)),
                ('state', models.CharField(choices=[('active', 'Active'), ('paused', 'Paused'), ('ended', 'Ended')], default='active', max_length=8)),
                ('state_at', models.DateTimeField(auto_now_add=True)),
                ('next_at', models.DateTimeField(blank=True, null=True)),
                ('last_edition', models.PositiveIntegerField(default=0)),
                ('until', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('organiser', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='series', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'series',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='SigningKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(unique=True)),
                ('name', models.CharField(max_length=16, unique=True)),
                ('public', models.BinaryField(max_length=32)),
                ('private', models.BinaryField(max_length=32)),
                ('valid_from', models.DateTimeField()),
                ('valid_until', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-number'],
                'constraints': [models.UniqueConstraint(models.Case(models.When(then=models.Value(1), valid_until__isnull=True)), name='signing_key_current_unique')],
            },
        ),
        migrations.CreateModel(
            name='Round',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('number', models.PositiveSmallIntegerField()),
                ('state', models.CharField(choices=[('planned', 'Planned'), ('open', 'Open'), ('closed', 'Closed')], default='planned', max_length=8)),
                ('opened_at', models.DateTimeField(null=True)),
                ('closed_at', models.DateTimeField(null=True)),
                ('stage', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rounds', to='competition.stage')),
            ],
            options={
                'ordering': ['stage', 'number'],
            },
        ),
        migrations.CreateModel(
            name='StageEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('origin', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('entry', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='stage_entries', to='competition.entry')),
                ('stage', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stage_entries', to='competition.stage')),
            ],
            options={
                'verbose_name_plural': 'stage entries',
                'ordering': ['stage', 'position'],
            },
        ),
        migrations.CreateModel(
            name='Subscription',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='subscriptions', to='roster.bot')),
                ('partner_bot', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='partner_subscriptions', to='roster.bot')),
                ('series', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='subscriptions', to='competition.series')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Tournament',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state_note', models.JSONField(blank=True, default=dict)),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('kind', models.CharField(choices=[('tournament', 'Tournament'), ('challenge', 'a private fixture between chosen versions'), ('ladder', 'a round of a ladder'), ('experiment', 'a batch of boards of an experiment')], default='tournament', max_length=10)),
                ('edition', models.PositiveIntegerField(blank=True, null=True)),
                ('name', models.CharField(max_length=100)),
                ('description', models.TextField(blank=True, max_length=4000)),
                ('visibility', models.CharField(choices=[('public', 'everybody'), ('private', 'entrants, invited players and staff')], default='public', max_length=10)),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('open', 'Open'), ('locked', 'Locked'), ('running', 'Running'), ('paused', 'Paused'), ('provisional', 'played; being audited'), ('final', 'Final'), ('archived', 'Archived'), ('cancelled', 'Cancelled')], default='draft', max_length=12)),
                ('game', models.CharField(max_length=20)),
                ('preset', models.CharField(max_length=40)),
                ('ruleset', models.JSONField()),
                ('rules_version', models.PositiveSmallIntegerField()),
                ('board_kind', models.CharField(choices=[('deal', 'deal boards'), ('game', 'game boards')], max_length=4)),
                ('boards_per_round', models.PositiveSmallIntegerField()),
                ('board_plan', models.CharField(choices=[('fixed', 'once'), ('until_separated', 'repeated until neighbours separate or the budget is used up')], default='fixed', max_length=16)),
                ('max_passes', models.PositiveSmallIntegerField(default=1)),
                ('budget_cpu_s', models.PositiveIntegerField(blank=True, null=True)),
                ('cpu_ms_spent', models.PositiveBigIntegerField(default=0, editable=False)),
                ('clock', models.JSONField()),
                ('fault_policy', models.CharField(default='substitute', max_length=10)),
                ('faults_before_forfeit', models.PositiveIntegerField(default=arena.competition.models.tournaments.faults_allowed, editable=False)),
                ('tie_breaks', models.JSONField(default=list)),
                ('scoring', models.CharField(default='match_points', max_length=12)),
                ('entry_policy', models.CharField(choices=[('open', 'everybody who can see it'), ('invited', 'invited players')], default='open', max_length=10)),
                ('entries_per_player', models.PositiveSmallIntegerField(default=1)),
                ('min_entries', models.PositiveSmallIntegerField(default=2)),
                ('max_entries', models.PositiveSmallIntegerField(default=64)),
                ('quarantine_hours', models.PositiveSmallIntegerField(default=24)),
                ('review_hours', models.PositiveSmallIntegerField(default=0)),
                ('closes_at', models.DateTimeField(blank=True, null=True)),
                ('starts_at', models.DateTimeField(blank=True, null=True)),
                ('state_at', models.DateTimeField(auto_now_add=True)),
                ('provisional_at', models.DateTimeField(editable=False, null=True)),
                ('review_until', models.DateTimeField(editable=False, null=True)),
                ('review_rounds', models.PositiveIntegerField(default=0, editable=False)),
                ('audit_disagreements', models.PositiveIntegerField(editable=False, null=True)),
                ('stalled_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('stalled_cause', models.CharField(blank=True, choices=[('disk', 'the file system is full, read-only or broken'), ('resources', 'the machine has run out of file handles, processes or memory'), ('sandbox', 'the machine cannot isolate bots'), ('runtime', 'the machine cannot run the runtime of the bot'), ('store', 'the blob storage cannot be read'), ('database', 'the database did not answer'), ('broker', 'the queue did not answer'), ('driver', 'the sandbox of one bot failed, while others on the machine work'), ('killed', 'a process outside the sandbox killed a bot'), ('bundle', "a bot's bundle is missing or damaged"), ('report', 'the report does not match the table'), ('worker_lost', "the worker's process ended"), ('heartbeat_lost', 'no heartbeat of the worker within the lease'), ('no_progress', 'no progress within the wall-clock limit'), ('not_taken', 'no worker claimed it in time'), ('internal', 'another fault, such as a bug of the platform')], editable=False, max_length=16)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('entrant_actions', models.JSONField(default=list, editable=False)),
                ('secret', models.BinaryField(default=arena.competition.models.tournaments.new_secret, max_length=32)),
                ('commitment', models.CharField(blank=True, editable=False, max_length=64)),
                ('revealed_at', models.DateTimeField(editable=False, null=True)),
                ('revision', models.PositiveIntegerField(default=0, editable=False)),
                ('co_organisers', models.ManyToManyField(blank=True, related_name='co_organised', to=settings.AUTH_USER_MODEL)),
                ('organiser', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tournaments', to=settings.AUTH_USER_MODEL)),
                ('series', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='editions', to='competition.series')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Statement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('kind', models.CharField(choices=[('opened', 'settings and stages when entry opened'), ('locked', 'the entries that play'), ('final', 'all results, at the end'), ('cancelled', 'everything played, at the cancellation')], max_length=10)),
                ('body', models.TextField()),
                ('digest', models.CharField(max_length=64)),
                ('signature', models.CharField(max_length=128)),
                ('published_at', models.DateTimeField()),
                ('key', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='statements', to='competition.signingkey')),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='statements', to='competition.tournament')),
            ],
            options={
                'ordering': ['tournament', 'number'],
            },
        ),
        migrations.AddField(
            model_name='stage',
            name='tournament',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stages', to='competition.tournament'),
        ),
        migrations.CreateModel(
            name='Label',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('subject', models.CharField(max_length=40)),
                ('hash', models.CharField(max_length=64)),
                ('salt', models.CharField(blank=True, max_length=32)),
                ('text', models.CharField(blank=True, max_length=200)),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='labels', to='competition.tournament')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='invitations', to='roster.player')),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='competition.tournament')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.AddField(
            model_name='entry',
            name='tournament',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='competition.tournament'),
        ),
        migrations.CreateModel(
            name='Commitment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('note', models.JSONField(blank=True, default=dict)),
                ('number', models.PositiveBigIntegerField(unique=True)),
                ('secret', models.BinaryField(default=arena.competition.models.tournaments.new_secret, max_length=32)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('signature', models.CharField(max_length=128)),
                ('posted_at', models.DateTimeField()),
                ('taken_at', models.DateTimeField(null=True)),
                ('revealed_at', models.DateTimeField(null=True)),
                ('key', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='commitments', to='competition.signingkey')),
                ('tournament', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='queued_commitment', to='competition.tournament')),
            ],
            options={
                'ordering': ['number'],
            },
        ),
        migrations.CreateModel(
            name='ProblemReport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('text', models.TextField(max_length=2000)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('answer', models.TextField(blank=True, max_length=2000)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('closed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='problem_reports_closed', to=settings.AUTH_USER_MODEL)),
                ('entry', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='problem_reports', to='competition.entry')),
                ('reporter', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='problem_reports', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('closed_at__isnull', True)), fields=('entry',), name='problem_report_open_unique'), models.CheckConstraint(condition=models.Q(models.Q(('answer', ''), ('closed_at__isnull', True), ('closed_by__isnull', True)), models.Q(('closed_at__isnull', False), ('closed_by__isnull', False), models.Q(('answer', ''), _negated=True)), _connector='OR'), name='problem_report_answer_check')],
            },
        ),
        migrations.AddConstraint(
            model_name='series',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('frequency', 'daily'), ('month_day__isnull', True), ('weekday__isnull', True)), models.Q(('frequency', 'weekly'), ('month_day__isnull', True), ('weekday__lte', 6)), models.Q(('frequency', 'monthly'), ('month_day__gte', 1), ('month_day__lte', 31), ('weekday__isnull', True)), _connector='OR'), name='series_day_check'),
        ),
        migrations.AddConstraint(
            model_name='series',
            constraint=models.CheckConstraint(condition=models.Q(('open_hours__gte', 1)), name='series_open_hours_check'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.UniqueConstraint(fields=('stage', 'number'), name='round_number_unique'),
        ),
        migrations.AddConstraint(
            model_name='stageentry',
            constraint=models.UniqueConstraint(fields=('stage', 'entry'), name='stage_entry_unique'),
        ),
        migrations.AddConstraint(
            model_name='stageentry',
            constraint=models.UniqueConstraint(fields=('stage', 'position'), name='stage_entry_position_unique'),
        ),
        migrations.AddConstraint(
            model_name='stageentry',
            constraint=models.CheckConstraint(condition=models.Q(('position__gte', 1)), name='stage_entry_position_check'),
        ),
        migrations.AddConstraint(
            model_name='subscription',
            constraint=models.UniqueConstraint(fields=('series', 'bot'), name='subscription_bot_unique'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(('boards_per_round__gte', 1)), name='tournament_boards_check'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(('min_entries__gte', 2)), name='tournament_min_entries_check'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(('max_entries__gte', models.F('min_entries'))), name='tournament_max_entries_check'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(('max_passes', 1), models.Q(('board_plan', 'until_separated'), ('max_passes__gte', 2)), _connector='OR'), name='tournament_max_passes_check'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('edition__isnull', True), ('series__isnull', True)), models.Q(('edition__gte', 1), ('series__isnull', False)), _connector='OR'), name='tournament_edition_check'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.UniqueConstraint(fields=('series', 'edition'), name='tournament_edition_unique'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(('review_hours__lte', 72)), name='tournament_review_hours_check'),
        ),
        migrations.AddConstraint(
            model_name='statement',
            constraint=models.UniqueConstraint(fields=('tournament', 'number'), name='statement_number_unique'),
        ),
        migrations.AddConstraint(
            model_name='statement',
            constraint=models.UniqueConstraint(fields=('tournament', 'kind'), name='statement_kind_unique'),
        ),
        migrations.AddConstraint(
            model_name='statement',
            constraint=models.UniqueConstraint(condition=models.Q(('kind__in', ('final', 'cancelled'))), fields=('tournament',), name='statement_ending_unique'),
        ),
        migrations.AddConstraint(
            model_name='stage',
            constraint=models.UniqueConstraint(fields=('tournament', 'number'), name='stage_number_unique'),
        ),
        migrations.AddIndex(
            model_name='label',
            index=models.Index(fields=['subject'], name='label_subject_idx'),
        ),
        migrations.AddConstraint(
            model_name='label',
            constraint=models.UniqueConstraint(fields=('tournament', 'subject'), name='label_subject_unique'),
        ),
        migrations.AddConstraint(
            model_name='label',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('salt', ''), ('text', '')), models.Q(models.Q(('salt', ''), _negated=True), models.Q(('text', ''), _negated=True)), _connector='OR'), name='label_salt_text_check'),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.UniqueConstraint(fields=('tournament', 'player'), name='invitation_player_unique'),
        ),
        migrations.AddConstraint(
            model_name='entry',
            constraint=models.UniqueConstraint(condition=models.Q(('partner_version__isnull', True), ('status', 'entered')), fields=('tournament', 'version', 'copy'), name='entry_version_unique'),
        ),
        migrations.AddConstraint(
            model_name='entry',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'left'), _negated=True), models.Q(('left_round__isnull', False), ('left_stage__isnull', False)), _connector='OR'), name='entry_left_check'),
        ),
        migrations.AddIndex(
            model_name='commitment',
            index=models.Index(condition=models.Q(('revealed_at__isnull', True), ('taken_at__isnull', True)), fields=['number'], name='commitment_free_idx'),
        ),
        migrations.AddConstraint(
            model_name='commitment',
            constraint=models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='commitment_number_check'),
        ),
        migrations.AddConstraint(
            model_name='commitment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('taken_at__isnull', True), ('tournament__isnull', True)), models.Q(('taken_at__isnull', False), ('tournament__isnull', False)), _connector='OR'), name='commitment_tournament_check'),
        ),
        migrations.AddConstraint(
            model_name='commitment',
            constraint=models.CheckConstraint(condition=models.Q(('taken_at__isnull', True), ('taken_at__gte', models.F('posted_at')), _connector='OR'), name='commitment_posted_at_check'),
        ),
        migrations.AddConstraint(
            model_name='commitment',
            constraint=models.CheckConstraint(condition=models.Q(('note', {}), ('revealed_at__isnull', False), _connector='OR'), name='commitment_note_check'),
        ),
        migrations.AddConstraint(
            model_name='commitment',
            constraint=models.CheckConstraint(condition=models.Q(('revealed_at__isnull', True), ('taken_at__isnull', False), models.Q(('note', {}), _negated=True), _connector='OR'), name='commitment_unused_note_check'),
        ),
    ]
