"""Every variable of the environment that the project reads, and which ones somebody set that it does not.

A misspelt name is no error: other programs have variables that begin alike, as Kubernetes makes some for a
service called ``rensho``. It is told by ``manage.py doctor``, ``up`` and ``serve``.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping

from arena.settings import (
    broker,
    database,
    groups,
    hosts,
    ladders,
    limits,
    logs,
    metrics,
    people,
    play,
    private,
    proxies,
    rates,
    secret,
    server,
    streams,
)
from referee.contract import Limits

PREFIXES = ("RENSHO_", "BOT_", "WEBHOOK_", "WEBHOOKS_", "WORKER_", "SANDBOX_")
"""Names that begin so are meant for us."""
INSTALLATION_VARIABLES = frozenset(
    {private.DATA_VARIABLE, "RENSHO_DEBUG", "RENSHO_HTTPS", logs.LEVEL_VARIABLE, secret.VARIABLE}
    | {hosts.HOSTS, hosts.ORIGINS, hosts.CORS_ORIGINS, metrics.VARIABLE, proxies.VARIABLE}
    | {people.SIGN_UP, people.ADDRESS, people.CONTACT, people.EMAIL_URL, people.EMAIL_FROM}
    | {database.URL_VARIABLE, database.POOL_VARIABLE, broker.VARIABLE, broker.SERVER}
    | {rates.PREFIX + name.upper() for name in rates.DEFAULT_RATES}
    | {server.PREFIX + field.name.upper() for field in dataclasses.fields(server.ServerLimits)}
    | {*streams.VARIABLES, *play.VARIABLES, *ladders.VARIABLES, ladders.LADDERS}
    | {limits.variable_of(field.name) for field in dataclasses.fields(Limits)}
    | {limits.FREE_MIB_VARIABLE, "WORKER_RUNTIMES", "RENSHO_TABLES"}
    | {groups.VARIABLE, "SANDBOX_MIN_LEVEL", "SANDBOX_STAGE_ON_DISK", "SANDBOX_BWRAP"}
    | {"RENSHO_STAGE", "RENSHO_NODE"}
    | {"WEBHOOK_ALLOWED_HOSTS", "WEBHOOK_ALLOW_PRIVATE", "WEBHOOK_ALLOW_HTTP", "WEBHOOK_PORTS"}
    | {"WEBHOOK_TIMEOUT_S", "WEBHOOKS_PER_USER", "WEBHOOK_WAITING_MOST", "WEBHOOK_DISABLE_S"}
)
"""What the site, its workers and its units read."""
OTHER_VARIABLES = frozenset(
    # The kit; the sandbox, of its own processes; the scripts that set up and build.
    {"RENSHO_URL", "RENSHO_TOKEN", "RENSHO_BOX", "RENSHO_PYTHON", "RENSHO_PURE_WHEEL", "RENSHO_ENV"}
    # The tests.
    | {"RENSHO_POSTGRES", "RENSHO_CHROMIUM", "RENSHO_BROWSER_SITE", "RENSHO_TEST_SEED"}
    | {"RENSHO_EXPLORE", "RENSHO_EXHAUSTIVE"}
)
"""What has no effect on an installation, but a meaning elsewhere."""
MIN_SIMILARITY = 0.6
"""How alike two names are (``difflib``) for one to be taken for the other."""


def unknown_names(environment: Mapping[str, str]) -> dict[str, str]:
    """Names that look like settings of ours and are none, sorted, each with the nearest one, or empty.

    >>> unknown_names({"RENSHO_STREAM": "5", "BOT_MEMORY": "1", "RENSHO_EXPLORE": "1", "BOT_X": "", "A": "1"})
    {'BOT_MEMORY': 'BOT_MEMORY_BYTES', 'BOT_X': '', 'RENSHO_STREAM': 'RENSHO_STREAMS'}
    """
    known = sorted(INSTALLATION_VARIABLES)
    return {
        name: next(iter(difflib.get_close_matches(name, known, 1, MIN_SIMILARITY)), "")
        for name in sorted(environment)
        if name.startswith(PREFIXES) and name not in INSTALLATION_VARIABLES and name not in OTHER_VARIABLES
    }


def unknown_name_warnings(environment: Mapping[str, str]) -> list[str]:
    """A sentence for each of ``unknown_names``, without its value.

    >>> unknown_words({"RENSHO_STREAM": "5"})
    ['RENSHO_STREAM is no setting and has no effect; the nearest is RENSHO_STREAMS.']
    """
    return [
        f"{name[:80]} is no setting and has no effect{f'; the nearest is {nearest}' if nearest else ''}."
        for name, nearest in unknown_names(environment).items()
    ]
