"""What workers say of themselves."""

from __future__ import annotations

from django.utils import timezone

from arena.matches.models import Worker


def worker_seen(name: str, level: str, runtimes: dict[str, str], capacity: int, detail: str = "") -> None:
    """Note that a worker lives, what it can run and, if it cannot, what is missing."""
    Worker.objects.update_or_create(
        name=name[:80],
        defaults={
            "heartbeat_at": timezone.now(),
            "sandbox_level": level,
            "runtimes": runtimes,
            "capacity": capacity,
            "detail": detail,
        },
    )
