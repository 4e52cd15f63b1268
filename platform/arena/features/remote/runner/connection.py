"""State of the connection to a remote version, from its row and from the presence of web processes."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from arena.features.remote.matching import ATTENDED_S
from arena.features.remote.models import RemoteVersion
from arena.features.remote.selectors import ALIVE_S

WEB_SEEN_S = 7.0
"""Seconds after which web processes count as down; each announces itself every five seconds."""


class Link(Enum):
    CONNECTED = "connected"
    LEFT = "left"
    """The client is away, and a web process would let it connect."""
    SITE_DOWN = "site_down"
    UNKNOWN = "unknown"
    """Too soon after an outage."""


class LinkState(NamedTuple):
    link: Link
    since: datetime.datetime
    """When the clock must stand from, unless connected."""


def link_state(
    version: RemoteVersion,
    now: datetime.datetime,
    observed_since: datetime.datetime,
    last_web_presence: Callable[[], datetime.datetime | None],
) -> LinkState:
    """Return the state of a version's connection.

    ``observed_since`` is the end of the last outage that the caller noticed. Signs of life that an outage
    prevented are not missed. ``last_web_presence`` is called only without a connection.
    """
    attended_s = _age_s(now, version.attended_at)
    if version.disconnected_at is not None:
        since, is_gone = version.disconnected_at, True
    elif version.attended_at is not None and attended_s <= ATTENDED_S:
        signs = [observed_since] if version.alive_at is None else [observed_since, version.alive_at]
        is_silent = _age_s(now, max(signs)) > ALIVE_S
        return LinkState(Link.LEFT if is_silent else Link.CONNECTED, now)
    elif version.attended_at is not None and _age_s(now, observed_since) <= ATTENDED_S:
        return LinkState(Link.UNKNOWN, version.attended_at)
    else:
        since, is_gone = version.attended_at or now, False
    seen_at = last_web_presence()
    is_served = seen_at is not None and _age_s(now, seen_at) <= WEB_SEEN_S
    if is_served and seen_at is not None and not is_gone and version.attended_at is not None:
        # The last announcement of the process that died does not count.
        is_served = (seen_at - version.attended_at).total_seconds() > ATTENDED_S
    return LinkState(Link.LEFT if is_served else Link.SITE_DOWN, since)


def person_link_state(now: datetime.datetime, seen_at: datetime.datetime | None) -> LinkState:
    """Return the state of a person, who may be away, but not without a web process.

    ``seen_at``: when a web process last announced itself; None if unknown.
    """
    is_served = _age_s(now, seen_at) <= WEB_SEEN_S
    return LinkState(Link.CONNECTED if is_served else Link.SITE_DOWN, seen_at or now)


def _age_s(now: datetime.datetime, moment: datetime.datetime | None) -> float:
    return float("inf") if moment is None else (now - moment).total_seconds()
