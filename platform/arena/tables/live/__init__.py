"""Tables outside of events: their rows, and the service that runs them."""
