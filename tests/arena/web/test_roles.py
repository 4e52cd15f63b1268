"""Who may open which page and send which form: every route of the site, for every role."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, resolve

from arena.accounts.models import User
from arena.web.base.access import SIGNED_IN_AT_KEY
from tests import chance, factories
from tests.arena.api.conftest import matrices
from tests.arena.web.roles import (
    ACCOUNTS,
    ALL,
    DONE,
    HANDLED,
    HIDDEN,
    NONE,
    ONCE,
    ORGANISERS,
    PRIVATE,
    REFUSED,
    ROLES,
    SEALED,
    SENT_ON,
    SIGN_IN,
    Answer,
    Page,
    by,
    inside,
    organiser,
    own,
)
from tests.arena.web.world import names, rows_of_the_names

__all__ = ["names", "rows_of_the_names"]
pytestmark = pytest.mark.django_db

ELSEWHERE = {"api/v1/", "admin/"}
"""Routes with tests of their own: tests/arena/api/test_roles.py and tests/arena/admin/test_read_only.py."""

MATRIX: tuple[Page, ...] = (
    ("GET", "/", ALL),
    ("GET", "/tournaments", ALL),
    ("GET", "/tournaments/{event}", ALL),
    ("GET", "/tournaments/{event}/live", ALL),
    ("GET", "/tournaments/{event}/events", ALL),
    ("GET", "/tournaments/{event}/standings", ALL),
    ("GET", "/tournaments/{event}/crosstable", ALL),
    ("GET", "/tournaments/{event}/entries", ALL),
    ("GET", "/tournaments/{event}/rounds", SENT_ON),
    ("GET", "/tournaments/{event}/rounds/1/1", ALL),
    ("GET", "/tournaments/{event}/rounds/1/2", ALL),
    ("GET", "/tournaments/{event}/deals", ALL),
    ("GET", "/tournaments/{draft}", HIDDEN),
    ("GET", "/tournaments/{draft}/live", HIDDEN),
    ("GET", "/tournaments/{draft}/events", HIDDEN),
    ("GET", "/tournaments/{draft}/standings", HIDDEN),
    ("GET", "/tournaments/{draft}/crosstable", HIDDEN),
    ("GET", "/tournaments/{draft}/entries", HIDDEN),
    ("GET", "/tournaments/{draft}/rounds/1/1", NONE),
    ("GET", "/tournaments/{draft}/deals", HIDDEN),
    ("GET", "/tournaments/{registration}/enter", ACCOUNTS),
    ("POST", "/tournaments/{registration}/enter", REFUSED),
    ("GET", "/tournaments/{draft}/enter", by(SIGN_IN, 404, odo=200, sota=200)),
    ("GET", "/tournaments/{event}/reports", ACCOUNTS),
    ("POST", "/tournaments/{event}/reports", REFUSED),
    ("GET", "/tournaments/{event}/reports/{report}", by(SIGN_IN, 404, ben=200, odo=200, sota=200)),
    ("POST", "/tournaments/{event}/reports/{report}", by(SIGN_IN, 404, ben=400, odo=400, sota=400)),
    ("POST", "/entries/{entry}/withdraw", by(SIGN_IN, 403, aya=DONE, odo=DONE, sota=DONE)),
    ("GET", "/fixtures/{open_fixture}", ALL),
    ("GET", "/fixtures/{sealed_fixture}", ALL),
    ("GET", "/fixtures/{open_fixture}/boards/1/compare", NONE),
    ("GET", "/fixtures/{sealed_fixture}/boards/1/compare", by(423, 423, sota=404)),
    ("GET", "/boards/{open_set}/1", ALL),
    ("GET", "/boards/{sealed_set}/1", by(423, 423)),
    ("GET", "/tables/{open_table}", ALL),
    ("GET", "/tables/{sealed_table}", SEALED),
    ("GET", "/tables/{open_table}/explore", ALL),
    ("GET", "/tables/{sealed_table}/explore", by(423, 423)),
    ("GET", "/explore", ALL),
    ("GET", "/watch", ALL),
    ("GET", "/watch/{open_fixture}/1", NONE),
    ("GET", "/watch/{sealed_fixture}/1", by(423, 423)),
    ("GET", "/tables/{open_table}/view", ALL),
    ("GET", "/tables/{sealed_table}/view", SEALED),
    ("GET", "/cups", ALL),
    ("GET", "/cups/{series}", ALL),
    ("POST", "/cups/{series}/subscribe?bot={partners_bot}", by(SIGN_IN, 403)),
    ("GET", "/players", ALL),
    ("GET", "/players/aya", ALL),
    ("GET", "/bots", ALL),
    ("GET", "/bots/{bot}", ALL),
    ("GET", "/bots/{private}", PRIVATE),
    ("GET", "/bots/{bot}/challenge", ACCOUNTS),
    ("POST", "/bots/{bot}/challenge", REFUSED),
    ("GET", "/bots/{bot}/change", own(200)),
    ("POST", "/bots/{bot}/change", own(400)),
    ("GET", "/bots/{private}/change", own(200, 404)),
    ("GET", "/bots/{bot}/submit", own(200)),
    ("POST", "/bots/{bot}/submit", own(400)),
    ("GET", "/bots/{private}/submit", own(200, 404)),
    ("GET", "/bots/{bot}/write", own(200)),
    ("POST", "/bots/{bot}/write", own(400)),
    ("GET", "/bots/{private}/write", own(200, 404)),
    ("GET", "/versions/{version}", ALL),
    ("GET", "/versions/{upload}", PRIVATE),
    ("POST", "/versions/{version}/activate", own(DONE)),
    ("POST", "/versions/{version}/retire", own(DONE)),
    ("POST", "/versions/{version}/recheck", own(DONE)),
    ("POST", "/versions/{version}/reinstate", inside(DONE)),
    ("POST", "/versions/{suspended}/reinstate", inside(DONE)),
    ("GET", "/versions/{version}/notes", own(200)),
    ("POST", "/versions/{version}/notes", own(DONE)),
    ("POST", "/versions/{upload}/notes", own(DONE, 404)),
    # No file stands behind this version; whoever is not its author is not told.
    ("GET", "/versions/{version}/bundle", by(SIGN_IN, 403, aya=404)),
    ("GET", "/versions/{version}/lost", by(SIGN_IN, 403, aya=200)),
    ("GET", "/versions/{version}/lost/{open_table}/b1t1p1/9", by(SIGN_IN, 403, aya=404)),
    ("GET", "/versions/{version}/lost/{sealed_table}/b1t1p1/1", by(SIGN_IN, 403, aya=423)),
    ("GET", "/versions/{version}/faults", inside(200)),
    ("GET", "/versions/{upload}/faults", inside(200, 404)),
    ("GET", "/versions/{version}/faults/{fault}", inside(200)),
    ("GET", "/versions/{version}/faults/{sealed_fault}", by(403, 403, aya=404, sota=200)),
    ("GET", "/desk", ACCOUNTS),
    ("GET", "/notices", ACCOUNTS),
    ("POST", "/notices/read", HANDLED),
    ("POST", "/notices/{notice}/read", by(SIGN_IN, 404, aya=DONE)),
    ("GET", "/me", ACCOUNTS),
    ("GET", "/me/bots", ACCOUNTS),
    ("GET", "/me/bots/new", ACCOUNTS),
    ("POST", "/me/bots/new", REFUSED),
    ("GET", "/me/password", ACCOUNTS),
    ("POST", "/me/password", REFUSED),
    ("GET", "/me/email", ACCOUNTS),
    ("POST", "/me/email", HANDLED),
    ("POST", "/me/sessions/end", HANDLED),
    ("POST", "/me/sessions/x/end", HANDLED),
    ("GET", "/me/passkeys", ACCOUNTS),
    ("POST", "/me/passkeys", REFUSED),
    # Passkeys need an address with a name, which the site of the tests has not.
    ("POST", "/me/passkeys/options", by(SIGN_IN, 409)),
    ("POST", "/me/passkeys/x/rename", HANDLED),
    ("POST", "/me/passkeys/x/remove", HANDLED),
    # This site has no provider.
    ("GET", "/me/provider", by(SIGN_IN, 404)),
    ("POST", "/me/provider/link", by(SIGN_IN, 400)),
    ("POST", "/me/provider/x/unlink", HANDLED),
    ("GET", "/me/tokens", ACCOUNTS),
    ("POST", "/me/tokens", REFUSED),
    ("POST", "/me/tokens/{token}/revoke", by(SIGN_IN, 404, aya=DONE)),
    ("POST", "/me/tokens/{token}/restore", by(SIGN_IN, 404, aya=DONE)),
    ("GET", "/me/invitations", by(SIGN_IN, 404, sota=200)),
    ("POST", "/me/invitations", by(SIGN_IN, 404, sota=400)),
    ("POST", "/me/invitations/x/withdraw", by(SIGN_IN, 404)),
    ("POST", "/me/export", ACCOUNTS),
    ("GET", "/me/delete", ACCOUNTS),
    ("POST", "/me/delete", REFUSED),
    ("GET", "/organise", ORGANISERS),
    ("GET", "/organise/new", ORGANISERS),
    ("GET", "/organise/new?copy={event}", ORGANISERS),
    ("GET", "/organise/new?copy={draft}", organiser(200, 404)),
    ("GET", "/organise/new?draft={form_draft}", by(SIGN_IN, 403, odo=200, rin=404, sota=404)),
    ("POST", "/organise/new", by(SIGN_IN, 403, odo=400, rin=400, sota=400)),
    ("POST", "/organise/plan", ORGANISERS),
    ("POST", "/organise/plan?event={draft}", organiser(200, 404)),
    ("POST", "/organise/drafts", ORGANISERS),
    (
        "POST",
        "/organise/drafts/{form_draft}/delete",
        by(SIGN_IN, 403, odo=DONE, rin=404, sota=404),
    ),
    ("GET", "/organise/tournaments/{event}", organiser(200)),
    ("GET", "/organise/tournaments/{draft}", organiser(200, 404)),
    ("POST", "/organise/tournaments/{event}?do=save", organiser(400)),
    ("POST", "/organise/tournaments/{draft}?do=save", organiser(400, 404)),
    ("GET", "/organise/tournaments/nosuchevent", by(SIGN_IN, 403, odo=404, rin=404, sota=404)),
    ("GET", "/organise/tournaments/{registration}/bulk", organiser(200)),
    ("POST", "/organise/tournaments/{registration}/bulk", organiser(400)),
    ("GET", "/organise/tournaments/{registration}/entries", organiser(200)),
    ("POST", "/organise/tournaments/{registration}/entries", organiser(400)),
    ("GET", "/organise/tournaments/{registration}/entries/{entry}", organiser(200)),
    ("POST", "/organise/tournaments/{registration}/entries/{entry}", organiser(400)),
    ("GET", "/organise/tournaments/{draft}/trial", organiser(200, 404)),
    ("POST", "/organise/tournaments/{draft}/trial", organiser(400, 404)),
    ("GET", "/organise/tournaments/{draft}/delete", organiser(404, 404)),
    ("POST", "/organise/tournaments/{draft}/delete", organiser(404, 404)),
    ("GET", "/organise/tournaments/{event}/pause", organiser(200)),
    ("POST", "/organise/tournaments/{event}/pause", organiser(400)),
    ("GET", "/organise/fixtures/{sealed_fixture}", organiser(200)),
    ("POST", "/organise/fixtures/{sealed_fixture}", organiser(400)),
    ("GET", "/organise/tables/{quarantined_table}", organiser(200)),
    ("POST", "/organise/tables/{open_table}", organiser(400)),
    ("GET", "/organise/cups/new", ORGANISERS),
    ("POST", "/organise/cups/new", by(SIGN_IN, 403, odo=400, rin=400, sota=400)),
    ("GET", "/organise/cups/{series}", organiser(200)),
    ("POST", "/organise/cups/{series}", organiser(400)),
    ("GET", "/organise/cups/{series}/pause", organiser(200)),
    ("POST", "/organise/cups/{series}/pause", organiser(400)),
    ("GET", "/sign-up", by(200, DONE)),
    ("POST", "/sign-up", by(400, DONE)),
    ("GET", f"/sign-up/{ONCE}", by(404, DONE)),
    ("POST", f"/sign-up/{ONCE}", by(404, DONE)),
    ("GET", "/sign-up/provider", NONE),
    ("POST", "/sign-up/provider", NONE),
    ("GET", f"/sign-up/{ONCE}/provider", NONE),
    ("GET", "/sign-in/provider", NONE),
    ("GET", "/sign-in/provider/return", NONE),
    ("GET", "/sign-in", ALL),
    ("POST", "/sign-in", by(400, 400)),
    ("POST", "/sign-in/passkey", by(SIGN_IN, SIGN_IN)),
    ("POST", "/sign-in/passkey/options", by(409, 409)),
    ("POST", "/sign-out", by(DONE, 200)),  # these have no way in again, and are asked
    ("GET", "/reset", ALL),
    ("POST", "/reset", by(400, 400)),
    ("GET", f"/reset/{ONCE}", NONE),
    ("POST", f"/reset/{ONCE}", NONE),
    ("GET", "/search", ALL),
    ("GET", "/fairness", ALL),
    ("GET", "/fairness/commitments", ALL),
    ("GET", "/rules", ALL),
    ("GET", "/rules/kakeya", ALL),
    ("GET", "/rules/presets/kakeya4", ALL),
    ("GET", "/docs", ALL),
    ("GET", "/docs/tutorial", ALL),
    ("GET", "/docs/reference", ALL),
    ("GET", "/docs/reference/tournaments", ALL),
    ("GET", "/.well-known/rensho-key", ALL),
    ("GET", "/robots.txt", ALL),
    ("GET", "/healthz", ALL),
    # No worker is alive.
    ("GET", "/readyz", by(503, 503)),
    ("GET", "/metrics", by(403, 403, sota=200)),
    ("GET", "/operate", by(SIGN_IN, 404, sota=200)),
    ("POST", "/operate/maintenance", by(SIGN_IN, 404, sota=400)),
    ("GET", "/admin/login/", by(SIGN_IN, SIGN_IN)),
    ("POST", "/admin/login/", by(SIGN_IN, SIGN_IN)),
    ("GET", "/api", NONE),
    ("POST", "/api", NONE),
    *(page for feature in matrices("PAGES") for page in feature.PAGES),
)


def routes() -> Iterator[str]:
    """The site's own, from its table."""

    def within(resolver: URLResolver) -> Iterator[str]:
        for pattern in resolver.url_patterns:
            if isinstance(pattern, URLPattern):
                yield str(pattern.pattern)
            elif str(pattern.pattern) not in ELSEWHERE:
                yield from within(pattern)

    return within(get_resolver())


