from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('roster', '0001_initial'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='bot',
            index=models.Index(condition=models.Q(('visibility', 'private')), fields=['id'], name='bot_private_idx'),
        ),
    ]
