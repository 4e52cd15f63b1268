"""Settings of an installation whose workers are killed: no broker, as many attempts as it takes."""

from arena.settings.base import *  # noqa: F403

CELERY_BROKER_URL = "memory://"
TABLE_ATTEMPTS_MAX = 1000
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
