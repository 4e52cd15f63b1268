"""Pages of problems: the list, a position with a form, then its answer, and the proof as a file."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from analysis.problems import problem_bytes
from arena.common.errors import Invalid, mark_translated, quoted
from arena.features.analysis.models import Problem, ProblemAttempt, ProblemDecision
from arena.features.analysis.pages.downloads import download
from arena.features.analysis.problems.attempts import (
    TooManyAnswers,
    attempt_make,
    attempt_of,
    attempts_by,
    correct_answers,
    score_of,
)
from arena.features.analysis.problems.selectors import (
    decisions_of,
    next_problem,
    open_problems,
    presets_with_problems,
    problem_get,
)
from arena.features.play.person import Person
from arena.features.play.visitors import key_store, person_of, with_key
from arena.web.base.errors import form_page, personal_page
from arena.web.base.labels import bot_label
from arena.web.base.page_limits import too_many_requests
from arena.web.base.paging import page_number
from viewer import cards
from viewer.games.kakeya.deals import sorted_hands
from viewer.seat_view import seat_view_of, table_symbols
from viewer.texts import ENGLISH, signed, viewer_texts

PAGE_SIZE = 20
ORDERS = {"": ("-id",), "hardest": ("ease", "-id")}
"""Orders of the list by the parameter ``order``."""


class Listed(NamedTuple):
    problem: Problem
    hand: SafeString
    is_correct: bool | None
    """Of the reader's answer; None without one."""


class Card(NamedTuple):
    """A legal card in the answer."""

    card: SafeString
    cost: str
    value: str
    average: str
    """Mean loss against the best card with its standard error; empty for the best."""
    is_best: bool
    is_chosen: bool


class BotPlay(NamedTuple):
    name: str
    page: str
    """Public id of the bot; empty without a page."""
    card: SafeString
    is_best: bool
    href: str


@personal_page
def problems(request: HttpRequest) -> HttpResponseBase:
    order, preset = request.GET.get("order", ""), request.GET.get("preset", "")
    if order not in ORDERS:
        message = _("There is no order %(order)s. The orders are newest first and hardest first.")
        raise mark_translated(Invalid(message % {"order": quoted(order, 20)}, "invalid", field="order"))
    presets = presets_with_problems()
    if preset and preset not in presets:
        message = _("There are no problems of %(preset)s.")
        raise mark_translated(Invalid(message % {"preset": quoted(preset, 40)}, "invalid", field="preset"))
    rows = open_problems(preset).order_by(*ORDERS[order])
    page = Paginator(rows.defer("proof"), PAGE_SIZE).get_page(page_number(request))
    query = "".join(f"&{name}={value}" for name, value in (("preset", preset), ("order", order)) if value)
    person = person_of(request)
    correct = correct_answers(list(page.object_list), person)
    context = {
        "nav": "play",
        "listed": [Listed(row, _hand(row), correct.get(row.pk)) for row in page.object_list],
        "score": score_of(person),
        "page": page,
        "presets": presets,
        "preset": preset,
        "order": order,
        "page_query": query,
    }
    return render(request, "analysis/problems.html", context)


@personal_page
def problem(request: HttpRequest, public_id: str) -> HttpResponseBase:
    row = problem_get(public_id, request.user)
    person = person_of(request)
    return _problem_page(request, row, attempt_of(row, person), person)


@form_page
def answer(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Store the first answer of an account or browser; later ones show that one."""
    row = problem_get(public_id, request.user)
    person = with_key(person_of(request))
    try:
        attempt = attempt_make(row, person, request.POST.get("action", ""))
    except TooManyAnswers as error:
        return too_many_requests(error.retry_s)
    if attempt.pk is None:  # no longer counted, so a reload could not show it
        return _problem_page(request, row, attempt, person)
    response = redirect("web:problem", public_id=public_id)
    key_store(response, person)
    return response


@personal_page
def proof(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Return the proof for ``rensho analyse``."""
    row = problem_get(public_id, request.user)
    return download(problem_bytes(row.proof), "application/json", f"problem-{public_id}.json")


def _problem_page(
    request: HttpRequest, row: Problem, attempt: ProblemAttempt | None, person: Person
) -> HttpResponseBase:
    observation: dict[str, Any] = row.observation
    texts = viewer_texts(get_language() or "en")
    sitting = seat_view_of(observation, legal=() if attempt else observation["legal"], names={}, texts=texts)
    context = {
        "nav": "play",
        "problem": row,
        "symbols": mark_safe(table_symbols(observation["game"])),
        "mat": mark_safe(sitting.mat),
        "status": mark_safe(sitting.status),
        "choices": mark_safe(sitting.choices),
        "panels": mark_safe(sitting.panels),
        "attempt": attempt,
    }
    if attempt:
        table = row.analysis.table
        context |= {
            "chosen": _cards([attempt.card] if attempt.card else []),
            "best": _cards([row.best]),
            "answers": _answers(row, attempt.card),
            "deals": row.proof["limits"]["deals"],
            "next": next_problem(row, attempts_by(person)),
            "score": score_of(person),
            "plays": [_bot_play(decision) for decision in decisions_of(row)],
            "table": table,
            "replay": f"{reverse('web:table', args=[table.public_id])}?at={row.position}",
            "explorer": f"{reverse('web:table-explore', args=[table.public_id])}?at={row.position}",
        }
    return render(request, "analysis/problem.html", context)


def _answers(row: Problem, chosen: str) -> list[Card]:
    """Return the legal cards with their exact values, the best first."""
    proof = row.proof
    top = max(int(value) for value in proof["values"])
    return [
        Card(
            _cards([code]),
            ENGLISH.cost_mark.format(count=top - int(value)) if int(value) < top else "",
            signed(int(value)),
            _average(proof["averages"].get(code)),
            code == row.best,
            code == chosen,
        )
        for value, codes in sorted(proof["values"].items(), key=lambda item: -int(item[0]))
        for code in codes
    ]


def _average(loss: dict[str, float] | None) -> str:
    return f"{loss['mean']:.2f} ± {loss['error']:.2f}" if loss else ""


def _bot_play(decision: ProblemDecision) -> BotPlay:
    label = bot_label(decision.version)
    table = reverse("web:table", args=[decision.analysis.table.public_id])
    return BotPlay(
        f"{label.name} v{label.number}",
        label.page,
        _cards([decision.card]),
        decision.is_best,
        f"{table}?at={decision.position}",
    )


def _hand(row: Problem) -> SafeString:
    seat, observation = row.seat, row.observation
    return _cards(sorted_hands({seat: observation["hand"]}, observation["trump"])[str(seat)])


def _cards(codes: list[str]) -> SafeString:
    texts = viewer_texts(get_language() or "en")
    return mark_safe(" ".join(cards.card_text(code, texts) for code in codes))
