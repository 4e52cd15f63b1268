"""Since release 0.1.0: stalled tournaments; how a stage ended is no longer read from its note."""

from typing import Any

from django.db import migrations, models

CAUSES = [
    ('disk', 'the file system is full, read-only or broken'),
    ('resources', 'the machine has no files, processes or memory left'),
    ('sandbox', 'bots cannot be run safely on the machine'),
    ('runtime', 'the machine cannot run the runtime of the bot'),
    ('store', 'nothing can be fetched from the blob storage'),
    ('database', 'the database did not answer'),
    ('broker', 'the queue did not answer'),
    ('driver', "one bot's box failed on a machine whose sandbox works"),
    ('start', 'a bot was not ready in time without using CPU'),
    ('bundle', "a bot's bundle is missing or damaged"),
    ('report', 'the report did not fit the table'),
    ('worker_lost', "the worker's process ended"),
    ('heartbeat_lost', 'the worker was not heard of within the lease'),
    ('no_progress', 'nothing was played within the wall limit'),
    ('internal', 'anything else, defects of the platform included'),
]

ENDED = [
    ('separated', 'all neighbours of the table are separated'),
    ('most_passes', 'it was played as often as it may be'),
    ('budget_spent', 'another pass would exceed the budget'),
    ('field_empty', 'nobody is left to play it'),
    ('field_unfit', 'its format cannot be played by so many'),
]


def endings_fill(apps: Any, schema_editor: Any) -> None:
    """The note of a stage closed early began so; that of one whose neighbours were separated ended so."""
    stages = apps.get_model('competition', 'Stage').objects.using(schema_editor.connection.alias)
    stages.filter(state='done', note__startswith='closed early').update(closed_early=True)
    words = 'all neighbours of the table are separated'
    stages.filter(closed_early=False, note__endswith=words).update(end_code='separated')


class Migration(migrations.Migration):

    replaces = [
        ('competition', '0004_tournament_stalls'),
        ('competition', '0005_stages_closed_early'),
    ]

    dependencies = [
        ('competition', '0001_schema_of_0_1'),
    ]

    operations = [
        migrations.AddField(
            model_name='tournament',
            name='stalled_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='tournament',
            name='stalled_cause',
            field=models.CharField(blank=True, choices=CAUSES, editable=False, max_length=16),
        ),
        migrations.AddField(
            model_name='stage',
            name='closed_early',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='stage',
            name='end_code',
            field=models.CharField(blank=True, choices=ENDED, max_length=12),
        ),
        migrations.RunPython(endings_fill, migrations.RunPython.noop),
    ]
