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
            name='Ladder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('game', models.CharField(max_length=20)),
                ('preset', models.CharField(max_length=40)),
                ('board_kind', models.CharField(choices=[('deal', 'deal boards'), ('game', 'game boards')], max_length=4)),
                ('seats', models.PositiveSmallIntegerField()),
                ('has_choice_of_seats', models.BooleanField(default=False)),
                ('boards', models.PositiveSmallIntegerField()),
                ('cpu_s_per_day', models.PositiveIntegerField()),
                ('state', models.CharField(choices=[('active', 'Active'), ('off', 'not played here any more; its seasons stay readable')], default='active', max_length=8)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('preset', 'board_kind', 'seats'), name='ladder_preset_unique'), models.CheckConstraint(condition=models.Q(('boards__gte', 2)), name='ladder_boards_check')],
            },
        ),
        migrations.CreateModel(
            name='LadderSeason',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('name', models.CharField(max_length=20)),
                ('begins_at', models.DateTimeField()),
                ('ends_at', models.DateTimeField()),
                ('state', models.CharField(choices=[('running', 'rounds are drawn'), ('ending', 'its last round is played or rated'), ('archived', 'its final table is fixed')], default='running', max_length=8)),
                ('archived_at', models.DateTimeField(null=True)),
                ('final', models.JSONField(default=list)),
                ('ladder', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seasons', to='ladders.ladder')),
            ],
            options={
                'ordering': ['ladder', '-begins_at'],
            },
        ),
        migrations.CreateModel(
            name='LadderRound',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('number', models.PositiveIntegerField()),
                ('kind', models.CharField(choices=[('floor', "by lot, as everybody's first rounds"), ('overlap', 'where the order is least sure'), ('uniform', 'by lot')], max_length=8)),
                ('state', models.CharField(choices=[('open', 'being played'), ('counted', 'its boards are closed and rated'), ('dropped', 'cancelled; it leaves no trace in the ratings')], default='open', max_length=8)),
                ('drawn_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('note', models.JSONField(default=dict)),
                ('contenders', models.JSONField(default=list)),
                ('contenders_digest', models.CharField(max_length=64)),
                ('unpaired', models.JSONField(default=list)),
                ('pairings', models.JSONField(default=list)),
                ('ladder', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='ladders.ladder')),
                ('tournament', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='ladder_round', to='competition.tournament')),
                ('season', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='ladders.ladderseason')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Placement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('placed_at', models.DateTimeField()),
                ('left_at', models.DateTimeField(null=True)),
                ('left_reason', models.CharField(blank=True, choices=[('superseded', 'another version of the same bot took its place'), ('idle', 'it forfeited every table of its last rounds'), ('suspended', 'the version was suspended'), ('retired', 'the version was retired'), ('taken_off', 'its owner or an operator took it off'), ('account_inactive', 'the account of its owner was deleted or disabled')], max_length=20)),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='placements', to='roster.bot')),
                ('ladder', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='placements', to='ladders.ladder')),
                ('placed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='placements', to='roster.botversion')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.AddConstraint(
            model_name='ladderseason',
            constraint=models.UniqueConstraint(fields=('ladder', 'name'), name='season_name_unique'),
        ),
        migrations.AddConstraint(
            model_name='ladderseason',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'running')), fields=('ladder',), name='season_running_unique'),
        ),
        migrations.AddConstraint(
            model_name='ladderseason',
            constraint=models.CheckConstraint(condition=models.Q(('ends_at__gt', models.F('begins_at'))), name='season_ends_at_check'),
        ),
        migrations.AddConstraint(
            model_name='ladderround',
            constraint=models.UniqueConstraint(fields=('season', 'number'), name='ladder_round_number_unique'),
        ),
        migrations.AddConstraint(
            model_name='ladderround',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('ladder',), name='ladder_round_open_unique'),
        ),
        migrations.AddIndex(
            model_name='placement',
            index=models.Index(condition=models.Q(('left_at__isnull', True)), fields=['ladder'], name='placement_current_idx'),
        ),
        migrations.AddConstraint(
            model_name='placement',
            constraint=models.UniqueConstraint(condition=models.Q(('left_at__isnull', True)), fields=('ladder', 'bot'), name='placement_bot_unique'),
        ),
        migrations.AddConstraint(
            model_name='placement',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('left_at__isnull', True), ('left_reason', '')), models.Q(('left_at__isnull', False), models.Q(('left_reason', ''), _negated=True)), _connector='OR'), name='placement_left_reason_check'),
        ),
    ]
