"""Feature descriptor of imports."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

from django.db.models import Q

from arena.accounts.models import User
from arena.common.features import Feature, StaleRows, StateDeadline
from arena.features.imports.limits import CHECK_TASK_S, MAX_ATTEMPTS
from arena.features.imports.models import ImportedEvent
from arena.features.imports.selectors import blob_references, own_imports
from arena.features.imports.services import ATTEMPT_GRACE_S, imports_forget
from arena.features.imports.tasks import imports_due


def _own_data(user: User) -> dict[str, Any]:
    return {"imports": own_imports(user)}


def _stale_rows(now: datetime.datetime) -> Iterable[StaleRows]:
    state = ImportedEvent.State
    running_s = CHECK_TASK_S + ATTEMPT_GRACE_S
    yield StaleRows(
        "import",
        ImportedEvent.objects.all(),
        [
            StateDeadline(
                "checking", "started_at", Q(state=state.CHECKING, started_at__isnull=False), running_s
            ),
            StateDeadline(
                "waiting", "imported_at", Q(state=state.CHECKING, started_at=None), MAX_ATTEMPTS * running_s
            ),
        ],
    )


IMPORTS = Feature(
    name="imports",
    urls="arena.features.imports.urls",
    api_urls="arena.features.imports.api_urls",
    tick=[imports_due],
    own_data=_own_data,
    delete_account=imports_forget,
    stale_rows=_stale_rows,
    blob_references=blob_references,
)
