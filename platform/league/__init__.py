"""Pairing, rotation, scores, standings and fair deals: pure functions on plain values.

Nothing here knows a database, a clock or a file. Entries are named by strings, scores are exact
fractions in stones, and every function gives the same answer whatever the order of its input.
"""
