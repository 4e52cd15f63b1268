"""API URLs of experiments."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.experiments.api import views

urlpatterns: list[URLPattern] = [
    path("experiments", views.Experiments.as_view(), name="experiments"),
    path("experiments/<id:experiment>", views.OneExperiment.as_view(), name="experiment"),
    path("experiments/<id:experiment>/stop", views.StopExperiment.as_view(), name="experiment-stop"),
]
