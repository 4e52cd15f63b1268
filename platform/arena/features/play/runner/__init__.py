"""What the service of live tables runs for play: the only part of play that imports the referee."""
