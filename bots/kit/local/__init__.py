"""Commands that run on this machine: create, check, play, compare, tune, verify."""
