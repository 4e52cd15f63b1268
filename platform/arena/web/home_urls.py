"""Addresses of home, people, bots, search."""

from __future__ import annotations

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