def route_of(address: str) -> str:
    """The route behind an address of the matrix, whatever stands in its braces."""
    return resolve(address.partition("?")[0].replace("{", "").replace("}", "").replace("_", "")).route


def asked(client: Client, method: str, address: str) -> Answer:
    """What comes. A form is sent what stands behind the question mark."""
    before, cookies = transaction.savepoint(), copy.deepcopy(client.cookies)
    path, _, query = address.partition("?")
    if method == "POST":
        answer = client.post(path, dict(pair.split("=") for pair in query.split("&")) if query else {})
    else:
        answer = client.get(address)
    transaction.savepoint_rollback(before)
    client.cookies = cookies
    if answer.status_code not in (301, 302):
        return answer.status_code
    return SIGN_IN if answer["Location"].startswith("/sign-in") else DONE


def signed_in(role: str, *, is_strict: bool = False) -> Client:
    """A browser of this role, signed in just now; if strict, forms need their token, as on a real site."""
    client = Client(raise_request_exception=False, enforce_csrf_checks=is_strict)
    if role != "nobody":
        client.force_login(getattr(factories, role)())
        session = client.session
        session[SIGNED_IN_AT_KEY] = time.time()
        session.save()
    return client


def is_asked_by(role: str, number: int, expected: tuple[Answer, ...]) -> bool:
    """Whether a role tries the row of this number: always where it is refused or sent elsewhere.

    Of the roles that get the same page two try it, those of the next row are others; in the end all do.
    """
    own = expected[ROLES.index(role)]
    alike = [name for name, answer in zip(ROLES, expected, strict=True) if answer == own]
    if own != 200:
        return True
    return (alike.index(role) - number) % len(alike) < chance.at_most(len(alike), 2)


