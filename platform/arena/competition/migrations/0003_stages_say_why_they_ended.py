"""Whether a stage ended because all neighbours were separated is no longer read from its note."""

from typing import Any

from django.db import migrations, models

ENDED = [
    ('separated', 'all neighbours of the table are separated'),
    ('most_passes', 'it was played as often as it may be'),
    ('budget_spent', 'another pass would exceed the budget'),
    ('field_empty', 'nobody is left to play it'),
    ('field_unfit', 'its format cannot be played by so many'),
]


def separated_fill(apps: Any, schema_editor: Any) -> None:
    """The note of such a stage ended so."""
    stages = apps.get_model('competition', 'Stage').objects.using(schema_editor.connection.alias)
    words = 'all neighbours of the table are separated'
    stages.filter(closed_early=False, note__endswith=words).update(end_code='separated')


class Migration(migrations.Migration):

    dependencies = [
        ('competition', '0002_schema_of_0_2'),
    ]

    operations = [
        migrations.AddField(
            model_name='stage',
            name='end_code',
            field=models.CharField(blank=True, choices=ENDED, max_length=12),
        ),
        migrations.RunPython(separated_fill, migrations.RunPython.noop),
    ]
