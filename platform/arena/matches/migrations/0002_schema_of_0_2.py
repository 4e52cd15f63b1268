"""Since release 0.1.0: failures and waits of tables as codes, rows for sets of runtimes, the tick, views."""

from typing import Any

import django.db.models.deletion
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
    """What a table waits for was the beginning of its reason."""
    rows = apps.get_model('matches', 'Table').objects.using(schema_editor.connection.alias)
    waiting = rows.filter(state='waiting', reason__startswith=UNAVAILABLE)
    waiting.update(waiting_for='runtime_unavailable', reason=Substr('reason', len(UNAVAILABLE) + 1))


def causes_fill(apps: Any, schema_editor: Any) -> None:
    """Why a table could not be played was said in words alone; of an event under way it must show."""
    rows = apps.get_model('matches', 'Table').objects.using(schema_editor.connection.alias).filter(cause='')
    rows.filter(state='quarantined').update(cause='internal')
    lost = rows.filter(state='void', fixture__state='void', fixture__adjudications=None)
    under_way = lost.filter(tournament__state__in=('running', 'paused', 'provisional'))
    rows.filter(pk__in=list(under_way.values_list('pk', flat=True))).update(cause='internal')


def runtime_sets_fill(apps: Any, schema_editor: Any) -> None:
    """A table named its runtimes in a text, joined by commas."""
    db = schema_editor.connection.alias
    tables = apps.get_model('matches', 'Table').objects.using(db).order_by()
    sets = apps.get_model('matches', 'RuntimeSet').objects.using(db)
    for text in list(tables.values_list('runtimes_text', flat=True).distinct()):
        names = [name for name in text.split(',') if name]
        tables.filter(runtimes_text=text).update(runtimes=sets.get_or_create(names=names)[0])
    if schema_editor.connection.vendor == 'postgresql':
        # It alters no table while checks of changed rows are due.
        schema_editor.execute('SET CONSTRAINTS ALL IMMEDIATE')
        schema_editor.execute('SET CONSTRAINTS ALL DEFERRED')


class Migration(migrations.Migration):

    replaces = [
        ('matches', '0007_fixtures_of_entries_and_tables_of_versions'),
        ('matches', '0008_table_failures_and_ticks'),
        ('matches', '0009_tables_waiting_for'),
        ('matches', '0010_sets_of_runtimes'),
    ]

    dependencies = [
        ('competition', '0001_schema_of_0_1'),
        ('matches', '0001_schema_of_0_1'),
        ('roster', '0001_schema_of_0_1'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='fixtureentry',
            options={'ordering': ['fixture', 'position'], 'verbose_name_plural': 'fixture entries'},
        ),
        migrations.AlterField(
            model_name='fixtureentry',
            name='entry',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='sides', to='competition.entry'),
        ),
        migrations.AlterField(
            model_name='tableseat',
            name='version',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='roster.botversion'),
        ),
        migrations.AddIndex(
            model_name='fixtureentry',
            index=models.Index(fields=['entry', 'fixture'], name='fixtures_of_entry'),
        ),
        migrations.AddIndex(
            model_name='tableseat',
            index=models.Index(fields=['version', 'table'], name='tables_of_version'),
        ),
        migrations.CreateModel(
            name='TickState',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(null=True)),
                ('queue_mark', models.CharField(blank=True, max_length=120)),
            ],
            options={
                'verbose_name_plural': 'tick state',
            },
        ),
        migrations.AddField(
            model_name='table',
            name='cause',
            field=models.CharField(blank=True, choices=CAUSES, max_length=16),
        ),
        migrations.AddField(
            model_name='table',
            name='failed_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='table',
            name='failing_since',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='table',
            name='failures',
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='table',
            name='held_up_s',
            field=models.FloatField(default=0.0),
        ),
        migrations.AddField(
            model_name='table',
            name='retry_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='table',
            name='notes_sha256',
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddField(
            model_name='table',
            name='notes_state',
            field=models.CharField(blank=True, choices=[('waiting', 'Waiting'), ('made', 'Made'), ('failed', 'Failed')], max_length=8),
        ),
        migrations.AddField(
            model_name='table',
            name='view_sha256',
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddConstraint(
            model_name='table',
            constraint=models.CheckConstraint(condition=models.Q(('notes_state', 'made'), _negated=True) | models.Q(('notes_sha256', ''), _negated=True), name='made_notes_have_hash'),
        ),
        migrations.AddField(
            model_name='worker',
            name='cause',
            field=models.CharField(blank=True, choices=CAUSES, max_length=16),
        ),
        migrations.AddIndex(
            model_name='table',
            index=models.Index(condition=models.Q(('cause', ''), _negated=True), fields=['failed_at'], name='table_failed'),
        ),
        migrations.AddField(
            model_name='table',
            name='waiting_for',
            field=models.CharField(blank=True, choices=[('runtime_unavailable', 'a live worker that has the runtimes'), ('boards_in_play', 'the end of a table of the same boards and entrants')], max_length=20),
        ),
        migrations.RunPython(waits_fill, migrations.RunPython.noop),
        migrations.RunPython(causes_fill, migrations.RunPython.noop),
        migrations.CreateModel(
            name='RuntimeSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('names', models.JSONField(unique=True)),
            ],
        ),
        migrations.RemoveIndex(model_name='table', name='table_in_turn'),
        migrations.RenameField(model_name='table', old_name='runtimes', new_name='runtimes_text'),
        migrations.AddField(
            model_name='table',
            name='runtimes',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='tables', to='matches.runtimeset'),
        ),
        migrations.RunPython(runtime_sets_fill, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='table',
            name='runtimes',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='tables', to='matches.runtimeset'),
        ),
        migrations.RemoveField(model_name='table', name='runtimes_text'),
        migrations.AddIndex(
            model_name='table',
            index=models.Index(condition=models.Q(('state', 'waiting')), fields=['tournament', 'first_board', 'rotation', 'id', 'runtimes'], name='table_in_turn'),
        ),
        migrations.AddField(
            model_name='table',
            name='kernel',
            field=models.CharField(blank=True, default='', max_length=36),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='worker',
            name='kernel',
            field=models.CharField(blank=True, default='', max_length=36),
            preserve_default=False,
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
        migrations.AddIndex(
            model_name='table',
            index=models.Index(condition=models.Q(('state', 'waiting'), ('waiting_for', 'boards_in_play')), fields=['tournament'], name='table_waits_for_boards'),
        ),
    ]
