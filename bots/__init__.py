"""Everything around a bot: the SDK it imports, the house bots, the template and the author's command."""
