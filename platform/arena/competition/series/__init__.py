"""Series of tournaments: editions and subscriptions."""
