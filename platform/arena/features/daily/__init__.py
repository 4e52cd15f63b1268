"""Daily deal: one deal a day that everyone plays once, against the same bots."""
