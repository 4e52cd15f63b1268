"""Names of bots are compared without regard to case, width and normal form."""

from typing import Any

from django.db import migrations, models

import arena.roster.models
from arena.common.names import name_folded


def name_keys_fill(apps: Any, schema_editor: Any) -> None:
    """Fill the keys; where an owner has two names that are alike, the oldest bot gets the key."""
    bots = apps.get_model('roster', 'Bot').objects.using(schema_editor.connection.alias)
    taken: set[tuple[int, str]] = set()
    for bot in bots.order_by('id').only('id', 'owner_id', 'name').iterator():
        key = (bot.owner_id, name_folded(bot.name))
        if key not in taken:
            taken.add(key)
            bots.filter(pk=bot.pk).update(name_key=key[1])


class Migration(migrations.Migration):

    dependencies = [
        ('roster', '0002_schema_of_0_2'),
    ]

    operations = [
        migrations.AddField(
            model_name='bot',
            name='name_key',
            field=arena.roster.models.NameKeyField(editable=False, max_length=255, null=True),
        ),
        migrations.RunPython(name_keys_fill, migrations.RunPython.noop, elidable=False),
        migrations.RemoveConstraint(
            model_name='bot',
            name='bot_name_once_per_owner',
        ),
        migrations.AddConstraint(
            model_name='bot',
            constraint=models.UniqueConstraint(fields=('owner', 'name_key'), name='bot_name_key_once_per_owner'),
        ),
    ]
