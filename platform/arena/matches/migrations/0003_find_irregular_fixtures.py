
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('competition', '0004_order_of_lists'),
        ('matches', '0002_order_of_events'),
        ('roster', '0002_private_bots'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name='adjudication',
            index=models.Index(fields=['tournament', 'fixture', 'number'], name='adjudication_tournament_idx'),
        ),
        migrations.AddIndex(
            model_name='tableseat',
            index=models.Index(condition=models.Q(('forfeited', True)), fields=['entry'], name='table_seat_forfeit_entry_idx'),
        ),
    ]
