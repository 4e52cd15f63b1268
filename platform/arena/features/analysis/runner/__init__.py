"""Service that analyses tables and solves positions, each in a computing process of its own."""
