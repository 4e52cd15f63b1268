"""Courses: groups of accounts with owners, private tournaments, rankings, and accounts from CSV."""
