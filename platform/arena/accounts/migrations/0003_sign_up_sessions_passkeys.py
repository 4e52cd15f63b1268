"""Sign-up by oneself: names kept apart, links that open one form once, passkeys, sessions in words."""

from typing import Any

import arena.common.ids
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from arena.accounts.handles import name_key


def name_keys_fill(apps: Any, schema_editor: Any) -> None:
    """Names there are already are kept apart as well, the oldest first where two look alike."""
    users = apps.get_model('accounts', 'User').objects.using(schema_editor.connection.alias)
    taken: set[str] = set()
    for user in users.order_by('id').only('id', 'username'):
        key = name_key(user.username)
        if key not in taken and len(key) <= 150:
            taken.add(key)
            users.filter(pk=user.pk).update(name_key=key)


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0002_schema_of_0_2'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='closed_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='user',
            name='name_key',
            field=models.CharField(blank=True, editable=False, max_length=150, null=True, unique=True),
        ),
        migrations.CreateModel(
            name='BrowserSession',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('session_key', models.CharField(editable=False, max_length=40, unique=True)),
                ('device', models.CharField(blank=True, max_length=80)),
                ('network', models.CharField(blank=True, max_length=45)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('last_seen_at', models.DateTimeField()),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='browser_sessions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-last_seen_at', '-id'],
            },
        ),
        migrations.CreateModel(
            name='Passkey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('name', models.CharField(max_length=60)),
                ('credential_id', models.BinaryField(unique=True)),
                ('public_key', models.BinaryField()),
                ('sign_count', models.PositiveBigIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='passkeys', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='OneTimeLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('kind', models.CharField(choices=[('invitation', 'sign up'), ('reset', 'set a new password')], max_length=10)),
                ('token_hash', models.CharField(editable=False, max_length=64, unique=True)),
                ('note', models.CharField(blank=True, max_length=120)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(blank=True, null=True)),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='links', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('kind', 'reset'), ('user__isnull', False)), models.Q(('kind', 'invitation'), ('user__isnull', True)), _connector='OR'), name='one_time_link_for_whom')],
            },
        ),
        migrations.RunPython(name_keys_fill, migrations.RunPython.noop, elidable=False),
    ]
