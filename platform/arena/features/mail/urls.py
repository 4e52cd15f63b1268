"""Page URLs of e-mail notices."""

from __future__ import annotations

from django.urls import URLPattern, path

from arena.features.mail.pages import views

urlpatterns: list[URLPattern] = [
    path("me/mail", views.preferences, name="mail"),
    path("me/mail/confirm", views.request_confirmation, name="mail-confirmation"),
    path("me/mail/confirm/<signed:token>", views.confirm, name="mail-confirm"),
    path("mail/unsubscribe/<signed:token>", views.unsubscribe_page, name="mail-unsubscribe"),
]
