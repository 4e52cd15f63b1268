"""Experiments: whether a new version is better than an old one, by a sequential test on duplicate boards."""
