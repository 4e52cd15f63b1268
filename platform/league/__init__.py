"""Pairing, rotation, scores, standings and fair deals: pure functions on plain values.

No function uses a database, a clock or a file. Entries are strings, scores are exact fractions in stones, and
the order of the input never changes a result.
"""
