"""Collectors of ``/metrics``, by where their values come from."""
