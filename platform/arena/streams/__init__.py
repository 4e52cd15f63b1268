"""Streams of server-sent events, of pages and programs: who may listen, one look at the database."""
