"""The tables as release 0.1.0 had them."""

import arena.common.ids
import arena.competition.models.tournaments
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ('competition', '0001_initial'),
        ('competition', '0002_fields_of_stages_series_and_partners'),
        ('competition', '0003_stage_entries_filled'),
    ]

    dependencies = [
        ('roster', '0001_schema_of_0_1'),
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
                ('note', models.CharField(blank=True, max_length=500)),
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
                ('seed', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('status', models.CharField(choices=[('pending', "waits for the partner's consent"), ('entered', 'Entered'), ('withdrawn', 'taken back before the field was fixed'), ('left', 'left or was taken out after the field was fixed')], default='entered', max_length=10)),
                ('status_reason', models.CharField(blank=True, max_length=300)),
                ('status_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('left_stage', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('left_round', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('accepts_partners', models.BooleanField(default=False)),
                ('is_organisers_own', models.BooleanField(default=False)),
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
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('name', models.CharField(max_length=80)),
                ('template', models.JSONField()),
                ('every', models.CharField(choices=[('daily', 'Daily'), ('weekly', 'Weekly')], max_length=8)),
                ('weekday', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('at', models.TimeField()),
                ('open_hours', models.PositiveSmallIntegerField(default=12)),
                ('state', models.CharField(choices=[('active', 'Active'), ('paused', 'Paused'), ('ended', 'Ended')], default='active', max_length=8)),
                ('state_reason', models.CharField(blank=True, max_length=300)),
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
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('kind', models.CharField(choices=[('event', 'Event'), ('challenge', 'a private fixture between chosen versions')], default='event', max_length=10)),
                ('edition', models.PositiveIntegerField(blank=True, null=True)),
                ('name', models.CharField(max_length=100)),
                ('description', models.TextField(blank=True, max_length=4000)),
                ('visibility', models.CharField(choices=[('public', 'Public'), ('private', 'Private')], default='public', max_length=10)),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('registration', 'Registration'), ('locked', 'Locked'), ('running', 'Running'), ('paused', 'Paused'), ('provisional', 'played; being audited'), ('final', 'Final'), ('archived', 'Archived'), ('cancelled', 'Cancelled')], default='draft', max_length=12)),
                ('state_reason', models.CharField(blank=True, max_length=300)),
                ('game', models.CharField(max_length=20)),
                ('preset', models.CharField(max_length=40)),
                ('ruleset', models.JSONField()),
                ('rules_version', models.PositiveSmallIntegerField()),
                ('board_kind', models.CharField(choices=[('deal', 'deal boards'), ('game', 'game boards')], max_length=4)),
                ('boards_per_round', models.PositiveSmallIntegerField()),
                ('board_plan', models.CharField(choices=[('fixed', 'the rounds of the format, once'), ('until_separated', 'again and again until neighbours separate or the budget ends')], default='fixed', max_length=16)),
                ('most_passes', models.PositiveSmallIntegerField(default=1)),
                ('budget_cpu_s', models.PositiveIntegerField(blank=True, null=True)),
                ('cpu_ms_spent', models.PositiveBigIntegerField(default=0, editable=False)),
                ('clock', models.JSONField()),
                ('fault_policy', models.CharField(default='substitute', max_length=10)),
                ('tie_breaks', models.JSONField(default=list)),
                ('scoring', models.CharField(default='match_points', max_length=12)),
                ('entry_policy', models.CharField(choices=[('open', 'everybody who sees it'), ('invited', 'players the organiser invited')], default='open', max_length=10)),
                ('entries_per_player', models.PositiveSmallIntegerField(default=1)),
                ('min_entries', models.PositiveSmallIntegerField(default=2)),
                ('max_entries', models.PositiveSmallIntegerField(default=64)),
                ('quarantine_hours', models.PositiveSmallIntegerField(default=24)),
                ('closes_at', models.DateTimeField(blank=True, null=True)),
                ('starts_at', models.DateTimeField(blank=True, null=True)),
                ('state_at', models.DateTimeField(auto_now_add=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('secret', models.BinaryField(default=arena.competition.models.tournaments.new_secret, max_length=32)),
                ('commitment', models.CharField(blank=True, editable=False, max_length=64)),
                ('revealed_at', models.DateTimeField(editable=False, null=True)),
                ('revision', models.PositiveIntegerField(default=0, editable=False)),
                ('organiser', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tournaments', to=settings.AUTH_USER_MODEL)),
                ('series', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='editions', to='competition.series')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.AddField(
            model_name='stage',
            name='tournament',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stages', to='competition.tournament'),
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
        migrations.AddConstraint(
            model_name='series',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('every', 'daily'), ('weekday__isnull', True)), models.Q(('every', 'weekly'), ('weekday__lte', 6)), _connector='OR'), name='series_weekday'),
        ),
        migrations.AddConstraint(
            model_name='series',
            constraint=models.CheckConstraint(condition=models.Q(('open_hours__gte', 1)), name='series_opens_before'),
        ),
        migrations.AddConstraint(
            model_name='round',
            constraint=models.UniqueConstraint(fields=('stage', 'number'), name='round_number_once'),
        ),
        migrations.AddConstraint(
            model_name='stageentry',
            constraint=models.UniqueConstraint(fields=('stage', 'entry'), name='stage_entry_once'),
        ),
        migrations.AddConstraint(
            model_name='stageentry',
            constraint=models.UniqueConstraint(fields=('stage', 'position'), name='stage_position_once'),
        ),
        migrations.AddConstraint(
            model_name='stageentry',
            constraint=models.CheckConstraint(condition=models.Q(('position__gte', 1)), name='stage_position_from_one'),
        ),
        migrations.AddConstraint(
            model_name='subscription',
            constraint=models.UniqueConstraint(fields=('series', 'bot'), name='subscribed_once'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(('boards_per_round__gte', 1)), name='tournament_has_boards'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(('min_entries__gte', 2)), name='tournament_has_opponents'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(('max_entries__gte', models.F('min_entries'))), name='tournament_entry_range'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(('most_passes', 1), models.Q(('board_plan', 'until_separated'), ('most_passes__gte', 2)), _connector='OR'), name='tournament_passes_planned'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('edition__isnull', True), ('series__isnull', True)), models.Q(('edition__gte', 1), ('series__isnull', False)), _connector='OR'), name='tournament_edition_of_series'),
        ),
        migrations.AddConstraint(
            model_name='tournament',
            constraint=models.UniqueConstraint(fields=('series', 'edition'), name='edition_once'),
        ),
        migrations.AddConstraint(
            model_name='stage',
            constraint=models.UniqueConstraint(fields=('tournament', 'number'), name='stage_number_once'),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.UniqueConstraint(fields=('tournament', 'player'), name='invited_once'),
        ),
        migrations.AddConstraint(
            model_name='entry',
            constraint=models.UniqueConstraint(condition=models.Q(('partner_version__isnull', True), ('status', 'entered')), fields=('tournament', 'version'), name='version_entered_once'),
        ),
        migrations.AddConstraint(
            model_name='entry',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'left'), _negated=True), models.Q(('left_round__isnull', False), ('left_stage__isnull', False)), _connector='OR'), name='left_since_when'),
        ),
    ]
