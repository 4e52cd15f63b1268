"""Requests drawn from the description of the API, valid and not: every answer is as described.

They are the same in every run but those of ``make explore``, and asked in this process. All checks of
schemathesis are on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tests.chance import examples
from tests.factories import a_token, aya, sota

pytestmark = [pytest.mark.full, pytest.mark.django_db, pytest.mark.hypothesis]

# A stream has no end, and WSGI sends nothing before it: test_changes.py and test_events.py follow them.
STREAMS = r"/(events|stream)$"
# Rules of games, formats and of fields together are more than a description of fields can say.
RULES_BEYOND_FIELDS = ("POST", "PATCH")
ACCEPTED = ["2xx", "304", "401", "403", "404", "409", "423"]
"""Sealed is a state of the thing, as missing is."""
REFUSED = ["400", "401", "403", "404", "405", "406", "409", "415", "422", "423", "431"]
"""Who asks, and for what, is looked at before the body."""
INSTALLED = ("game", "kind", "preset")
"""Filters whose values the description does not list: it is the same for every installation."""
EXAMPLES = 4
DRAWN = settings(
    examples(EXAMPLES),
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(autouse=True)
def _connection_stays() -> Iterator[None]:
    """As Django's own test client has it: the connection holds the test's transaction."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def described() -> Any:
    """The description as the API itself serves it."""
    config = SchemathesisConfig.from_dict(
        {
            "checks": {
                "positive_data_acceptance": {"expected-statuses": ACCEPTED},
                "negative_data_rejection": {"expected-statuses": REFUSED},
            },
            "operations": [
                {
                    "include-method": list(RULES_BEYOND_FIELDS),
                    "checks": {"positive_data_acceptance": {"expected-statuses": [*ACCEPTED, "400"]}},
                }
            ],
        }
    )
    return schemathesis.openapi.from_wsgi("/api/v1/schema?format=json", get_wsgi_application(), config=config)


@pytest.mark.parametrize("who", ["nobody", "aya", "staff"])
def test_every_answer_is_as_described(names: dict[str, str], described: Any, who: str) -> None:
    token = {"nobody": None, "aya": a_token(aya()), "staff": a_token(sota())}[who]
    # What is asked in process is not unpacked.
    headers = {"Accept-Encoding": "identity"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    wrong = []
    for found in described.get_all_operations():
        operation = found.ok()
        if operation.method == "get" and re.search(STREAMS, operation.path):
            continue
        try:
            exercised(operation, headers, names)
        except (Exception, BaseExceptionGroup) as failure:  # whatever it is, the others are looked at too
            wrong.append(f"{operation.label}: {failure}")
    assert not wrong, "\n\n".join(wrong)


def exercised(operation: Any, headers: dict[str, str], things: dict[str, str]) -> None:
    """Ask one operation with drawn requests, half of them about things that there are."""
    counter = iter(range(1_000_000))

    @DRAWN
    @given(case=operation.as_strategy())
    def ask(case: Any) -> None:
        cache.clear()
        # Only a list itself can make one; test_filters.py sends others.
        (case.query or {}).pop("cursor", None)
        if next(counter) % 2:
            for place in case.path_parameters or {}:
                case.path_parameters[place] = things.get(place, case.path_parameters[place])
        # Each request finds the world as it was.
        with transaction.atomic():
            answer = case.call(headers=headers)
            transaction.set_rollback(True)
        unknown = [positive_data_acceptance] if names_what_is_not_here(answer) else []
        case.validate_response(answer, headers=headers, excluded_checks=unknown)

    ask()


def names_what_is_not_here(answer: Any) -> bool:
    """Whether a filter was refused for nothing but a game, preset or kind of thing that is not installed."""
    if answer.status_code != 400:
        return False
    errors = [(error["field"], error["code"]) for error in answer.json().get("errors", ())]
    return bool(errors) and set(errors) <= {(name, "invalid_choice") for name in INSTALLED}
