"""Chaos test of remote bots: a bad network, killed clients, and a site whose parts are killed."""
