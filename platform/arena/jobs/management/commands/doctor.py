"""``manage.py doctor``: every part green or red, with what to do."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from arena.jobs.health import findings


class Command(BaseCommand):
    """Looks at every part of the installation; exit status 1 if any is red."""

    help = "Look at every part of the installation; exit status 1 if any is red."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--json", action="store_true", help="print a list of findings as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the findings as they come."""
        found = []
        for finding in findings():
            found.append(finding)
            if options["json"]:
                continue
            mark = self.style.SUCCESS("ok ") if finding.is_ok else self.style.ERROR("RED")
            self.stdout.write(f"{mark} {finding.part:<12} {finding.detail}")
            if finding.remedy and not finding.is_ok:
                self.stdout.write(f"    {'':<12} -> {finding.remedy}")
            elif finding.remedy:
                self.stdout.write(f"    {'':<12} {finding.remedy}")
        if options["json"]:
            self.stdout.write(json.dumps([vars(finding) for finding in found], indent=1))
        if not all(finding.is_ok for finding in found):
            sys.exit(1)
