"""Which of the things that happened a viewer may learn of."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from arena.accounts.models import Event, User
from arena.competition.selectors import Viewer, is_staff, tournaments_visible_to


def events_visible_to(user: Viewer) -> QuerySet[Event]:
    """Events of the tournaments a viewer sees, and those meant for the viewer; oldest first.

    What is meant for one account reaches nobody else but staff. Filter by ``id__gt`` to go on.
    """
    events = Event.objects.order_by("id")
    if is_staff(user):
        return events
    visible = tournaments_visible_to(user).order_by().values("public_id")
    allowed = Q(user__isnull=True, tournament__in=visible)
    if isinstance(user, User):
        allowed |= Q(user=user)
    return events.filter(allowed)
