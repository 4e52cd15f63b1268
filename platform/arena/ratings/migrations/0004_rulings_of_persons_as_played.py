import secrets

from django.db import migrations


def sets_due(apps, schema_editor):
    """Rate the sets again in which a person ruled on a fixture: such fixtures count as played or not at all."""
    ruled = apps.get_model("matches", "Adjudication").objects.filter(actor__isnull=False)
    board_sets = ruled.order_by().values("fixture__board_set")
    apps.get_model("ratings", "RatedSet").objects.filter(board_set__in=board_sets).update(
        due=secrets.token_hex(8)
    )


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0003_runtime_artifacts"),
        ("ratings", "0003_pairs_left_out"),
    ]

    operations = [migrations.RunPython(sets_due, migrations.RunPython.noop)]
