"""Endpoints by resource. Each fetches objects, calls one service and responds."""
