"""Base class of commands that need the database: errors end them with an explanation and a remedy."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import Error as DatabaseError
from django.db import IntegrityError

from arena.common.database_errors import MIGRATE, database_detail, database_remedy, is_unmigrated
from arena.common.errors import ArenaError
from arena.common.log_context import REQUEST_ID, bound_log_fields
from arena.common.request_ids import new_request_id
from arena.common.revisions import database_refusal


@contextlib.contextmanager
def database_errors_explained() -> Iterator[None]:
    """Convert ArenaError and database errors in the block to CommandError with a remedy."""
    try:
        yield
    except ArenaError as error:
        raise CommandError(error.message) from None
    except IntegrityError as error:
        # The database works: two transactions inserted the same row, and the first succeeded.
        detail = database_detail(error)
        raise CommandError(
            f"The database refused a row ({detail}). Another command may have written it just now: "
            "run this again."
        ) from None
    except DatabaseError as error:
        if is_unmigrated(error):
            detail = database_detail(error)
            raise CommandError(f"The database is not migrated ({detail}). {MIGRATE}") from None
        raise CommandError(f"The database failed: {database_detail(error)}. {database_remedy()}") from None


class DatabaseCommand(BaseCommand):
    """A command that needs the database. Its errors are sentences.

    It refuses a database that belongs to another release, unless ``checks_release`` is False.
    """

    requires_system_checks: list[str] = []
    checks_release = True

    def execute(self, *args: Any, **options: Any) -> str | None:
        with bound_log_fields(**{REQUEST_ID: new_request_id()}), database_errors_explained():
            if self.checks_release and (refusal := database_refusal()):
                raise CommandError(refusal)
            return super().execute(*args, **options)
