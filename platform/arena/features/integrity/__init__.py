"""Integrity: reports on suspicious results and conduct for staff and organisers, and rulings on pairs."""
