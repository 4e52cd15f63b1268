"""Answers of visitors to problems: one per account or browser, which counts towards the share."""

from __future__ import annotations

import datetime
from collections.abc import Collection
from typing import Any, NamedTuple

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from arena.accounts.models import User
from arena.common.errors import Invalid, Unavailable, quoted
from arena.common.rates import rate_consume, retry_after_s
from arena.features.analysis.models import Problem, ProblemAttempt
from arena.features.analysis.problems.shares import shares_update
from arena.features.play.person import Person

RATE = "problem_guests"
"""Key in ``settings.API_RATES``: answers of guests per address."""
MAX_COUNTED = 10_000
"""Attempts per problem; later ones are not stored."""
GUEST_KEPT = datetime.timedelta(days=30)
"""Time after which the digest of a guest's key is removed, as its cookie has expired."""
PRUNED_AT_ONCE = 5000


class Score(NamedTuple):
    answers: int
    correct: int


class TooManyAnswers(Unavailable):
    """An address has sent too many answers without an account."""

    status = 429


def attempts_by(person: Person) -> QuerySet[ProblemAttempt]:
    """Return the answers of an account or browser."""
    if person.user is not None:
        return ProblemAttempt.objects.filter(user=person.user)
    return ProblemAttempt.objects.filter(guest__in=person.guests)


def attempt_of(problem: Problem, person: Person) -> ProblemAttempt | None:
    """Return the person's answer, or None. At most one query."""
    return attempts_by(person).filter(problem=problem).first()


def correct_answers(problems: Collection[Problem], person: Person) -> dict[int, bool]:
    """Return whether the person's answer was the best card, by key of answered problems. One query."""
    return dict(attempts_by(person).filter(problem__in=problems).values_list("problem", "is_best"))


def score_of(person: Person) -> Score:
    """Return the number of answers with a card, and of correct ones. At most one query."""
    counts = (
        attempts_by(person)
        .exclude(card="")
        .aggregate(answers=Count("pk"), correct=Count("pk", filter=Q(is_best=True)))
    )
    return Score(**counts)


def attempt_make(problem: Problem, person: Person, card: str) -> ProblemAttempt:
    """Store a person's answer and return it, or the earlier one; an empty card asks for the answer.

    Beyond ``MAX_COUNTED`` attempts, the answer is returned but not stored. Raises Invalid (``illegal_card``),
    TooManyAnswers (``too_many_answers``).
    """
    legal = problem.observation["legal"]
    if card and card not in legal:
        raise Invalid(
            f"Seat {problem.seat} cannot play {quoted(card, 24)} here. Choose one of {' '.join(legal)}.",
            "illegal_card",
            field="action",
        )
    if earlier := attempt_of(problem, person):
        return earlier
    if person.user is None and (wait_s := rate_consume(RATE, person.address).wait_s):
        raise TooManyAnswers(
            "Too many answers came from your address. Sign in, or try again later.",
            "too_many_answers",
            retry_after_s(wait_s),
        )
    values = {"card": card, "is_best": card == problem.best}
    if ProblemAttempt.objects.filter(problem=problem).count() >= MAX_COUNTED:
        return ProblemAttempt(problem=problem, **values)
    key = {"user": person.user} if person.user is not None else {"guest": person.guest}
    attempt, is_new = ProblemAttempt.objects.get_or_create(problem=problem, **key, defaults=values)
    if is_new and card:
        shares_update(problem.pk)
    return attempt


def attempts_prune() -> int:
    """Remove the digests of guests whose cookies have expired; return the number of answers."""
    old = ProblemAttempt.objects.filter(created_at__lt=timezone.now() - GUEST_KEPT).exclude(guest="")
    pks = list(old.values_list("pk", flat=True)[:PRUNED_AT_ONCE])
    return ProblemAttempt.objects.filter(pk__in=pks).update(guest="")


def attempts_forget(user: User) -> None:
    """Delete an account's answers."""
    rows = ProblemAttempt.objects.filter(user=user)
    problems = list(rows.values_list("problem", flat=True))
    rows.delete()
    for problem in problems:
        shares_update(problem)


def attempts_data(user: User) -> list[dict[str, Any]]:
    """Return an account's answers as plain values, for its personal data."""
    rows = ProblemAttempt.objects.filter(user=user).select_related("problem").order_by("id")
    return [
        {
            "problem": row.problem.public_id,
            "card": row.card,
            "answered_at": row.created_at.isoformat(timespec="seconds"),
        }
        for row in rows
    ]
