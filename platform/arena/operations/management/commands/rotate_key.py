"""``manage.py rotate_key``: retire the key that signs statements and create a new one."""

from __future__ import annotations

from typing import Any

from arena.common.management.database_command import DatabaseCommand
from arena.competition.keys import key_current, key_rotate


class Command(DatabaseCommand):
    """Retires the key that signs statements and creates a new one. Old signatures stay valid."""

    help = "Retire the key that signs statements and create a new one. The old key stays published."

    def handle(self, *args: Any, **options: Any) -> None:
        old = key_current()
        new = key_rotate()
        self.stdout.write(
            f"Key {new.name} now signs statements; {old.name} is retired and stays at "
            "/.well-known/rensho-key."
        )
