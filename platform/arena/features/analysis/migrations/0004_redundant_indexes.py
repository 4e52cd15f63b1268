import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('analysis', '0003_problems'),
        ('matches', '0006_redundant_indexes'),
    ]

    operations = [
        migrations.AlterField(
            model_name='tableanalysis',
            name='table',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='analyses', to='matches.table'),
        ),
    ]
