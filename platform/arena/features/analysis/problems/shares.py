"""Shares of bots and visitors that found the best card of a problem, computed from their rows."""

from __future__ import annotations

from django.db.models import Count, Q

from arena.features.analysis.models import Problem, ProblemAttempt, ProblemDecision


def shares_update(problem: int) -> None:
    """Compute the counts of a problem, by primary key, again. Three queries."""
    successful = Count("pk", filter=Q(is_best=True))
    bots = ProblemDecision.objects.filter(problem=problem).aggregate(all=Count("pk"), found=successful)
    visitors = (
        ProblemAttempt.objects.filter(problem=problem)
        .exclude(card="")
        .aggregate(all=Count("pk"), found=successful)
    )
    tries, successes = bots["all"] + visitors["all"], bots["found"] + visitors["found"]
    Problem.objects.filter(pk=problem).update(
        bots=bots["all"],
        bots_found=bots["found"],
        visitors=visitors["all"],
        visitors_found=visitors["found"],
        ease=(successes + 1) / (tries + 2),
    )
