"""Tests of the API of remote bots."""
