"""Page URLs of experiments."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.experiments.pages import views

urlpatterns: list[URLPattern] = [
    path("experiments", views.experiments, name="experiments"),
    path("experiments/new", views.new, name="experiment-new"),
    path("experiments/<id:public_id>", views.experiment, name="experiment"),
    path("experiments/<id:public_id>/stop", views.stop, name="experiment-stop"),
]
