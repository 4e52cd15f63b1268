"""Play: people at unrated tables against and with bots, and the service that runs these tables."""
