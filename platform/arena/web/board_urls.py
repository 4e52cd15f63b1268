"""Addresses of boards, fixtures, lists of deals."""

from __future__ import annotations

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
