"""App configuration."""

from django.apps import AppConfig

from arena.features.webhooks import conf


class WebhooksConfig(AppConfig):
    name = "arena.features.webhooks"
    label = "webhooks"

    def ready(self) -> None:
        """Refuse to start with a setting that cannot be."""
        conf.check()
