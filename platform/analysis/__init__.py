"""Analysis of played deals: values of positions, costs of plays, averages over possible deals."""