def test_every_row_is_tried_by_two_roles_and_by_whoever_is_refused() -> None:
    for number, (_method, _address, expected) in enumerate(MATRIX):
        trying = {role for role in ROLES if is_asked_by(role, number, expected)}
        assert trying >= {role for role, answer in zip(ROLES, expected, strict=True) if answer != 200}
        assert len([expected[ROLES.index(role)] for role in trying]) >= 2
    for role in ROLES:
        assert any(expected == ALL and is_asked_by(role, at, ALL) for at, (*_, expected) in enumerate(MATRIX))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("role", ROLES)
def test_pages_and_forms_are_for_those_who_may(names: dict[str, Any], role: str) -> None:
    client = signed_in(role)
    wrong = {}
    for number, (method, address, expected) in enumerate(MATRIX):
        if not is_asked_by(role, number, expected):
            continue
        came = asked(client, method, address.format(**names))
        if came != expected[ROLES.index(role)]:
            wrong[f"{method} {address}"] = (came, expected[ROLES.index(role)])
    assert wrong == {}, "what came, and what was expected"


def test_the_matrix_has_every_route_with_every_method_it_takes(names: dict[str, Any]) -> None:
    """Whoever adds a page says in MATRIX who may open it."""
    samples = {route_of(address): address for _method, address, _expected in MATRIX}
    assert set(routes()) - set(samples) == set(), "routes without a row"
    there = {(method, route_of(address)) for method, address, _expected in MATRIX}
    client = signed_in("sota")
    taken = {
        (method, route)
        for route, address in samples.items()
        for method in ("GET", "POST")
        if (method, route) not in there and asked(client, method, address.format(**names)) != 405
    }
    assert taken == set(), "methods without a row"


@pytest.mark.parametrize("role", ["nobody", "sota"])
def test_no_form_of_another_site_is_taken(names: dict[str, Any], role: str) -> None:
    client = signed_in(role, is_strict=True)
    came = {
        address: asked(client, method, address.format(**names))
        for method, address, _expected in MATRIX
        # Nothing is at the one; mail programs send the other, and its link is signed.
        if method == "POST" and address != "/api" and not address.startswith("/mail/unsubscribe/")
    }
    assert len(came) > 40
    assert {address: answer for address, answer in came.items() if answer != 403} == {}


def test_an_account_that_may_no_longer_organise_is_refused(client: Client) -> None:
    event = factories.a_tournament()
    client.force_login(event.organiser)
    User.objects.filter(pk=event.organiser.pk).update(is_organiser=False)
    assert client.get(f"/organise/tournaments/{event.public_id}").status_code == 403
