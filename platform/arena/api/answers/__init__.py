"""Answers: the functions that write them, and their shapes."""
