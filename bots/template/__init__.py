"""What ``rensho new`` copies: a folder for each game, and one that plays any."""
