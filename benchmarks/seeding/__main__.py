"""``python -m benchmarks.seeding``: sets Django up and runs the command."""

import os
import sys

import django

os.umask(0o077)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings.base")
django.setup()

from benchmarks.seeding.command import Command  # noqa: E402

Command().run_from_argv(["python -m", "benchmarks.seeding", *sys.argv[1:]])
