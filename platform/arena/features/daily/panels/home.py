"""The daily deal at the top of the home page."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from arena.common.process_cache import CacheKey, process_cache
from arena.features.daily.attempts import attempt_settled
from arena.features.daily.models import DailyAttempt, DailyDeal
from arena.features.daily.panels.results import deal_title, own_result, results_panel
from arena.features.daily.selectors import deal_today, may_see_results
from arena.features.play.models import CasualTable
from arena.features.play.person import Person
from arena.features.play.visitors import person_of

MAX_AGE_S = 10


def daily_panel(request: HttpRequest) -> dict[str, Any] | None:
    """Return the context of ``daily/_home.html``; None without a deal.

    No query for visitors who have never played, else at most five.
    """
    key = CacheKey(("daily", timezone.now().date().isoformat()), None)
    (deal,) = process_cache.get_or_build(key, lambda: (deal_today(),), max_age_s=MAX_AGE_S)
    return None if deal is None else attempt_context(deal, person_of(request))


def attempt_context(deal: DailyDeal, person: Person) -> dict[str, Any]:
    """Return what the person may see of a deal: results only once ``may_see_results`` allows it."""
    attempt = attempt_settled(person, deal)
    is_open = may_see_results(deal, attempt)
    table = attempt.table if attempt is not None else None
    is_finished = attempt is not None and attempt.state == DailyAttempt.State.FINISHED
    return {
        "deal": deal,
        "title": deal_title(deal),
        "attempt": attempt,
        "table": table,
        "has_failed": table is not None and table.state == CasualTable.State.FAILED,
        "is_finished": is_finished,
        "results": results_panel(deal, attempt) if is_open else None,
        "own_result": own_result(deal, attempt) if attempt is not None and is_finished and is_open else "",
    }
