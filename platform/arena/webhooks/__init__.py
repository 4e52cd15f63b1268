"""Telling other programs what happened: webhooks, their signatures and their deliveries."""
