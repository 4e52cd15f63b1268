"""App configuration."""

from django.apps import AppConfig

from arena.common.errors import Invalid
from arena.features.webhooks import conf


class WebhooksConfig(AppConfig):
    name = "arena.features.webhooks"
    label = "webhooks"

    def ready(self) -> None:
        """Refuse to start with a setting that cannot be; the operator reads one sentence and no traceback."""
        try:
            conf.check()
        except Invalid as error:
            raise SystemExit(f"rensho: {error.message}") from None
