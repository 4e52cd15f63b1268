"""Ratings: strengths of versions in stones a board, from the board scores, with their history."""
