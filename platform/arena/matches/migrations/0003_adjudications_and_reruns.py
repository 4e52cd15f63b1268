import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import arena.common.ids


class Migration(migrations.Migration):

    dependencies = [
        ('competition', '0001_initial'),
        ('matches', '0002_fault_group'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField('fixture', 'same_owner', models.BooleanField(default=False)),
        migrations.AddField('fixture', 'scores_due', models.BooleanField(default=False)),
        migrations.AddField('table', 'reruns', models.PositiveSmallIntegerField(default=0)),
        migrations.AddField(
            'fixture',
            'tournament',
            models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='fixtures', to='competition.tournament'),
        ),
        migrations.AddField(
            'table',
            'tournament',
            models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='tables', to='competition.tournament'),
        ),
        migrations.AddField('fixtureentry', 'side', models.PositiveSmallIntegerField(null=True)),
        migrations.CreateModel(
            name='Adjudication',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('number', models.PositiveSmallIntegerField()),
                ('kind', models.CharField(choices=[('forfeit', 'as if some entries had forfeited every table'), ('draw', 'every board counts 0'), ('void', 'counts for nobody'), ('lift', 'as played after all')], max_length=8)),
                ('entries', models.JSONField(default=list)),
                ('rounds_opened', models.PositiveSmallIntegerField()),
                ('reason', models.CharField(max_length=300)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to=settings.AUTH_USER_MODEL)),
                ('fixture', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='adjudications', to='matches.fixture')),
            ],
            options={
                'ordering': ['fixture', 'number'],
                'constraints': [models.UniqueConstraint(fields=('fixture', 'number'), name='adjudication_number_once'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='adjudication_has_reason')],
            },
        ),
    ]
