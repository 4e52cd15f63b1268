"""``manage.py doctor``: run health checks and print remedies."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from arena.operations.health import health_results
from engine.printable import printable


class Command(BaseCommand):
    """Runs the health checks of this installation. Exit status 1 if one fails."""

    help = "Check every part of the installation. The exit status is 1 if a check fails."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the results as a JSON list")

    def handle(self, *args: Any, **options: Any) -> None:
        results = []
        for result in health_results():
            results.append(result)
            if options["json"]:
                continue
            mark = self.style.SUCCESS("ok ") if result.is_ok else self.style.ERROR("RED")
            self.stdout.write(f"{mark} {result.part:<12} {printable(result.detail)}")
            if result.remedy and not result.is_ok:
                self.stdout.write(f"    {'':<12} -> {printable(result.remedy)}")
            elif result.remedy:
                self.stdout.write(f"    {'':<12} {printable(result.remedy)}")
        if options["json"]:
            self.stdout.write(json.dumps([vars(result) for result in results], indent=1))
        if not all(result.is_ok for result in results):
            sys.exit(1)
