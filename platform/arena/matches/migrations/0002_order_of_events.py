from django.db import migrations, models
from django.db.models import F, OuterRef, Subquery


def fill(apps, schema_editor):
    board_sets = apps.get_model("matches", "BoardSet").objects.filter(
        closed_seq__isnull=False, round__stage__tournament__kind="tournament"
    )
    board_sets.update(event_seq=F("closed_seq"))
    fixture = apps.get_model("matches", "Fixture").objects.filter(pk=OuterRef("fixture"))
    adjudications = apps.get_model("matches", "Adjudication").objects.all()
    adjudications.update(tournament=Subquery(fixture.values("tournament")))


class Migration(migrations.Migration):
    dependencies = [
        ("competition", "0002_trial_runs_and_house_bots"),
        ("matches", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="boardset",
            name="event_seq",
            field=models.PositiveBigIntegerField(editable=False, null=True, unique=True),
        ),
        migrations.AddField(
            model_name="adjudication",
            name="tournament",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=models.CASCADE,
                related_name="adjudications",
                to="competition.tournament",
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
