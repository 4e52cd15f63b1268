"""The Celery application: ``celery -A arena worker``. Settings come from Django under ``CELERY_``."""

import os

from celery import Celery
from celery.signals import beat_init, celeryd_init, setup_logging, worker_init

from arena.settings.private import restrict_new_files

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings.base")

app = Celery("arena")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@beat_init.connect
@celeryd_init.connect
def _keep_files_private(**_: object) -> None:
    restrict_new_files()


@beat_init.connect
@worker_init.connect
def _report_errors(**_: object) -> None:
    """Report errors of beat and of a worker's main process; processes of the pool start their own reports."""
    # Django is not set up when this module is imported.
    from arena.common.reporting import reports_start

    reports_start()


@setup_logging.connect
def _keep_logging(**_: object) -> None:
    """Keep the logging of Django's settings: with a receiver, Celery configures none."""
    app.log.redirect_stdouts("WARNING")  # type: ignore[arg-type]  # a name, as Celery passes it
