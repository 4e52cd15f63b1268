"""Shapes of requests and answers, by resource."""
