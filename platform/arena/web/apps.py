"""App configuration."""

from __future__ import annotations

from django.apps import AppConfig

from arena.web.base.form_errors import install_error_messages


class WebConfig(AppConfig):
    name = "arena.web"
    label = "web"

    def ready(self) -> None:
        """Install the error messages before any form is imported."""
        install_error_messages()
