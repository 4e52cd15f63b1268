"""``python -m benchmarks.demo``: sets Django up and runs the command."""

import os
import sys

import django

os.umask(0o077)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings.base")
django.setup()

from benchmarks.demo.command import Command  # noqa: E402

Command().run_from_argv(["python -m", "benchmarks.demo", *sys.argv[1:]])
