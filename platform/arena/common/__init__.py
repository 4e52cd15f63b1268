"""Shared by all apps: errors, public ids, blobs, state changes, rates, caches and connections."""
