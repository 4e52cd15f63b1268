"""Series of tournaments: their editions and subscriptions."""
