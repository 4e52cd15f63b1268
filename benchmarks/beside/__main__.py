"""``python -m benchmarks.beside``: sets Django up and runs the measurement."""

import os
import sys

import django

os.umask(0o077)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings.base")
django.setup()

from benchmarks.beside.run import main  # noqa: E402

sys.exit(main())
