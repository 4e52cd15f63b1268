"""Since release 0.1.0: stalled tournaments; how a stage ended is no longer read from its note; statements."""

import secrets
from typing import Any

import django.db.models.deletion
from django.db import migrations, models

import arena.competition.models
from league.statements import label_hash

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


KINDS = [
    ('registered', 'settings and stages, as registration opened'),
    ('locked', 'the entries that play'),
    ('final', 'everything, as it ended'),
    ('cancelled', 'everything, as it was cancelled'),
]


def labels_fill(apps: Any, schema_editor: Any) -> None:
    """Labels of the names that later releases bind: of events past draft, and of entries past registration."""
    alias = schema_editor.connection.alias
    tournaments = apps.get_model('competition', 'Tournament').objects.using(alias).exclude(state='draft')
    entries = apps.get_model('competition', 'Entry').objects.using(alias)
    labels = apps.get_model('competition', 'Label')
    for tournament, name, state in tournaments.values_list('pk', 'name', 'state').iterator():
        names = {'event': name}
        if state != 'registration':
            rows = entries.filter(tournament=tournament)
            for path in ('version__bot', 'partner_version__bot'):
                fields = (path, f'{path}__name', f'{path}__owner', f'{path}__owner__handle')
                for bot, bot_name, player, handle in rows.exclude(**{path: None}).values_list(*fields):
                    names[f'bot/{bot}'] = bot_name
                    names[f'player/{player}'] = handle
        made = []
        for subject, text in names.items():
            salt = secrets.token_hex(16)
            made.append(
                labels(
                    tournament_id=tournament,
                    subject=subject,
                    hash=label_hash(salt, text),
                    salt=salt,
                    text=text,
                )
            )
        labels.objects.using(alias).bulk_create(made, batch_size=500)


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
        migrations.AddField(
            model_name='tournament',
            name='faults_before_forfeit',
            field=models.PositiveIntegerField(
                default=arena.competition.models.faults_allowed, editable=False
            ),
        ),
        migrations.CreateModel(
            name='SigningKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(unique=True)),
                ('name', models.CharField(max_length=16, unique=True)),
                ('public', models.BinaryField(max_length=32)),
                ('private', models.BinaryField(max_length=32)),
                ('from_at', models.DateTimeField()),
                ('until', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-number'],
                'constraints': [
                    models.UniqueConstraint(
                        models.Case(models.When(then=models.Value(1), until__isnull=True)),
                        name='signing_key_current_once',
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name='Label',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('subject', models.CharField(max_length=40)),
                ('hash', models.CharField(max_length=64)),
                ('salt', models.CharField(blank=True, max_length=32)),
                ('text', models.CharField(blank=True, max_length=200)),
                (
                    'tournament',
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name='labels',
                        to='competition.tournament',
                    ),
                ),
            ],
            options={
                'ordering': ['id'],
                'indexes': [models.Index(fields=['subject'], name='label_by_subject')],
                'constraints': [
                    models.UniqueConstraint(fields=('tournament', 'subject'), name='label_once'),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(('salt', ''), ('text', '')),
                            models.Q(
                                models.Q(('salt', ''), _negated=True), models.Q(('text', ''), _negated=True)
                            ),
                            _connector='OR',
                        ),
                        name='label_whole_or_deleted',
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name='Statement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('kind', models.CharField(choices=KINDS, max_length=10)),
                ('body', models.TextField()),
                ('digest', models.CharField(max_length=64)),
                ('signature', models.CharField(max_length=128)),
                ('at', models.DateTimeField()),
                (
                    'key',
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name='statements',
                        to='competition.signingkey',
                    ),
                ),
                (
                    'tournament',
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name='statements',
                        to='competition.tournament',
                    ),
                ),
            ],
            options={
                'ordering': ['tournament', 'number'],
                'constraints': [
                    models.UniqueConstraint(fields=('tournament', 'number'), name='statement_number_once'),
                    models.UniqueConstraint(fields=('tournament', 'kind'), name='statement_kind_once'),
                    models.UniqueConstraint(
                        condition=models.Q(('kind__in', ('final', 'cancelled'))),
                        fields=('tournament',),
                        name='statement_ending_once',
                    ),
                ],
            },
        ),
        migrations.RunPython(labels_fill, migrations.RunPython.noop),
    ]
