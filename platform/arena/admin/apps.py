"""App configuration."""

from django.apps import AppConfig


class OperatorAdminConfig(AppConfig):
    name = "arena.admin"
    # Django's own admin is labelled "admin".
    label = "operator_admin"
