"""Service that runs casual tables: the only part of play that imports the referee."""
