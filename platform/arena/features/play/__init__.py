"""Play of persons against and with bots: unrated tables, the service that runs them, what a seat may see."""
