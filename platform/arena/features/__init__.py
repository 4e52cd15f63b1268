"""Features: each folder is one, whole; arena.mounts lists them."""
