"""Settings of the test suite: one data folder per process, fast password hashing, no broker."""

import os

from arena.settings.folder_of_tests import data_folder, memory_folder

os.environ["RENSHO_DATA"] = str(data_folder())

from arena.settings.base import *  # noqa: F403
from arena.settings.base import DATA, DATABASES
from arena.settings.ladders import LadderSettings

SECRET_KEY = "test"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DATABASES["default"].setdefault("TEST", {})
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file in memory: threads and processes that a test starts see the same rows, and one waits for another
    # as on a disk. SQLite's own databases in memory have other locks.
    DATABASES["default"]["TEST"]["NAME"] = str(memory_folder(DATA) / "test.sqlite3")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "blobs": {
        "BACKEND": "arena.common.blob_storages.AtomicFileStorage",
        "OPTIONS": {"location": DATA / "blobs"},
    },
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
CELERY_BROKER_URL = REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:1/0")
CELERY_TASK_PUBLISH_RETRY = False
TABLE_BACKOFF_S = ((0.0, 0.0),)
"""No delay after failures; tests of the delay set their own."""
WORKER_FREE_BYTES_MIN = 1 << 20
WHITENOISE_AUTOREFRESH = True
"""Static files are looked up per request; otherwise each test client would list all of them first."""
LADDERS = LadderSettings(presets=frozenset())
"""No ladders, as otherwise every tick in a test would create all of them."""
