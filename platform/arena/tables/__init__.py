"""What a worker does around a table: its files, its view, what this machine can run."""
