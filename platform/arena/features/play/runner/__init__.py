"""The service that runs casual tables: the only part of play that knows the referee."""
