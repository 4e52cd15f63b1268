"""Players, bots, their immutable versions, and the checks of versions."""
