"""Start traces and error reports of a process, if the settings ask for them. The packages load only then."""

from __future__ import annotations

from django.conf import settings

from arena.common import tracing
from arena.common.revisions import revision


def reporting_start() -> None:
    """Start both. Their senders are threads: call it in the process that works, after it was forked."""
    reports_start()
    if settings.TRACES_ENDPOINT:
        tracing.tracing_start(revision())


def reports_start() -> None:
    """Start error reports alone. A forked process must start its own: the sender's thread is not copied."""
    if settings.SENTRY_DSN:
        from arena.common.error_reports import error_reports_start

        error_reports_start(revision())


def reporting_stop() -> None:
    """Send what is queued, for a process that ends without the interpreter's cleanup."""
    if settings.SENTRY_DSN:
        import sentry_sdk

        sentry_sdk.flush(tracing.FLUSH_MS / 1000)
    tracing.tracing_stop()
