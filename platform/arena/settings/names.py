"""All environment variables that the project reads, and detection of misspelt ones.

A misspelt name is not an error, because other programs set variables with the same prefix: Kubernetes does
for a service called ``rensho``. ``manage.py doctor``, ``up`` and ``serve`` warn of it.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping

from arena.settings import (
    analysis,
    broker,
    database,
    groups,
    hosts,
    ladders,
    limits,
    logs,
    metrics,
    oidc,
    people,
    play,
    private,
    proxies,
    rates,
    reporting,
    retention,
    secret,
    secret_files,
    server,
    storage,
    streams,
)
from referee.contract import Limits

PREFIXES = ("RENSHO_", "BOT_", "WEBHOOK_", "WEBHOOKS_", "WORKER_", "SANDBOX_")
"""Prefixes of our variables."""
INSTALLATION_VARIABLES = frozenset(
    {private.DATA_VARIABLE, "RENSHO_DEBUG", "RENSHO_HTTPS", logs.LEVEL_VARIABLE, logs.FORMAT_VARIABLE}
    | {secret_files.file_variable(name) for name in secret_files.SECRETS}
    | {secret.VARIABLE, secret.FALLBACKS, reporting.SENTRY_DSN, reporting.TRACES_ENDPOINT}
    | {hosts.HOSTS, hosts.ORIGINS, hosts.CORS_ORIGINS, metrics.VARIABLE, proxies.VARIABLE}
    | {people.SIGN_UP, people.ADDRESS, people.CONTACT, people.EMAIL_URL, people.EMAIL_FROM}
    | {database.URL_VARIABLE, database.POOL_VARIABLE, broker.VARIABLE, broker.SERVER}
    | {rates.PREFIX + name.upper() for name in rates.DEFAULT_RATES}
    | {server.PROCESSES}
    | {server.PREFIX + field.name.upper() for field in dataclasses.fields(server.ServerLimits)}
    | {
        *oidc.VARIABLES,
        *storage.VARIABLES,
        *analysis.VARIABLES,
        *streams.VARIABLES,
        *retention.VARIABLES,
        *play.VARIABLES,
        *ladders.VARIABLES,
        ladders.LADDERS,
    }
    | {limits.variable_of(field.name) for field in dataclasses.fields(Limits)}
    | {limits.FREE_MIB_VARIABLE, "WORKER_RUNTIMES", "RENSHO_TABLES"}
    | {groups.VARIABLE, "SANDBOX_MIN_LEVEL", "SANDBOX_STAGE_ON_DISK", "SANDBOX_BWRAP"}
    | {"RENSHO_STAGE", "RENSHO_NODE", "RENSHO_LIVENESS"}
    | {"WEBHOOK_ALLOWED_HOSTS", "WEBHOOK_ALLOW_PRIVATE", "WEBHOOK_ALLOW_HTTP", "WEBHOOK_PORTS"}
    | {"WEBHOOK_TIMEOUT_S", "WEBHOOKS_PER_USER", "WEBHOOK_QUEUE_MAX", "WEBHOOK_DISABLE_S"}
)
"""Variables that the site, its workers and its units read."""
OTHER_VARIABLES = frozenset(
    # The kit; the sandbox, of its own processes; the scripts that set up, build and update.
    {"RENSHO_URL", "RENSHO_TOKEN", "RENSHO_BOX", "RENSHO_PYTHON", "RENSHO_PURE_WHEEL", "RENSHO_ENV"}
    | {"RENSHO_HOME", "RENSHO_UNITS", "RENSHO_SYSTEMCTL"}
    # The tests.
    | {"RENSHO_POSTGRES", "RENSHO_CHROMIUM", "RENSHO_BROWSER_SITE", "RENSHO_TEST_SEED"}
    | {"RENSHO_EXPLORE", "RENSHO_EXHAUSTIVE"}
)
"""Variables without effect on an installation, which other programs of the project read."""
MIN_SIMILARITY = 0.6
"""Minimum similarity (``difflib``) of a suggestion."""


def unknown_names(environment: Mapping[str, str]) -> dict[str, str]:
    """Return unknown variables with our prefixes, sorted, each with the most similar known one or an empty
    text.

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
    """Return a sentence for each unknown name, without its value.

    >>> unknown_name_warnings({"RENSHO_STREAM": "5"})
    ['RENSHO_STREAM is unknown and has no effect; did you mean RENSHO_STREAMS?']
    """
    return [
        f"{name[:80]} is unknown and has no effect{f'; did you mean {nearest}?' if nearest else '.'}"
        for name, nearest in unknown_names(environment).items()
    ]
