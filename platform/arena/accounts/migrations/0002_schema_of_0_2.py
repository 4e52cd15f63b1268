"""Since release 0.1.0: an outbox for events, which get their ids in the log after commit. The log is kept."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

COLUMNS = 'at, kind, tournament, thing_kind, thing_id, user_id, data'


class AlterFieldOnPostgreSQL(migrations.AlterField):
    """Leaves other databases as they are: SQLite would write the table anew and forget its highest id."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor == 'postgresql':
            super().database_forwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):

    replaces = [
        ('accounts', '0004_pending_events'),
    ]

    dependencies = [
        ('accounts', '0001_schema_of_0_1'),
    ]

    operations = [
        AlterFieldOnPostgreSQL(
            model_name='event',
            name='user',
            field=models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.CreateModel(
            name='PendingEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=40)),
                ('tournament', models.CharField(blank=True, max_length=16)),
                ('thing_kind', models.CharField(max_length=40)),
                ('thing_id', models.CharField(max_length=16)),
                ('data', models.JSONField(default=dict)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('user', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['id'],
                'abstract': False,
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('tournament', ''), _negated=True), ('user__isnull', False), _connector='OR'), name='pendingevent_is_for_somebody')],
            },
        ),
        # The way back: what still waits goes to the log.
        migrations.RunSQL(
            migrations.RunSQL.noop,
            [
                f'INSERT INTO accounts_event ({COLUMNS}) SELECT {COLUMNS} FROM accounts_pendingevent ORDER BY id',
                'DELETE FROM accounts_pendingevent',
            ],
        ),
        migrations.AlterField(
            model_name='auditevent',
            name='actor',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='audited_actions', to=settings.AUTH_USER_MODEL),
        ),
    ]
