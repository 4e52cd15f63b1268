"""``manage.py experiments_check``: recompute every experiment from board scores and report disagreements."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.common.management.database_command import DatabaseCommand
from arena.features.experiments.consistency import experiment_check
from arena.features.experiments.models import Experiment


class Command(DatabaseCommand):
    """Recompute scores, evidence and state of each experiment; writes nothing."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--experiment", metavar="ID", help="id of an experiment (default: all)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raise CommandError if there is a disagreement."""
        experiments = Experiment.objects.order_by("pk")
        if options["experiment"]:
            experiments = experiments.filter(public_id=options["experiment"])
            if not experiments:
                raise CommandError(f"there is no experiment {options['experiment']}")
        wrong = 0
        for experiment in experiments:
            for disagreement in experiment_check(experiment):
                wrong += 1
                self.stderr.write(f"{experiment.public_id} ({experiment}): {disagreement}")
        if wrong:
            raise CommandError("1 disagreement" if wrong == 1 else f"{wrong} disagreements")
        count = len(experiments)
        self.stdout.write("1 experiment agrees" if count == 1 else f"{count} experiments agree")
