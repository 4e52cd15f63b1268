"""Existing rows: one entry a side, in the order of the pairing; fixtures and tables know their tournament."""

from typing import Any

from django.db import migrations
from django.db.models import F, OuterRef, Subquery


def fill(apps: Any, schema_editor: Any) -> None:
    """One statement a table of the database."""
    Tournament = apps.get_model('competition', 'Tournament')
    Fixture = apps.get_model('matches', 'Fixture')
    Table = apps.get_model('matches', 'Table')
    apps.get_model('matches', 'FixtureEntry').objects.update(side=F('position'))
    of_fixture = Tournament.objects.order_by().filter(stages__rounds__board_set=OuterRef('board_set'))
    Fixture.objects.update(tournament=Subquery(of_fixture.values('pk')[:1]))
    of_table = Fixture.objects.order_by().filter(pk=OuterRef('fixture'))
    Table.objects.update(tournament=Subquery(of_table.values('tournament')[:1]))


class Migration(migrations.Migration):

    dependencies = [('matches', '0003_adjudications_and_reruns')]

    # By itself: PostgreSQL alters no table in the transaction that has changed its rows.
    operations = [migrations.RunPython(fill, migrations.RunPython.noop, elidable=False)]
