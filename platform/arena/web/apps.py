"""App configuration."""

from __future__ import annotations

from django.apps import AppConfig

from arena.web.base.form_errors import install_error_messages


class WebConfig(AppConfig):
    name = "arena.web"
    label = "web"

    def ready(self) -> None:
        """Before any form of a page is imported: all say what to do in the words of the house."""
        install_error_messages()
