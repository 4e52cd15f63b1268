"""Ratings: strengths of versions in stones per board, computed from board scores, with their history."""
