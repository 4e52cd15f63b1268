"""Pages of imports for everyone: the list, an event, a round, and the replay of a table."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from arena.accounts.selectors import is_staff
from arena.features.imports.models import ImportedEvent
from arena.features.imports.pages.claims import claim_line
from arena.features.imports.pages.listed import (
    entry_names,
    fixture_lines,
    latest_stage,
    moment_of,
    standing_lines,
)
from arena.features.imports.pages.replay import table_replay
from arena.features.imports.selectors import (
    import_get,
    import_verified,
    imports_visible_to,
    round_of,
    table_of,
)
from arena.web.base.errors import personal_page
from arena.web.base.labels import SCORE_NAMES, in_sentence
from arena.web.base.paging import page_number
from arena.web.base.states import TOURNAMENT_STATE_NAMES
from league.formats import format_named

PAGE_SIZE = 50
ROUNDS_PER_PAGE = 60


@personal_page
def imports(request: HttpRequest) -> HttpResponseBase:
    page = Paginator(imports_visible_to(request.user), PAGE_SIZE).get_page(page_number(request))
    context = {"nav": "tournaments", "page": page, "is_staff": is_staff(request.user)}
    return render(request, "imports/list.html", context)


@personal_page
def event(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Render an import with the standings of ``?stage=``; before it is verified, its state, for staff."""
    imported = import_get(public_id, request.user)
    context = {"nav": "tournaments", "event": imported, "is_staff": is_staff(request.user)}
    if imported.state != ImportedEvent.State.VERIFIED:
        return render(request, "imports/unverified.html", context)
    summary = imported.summary
    chosen = page_number(request, "stage") if "stage" in request.GET else None
    stage = latest_stage(imported, chosen)
    names = entry_names(summary)
    rows = Paginator(stage["standings"] if stage else [], PAGE_SIZE).get_page(page_number(request))
    rounds = [
        (each["number"], number) for each in summary["stages"] for number in range(1, each["rounds"] + 1)
    ]
    stages = {each["number"]: in_sentence(format_named(each["format"]).title) for each in summary["stages"]}
    event_context = {
        "summary": summary,
        "stage": stage,
        "stages": stages,
        "stage_name": stages[stage["number"]] if stage else "",
        "score_name": SCORE_NAMES[summary["scoring"]],
        "page": rows,
        "keep": f"stage={stage['number']}&" if stage else "",
        "lines": standing_lines(list(rows.object_list), names),
        "rounds": Paginator(rounds, ROUNDS_PER_PAGE).get_page(page_number(request, "rounds")),
        "opened_at": moment_of(summary["opened_at"]),
        "ended_at": moment_of(summary["ended_at"]),
        "proof": [claim_line(*claim) for claim in summary["proof"]],
        "state_name": TOURNAMENT_STATE_NAMES.get(summary["state"], ""),
    }
    return render(request, "imports/event.html", {**context, **event_context})


@personal_page
def round_page(request: HttpRequest, public_id: str, stage: int, number: int) -> HttpResponseBase:
    imported = import_verified(public_id)
    played = round_of(imported, stage, number)
    page = Paginator(played.fixtures, PAGE_SIZE).get_page(page_number(request))
    last = next(each["rounds"] for each in imported.summary["stages"] if each["number"] == stage)
    context = {
        "nav": "tournaments",
        "event": imported,
        "is_staged": len(imported.summary["stages"]) > 1,
        "round": played,
        "previous": number - 1,
        "next": number + 1 if number < last else None,
        "page": page,
        "fixtures": fixture_lines(list(page.object_list), entry_names(imported.summary)),
    }
    return render(request, "imports/round.html", context)


@personal_page
def table(
    request: HttpRequest, public_id: str, stage: int, number: int, fixture_number: int, table_number: int
) -> HttpResponseBase:
    """Render the replay of a table at ``?at=b3t7p2`` as seen by ``?seat=2``; with ``?part=deal`` only the
    deal.
    """
    imported = import_verified(public_id)
    played = round_of(imported, stage, number)
    replay = table_replay(
        imported,
        table_of(played, fixture_number, table_number),
        request.GET.get("at", ""),
        request.GET.get("seat", ""),
    )
    if request.GET.get("part") == "deal":
        return HttpResponse(replay.part)
    context = {
        "nav": "tournaments",
        "event": imported,
        "is_staged": len(imported.summary["stages"]) > 1,
        "round": played,
        "fixture_number": fixture_number,
        "number": table_number,
        "replay": replay,
    }
    return render(request, "imports/table.html", context)
