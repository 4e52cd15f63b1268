import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('competition', '0001_initial'),
        ('matches', '0004_sides_and_tournaments_filled'),
    ]

    operations = [
        migrations.AlterField('fixtureentry', 'side', models.PositiveSmallIntegerField()),
        migrations.AlterField(
            'fixture',
            'tournament',
            models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='fixtures', to='competition.tournament'),
        ),
        migrations.AlterField(
            'table',
            'tournament',
            models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='tables', to='competition.tournament'),
        ),
        migrations.AddIndex('fixture', models.Index(fields=['tournament', 'id'], name='fixture_by_tournament')),
        migrations.AddIndex('fixture', models.Index(fields=['tournament', 'state', 'id'], name='fixture_by_state')),
        migrations.AddIndex(
            'fixture',
            models.Index(condition=models.Q(('scores_due', True)), fields=['tournament'], name='fixture_scores_due'),
        ),
        migrations.AddIndex('table', models.Index(fields=['tournament', 'id'], name='table_by_tournament')),
        migrations.AddIndex(
            'table',
            models.Index(
                condition=models.Q(('state', 'waiting')),
                fields=['tournament', 'first_board', 'rotation', 'id'],
                name='table_in_turn',
            ),
        ),
        migrations.AddIndex(
            'table',
            models.Index(condition=models.Q(('state', 'waiting')), fields=['published_at'], name='table_nudged'),
        ),
        migrations.AddIndex(
            'tableseat',
            models.Index(condition=models.Q(('forfeited', True)), fields=['version'], name='seat_forfeited'),
        ),
    ]
