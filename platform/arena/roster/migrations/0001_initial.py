import arena.common.ids
import arena.roster.models
import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Bot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('name', models.CharField(max_length=60)),
                ('name_key', arena.roster.models.NameKeyField(editable=False, max_length=255)),
                ('game', models.CharField(max_length=20)),
                ('visibility', models.CharField(choices=[('public', 'Public'), ('private', 'Private')], default='public', max_length=10)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='BotVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('number', models.PositiveIntegerField()),
                ('bundle_sha256', models.CharField(max_length=64)),
                ('bundle_bytes', models.PositiveIntegerField()),
                ('runtime', models.CharField(max_length=30)),
                ('runtime_digest', models.CharField(blank=True, max_length=64)),
                ('entry_point', models.CharField(max_length=200)),
                ('notes', models.TextField(blank=True, max_length=4000)),
                ('state', models.CharField(choices=[('uploaded', 'waits for its check'), ('checking', 'is being checked'), ('ready', 'can enter tournaments'), ('rejected', 'failed its check for the reasons given'), ('suspended', 'cannot enter tournaments at present'), ('retired', 'withdrawn by its owner')], default='uploaded', max_length=10)),
                ('reasons', models.JSONField(default=list)),
                ('suspended_at', models.DateTimeField(blank=True, null=True)),
                ('suspended_note', models.JSONField(blank=True, default=dict)),
                ('reinstated_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='roster.bot')),
            ],
            options={
                'verbose_name': 'version',
                'ordering': ['-id'],
            },
        ),
        migrations.AddField(
            model_name='bot',
            name='active_version',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='active_for', to='roster.botversion'),
        ),
        migrations.CreateModel(
            name='CheckRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('note', models.JSONField(blank=True, default=dict)),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('attempt', models.PositiveSmallIntegerField(default=1)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('running', 'Running'), ('done', 'Done'), ('failed', 'failed because of a platform fault')], default='waiting', max_length=10)),
                ('steps', models.JSONField(default=list)),
                ('report', models.JSONField(null=True)),
                ('trial_seed', models.CharField(blank=True, max_length=64)),
                ('waiting_for', models.CharField(blank=True, choices=[('runtime_unavailable', 'a live worker with the runtimes'), ('boards_in_play', 'the end of a table of the same boards and entrants')], max_length=20)),
                ('cause', models.CharField(blank=True, choices=[('disk', 'the file system is full, read-only or broken'), ('resources', 'the machine has run out of file handles, processes or memory'), ('sandbox', 'the machine cannot isolate bots'), ('runtime', 'the machine cannot run the runtime of the bot'), ('store', 'the blob storage cannot be read'), ('database', 'the database did not answer'), ('broker', 'the queue did not answer'), ('driver', 'the sandbox of one bot failed, while others on the machine work'), ('killed', 'a process outside the sandbox killed a bot'), ('bundle', "a bot's bundle is missing or damaged"), ('report', 'the report does not match the table'), ('worker_lost', "the worker's process ended"), ('heartbeat_lost', 'no heartbeat of the worker within the lease'), ('no_progress', 'no progress within the wall-clock limit'), ('not_taken', 'no worker claimed it in time'), ('internal', 'another fault, such as a bug of the platform')], max_length=16)),
                ('failures', models.PositiveSmallIntegerField(default=0)),
                ('retry_at', models.DateTimeField(blank=True, null=True)),
                ('worker', models.CharField(blank=True, max_length=80)),
                ('is_reinstatement', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(null=True)),
                ('finished_at', models.DateTimeField(null=True)),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='checks', to='roster.botversion')),
            ],
            options={
                'verbose_name': 'check',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Player',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('handle', models.CharField(max_length=30, unique=True, validators=[django.core.validators.RegexValidator('^[A-Za-z0-9][A-Za-z0-9_-]{1,29}$', 'Two to thirty letters, digits, - or _.')])),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='player', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.AddField(
            model_name='bot',
            name='owner',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bots', to='roster.player'),
        ),
        migrations.AddConstraint(
            model_name='botversion',
            constraint=models.UniqueConstraint(fields=('bot', 'number'), name='version_number_unique'),
        ),
        migrations.AddConstraint(
            model_name='botversion',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'suspended'), _negated=True), ('suspended_at__isnull', False), _connector='OR'), name='version_suspended_at_check'),
        ),
        migrations.AddConstraint(
            model_name='checkrun',
            constraint=models.UniqueConstraint(fields=('version', 'attempt'), name='check_attempt_unique'),
        ),
        migrations.AddConstraint(
            model_name='bot',
            constraint=models.UniqueConstraint(fields=('owner', 'name_key'), name='bot_name_key_unique'),
        ),
    ]
