"""Sections of docs/runbook.md by part of a health check."""

from __future__ import annotations

from arena.common.features import HealthResult

PAGE = "docs/runbook.md"
SECTIONS = {
    "data folder": "disk-full",
    "disk space": "disk-full",
    "database": "database-down",
    "connections": "database-down",
    "migrations": "wrong-version-or-settings",
    "broker": "queue-down",
    "queue persistence": "queue-down",
    "queue eviction": "queue-down",
    "clock": "clocks-differ",
    "maintenance": "maintenance-mode",
    "proxies": "wrong-version-or-settings",
    "worker": "worker-refuses",
    "workers": "no-workers",
    "revision": "revisions-differ",
    "ladders": "wrong-version-or-settings",
    "play": "service-stopped",
    "remote bots": "service-stopped",
    "analysis": "service-stopped",
    "daily": "tick-stopped",
    "tick": "tick-stopped",
    "tick parts": "tick-stopped",
    "waiting": "runtime-unavailable",
    "staleness": "tick-stopped",
    "storage": "storage-down",
    "blobs": "blobs-lost",
    "quarantine": "platform-faults",
    "platform faults": "platform-faults",
    "backup": "backup-late",
    "mail": "mail-fails",
    "identity provider": "identity-provider-fails",
}


def runbook_section(result: HealthResult) -> str:
    """Return the section about a result; empty if there is none."""
    return SECTIONS.get(result.part, "")
