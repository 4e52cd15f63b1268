"""Django settings: base for every installation, test for the test suite."""
