"""Experiments: sequential tests, on duplicate boards, whether a new version of a bot is better than an old
one.
"""
