"""API URLs of webhooks."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.webhooks.api import views

urlpatterns: list[URLPattern] = [
    path("webhooks", views.Webhooks.as_view(), name="webhooks"),
    path("webhooks/<id:webhook>", views.OneWebhook.as_view(), name="webhook"),
    path("webhooks/<id:webhook>/rotate", views.Rotate.as_view(), name="webhook-rotate"),
    path("webhooks/<id:webhook>/ping", views.Ping.as_view(), name="webhook-ping"),
    path("webhooks/<id:webhook>/deliveries", views.Deliveries.as_view(), name="deliveries"),
    path("webhooks/<id:webhook>/deliveries/<id:delivery>", views.OneDelivery.as_view(), name="delivery"),
    path(
        "webhooks/<id:webhook>/deliveries/<id:delivery>/redeliver",
        views.Redeliver.as_view(),
        name="delivery-redeliver",
    ),
]
