import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('competition', '0003_deleted_trial_runs'),
        ('roster', '0002_private_bots'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='entry',
            name='partner_version',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='partner_entries', to='roster.botversion'),
        ),
        migrations.AlterField(
            model_name='entry',
            name='player',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='roster.player'),
        ),
        migrations.AlterField(
            model_name='entry',
            name='version',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='roster.botversion'),
        ),
        migrations.AddIndex(
            model_name='entry',
            index=models.Index(fields=['player', 'id'], name='entry_player_idx'),
        ),
        migrations.AddIndex(
            model_name='entry',
            index=models.Index(fields=['version', 'id'], name='entry_version_idx'),
        ),
        migrations.AddIndex(
            model_name='entry',
            index=models.Index(condition=models.Q(('partner_version__isnull', False)), fields=['partner_version', 'id'], name='entry_partner_idx'),
        ),
        migrations.AddIndex(
            model_name='statement',
            index=models.Index(fields=['-published_at', '-id'], name='statement_published_idx'),
        ),
        migrations.AddIndex(
            model_name='tournament',
            index=models.Index(fields=['-state_at', '-id'], name='tournament_state_at_idx'),
        ),
        migrations.AddIndex(
            model_name='tournament',
            index=models.Index(django.db.models.functions.text.Lower('name'), models.OrderBy(models.F('id'), descending=True), name='tournament_name_idx'),
        ),
    ]
