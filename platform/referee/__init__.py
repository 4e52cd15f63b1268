"""The referee: runs one table, polices the bots and isolates them in a sandbox."""
