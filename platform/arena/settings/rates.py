"""Request rates of API and pages, from the environment: ``RENSHO_RATE_<NAME>``, such as ``600/min``.

A rate applies to one account, or to one address for anonymous requests.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

PREFIX = "RENSHO_RATE_"
DEFAULT_RATES: Mapping[str, str] = {
    "anonymous": "600/min",
    "user": "1200/min",
    "uploads": "60/hour",
    "tokens": "30/hour",
    "exports": "120/hour",
    "pages": "3000/min",
    "bad_tokens": "60/min",
    "sign_ups": "20/hour",
    "resets": "20/hour",
    "reset_mails": "3/hour",
    "confirmation_mails": "3/hour",
    "passkeys": "60/hour",
    "provider_sign_ins": "600/hour",
    "play_guests": "20/hour",
    "problem_guests": "60/hour",
    "pictures": "60/min",
    "remote_answers": "3000/min",
    "remote_streams": "120/min",
}
"""Default rates. ``anonymous``, ``bad_tokens``, ``sign_ups``, ``resets``, ``passkeys``, ``provider_sign_ins``
(through an OpenID Connect provider), ``play_guests`` (tables of guests), ``problem_guests`` (their answers)
and ``pictures`` (share pictures that are drawn) apply per address; ``confirmation_mails`` per account and per
mail address; ``pages`` per account, or per address for anonymous requests; the others per account.
``remote_answers`` (answers and signs of life of remote bots) applies in place of ``user``.
"""
_RATE_PATTERN = re.compile(r"[1-9][0-9]{0,8}/(s|sec|second|m|min|minute|h|hour|d|day)")


def rates_of(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the rates of an environment, by name.

    Raise ``SystemExit`` if a value is not a rate, or a variable is unknown.
    """
    rates = dict(DEFAULT_RATES)
    for variable in sorted(name for name in environment if name.startswith(PREFIX)):
        name = variable.removeprefix(PREFIX).lower()
        text = environment[variable].strip()
        if name not in DEFAULT_RATES:
            known = ", ".join(PREFIX + known.upper() for known in DEFAULT_RATES)
            raise SystemExit(f"rensho: {variable} is not a rate; rates: {known}.")
        if text and not _RATE_PATTERN.fullmatch(text):
            raise SystemExit(
                f"rensho: {variable}={text!r} is not a rate: use a number, a slash and s, min, hour or day, "
                f"or leave it out: the default is {DEFAULT_RATES[name]}."
            )
        rates[name] = text or rates[name]
    return rates
