"""Pages of bots, versions and players."""
