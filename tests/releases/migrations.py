"""Write the initial migration of every app again from its models: ``python -m tests.releases.migrations``.

For the first release only: later releases add migrations. Operations that models do not imply (``RunPython``,
``RunSQL``, ``SeparateDatabaseAndState`` and others) are listed, and nothing is written while there are any,
because they have to be carried over by hand.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import django
from django.apps import apps
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.operations.special import RunPython, RunSQL, SeparateDatabaseAndState

REPOSITORY = Path(__file__).resolve().parents[2]
INITIAL = "0001_initial"
BY_HAND = (RunPython, RunSQL, SeparateDatabaseAndState)


def not_derived(operation: Operation) -> bool:
    """Return whether an operation does not follow from the models."""
    return isinstance(operation, BY_HAND) or not type(operation).__module__.startswith(
        "django.db.migrations."
    )


def folders() -> dict[str, Path]:
    """Return the migrations folder of each app of the project that has models."""
    found = {}
    for config in apps.get_app_configs():
        folder = Path(config.path) / "migrations"
        if config.name.startswith("arena") and (folder / f"{INITIAL}.py").exists():
            found[config.label] = folder
    return found


def manage(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``manage.py``; raise CalledProcessError if it fails."""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )


def main() -> int:
    """Entry point."""
    loader, wrong = MigrationLoader(None), []
    for (app, name), migration in sorted(loader.disk_migrations.items()):
        if app in folders():
            wrong += [f"{app}.{name}: {op.describe()}" for op in migration.operations if not_derived(op)]
            wrong += [f"{app}.{name}: more than one migration"] if name != INITIAL else []
    if wrong:
        print("Carry these over by hand, after the initial migrations:", *wrong, sep="\n  ", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as kept:
        for app, folder in folders().items():
            shutil.move(folder / f"{INITIAL}.py", Path(kept) / f"{app}.py")
        try:
            manage("makemigrations", "--name", "initial", *folders_of(kept))
            manage("makemigrations", "--check", "--dry-run")
            for app in folders_of(kept):
                files = sorted(path.name for path in location(app).glob("[0-9]*.py"))
                if files != [f"{INITIAL}.py"]:
                    raise RuntimeError(f"{app} has {files}: a circle of apps; write one file by hand")
        except BaseException:
            for app in folders_of(kept):
                for path in location(app).glob("[0-9]*.py"):
                    path.unlink()
                shutil.move(Path(kept) / f"{app}.py", location(app) / f"{INITIAL}.py")
            raise
    print("Written. Compare with: git diff -- 'platform/arena/*migrations*'")
    return 0


def folders_of(kept: str) -> list[str]:
    """Return the labels of the apps whose migrations were moved away."""
    return sorted(path.stem for path in Path(kept).glob("*.py"))


def location(app: str) -> Path:
    """Return the migrations folder of an app."""
    return Path(apps.get_app_config(app).path) / "migrations"


if __name__ == "__main__":
    sys.path[:0] = [str(REPOSITORY / "platform")]
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings.test")
    django.setup()
    sys.exit(main())
