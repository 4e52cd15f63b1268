"""Background work: Celery tasks, the periodic tick, and the flow of tournaments."""
