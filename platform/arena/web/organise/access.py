"""Access to organisers' pages and tournaments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from arena.accounts.models import User
from arena.common.errors import Forbidden
from arena.competition.models import Tournament
from arena.competition.selectors import require_organiser, tournament_get
from arena.web.base.access import AccountView, account_form, account_page

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def organiser_page(view: AccountView[P]) -> View[P]:
    """Decorate a view of a page with a form for organisers: 403 for other accounts, sign-in for visitors."""
    return account_page()(_for_organisers(view))


def organiser_form(view: AccountView[P]) -> View[P]:
    """Decorate a view that accepts only POST from organisers."""
    return account_form()(_for_organisers(view))


def _for_organisers(view: AccountView[P]) -> AccountView[P]:
    @functools.wraps(view)
    def answered(request: HttpRequest, user: User, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not (user.is_organiser or user.is_staff):
            raise Forbidden(
                "This account may not organise tournaments; ask the operator.", "organiser_role_required"
            )
        return view(request, user, *args, **kwargs)

    return answered


def own_event(public_id: str, user: User) -> Tournament:
    """Return a tournament that the account may organise.

    Raises:
        NotFound: no such tournament for this account.
        Forbidden: code ``not_organiser``.
    """
    event = tournament_get(public_id, user)
    require_organiser(user, event)
    return event
