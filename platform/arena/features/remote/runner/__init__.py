"""Sessions of remote tables: the only part of remote bots that imports the referee."""
