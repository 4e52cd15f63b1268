"""Experiments: sequential tests, on duplicate boards, of whether a new version of a bot is better."""
