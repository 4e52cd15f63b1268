import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('competition', '0004_order_of_lists'),
        ('matches', '0006_redundant_indexes'),
        ('standings', '0002_compact_scores'),
    ]

    operations = [
        migrations.AlterField(
            model_name='boardfigures',
            name='board_set',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='figures', to='matches.boardset'),
        ),
        migrations.AlterField(
            model_name='fixturescore',
            name='fixture',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='totals', to='matches.fixture'),
        ),
        migrations.AlterField(
            model_name='standingrow',
            name='stage',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='standings', to='competition.stage'),
        ),
    ]
