import arena.common.ids
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='PlayService',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80, unique=True)),
                ('seen_at', models.DateTimeField()),
                ('capacity', models.PositiveSmallIntegerField()),
                ('tables', models.PositiveSmallIntegerField(default=0)),
                ('detail', models.TextField(blank=True)),
            ],
            options={
                'verbose_name': 'play service',
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='CasualTable',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('guest', models.CharField(blank=True, max_length=64)),
                ('quota_key', models.CharField(blank=True, db_index=True, max_length=64)),
                ('state', models.CharField(choices=[('seating', 'its bots are being started'), ('playing', 'Playing'), ('paused', 'its person is away'), ('finished', 'Finished'), ('abandoned', 'its person left; a house bot finishes it'), ('failed', 'ended by a fault of the platform; the deal is void')], default='seating', max_length=10)),
                ('game', models.CharField(max_length=20)),
                ('preset', models.CharField(max_length=40)),
                ('ruleset', models.JSONField()),
                ('seat', models.PositiveSmallIntegerField()),
                ('seats', models.JSONField()),
                ('versions', models.TextField(blank=True)),
                ('deals', models.CharField(choices=[('1', 'One'), ('4', 'Four'), ('game', 'Game')], default='1', max_length=4)),
                ('first_board', models.PositiveSmallIntegerField(default=1)),
                ('clock_s', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('secret', models.BinaryField(max_length=32)),
                ('commitment', models.CharField(max_length=64)),
                ('seed_id', models.CharField(max_length=16)),
                ('bundles', models.JSONField()),
                ('actions', models.JSONField(default=list)),
                ('length', models.PositiveIntegerField(default=0)),
                ('substituted', models.JSONField(default=list)),
                ('pending', models.JSONField(blank=True, null=True)),
                ('deadline_at', models.DateTimeField(blank=True, null=True)),
                ('clock_left_ms', models.PositiveIntegerField(blank=True, null=True)),
                ('claimed_by', models.CharField(blank=True, max_length=80)),
                ('claimed_until', models.DateTimeField(blank=True, null=True)),
                ('failures', models.PositiveSmallIntegerField(default=0)),
                ('cpu_ms', models.PositiveBigIntegerField(default=0)),
                ('result', models.JSONField(blank=True, null=True)),
                ('field', models.JSONField(blank=True, null=True)),
                ('record_sha256', models.CharField(blank=True, max_length=64)),
                ('view_sha256', models.CharField(blank=True, max_length=64)),
                ('failure_reason', models.CharField(blank=True, max_length=500)),
                ('share_token', models.CharField(blank=True, db_default='', default='', editable=False, max_length=32)),
                ('shared_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('last_action_at', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='casual_tables', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'casual table',
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['state', 'claimed_until'], name='casual_table_state_idx')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ('seating', 'playing', 'paused')), ('owner__isnull', False)), fields=('owner',), name='casual_table_owner_unique'), models.UniqueConstraint(condition=models.Q(('state__in', ('seating', 'playing', 'paused')), models.Q(('guest', ''), _negated=True)), fields=('guest',), name='casual_table_guest_unique'), models.UniqueConstraint(condition=models.Q(('share_token', ''), _negated=True), fields=('share_token',), name='casual_table_token_unique')],
            },
        ),
    ]
