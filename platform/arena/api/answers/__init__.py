"""Shapes of API responses, and the functions that build them, by resource."""
