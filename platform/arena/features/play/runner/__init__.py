"""Sessions of casual tables: the only part of play that imports the referee."""
