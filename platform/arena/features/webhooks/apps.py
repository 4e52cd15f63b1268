"""App configuration: check the settings of webhooks at startup."""

from django.apps import AppConfig

from arena.features.webhooks import conf


class WebhooksConfig(AppConfig):
    name = "arena.features.webhooks"
    label = "webhooks"

    def ready(self) -> None:
        conf.check()
