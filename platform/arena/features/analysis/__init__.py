"""Analysis: notes on opened deals, costs of plays, and solved positions."""
