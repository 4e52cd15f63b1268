"""Settings of an attacked server: those of every installation, with the storage of the tests."""

from arena.settings.base import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
