"""What of the standings is new since 0.1: figures of boards."""

from collections import defaultdict
from fractions import Fraction

import django.db.models.deletion
from django.db import migrations, models


def figures_fill(apps, schema_editor):
    """The figures of the boards of rounds that were closed before there were any."""
    scores = apps.get_model("standings", "BoardScore").objects.using(schema_editor.connection.alias)
    figures = apps.get_model("standings", "BoardFigures").objects.using(schema_editor.connection.alias)
    sets = apps.get_model("matches", "BoardSet").objects.using(schema_editor.connection.alias)
    for board_set in sets.filter(state="closed").select_related("round__stage").order_by("pk").iterator(100):
        boards = defaultdict(list)
        rows = scores.filter(fixture__board_set=board_set).order_by("fixture__number", "pk")
        for board, *score in rows.values_list("board", "fixture", "entry", "numerator", "denominator"):
            boards[board].append((score[0], score[1], Fraction(score[2], score[3])))
        made = []
        for board, of_board in sorted(boards.items()):
            fixture, entry, best = max(of_board, key=lambda score: score[2])
            mean = sum((abs(value) for _, _, value in of_board), Fraction()) / len(of_board)
            made.append(
                figures.model(
                    tournament_id=board_set.round.stage.tournament_id,
                    board_set=board_set,
                    board=board,
                    fixtures=len({fixture for fixture, _, _ in of_board}),
                    best_fixture_id=fixture,
                    best_entry_id=entry,
                    best_numerator=best.numerator,
                    best_denominator=best.denominator,
                    mean_numerator=mean.numerator,
                    mean_denominator=mean.denominator,
                    swing=float(best),
                    spread=float(mean),
                )
            )
        figures.bulk_create(made, batch_size=1000)


class Migration(migrations.Migration):

    dependencies = [
        ('competition', '0002_schema_of_0_2'),
        ('matches', '0002_schema_of_0_2'),
        ('standings', '0001_schema_of_0_1'),
    ]

    operations = [
        migrations.CreateModel(
            name='BoardFigures',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('board', models.PositiveSmallIntegerField()),
                ('fixtures', models.PositiveIntegerField()),
                ('best_numerator', models.IntegerField()),
                ('best_denominator', models.PositiveIntegerField()),
                ('mean_numerator', models.BigIntegerField()),
                ('mean_denominator', models.PositiveBigIntegerField()),
                ('swing', models.FloatField()),
                ('spread', models.FloatField()),
                ('best_entry', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='competition.entry')),
                ('best_fixture', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='matches.fixture')),
                ('board_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='figures', to='matches.boardset')),
                ('tournament', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='figures', to='competition.tournament')),
            ],
            options={
                'verbose_name_plural': 'board figures',
                'ordering': ['board_set', 'board'],
                'indexes': [models.Index(fields=['-swing', '-board_set', 'board'], name='swings'), models.Index(fields=['tournament', '-swing', '-board_set', 'board'], name='swings_of_tournament'), models.Index(fields=['tournament', '-spread', '-board_set', 'board'], name='spreads_of_tournament')],
                'constraints': [models.UniqueConstraint(fields=('board_set', 'board'), name='figures_once_per_board'), models.CheckConstraint(condition=models.Q(('best_denominator__gte', 1), ('mean_denominator__gte', 1)), name='figures_are_fractions')],
            },
        ),
        migrations.RunPython(figures_fill, migrations.RunPython.noop),
    ]
