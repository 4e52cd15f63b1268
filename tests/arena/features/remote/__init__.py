"""Tests of remote bots."""
