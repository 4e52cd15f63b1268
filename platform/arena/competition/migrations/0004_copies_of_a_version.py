"""One version may fill several sides of a table: copies of it are told apart."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('competition', '0003_commitments_and_kinds'),
        ('roster', '0002_schema_of_0_2'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='entry',
            name='version_entered_once',
        ),
        migrations.AddField(
            model_name='entry',
            name='copy',
            field=models.PositiveSmallIntegerField(default=0, editable=False),
        ),
        migrations.AddConstraint(
            model_name='entry',
            constraint=models.UniqueConstraint(condition=models.Q(('partner_version__isnull', True), ('status', 'entered')), fields=('tournament', 'version', 'copy'), name='version_entered_once'),
        ),
    ]
