"""Since release 0.1.0: what checks failed by and wait for, as codes."""

from typing import Any

from django.db import migrations, models
from django.db.models.functions import Substr

CAUSES = [
    ('disk', 'the file system is full, read-only or broken'),
    ('resources', 'the machine has no files, processes or memory left'),
    ('sandbox', 'bots cannot be run safely on the machine'),
    ('runtime', 'the machine cannot run the runtime of the bot'),
    ('store', 'nothing can be fetched from the blob storage'),
    ('database', 'the database did not answer'),
    ('broker', 'the queue did not answer'),
    ('driver', "one bot's box failed on a machine whose sandbox works"),
    ('bundle', "a bot's bundle is missing or damaged"),
    ('report', 'the report did not fit the table'),
    ('worker_lost', "the worker's process ended"),
    ('heartbeat_lost', 'the worker was not heard of within the lease'),
    ('no_progress', 'nothing was played within the wall limit'),
    ('not_taken', 'no worker took it in time'),
    ('internal', 'anything else, defects of the platform included'),
]
UNAVAILABLE = 'runtime_unavailable: '


def waits_fill(apps: Any, schema_editor: Any) -> None:
    """What a check waits for was the beginning of its reason."""
    rows = apps.get_model('roster', 'CheckRun').objects.using(schema_editor.connection.alias)
    waiting = rows.filter(state='waiting', reason__startswith=UNAVAILABLE)
    waiting.update(waiting_for='runtime_unavailable', reason=Substr('reason', len(UNAVAILABLE) + 1))


class Migration(migrations.Migration):

    replaces = [
        ('roster', '0003_check_failures'),
        ('roster', '0004_checks_waiting_for'),
    ]

    dependencies = [
        ('roster', '0001_schema_of_0_1'),
    ]

    operations = [
        migrations.AddField(
            model_name='checkrun',
            name='cause',
            field=models.CharField(blank=True, choices=CAUSES, max_length=16),
        ),
        migrations.AddField(
            model_name='checkrun',
            name='failures',
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='checkrun',
            name='retry_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='checkrun',
            name='waiting_for',
            field=models.CharField(blank=True, choices=[('runtime_unavailable', 'a live worker that has the runtimes'), ('boards_in_play', 'the end of a table of the same boards and entrants')], max_length=20),
        ),
        migrations.RunPython(waits_fill, migrations.RunPython.noop),
        migrations.AddField(
            model_name='checkrun',
            name='trial_seed',
            field=models.CharField(blank=True, default='', max_length=64),
            preserve_default=False,
        ),
    ]
