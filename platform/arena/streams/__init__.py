"""Server-sent event streams for pages and programs: limits, one shared database poll, messages."""
